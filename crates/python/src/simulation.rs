//! One run, step by step, and what it told.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use acklab_packet::Time;
use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Record, Scenario};
use acklab_sim::outcome::Outcome;
use arrow_array::RecordBatch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::input::{Text, overrides};
use crate::table::Table;
use crate::{drive, errors, json, tables};

/// How often a run asks Python for signals, such as Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(20);

/// Calls `work` without the interpreter lock. `work` asks its argument now and then whether to go on; the signal
/// handler's exception, if there is one, is the result.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    let mut raised = None;
    let result = py.detach(|| {
        let mut asked = Instant::now();
        work(&mut || {
            if asked.elapsed() >= PATIENCE {
                raised = Python::attach(|py| py.check_signals()).err();
                asked = Instant::now();
            }
            raised.is_none()
        })
    });
    raised.map_or(Ok(result), Err)
}

/// A scenario being run, which can be cloned at any instant; and what of its records is told.
#[pyclass(module = "acklab._core")]
pub(crate) struct Simulation(acklab_sim::Simulation, Record);

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (text, *, file = "scenario", sets = Vec::new(), seed = None, captures = false))]
    fn new(
        py: Python<'_>,
        text: Text,
        file: &str,
        sets: Vec<String>,
        seed: Option<u64>,
        captures: bool,
    ) -> PyResult<Simulation> {
        let overrides = overrides(&sets, seed)?;
        py.detach(|| {
            let mut scenario = text.parse(file, &overrides).map_err(errors::scenario)?;
            let told = scenario.record;
            scenario.record.packets |= captures;
            drive::build(scenario).map(|simulation| Simulation(simulation, told)).map_err(errors::run)
        })
    }

    /// Instant of the latest event so far, in seconds; 0 before the first.
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now().secs()
    }

    /// Whether the scenario's stop has been reached.
    #[getter]
    fn finished(&self) -> bool {
        self.0.ended()
    }

    /// Runs up to an instant in seconds, or to the scenario's stop if that is earlier. What is due at that very instant is
    /// still to come.
    fn run_until(&mut self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        if !time_s.is_finite() {
            return Err(PyValueError::new_err("time_s must be finite"));
        }
        let simulation = &mut self.0;
        let run = |go_on: &mut dyn FnMut() -> bool| {
            drive::caught(|| drive::until(simulation, Time::from_secs(time_s), go_on))
        };
        interruptible(py, run)?.map(|_| ()).map_err(errors::run)
    }

    /// Runs to the scenario's stop.
    fn run(&mut self, py: Python<'_>) -> PyResult<RunResult> {
        let simulation = &mut self.0;
        let run = |go_on: &mut dyn FnMut() -> bool| drive::caught(|| drive::to_end(simulation, go_on));
        interruptible(py, run)?.map_err(errors::run)?;
        self.outcome(py)
    }

    /// Runs to the scenario's stop, or until `rows` rows are recorded. They go into the result, and leave the simulation.
    #[pyo3(signature = (rows = None))]
    fn advance(&mut self, py: Python<'_>, rows: Option<usize>) -> PyResult<RunResult> {
        let Record { series, queue, packets } = self.0.scenario().record;
        let rows = rows.filter(|_| series || queue || packets);
        let simulation = &mut self.0;
        let run = |go_on: &mut dyn FnMut() -> bool| {
            drive::caught(|| {
                if rows.is_some() {
                    simulation.commit();
                }
                drive::to_rows(simulation, rows.unwrap_or(usize::MAX), go_on).then(|| simulation.give())
            })
        };
        let given = interruptible(py, run)?.map_err(errors::run)?;
        Ok(self.told(given.expect("only an exception stops a run")))
    }

    /// What there is to tell at this instant.
    fn outcome(&self, py: Python<'_>) -> PyResult<RunResult> {
        py.detach(|| drive::caught(|| self.0.outcome())).map(|outcome| self.told(outcome)).map_err(errors::run)
    }

    /// A copy that continues to the same results, independently.
    fn clone(&self) -> Simulation {
        Simulation(self.0.clone(), self.1)
    }

    /// A copy that goes on under another scenario; they may differ in the rules of flows that have not sent anything.
    #[pyo3(signature = (text, *, file = "scenario", sets = Vec::new(), seed = None))]
    fn branch(
        &self,
        py: Python<'_>,
        text: Text,
        file: &str,
        sets: Vec<String>,
        seed: Option<u64>,
    ) -> PyResult<Simulation> {
        let overrides = overrides(&sets, seed)?;
        py.detach(|| {
            let mut scenario = text.parse(file, &overrides).map_err(errors::scenario)?;
            scenario.record.packets |= self.0.scenario().record.packets && !self.1.packets;
            let branch = self.0.branch(Arc::new(scenario));
            branch
                .map(|branch| Simulation(branch, self.1))
                .map_err(|why| errors::ScenarioError::new_err(why.to_string()))
        })
    }

    fn __copy__(&self) -> Simulation {
        self.clone()
    }

    fn __deepcopy__(&self, memo: Bound<'_, PyAny>) -> Simulation {
        drop(memo);
        self.clone()
    }

    fn __repr__(&self) -> String {
        let state = if self.0.ended() { "finished" } else { "running" };
        format!("<Simulation {:?} at {} s, {state}>", self.0.scenario().title, self.0.now().secs())
    }
}

impl Simulation {
    fn told(&self, outcome: Outcome) -> RunResult {
        RunResult { outcome, scenario: self.0.scenario().clone(), told: self.1, tables: Default::default() }
    }
}

/// What a run told. Tables are made when first asked for.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct RunResult {
    pub(crate) outcome: Outcome,
    pub(crate) scenario: Arc<Scenario>,
    /// What the scenario asks to be recorded; captures may have had packets recorded besides.
    told: Record,
    tables: [OnceLock<RecordBatch>; 5],
}

impl RunResult {
    fn table(
        &self,
        py: Python<'_>,
        place: usize,
        name: &'static str,
        build: impl Fn(&Outcome) -> RecordBatch + Send + Sync,
    ) -> Table {
        let batch = py.detach(|| self.tables[place].get_or_init(|| build(&self.outcome)).clone());
        Table::new(name, batch)
    }
}

#[pymethods]
impl RunResult {
    /// The scenario's title.
    #[getter]
    fn title(&self) -> &str {
        &self.outcome.title
    }

    /// The scenario's seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.outcome.seed
    }

    /// Instant the run ended, in seconds.
    #[getter]
    fn end_s(&self) -> f64 {
        self.outcome.end_s
    }

    /// One row a transfer.
    #[getter]
    fn flows(&self, py: Python<'_>) -> Table {
        self.table(py, 0, "flows", |outcome| tables::batch(&outcome.flows, &outcome.names()))
    }

    /// One row a link direction.
    #[getter]
    fn links(&self, py: Python<'_>) -> Table {
        self.table(py, 1, "links", |outcome| tables::batch(&outcome.links, &outcome.names()))
    }

    /// The senders' state at each change; None unless recorded.
    #[getter]
    fn series(&self, py: Python<'_>) -> Option<Table> {
        self.told
            .series
            .then(|| self.table(py, 2, "series", |outcome| tables::batch(&outcome.series, &outcome.names())))
    }

    /// Queue lengths at each change; None unless recorded.
    #[getter]
    fn queue(&self, py: Python<'_>) -> Option<Table> {
        self.told.queue.then(|| self.table(py, 3, "queue", |outcome| tables::batch(&outcome.queue, &outcome.names())))
    }

    /// Packet events in order; None unless recorded.
    #[getter]
    fn packets(&self, py: Python<'_>) -> Option<Table> {
        self.told
            .packets
            .then(|| self.table(py, 4, "packets", |outcome| tables::batch(&outcome.packets, &outcome.names())))
    }

    /// One line of JSON: the summary and, unless `records` is false, every recorded table.
    #[pyo3(signature = (records = true))]
    fn json(&self, py: Python<'_>, records: bool) -> String {
        let record = if records { self.told } else { Record::default() };
        py.detach(|| String::from_utf8(json::to_json(&self.outcome, record)).expect("JSON is text"))
    }

    /// The scenario as it ran, every shorthand and default written out, as TOML.
    fn scenario_toml(&self, py: Python<'_>) -> String {
        py.detach(|| expanded_toml(&Scenario { record: self.told, ..(*self.scenario).clone() }))
    }
}
