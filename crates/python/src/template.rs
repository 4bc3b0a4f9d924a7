//! A scenario of which many variants are made.

use pyo3::prelude::*;

use crate::errors;
use crate::input::{Text, overrides};

/// A scenario's tree, to which `key=value` overrides are applied again and again.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Template(acklab_scenario::Template);

#[pymethods]
impl Template {
    #[new]
    #[pyo3(signature = (text, *, file = "scenario"))]
    fn new(text: Text, file: &str) -> PyResult<Template> {
        text.template(file).map(Template).map_err(errors::scenario)
    }

    /// The variant with each seed as one line of JSON, as it was written, unchecked.
    fn lines(&self, sets: Vec<String>, seeds: Vec<u64>) -> PyResult<Vec<String>> {
        self.0.lines(&overrides(&sets, None)?, &seeds).map_err(errors::scenario)
    }

    /// Whether the variant is a scenario; raises where it is not.
    fn check(&self, sets: Vec<String>) -> PyResult<()> {
        self.0.check(&overrides(&sets, None)?).map(|_| ()).map_err(errors::scenario)
    }

    /// The variant as one line of JSON, every shorthand and default written out.
    fn expanded(&self, sets: Vec<String>) -> PyResult<String> {
        self.0.expanded_json(&overrides(&sets, None)?).map_err(errors::scenario)
    }
}
