//! From what Python passes to a checked scenario.

use acklab_scenario::spec::Scenario;
use acklab_scenario::{Format, Overrides, ScenarioError, Template, decoded, parse_with};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A scenario's text as Python holds it, `str` or `bytes`.
pub(crate) struct Text(Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            // Lone surrogates become text no parser takes, rather than another exception.
            return Ok(Text(text.to_string_lossy().into_owned().into_bytes()));
        }
        match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Text(bytes.as_bytes().to_vec())),
            Err(_) => Err(PyTypeError::new_err("a scenario's text is str or bytes")),
        }
    }
}

impl Text {
    /// The scenario; `file` is what errors call it, and its ending distinguishes TOML and JSON.
    pub(crate) fn parse(&self, file: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
        parse(&self.0, file, None, overrides)
    }

    /// The text as Python's.
    pub(crate) fn decoded(&self, file: &str) -> Result<&str, ScenarioError> {
        decoded(&self.0, file)
    }

    /// The text's tree, of which variants are made.
    pub(crate) fn template(&self, file: &str) -> Result<Template, ScenarioError> {
        let text = decoded(&self.0, file)?;
        Template::new(text, file, Format::of(file, text))
    }
}

/// The scenario in `bytes`, of the given format or the one its name or text shows.
pub(crate) fn parse(
    bytes: &[u8],
    file: &str,
    format: Option<Format>,
    overrides: &Overrides,
) -> Result<Scenario, ScenarioError> {
    let text = decoded(bytes, file)?;
    parse_with(text, file, format.unwrap_or_else(|| Format::of(file, text)), overrides)
}

/// `key=value` assignments and a seed, as overrides.
pub(crate) fn overrides(sets: &[String], seed: Option<u64>) -> PyResult<Overrides> {
    let mut overrides = Overrides::default();
    for assignment in sets {
        overrides.set(assignment).map_err(crate::errors::scenario)?;
    }
    overrides.seed = seed;
    Ok(overrides)
}
