//! The exceptions the module raises.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    acklab._core,
    ScenarioError,
    PyValueError,
    "A text is no scenario; says file, key, value and what is allowed, in one or two lines."
);
create_exception!(
    acklab._core,
    RunError,
    PyRuntimeError,
    "A legal scenario's run failed: Python code of a policy or control has an error, the clock stands still, or the run \
     holds more than it may; anything else is a bug, worth reporting with the scenario."
);

create_exception!(acklab._core, CaptureError, PyValueError, "A file is no capture; says file and why, in one line.");

/// From the parser's error.
pub(crate) fn scenario(error: acklab_scenario::ScenarioError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// From what a panic said.
pub(crate) fn run(said: String) -> PyErr {
    RunError::new_err(acklab_scenario::visible(&said))
}
