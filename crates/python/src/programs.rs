//! Runs of programs on kernels at a scenario's nodes.

use std::path::PathBuf;
use std::sync::Arc;

use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Scenario, Stop};
use pyo3::prelude::*;
use serde_json::json;
#[cfg(target_os = "linux")]
use {acklab_sim::outcome::Outcome, serde_json::Value};

use crate::errors;
use crate::input::{Text, overrides};
use crate::live::LiveError;
use crate::simulation::RunResult;

/// A kernel: its node, the words that start it, its environment, what it may read, and what it may write.
type Kernel = (String, Vec<String>, Vec<(String, String)>, Vec<PathBuf>, Vec<PathBuf>);
/// A namespace of this machine: its node, the descriptors of its card and of what becomes readable when its programs have ended.
type Place = (String, i32, i32);

/// A scenario's programs, and its network between them.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Programs(Arc<Scenario>);

#[pymethods]
impl Programs {
    #[new]
    #[pyo3(signature = (text, *, file = "scenario", sets = Vec::new(), seed = None))]
    fn new(text: Text, file: &str, sets: Vec<String>, seed: Option<u64>) -> PyResult<Programs> {
        text.parse(file, &overrides(&sets, seed)?)
            .map(|scenario| Programs(Arc::new(scenario)))
            .map_err(errors::scenario)
    }

    /// As JSON: title, seed, latest end, each node's name with its addresses, the nodes of `{server}` and `{client}`, the programs.
    fn json(&self) -> String {
        let Scenario { title, seed, stop, nodes, programs, flows, .. } = &*self.0;
        let last = nodes.len().saturating_sub(1) as u32;
        let [server, client] = flows.first().map_or([0, last], |flow| [flow.from, flow.to]);
        let name = |node: u32| nodes[node as usize].as_str();
        let program = |program: &acklab_scenario::spec::ProgramSpec| {
            json!({ "at": name(program.at), "run": program.run, "start_s": program.start.secs(), "ready": program.ready,
                    "stop_s": program.stop.map(|stop| stop.secs()), "environment": program.environment,
                    "kernel": program.kernel })
        };
        let end_s = match stop {
            Stop::FlowsComplete { at_most } => at_most.secs(),
            Stop::At(at) => at.secs(),
        };
        json!({
            "title": title, "seed": seed, "end_s": end_s, "server": name(server), "client": name(client),
            "nodes": nodes.iter().zip(0..).map(|(name, node)| json!([name, address(node), address6(node)])).collect::<Vec<_>>(),
            "programs": programs.iter().map(program).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// The scenario, every shorthand and default written out, as TOML.
    fn scenario_toml(&self) -> String {
        expanded_toml(&self.0)
    }

    /// Runs it on these kernels; `directory` is a new one with a short name, for sockets. Second: what is told besides, as JSON.
    #[pyo3(signature = (kernels, *, directory, captures = None, patience_s = 60.0))]
    fn run(
        &self,
        py: Python<'_>,
        kernels: Vec<Kernel>,
        directory: PathBuf,
        captures: Option<PathBuf>,
        patience_s: f64,
    ) -> PyResult<(RunResult, String)> {
        run(py, &self.0, kernels, directory, captures, patience_s)
    }

    /// Runs it between namespaces of this machine by its clock, from `begin_ns` of the monotonic one. Second: what is told besides.
    #[pyo3(signature = (places, *, begin_ns, captures = None, late_s = 1e-3, urgent = false))]
    fn run_live(
        &self,
        py: Python<'_>,
        places: Vec<Place>,
        begin_ns: u64,
        captures: Option<PathBuf>,
        late_s: f64,
        urgent: bool,
    ) -> PyResult<(RunResult, String)> {
        run_live(py, &self.0, places, begin_ns, captures, late_s, urgent)
    }
}

/// The address of a node, as text.
#[cfg(target_os = "linux")]
fn address(node: u32) -> String {
    let [a, b, c, d] = acklab_live::nodes::frame::address(node);
    format!("{a}.{b}.{c}.{d}")
}

/// The same of version 6.
#[cfg(target_os = "linux")]
fn address6(node: u32) -> String {
    std::net::Ipv6Addr::from(acklab_live::nodes::frame::address6(node)).to_string()
}

/// An error of a run.
fn told(why: String) -> PyErr {
    LiveError::new_err(acklab_scenario::visible(&why))
}

/// Whether packets of programs cross all links.
#[cfg(target_os = "linux")]
fn crossed(scenario: &Scenario) -> PyResult<()> {
    match acklab_live::nodes::traffic::refused(scenario) {
        Some(why) => Err(told(format!("a stage of a link {why}: no program's packets cross it"))),
        None => Ok(()),
    }
}

/// The scenario's node of that name.
#[cfg(target_os = "linux")]
fn node(scenario: &Scenario, name: &str) -> PyResult<u32> {
    let found = scenario.nodes.iter().zip(0..).find_map(|(known, node)| (known == name).then_some(node));
    found.ok_or_else(|| told(format!("there is no node {name}")))
}

/// Makes a run, which an interrupt may end; `told_of` gives its outcome, and as JSON what it tells besides.
#[cfg(target_os = "linux")]
fn made<Finished: Send>(
    py: Python<'_>,
    scenario: &Arc<Scenario>,
    make: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<Finished, String> + Send,
    told_of: impl FnOnce(Finished) -> (Outcome, Value),
) -> PyResult<(RunResult, String)> {
    let ran = crate::simulation::interruptible(py, |go_on| crate::drive::caught(|| make(go_on)))?;
    let (outcome, besides) = told_of(ran.map_err(errors::run)?.map_err(told)?);
    Ok((RunResult::new(outcome, scenario.clone()), besides.to_string()))
}

#[cfg(target_os = "linux")]
fn run_live(
    py: Python<'_>,
    scenario: &Arc<Scenario>,
    places: Vec<Place>,
    begin_ns: u64,
    captures: Option<PathBuf>,
    late_s: f64,
    urgent: bool,
) -> PyResult<(RunResult, String)> {
    use acklab_live::lateness::refusal;
    use acklab_live::nodes::wall::{Asked, Finished, Place, run};
    crossed(scenario)?;
    let copied = |descriptor| acklab_live::sys::copied(descriptor).map_err(PyErr::from);
    let place = |(name, card, done): (String, i32, i32)| -> PyResult<Place> {
        Ok(Place { node: node(scenario, &name)?, card: copied(card)?, done: copied(done)? })
    };
    let places = places.into_iter().map(place).collect::<PyResult<Vec<_>>>()?;
    let asked = Asked { scenario: scenario.clone(), places, captures, begin_ns, urgent };
    made(
        py,
        scenario,
        |go_on| run(asked, go_on),
        |Finished { outcome, streams, astray, refused, lateness }| {
            let why: Vec<_> = [lateness.too_late(late_s), refusal(refused)].into_iter().flatten().collect();
            let besides = json!({
                "streams": streams, "astray": astray, "overrun": refused, "kernel": acklab_live::run::kernel(), "lateness": lateness,
                "valid": why.is_empty(), "why": why,
            });
            (outcome, besides)
        },
    )
}

#[cfg(target_os = "linux")]
fn run(
    py: Python<'_>,
    scenario: &Arc<Scenario>,
    kernels: Vec<Kernel>,
    directory: PathBuf,
    captures: Option<PathBuf>,
    patience_s: f64,
) -> PyResult<(RunResult, String)> {
    use acklab_live::nodes::machine::Start;
    use acklab_live::nodes::run::{Asked, Ended, Finished, Node, Places, run};
    crossed(scenario)?;
    let kernel = |(name, command, environment, read, write): Kernel| -> PyResult<Node> {
        let fence = Some(acklab_live::sys::Fence { read, write });
        Ok(Node { node: node(scenario, &name)?, start: Start { command, environment, fence } })
    };
    let nodes = kernels.into_iter().map(kernel).collect::<PyResult<Vec<_>>>()?;
    let patience = std::time::Duration::try_from_secs_f64(patience_s).map_err(|error| told(error.to_string()))?;
    let places = Places { directory, patience };
    let asked = Asked { scenario: scenario.clone(), nodes, places, captures };
    made(
        py,
        scenario,
        |go_on| run(asked, go_on),
        |Finished { outcome, streams, ended, grants, overrun, astray }| {
            let one = |Ended { status, console, .. }: &Ended| json!({ "status": status, "console": console });
            let kernels = ended.iter().map(one).collect::<Vec<_>>();
            (
                outcome,
                json!({ "streams": streams, "kernels": kernels, "grants": grants, "overrun": overrun, "astray": astray }),
            )
        },
    )
}

/// Says that there is no such thing here.
#[cfg(not(target_os = "linux"))]
fn address(_: u32) -> String {
    String::new()
}

/// See `address`.
#[cfg(not(target_os = "linux"))]
fn address6(_: u32) -> String {
    String::new()
}

#[cfg(not(target_os = "linux"))]
fn run_live(
    _: Python<'_>,
    _: &Arc<Scenario>,
    _: Vec<Place>,
    _: u64,
    _: Option<PathBuf>,
    _: f64,
    _: bool,
) -> PyResult<(RunResult, String)> {
    Err(told("programs run on Linux only".to_owned()))
}

#[cfg(not(target_os = "linux"))]
fn run(
    _: Python<'_>,
    _: &Arc<Scenario>,
    _: Vec<Kernel>,
    _: PathBuf,
    _: Option<PathBuf>,
    _: f64,
) -> PyResult<(RunResult, String)> {
    Err(LiveError::new_err("programs run on Linux only"))
}
