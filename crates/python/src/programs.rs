//! Runs of programs on kernels at a scenario's nodes.

use std::path::PathBuf;
use std::sync::Arc;

use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Scenario, Stop};
use pyo3::prelude::*;
use serde_json::json;
#[cfg(target_os = "linux")]
use {
    crate::live::{attempted, places, told},
    acklab_live::clock::Clock,
    acklab_live::lateness::refusal,
    acklab_live::nodes::frame,
    acklab_live::nodes::machine::Start,
    acklab_live::nodes::run::drive,
    acklab_live::nodes::traffic::{Traffic, refused},
    acklab_live::nodes::wall::{self, Card},
    acklab_live::sys::{Fence, copied},
    std::net::{Ipv4Addr, Ipv6Addr},
};

use crate::errors;
use crate::input::{Text, overrides};
use crate::simulation::RunResult;

/// A kernel: its node, the words that start it, its environment, what it may read, and what it may write.
type Kernel = (String, Vec<String>, Vec<(String, String)>, Vec<PathBuf>, Vec<PathBuf>);
/// A namespace of this machine: its node, the descriptors of its card and of what becomes readable when its programs have ended.
type Place = (String, i32, i32);

/// What is said elsewhere.
#[cfg(not(target_os = "linux"))]
const LINUX_ONLY: &str = "programs run on Linux only";

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
        #[cfg(target_os = "linux")]
        let addresses = addresses;
        #[cfg(not(target_os = "linux"))]
        let addresses = |_| [String::new(), String::new()];
        let address = |(name, node): (&String, u32)| {
            let [four, six] = addresses(node);
            json!([name, four, six])
        };
        let end_s = match stop {
            Stop::FlowsComplete { at_most } => at_most.secs(),
            Stop::At(at) => at.secs(),
        };
        json!({
            "title": title, "seed": seed, "end_s": end_s, "server": name(server), "client": name(client),
            "nodes": nodes.iter().zip(0..).map(address).collect::<Vec<_>>(),
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
        #[cfg(not(target_os = "linux"))]
        return crate::live::elsewhere(LINUX_ONLY, (py, kernels, directory, captures, patience_s));
        #[cfg(target_os = "linux")]
        {
            crossed(&self.0)?;
            let (mut nodes, mut starts) = (Vec::new(), Vec::new());
            for (name, command, environment, read, write) in kernels {
                nodes.push(node(&self.0, &name)?);
                starts.push(Start { command, environment, fence: Some(Fence { read, write }) });
            }
            let places = places(directory, patience_s)?;
            let (finished, ended, grants, overrun) = attempted(py, |go_on| {
                let traffic = Traffic::new(&self.0, nodes, captures.as_deref())?;
                let went = drive(traffic, &starts, &places, go_on)?;
                Ok((went.network.finish(), went.ended, went.grants, went.overrun))
            })?;
            let (outcome, streams, astray) = finished;
            let besides =
                json!({ "streams": streams, "kernels": ended, "grants": grants, "overrun": overrun, "astray": astray });
            Ok((RunResult::new(outcome, self.0.clone()), besides.to_string()))
        }
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
        #[cfg(not(target_os = "linux"))]
        return crate::live::elsewhere(LINUX_ONLY, (py, places, begin_ns, captures, late_s, urgent));
        #[cfg(target_os = "linux")]
        {
            crossed(&self.0)?;
            let copied = |descriptor| copied(descriptor).map_err(PyErr::from);
            let (mut nodes, mut cards) = (Vec::new(), Vec::new());
            for (name, card, done) in places {
                nodes.push(node(&self.0, &name)?);
                cards.push(Card::tap(copied(card)?, copied(done)?));
            }
            let (finished, refused, lateness) = attempted(py, |go_on| {
                let traffic = Traffic::new(&self.0, nodes, captures.as_deref())?;
                let went = wall::drive(traffic, cards, Clock::from_monotonic(begin_ns), urgent, go_on)?;
                Ok((went.network.finish(), went.refused, went.lateness))
            })?;
            let (outcome, streams, astray) = finished;
            let why: Vec<_> = [lateness.too_late(late_s), refusal(refused)].into_iter().flatten().collect();
            let besides = json!({
                "streams": streams, "astray": astray, "overrun": refused, "kernel": acklab_live::kernel::release(), "lateness": lateness,
                "valid": why.is_empty(), "why": why,
            });
            Ok((RunResult::new(outcome, self.0.clone()), besides.to_string()))
        }
    }
}

/// The addresses of a node, as texts.
#[cfg(target_os = "linux")]
fn addresses(node: u32) -> [String; 2] {
    [Ipv4Addr::from(frame::address(node)).to_string(), Ipv6Addr::from(frame::address6(node)).to_string()]
}

/// Whether packets of programs cross all links.
#[cfg(target_os = "linux")]
fn crossed(scenario: &Scenario) -> PyResult<()> {
    match refused(scenario) {
        Some(why) => Err(told(&format!("a stage of a link {why}: no program's packets cross it"))),
        None => Ok(()),
    }
}

/// The scenario's node of that name.
#[cfg(target_os = "linux")]
fn node(scenario: &Scenario, name: &str) -> PyResult<u32> {
    let found = scenario.nodes.iter().zip(0..).find_map(|(known, node)| (known == name).then_some(node));
    found.ok_or_else(|| told(&format!("there is no node {name}")))
}
