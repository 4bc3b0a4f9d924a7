//! Live runs: the scenario between real kernels.

use std::path::PathBuf;
use std::sync::Arc;

use acklab_live::outcome::Outcome;
use acklab_live::plan::{Choice, Options, Plan};
use acklab_scenario::expanded_toml;
use acklab_scenario::spec::Scenario;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors;
use crate::input::{Text, overrides};
use crate::table::Table;
use crate::tables::batch;

create_exception!(
    acklab._core,
    LiveError,
    PyRuntimeError,
    "A live run could not be, or broke off; says what was refused and what helps, in one line."
);

/// A side's kernel: the words that start it, its environment, and the file that its first process leaves.
type Side = (Vec<String>, Vec<(String, String)>, PathBuf);

/// A scenario's live run, planned: what can be said of it without any privilege.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct LivePlan(Plan);

#[pymethods]
impl LivePlan {
    #[new]
    #[pyo3(signature = (text, *, file = "scenario", sets = Vec::new(), seed = None, kernel_acks = false, control = None, sender = None, in_virtual_time = false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        text: Text,
        file: &str,
        sets: Vec<String>,
        seed: Option<u64>,
        kernel_acks: bool,
        control: Option<String>,
        sender: Option<&str>,
        in_virtual_time: bool,
    ) -> PyResult<LivePlan> {
        let scenario: Scenario = text.parse(file, &overrides(&sets, seed)?).map_err(errors::scenario)?;
        let sender = match sender {
            None => Choice::Able,
            Some("scenario") => Choice::Scenario,
            Some("kernel") => Choice::Kernel,
            Some(other) => return Err(PyValueError::new_err(format!("sender: `{other}`; scenario, kernel or None"))),
        };
        let options = Options { kernel_acks, control, sender, in_virtual_time };
        Plan::new(Arc::new(scenario), &options)
            .map(LivePlan)
            .map_err(|refusal| errors::ScenarioError::new_err(acklab_scenario::visible(&format!("{file}: {refusal}"))))
    }

    /// The plan as JSON: links each way, flows, what the kernels are told, and in what they
    /// differ from the scenario.
    fn json(&self) -> String {
        let plan = &self.0;
        let node = |node: u32| plan.scenario.nodes[node as usize].as_str();
        let links = |direction: usize| {
            let row = |&index: &usize| {
                let link = &plan.scenario.links[index];
                json!({ "from": node(link.from), "to": node(link.to), "rate_bps": link.rate.bps(), "delay_s": link.delay.secs(),
                        "queue": link.queue, "loss": link.loss, "buffer_rate_bps": link.of_buffers().bps() })
            };
            plan.courses[direction].links.iter().map(row).collect::<Vec<_>>()
        };
        let flow = |flow: &acklab_live::plan::PlannedFlow| {
            json!({ "name": flow.name, "from": flow.nodes[0], "to": flow.nodes[1], "start_s": flow.start_s,
                    "bytes": flow.bytes, "control": flow.control, "side": flow.side,
                    "ours": flow.ours.as_ref().map(|rules| rules.label()), "port": flow.port, "shaped": flow.shaped.is_some(), "apart": flow.apart })
        };
        let variables: serde_json::Map<_, _> =
            plan.settings.variables().into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        json!({
            "title": plan.scenario.title, "seed": plan.scenario.seed, "end_s": plan.end_s, "until_complete": plan.until_complete, "insist": plan.insist,
            "there": links(0), "back": links(1), "flows": plan.flows.iter().map(flow).collect::<Vec<_>>(),
            "mtu": plan.settings.mtu, "segment_bytes": plan.settings.payload(), "variables": variables,
            "routes": [plan.settings.route_options(0, false).join(" "), plan.settings.route_options(1, false).join(" ")],
            "routes_apart": plan.settings.apart.then(|| [0, 1].map(|side| plan.settings.route_options(side, true).join(" "))),
            "notes": plan.notes, "ignored": plan.ignored(true),
        })
        .to_string()
    }

    /// The scenario, every shorthand and default written out, as TOML.
    fn scenario_toml(&self) -> String {
        expanded_toml(&self.0.scenario)
    }

    /// Runs it; invalid is what lets one packet in a hundred leave later than `late`. `captures` is a directory for `sender.pcap` and `receiver.pcap`.
    #[pyo3(signature = (*, late = "1ms", realtime = false, captures = None, capture_bytes = 0))]
    fn run(
        &self,
        py: Python<'_>,
        late: &str,
        realtime: bool,
        captures: Option<PathBuf>,
        capture_bytes: u32,
    ) -> PyResult<LiveResult> {
        #[cfg(not(target_os = "linux"))]
        return elsewhere(
            "a live run needs Linux: network namespaces and TUN devices",
            (py, late, realtime, captures, capture_bytes),
        );
        #[cfg(target_os = "linux")]
        {
            use acklab_live::run::{Wishes, run};
            use acklab_packet::{Time, UnitError};
            let late: Time = late.parse().map_err(|error: UnitError| PyValueError::new_err(error.to_string()))?;
            let captures = captures.map(|directory| (directory, capture_bytes));
            let wishes = Wishes { late_s: late.secs(), urgent: realtime, captures };
            let outcome = attempted(py, |go_on| run(&self.0, &wishes, go_on))?;
            outcome.map(LiveResult).ok_or_else(|| LiveError::new_err("the run was stopped"))
        }
    }

    /// In the first process of a kernel: does the work of side `side` (0 sends) from `epoch_ns` on, as [`LivePlan::run_virtual`] wants it;
    /// what is to be left where it looks.
    #[cfg(target_os = "linux")]
    fn play(&self, py: Python<'_>, side: usize, epoch_ns: u64) -> String {
        let plan = &self.0;
        py.detach(|| json!(acklab_live::nodes::host::play(plan, side, epoch_ns)).to_string())
    }

    /// Runs it between two kernels under one virtual clock. Each has the words that start it, its environment, and the file in which its
    /// first process leaves what [`LivePlan::play`] gave. `directory` is a new one with a short name, for sockets. The result, if both files are
    /// there; and as JSON how each kernel ended.
    #[pyo3(signature = (kernels, *, directory, captures = None, capture_bytes = 0, patience_s = 600.0))]
    fn run_virtual(
        &self,
        py: Python<'_>,
        kernels: [Side; 2],
        directory: PathBuf,
        captures: Option<PathBuf>,
        capture_bytes: u32,
        patience_s: f64,
    ) -> PyResult<(Option<LiveResult>, String)> {
        #[cfg(not(target_os = "linux"))]
        return elsewhere("a kernel runs on Linux only", (py, kernels, directory, captures, capture_bytes, patience_s));
        #[cfg(target_os = "linux")]
        {
            use acklab_live::nodes::machine::Start;
            use acklab_live::nodes::pair::{Asked, run};
            let start = |(command, environment, _): &Side| {
                let (command, environment) = (command.clone(), environment.clone());
                Start { command, environment, fence: None }
            };
            let asked = Asked {
                starts: kernels.each_ref().map(start),
                results: kernels.map(|(_, _, result)| result),
                places: places(directory, patience_s)?,
                captures: captures.map(|directory| (directory, capture_bytes)),
            };
            let (outcome, ended) = attempted(py, |go_on| run(&self.0, &asked, go_on))?;
            Ok((outcome.map(LiveResult), json!(ended).to_string()))
        }
    }
}

/// An error of a run.
#[cfg(target_os = "linux")]
pub(crate) fn told(why: &str) -> PyErr {
    LiveError::new_err(acklab_scenario::visible(why))
}

/// Says that there is no such run here, for which this was asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn elsewhere<Asked, T>(why: &'static str, _: Asked) -> PyResult<T> {
    Err(LiveError::new_err(why))
}

/// Makes a run, which an interrupt may end.
#[cfg(target_os = "linux")]
pub(crate) fn attempted<T: Send>(
    py: Python<'_>,
    make: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, String> + Send,
) -> PyResult<T> {
    let made = crate::simulation::interruptible(py, |go_on| crate::drive::caught(|| make(go_on)))?;
    made.map_err(errors::run)?.map_err(|why| told(&why))
}

/// Where kernels run, whose clocks stand for so many seconds at most.
#[cfg(target_os = "linux")]
pub(crate) fn places(directory: PathBuf, patience_s: f64) -> PyResult<acklab_live::nodes::run::Places> {
    let patience = std::time::Duration::try_from_secs_f64(patience_s).map_err(|error| told(&error.to_string()))?;
    Ok(acklab_live::nodes::run::Places { directory, patience })
}

/// What a live run told.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct LiveResult(Outcome);

#[pymethods]
impl LiveResult {
    /// Whether the numbers mean what they say.
    #[getter]
    fn valid(&self) -> bool {
        self.0.valid
    }

    /// The summary as one line of JSON.
    fn json(&self) -> String {
        self.0.json()
    }

    /// One row a flow.
    #[getter]
    fn flows(&self) -> Table {
        Table::new("flows", batch(&self.0.flows, &self.0.names()))
    }

    /// One row a link direction.
    #[getter]
    fn links(&self) -> Table {
        Table::new("links", batch(&self.0.links, &self.0.names()))
    }

    /// The senders' state every 5 ms.
    #[getter]
    fn series(&self) -> Table {
        Table::new("series", batch(&self.0.series, &self.0.names()))
    }

    /// Queue lengths at each change.
    #[getter]
    fn queue(&self) -> Table {
        Table::new("queue", batch(&self.0.queue, &self.0.names()))
    }
}

/// What of live runs works here, found out by trying, as JSON.
#[pyfunction]
pub(crate) fn live_probe() -> String {
    #[cfg(target_os = "linux")]
    return json!(acklab_live::probe::probe()).to_string();
    #[cfg(not(target_os = "linux"))]
    json!({ "works": false, "kernel": "", "controls": [], "missing": ["a live run needs Linux"], "realtime": null, "sender": null })
        .to_string()
}
