//! Many runs in parallel: a JSON scenario a line in, a result a line out, in order.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::id;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use acklab_scenario::{Format, MOST_BYTES, Overrides};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::input::{overrides, parse};
use crate::journal::{Journal, numbered};
use crate::own::Registry;
use crate::pool::{Answer, Ending, Line, Pool, Work};
use crate::simulation::interruptible;
use crate::{drive, own};

/// Worker threads that turn scenarios into results.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Batch {
    pool: Pool,
    input: Mutex<Input>,
    journal: Option<Arc<Journal>>,
    bad: AtomicU64,
    failed: AtomicU64,
    /// The process that has the threads.
    process: u32,
}

/// The input so far.
#[derive(Default)]
struct Input {
    lines: u64,
    /// The beginning of a line whose end has not come.
    unfinished: Vec<u8>,
}

impl Input {
    /// Cuts `data` into lines, the first of which may have begun earlier. Blank lines are counted and left out.
    fn cut(&mut self, mut data: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        // From memory, so that reading cannot fail.
        while data.read_until(b'\n', &mut self.unfinished).is_ok_and(|bytes| bytes > 0) {
            let ended = self.unfinished.ends_with(b"\n");
            if self.unfinished.len() > MOST_BYTES + 1 {
                // Too long for a scenario, which its reader says of what is kept.
                self.unfinished.truncate(MOST_BYTES + 1);
                self.unfinished.extend(ended.then_some(b'\n'));
            }
            if self.unfinished.ends_with(b"\n") {
                lines.extend(self.end());
            }
        }
        lines
    }

    /// The line whose end has now come.
    fn end(&mut self) -> Option<Line> {
        let mut line = Line { number: self.lines + 1, bytes: std::mem::take(&mut self.unfinished) };
        self.lines += u64::from(!line.bytes.is_empty());
        line.bytes.truncate(line.bytes.trim_ascii_end().len());
        (!line.bytes.trim_ascii().is_empty()).then_some(line)
    }
}

/// What all lines of a batch are run with.
struct Common {
    overrides: Overrides,
    own: Registry,
}

/// Runs the scenario on `line`.
fn answer(line: &Line, common: &Common, stop: &AtomicBool) -> Answer {
    let mut scenario = match parse(&line.bytes, "", Some(Format::Json), &common.overrides) {
        Ok(scenario) => scenario,
        Err(error) => return refused(Ending::BadScenario, &error.in_line(line.number).to_string()),
    };
    if let Err(error) = common.own.supply(&mut scenario, &format!("line {}", line.number)) {
        return refused(Ending::BadScenario, &said(error));
    }
    let run = || {
        let record = scenario.record;
        let mut simulation = drive::build(scenario)?;
        let go_on = || !stop.load(Ordering::Relaxed) && !own::failed();
        drive::to_end(&mut simulation, go_on).map_err(|why| why.to_string())?;
        Ok(acklab_sim::json(&simulation.outcome(), record))
    };
    let result = drive::caught(run).and_then(|result| result);
    match own::unless_failed(()).map_err(said).and(result) {
        Ok(json) => Answer { json, ending: Ending::Ran },
        Err(said) => refused(Ending::Failed, &format!("line {}: the run failed: {said}", line.number)),
    }
}

fn said(error: PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

/// Runs the scenario behind the number on `line` and keeps the result in `journal` before anybody else sees it.
fn kept(line: &Line, common: &Common, journal: &Journal, stop: &AtomicBool) -> Answer {
    let (number, scenario) = numbered(&line.bytes);
    let answer = answer(&Line { number: line.number, bytes: scenario.to_vec() }, common, stop);
    // Once told to stop, a run may have ended early.
    if answer.ending == Ending::Ran && !stop.load(Ordering::Relaxed) {
        journal.append(number, &answer.json);
    }
    answer
}

fn refused(ending: Ending, why: &str) -> Answer {
    Answer { json: serde_json::json!({ "error": why }).to_string().into_bytes(), ending }
}

impl Batch {
    /// A forked child has the batch and none of its threads, perhaps a lock that one of them held.
    fn here(&self) -> PyResult<&Pool> {
        if self.process == id() {
            return Ok(&self.pool);
        }
        let what = "this batch was begun by the process that this one was forked from; begin one here";
        Err(PyRuntimeError::new_err(what))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (threads, *, sets = Vec::new(), seed = None, journal = None, policies = None, controls = None))]
    fn new(
        threads: usize,
        sets: Vec<String>,
        seed: Option<u64>,
        journal: Option<PathBuf>,
        policies: Option<Py<PyDict>>,
        controls: Option<Py<PyDict>>,
    ) -> PyResult<Batch> {
        if !(1..=1024).contains(&threads) {
            return Err(PyValueError::new_err("threads must be from 1 to 1024"));
        }
        let common = Common { overrides: overrides(&sets, seed)?, own: Registry::new(policies, controls) };
        let journal = journal.map(Journal::open).transpose()?.map(Arc::new);
        let keeper = journal.clone();
        let work: Arc<Work> = Arc::new(move |line: &Line, stop: &AtomicBool| match &keeper {
            Some(journal) => kept(line, &common, journal, stop),
            None => answer(line, &common, stop),
        });
        let pool = Pool::new(threads, work)?;
        Ok(Batch {
            pool,
            input: Mutex::default(),
            journal,
            bad: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            process: id(),
        })
    }

    /// Adds input, in pieces cut anywhere; waits while too much is under way.
    fn feed(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        let pool = self.here()?;
        let lines = self.input.lock().unwrap_or_else(PoisonError::into_inner).cut(data);
        interruptible(py, |go_on| pool.feed(lines, go_on)).map(|_| ())
    }

    /// The input is complete.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let pool = self.here()?;
        let last = self.input.lock().unwrap_or_else(PoisonError::into_inner).end();
        interruptible(py, |go_on| pool.feed(last.into_iter().collect(), go_on))?;
        pool.close();
        Ok(())
    }

    /// Waits for the next results and returns them as whole lines; empty once all have been returned.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let pool = self.here()?;
        let answers = interruptible(py, |go_on| pool.take(go_on))?;
        self.journal.as_ref().map_or(Ok(()), |journal| journal.check())?;
        for answer in &answers {
            match answer.ending {
                Ending::Ran => 0,
                Ending::BadScenario => self.bad.fetch_add(1, Ordering::Relaxed),
                Ending::Failed => self.failed.fetch_add(1, Ordering::Relaxed),
            };
        }
        // Right into Python's memory: what has to grow for this much costs more than the copy.
        PyBytes::new_with(py, answers.iter().map(|answer| answer.json.len() + 1).sum(), |mut text| {
            for answer in &answers {
                text.write_all(&answer.json)?;
                text.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// Gives up what is under way.
    fn stop(&self) {
        self.pool.stop();
    }

    /// Whether `feed` would wait.
    #[getter]
    fn full(&self) -> PyResult<bool> {
        self.here().map(Pool::is_full)
    }

    /// Lines returned so far that were no scenario.
    #[getter]
    fn bad(&self) -> u64 {
        self.bad.load(Ordering::Relaxed)
    }

    /// Lines returned so far whose run failed.
    #[getter]
    fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}
