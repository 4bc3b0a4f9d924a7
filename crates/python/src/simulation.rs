//! One run, step by step, and what it told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use acklab_packet::Time;
use acklab_scenario::expanded_toml;
use acklab_scenario::spec::{Record, Scenario};
use acklab_sim::outcome::Outcome;
use acklab_table::Row;
use arrow_array::RecordBatch;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::{Text, overrides};
use crate::own::Registry;
use crate::table::Table;
use crate::{drive, errors, own, tables};

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
        let mut ending = false;
        work(&mut || {
            if asked.elapsed() >= PATIENCE {
                match Python::try_attach(|py| py.check_signals()) {
                    Some(told) => raised = told.err(),
                    // The interpreter ends, and this is one of its other threads.
                    None => ending = true,
                }
                asked = Instant::now();
            }
            raised.is_none() && !ending
        })
    });
    raised.map_or(Ok(result), Err)
}

/// Calls `work`, which cannot be stopped on its way, on a thread of its own, and waits for it. The signal handler's exception,
/// if there is one, is the result at once; what the thread then makes is thrown away.
pub(crate) fn abandonable<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    if cfg!(target_os = "emscripten") {
        return Ok(work()); // which has no threads
    }
    let (done, result) = sync_channel(1);
    let result = Mutex::new(result);
    thread::Builder::new().name("work".to_owned()).spawn(move || done.send(work()))?;
    loop {
        match py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(errors::run("its thread ended early".to_owned())),
        }
    }
}

/// A scenario being run, which can be cloned at any instant.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Simulation {
    running: Mutex<acklab_sim::Simulation>,
    /// What of its records is told.
    told: Record,
    /// Algorithms in Python that the program has passed.
    own: Arc<Registry>,
    /// Whether one of them has failed in it.
    failed: AtomicBool,
}

impl Simulation {
    fn new_of(simulation: acklab_sim::Simulation, told: Record, own: Arc<Registry>) -> Simulation {
        Simulation { running: Mutex::new(simulation), told, own, failed: AtomicBool::new(false) }
    }

    /// The simulation, unless another thread is running it.
    fn now(&self) -> PyResult<MutexGuard<'_, acklab_sim::Simulation>> {
        if self.failed.load(Ordering::Relaxed) {
            return Err(errors::run("Python code of this simulation failed earlier; begin another".to_owned()));
        }
        match self.running.try_lock() {
            Ok(simulation) => Ok(simulation),
            // What a panic left half-changed has already failed.
            Err(TryLockError::Poisoned(simulation)) => Ok(simulation.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "this simulation is being run by another thread; wait for its run() or run_until(), or run a clone()",
            )),
        }
    }

    /// Calls `work` as [`interruptible`] does. An error of Python code in the simulation is the result.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, String> + Send,
    ) -> PyResult<T> {
        interruptible(py, |go_on| own::unless_failed(work(&mut || go_on() && !own::failed())))?
            .inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?
            .map_err(errors::run)
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (
        text, *, file = "scenario", sets = Vec::new(), seed = None, captures = false, policies = None, controls = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        text: Text,
        file: &str,
        sets: Vec<String>,
        seed: Option<u64>,
        captures: bool,
        policies: Option<Py<PyDict>>,
        controls: Option<Py<PyDict>>,
    ) -> PyResult<Simulation> {
        let (overrides, file) = (overrides(&sets, seed)?, file.to_owned());
        let own = Arc::new(Registry::new(policies, controls));
        abandonable(py, move || {
            let mut scenario = text.parse(&file, &overrides).map_err(errors::scenario)?;
            own.supply(&mut scenario, &file)?;
            let told = scenario.record;
            scenario.record.packets |= captures;
            let simulation = own::unless_failed(drive::build(scenario))?.map_err(errors::run)?;
            Ok(Simulation::new_of(simulation, told, own))
        })?
    }

    /// Instant of the latest event so far, in seconds; 0 before the first.
    #[getter]
    fn now_s(&self) -> PyResult<f64> {
        Ok(self.now()?.now().secs())
    }

    /// Whether the scenario's stop has been reached.
    #[getter]
    fn finished(&self) -> PyResult<bool> {
        Ok(self.now()?.ended())
    }

    /// Runs up to an instant in seconds, or to the scenario's stop if that is earlier. What is due at that very instant is
    /// still to come.
    fn run_until(&self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        if !time_s.is_finite() {
            return Err(PyValueError::new_err("time_s must be finite"));
        }
        let mut simulation = self.now()?;
        let simulation = &mut *simulation;
        let run = |go_on: &mut dyn FnMut() -> bool| {
            drive::attempted(|| drive::until(simulation, Time::from_secs(time_s), go_on))
        };
        self.work(py, run).map(|_| ())
    }

    /// Runs to the scenario's stop.
    fn run(&self, py: Python<'_>) -> PyResult<RunResult> {
        let mut simulation = self.now()?;
        let running = &mut *simulation;
        let run = |go_on: &mut dyn FnMut() -> bool| drive::attempted(|| drive::to_end(running, go_on));
        self.work(py, run)?;
        self.present(py, &simulation)
    }

    /// Runs to the scenario's stop, or until `rows` rows are recorded. They go into the result, and leave the simulation.
    #[pyo3(signature = (rows = None))]
    fn advance(&self, py: Python<'_>, rows: Option<usize>) -> PyResult<RunResult> {
        let mut simulation = self.now()?;
        let simulation = &mut *simulation;
        let Record { series, queue, packets } = simulation.scenario().record;
        let rows = rows.filter(|_| series || queue || packets);
        let scenario = simulation.scenario().clone();
        let run = |go_on: &mut dyn FnMut() -> bool| {
            drive::attempted(|| {
                if rows.is_some() {
                    simulation.commit();
                }
                drive::to_rows(simulation, rows.unwrap_or(usize::MAX), go_on)?;
                Ok(simulation.give())
            })
        };
        let outcome = self.work(py, run)?;
        Ok(self.result(outcome, scenario))
    }

    /// What there is to tell at this instant.
    fn outcome(&self, py: Python<'_>) -> PyResult<RunResult> {
        self.present(py, &*self.now()?)
    }

    /// A copy that continues to the same results, independently.
    fn clone(&self) -> PyResult<Simulation> {
        let copy = own::unless_failed(self.now()?.clone())?;
        Ok(Simulation::new_of(copy, self.told, self.own.clone()))
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
        let simulation = self.now()?;
        let simulation = &*simulation;
        py.detach(|| {
            let mut scenario = text.parse(file, &overrides).map_err(errors::scenario)?;
            self.own.supply(&mut scenario, file)?;
            scenario.record.packets |= simulation.scenario().record.packets && !self.told.packets;
            let branch = own::unless_failed(simulation.branch(Arc::new(scenario)))?;
            branch
                .map(|branch| Simulation::new_of(branch, self.told, self.own.clone()))
                .map_err(|why| errors::ScenarioError::new_err(acklab_scenario::visible(&why.to_string())))
        })
    }

    fn __copy__(&self) -> PyResult<Simulation> {
        self.clone()
    }

    fn __deepcopy__(&self, memo: Bound<'_, PyAny>) -> PyResult<Simulation> {
        drop(memo);
        self.clone()
    }

    fn __repr__(&self) -> String {
        let Ok(simulation) = self.now() else { return "<Simulation, run by another thread>".to_owned() };
        let state = if simulation.ended() { "finished" } else { "running" };
        format!("<Simulation {:?} at {} s, {state}>", simulation.scenario().title, simulation.now().secs())
    }
}

impl Simulation {
    /// The results at this instant.
    fn present(&self, py: Python<'_>, simulation: &acklab_sim::Simulation) -> PyResult<RunResult> {
        let outcome = py.detach(|| drive::caught(|| simulation.outcome())).map_err(errors::run)?;
        Ok(self.result(outcome, simulation.scenario().clone()))
    }

    fn result(&self, outcome: Outcome, scenario: Arc<Scenario>) -> RunResult {
        RunResult { outcome, scenario, told: self.told, tables: Default::default() }
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
    /// What a run of `scenario` told.
    pub(crate) fn new(outcome: Outcome, scenario: Arc<Scenario>) -> RunResult {
        let told = scenario.record;
        RunResult { outcome, scenario, told, tables: Default::default() }
    }

    fn table<R: Row + Sync>(&self, py: Python<'_>, place: usize, name: &'static str, rows: &[R]) -> Table {
        let batch = || tables::batch(rows, &self.outcome.names());
        Table::new(name, py.detach(|| self.tables[place].get_or_init(batch).clone()))
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
        self.table(py, 0, "flows", &self.outcome.flows)
    }

    /// One row a link direction.
    #[getter]
    fn links(&self, py: Python<'_>) -> Table {
        self.table(py, 1, "links", &self.outcome.links)
    }

    /// The senders' state at each change; None unless recorded.
    #[getter]
    fn series(&self, py: Python<'_>) -> Option<Table> {
        self.told.series.then(|| self.table(py, 2, "series", &self.outcome.series))
    }

    /// Queue lengths at each change; None unless recorded.
    #[getter]
    fn queue(&self, py: Python<'_>) -> Option<Table> {
        self.told.queue.then(|| self.table(py, 3, "queue", &self.outcome.queue))
    }

    /// Packet events in order; None unless recorded.
    #[getter]
    fn packets(&self, py: Python<'_>) -> Option<Table> {
        self.told.packets.then(|| self.table(py, 4, "packets", &self.outcome.packets))
    }

    /// One line of JSON: the summary and, unless `records` is false, every recorded table.
    #[pyo3(signature = (records = true))]
    fn json(&self, py: Python<'_>, records: bool) -> String {
        let record = if records { self.told } else { Record::default() };
        py.detach(|| String::from_utf8(acklab_sim::json(&self.outcome, record)).expect("JSON is text"))
    }

    /// The scenario as it ran, every shorthand and default written out, as TOML.
    fn scenario_toml(&self, py: Python<'_>) -> String {
        py.detach(|| expanded_toml(&Scenario { record: self.told, ..(*self.scenario).clone() }))
    }
}
