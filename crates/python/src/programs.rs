//! Runs of programs on kernels at a scenario's nodes.

use std::path::PathBuf;
use std::sync::Arc;

use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Scenario, Stop};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::input::{Text, overrides};
use crate::simulation::RunResult;

#[cfg(target_os = "linux")]
mod linux;

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
        #[cfg(target_os = "linux")]
        let addresses = linux::addresses;
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
        #[cfg(target_os = "linux")]
        return linux::run(py, &self.0, kernels, directory, captures, patience_s);
        #[cfg(not(target_os = "linux"))]
        crate::live::elsewhere("programs run on Linux only", (py, kernels, directory, captures, patience_s))
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
        #[cfg(target_os = "linux")]
        return linux::run_live(py, &self.0, places, begin_ns, captures, late_s, urgent);
        #[cfg(not(target_os = "linux"))]
        crate::live::elsewhere("programs run on Linux only", (py, places, begin_ns, captures, late_s, urgent))
    }
}
