//! Runs of programs on kernels at a scenario's nodes.

use std::path::PathBuf;
use std::sync::Arc;

use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Scenario, Stop};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::input::{Text, overrides};
use crate::live::LiveError;
use crate::simulation::RunResult;

/// A kernel: its node, the words that start it, its environment.
type Kernel = (String, Vec<String>, Vec<(String, String)>);

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

    /// As JSON: title, seed, latest end, each node's name with its address, the nodes of `{server}` and `{client}`, the programs.
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
            "nodes": nodes.iter().zip(0..).map(|(name, node)| json!([name, address(node)])).collect::<Vec<_>>(),
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
}

/// The address of a node, as text.
#[cfg(target_os = "linux")]
fn address(node: u32) -> String {
    let [a, b, c, d] = acklab_live::nodes::frame::address(node);
    format!("{a}.{b}.{c}.{d}")
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
    use acklab_live::nodes::run::{Asked, Node, refused, run};
    let told = |why: String| LiveError::new_err(acklab_scenario::visible(&why));
    if let Some(why) = refused(scenario) {
        return Err(told(format!("a stage of a link {why}: no program's packets cross it")));
    }
    let node = |(name, command, environment): Kernel| {
        let node = scenario.nodes.iter().zip(0..).find_map(|(known, node)| (*known == name).then_some(node));
        let start = Start { command, environment };
        node.map(|node| Node { node, start }).ok_or_else(|| told(format!("there is no node {name}")))
    };
    let nodes = kernels.into_iter().map(node).collect::<PyResult<Vec<_>>>()?;
    let patience = std::time::Duration::try_from_secs_f64(patience_s).map_err(|error| told(error.to_string()))?;
    let asked = Asked { scenario: scenario.clone(), nodes, directory, captures, patience };
    let ran = crate::simulation::interruptible(py, move |go_on| crate::drive::caught(|| run(asked, go_on)))?;
    let finished = ran.map_err(errors::run)?.map_err(told)?;
    let ended = |ended: &acklab_live::nodes::run::Ended| json!({ "status": ended.status, "console": ended.console });
    let more = json!({
        "streams": finished.streams, "kernels": finished.ended.iter().map(ended).collect::<Vec<_>>(),
        "grants": finished.grants, "overrun": finished.overrun, "astray": finished.astray,
    });
    Ok((RunResult::new(finished.outcome, scenario.clone()), more.to_string()))
}

/// Says that there is no such thing here.
#[cfg(not(target_os = "linux"))]
fn address(_: u32) -> String {
    String::new()
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
