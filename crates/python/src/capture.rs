//! Captures of a run's links.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use acklab_tap::{Capture, CaptureError, Format, LinkEnd};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::simulation::{RunResult, interruptible};

/// The exception of a capture that failed: `OSError` for what the disk refuses, else `ValueError`.
fn raised(error: CaptureError) -> PyErr {
    match error {
        CaptureError::Io(error) => PyOSError::new_err((error.raw_os_error(), error.to_string())),
        other => PyValueError::new_err(other.to_string()),
    }
}

fn format_called(name: &str) -> PyResult<Format> {
    let unknown = || PyValueError::new_err(format!("a capture's format is pcap or pcapng, not {name:?}"));
    Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(unknown)
}

/// The names of a run's link ends, such as ``G->R@G``. With `names`, those of them; `all` is every one.
#[pyfunction]
#[pyo3(signature = (result, names = None))]
pub(crate) fn link_ends(result: &RunResult, names: Option<Vec<String>>) -> PyResult<Vec<String>> {
    if names.is_some() {
        Capture::new(&result.scenario, &result.outcome).map_err(raised)?; // and can be captured
    }
    let names = names.unwrap_or_else(|| vec!["all".to_owned()]);
    let ends = LinkEnd::select(&result.outcome, &names).map_err(raised)?;
    Ok(ends.iter().map(|end| end.name(&result.outcome)).collect())
}

/// Writes the capture taken at one link end to `path`; the number of packets.
#[pyfunction]
#[pyo3(signature = (result, end, path, *, format = "pcapng", snap_length = 0))]
pub(crate) fn capture(
    py: Python<'_>,
    result: &RunResult,
    end: &str,
    path: PathBuf,
    format: &str,
    snap_length: u32,
) -> PyResult<u64> {
    let capture = prepared(result, format, snap_length)?;
    let end = LinkEnd::find(&result.outcome, end).map_err(raised)?;
    let out = BufWriter::new(File::create(path)?);
    let told = interruptible(py, move |go_on| capture.write_all(vec![(end, out)], go_on))?;
    Ok(told.map_err(raised)?.iter().map(|told| told.packets).sum())
}

/// Writes captures taken at several link ends into `directory`, in one pass; their paths.
#[pyfunction]
#[pyo3(signature = (result, ends, directory, *, format = "pcapng", snap_length = 0))]
pub(crate) fn capture_all(
    py: Python<'_>,
    result: &RunResult,
    ends: Vec<String>,
    directory: PathBuf,
    format: &str,
    snap_length: u32,
) -> PyResult<Vec<PathBuf>> {
    let capture = prepared(result, format, snap_length)?;
    let ends = LinkEnd::select(&result.outcome, &ends).map_err(raised)?;
    interruptible(py, move |go_on| capture.write_files(&ends, &directory, go_on))?.map_err(raised)
}

fn prepared<'a>(result: &'a RunResult, format: &str, snap_length: u32) -> PyResult<Capture<'a>> {
    let capture = Capture::new(&result.scenario, &result.outcome).map_err(raised)?;
    Ok(capture.format(format_called(format)?).snap_length(snap_length))
}
