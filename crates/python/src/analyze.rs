//! What a capture's ACKs say, as tables and JSON.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use acklab_analyze::{Analysis, Census, ConnectionRow};
use acklab_capture::{ReadError, Reader};
use acklab_table::Names;
use arrow_array::RecordBatch;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::capture_input::{Input, STANDARD_INPUT};
use crate::drive::caught;
use crate::errors::CaptureError;
use crate::simulation::interruptible;
use crate::table::Table;
use crate::tables::batch;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// What an analysis found.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct AnalysisResult {
    connections: RecordBatch,
    throughput: RecordBatch,
    limits: RecordBatch,
    packets: Option<(RecordBatch, RecordBatch)>,
    json: String,
}

#[pymethods]
impl AnalysisResult {
    /// One row for each direction of a connection.
    #[getter]
    fn connections(&self) -> Table {
        Table::new("connections", self.connections.clone())
    }

    /// One row for each bin of a direction.
    #[getter]
    fn throughput(&self) -> Table {
        Table::new("throughput", self.throughput.clone())
    }

    /// One row for each span of time with one cause.
    #[getter]
    fn limits(&self) -> Table {
        Table::new("limits", self.limits.clone())
    }

    /// One row an ACK, if they were asked for.
    #[getter]
    fn acks(&self) -> Option<Table> {
        self.packets.as_ref().map(|(acks, _)| Table::new("acks", acks.clone()))
    }

    /// One row a segment, if they were asked for.
    #[getter]
    fn segments(&self) -> Option<Table> {
        self.packets.as_ref().map(|(_, segments)| Table::new("segments", segments.clone()))
    }

    /// The file's counts and the connections as one line of JSON.
    fn json(&self) -> &str {
        &self.json
    }
}

/// Analyses the capture at `path`, or on standard input if that is `-`; with `packets`, keeps every ACK and segment.
/// With `until_s`, it reads no packet later than so many seconds after the first one. `tick` is called now and then with the bytes of the file read so far; what it raises ends the analysis.
#[pyfunction]
#[pyo3(signature = (path, *, packets = true, until_s = None, tick = None))]
pub(crate) fn analyze(
    py: Python<'_>,
    path: PathBuf,
    packets: bool,
    until_s: Option<f64>,
    tick: Option<Py<PyAny>>,
) -> PyResult<AnalysisResult> {
    let (done, mut raised, mut refused) = (AtomicU64::new(0), None, None);
    let found = interruptible(py, |go_on| {
        caught(|| {
            let mut analysis = if packets { Analysis::with_packets() } else { Analysis::default() };
            if let Some(until_s) = until_s {
                analysis = analysis.until(until_s);
            }
            let listen = |_: &Census| {
                if let Some(tick) = &tick {
                    let bytes = done.load(Ordering::Relaxed);
                    refused = Python::attach(|py| tick.call1(py, (bytes,))).err();
                }
                refused.is_none() && go_on()
            };
            let input = Input::open(&path, &done, &mut raised).map_err(ReadError::Io)?;
            analysis.read(&mut Reader::new(BufReader::with_capacity(BUFFER, input))?, listen).map(|_| tables(&analysis))
        })
    })?;
    if let Some(raised) = refused.or(raised) {
        return Err(raised);
    }
    match found.map_err(PyRuntimeError::new_err)? {
        Ok(result) => Ok(result),
        Err(ReadError::Io(error)) => {
            Err(PyOSError::new_err((error.raw_os_error(), error.to_string(), path.into_os_string())))
        }
        Err(error) => Err(CaptureError::new_err(acklab_scenario::visible(&format!("{}: {error}", name(&path))))),
    }
}

/// What messages call a file.
fn name(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { "standard input".to_owned() } else { path.display().to_string() }
}

/// What [`AnalysisResult::json`] has.
#[derive(serde::Serialize)]
struct Summary<'a> {
    connections: &'a [ConnectionRow],
    length_s: f64,
    packets: &'a Census,
    start_s: Option<f64>,
}

fn tables(analysis: &Analysis) -> AnalysisResult {
    let connections = analysis.connections();
    let found = Summary {
        connections: &connections,
        length_s: analysis.length_s(),
        packets: analysis.census(),
        start_s: analysis.start_s(),
    };
    let names = Names::default();
    // Texts and numbers alone: nothing in it can fail.
    let json = serde_json::to_string(&found).unwrap_or_default();
    AnalysisResult {
        connections: batch(&connections, &names),
        throughput: batch(&analysis.throughput(), &names),
        limits: batch(&analysis.limits(), &names),
        packets: analysis.packets().map(|packets| (batch(&packets.acks, &names), batch(&packets.segments, &names))),
        json,
    }
}
