//! Algorithms in Python that stand in for `policy = "python"` and `kind = "python"` (`acklab.scenario.own`).
//!
//! Each connection has its own instance, made when it first asks. An error in Python code, or an answer that is not valid,
//! is noted for the thread; until the run looks ([`failure`]), the algorithm gives neutral answers.

mod control;
mod events;
mod policy;

pub(crate) use events::{AckEvent, Arrival, Departure, Emission, LostSegment, Window};

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, OnceLock};

use acklab_scenario::spec::Scenario;
use acklab_scenario::visible;
use acklab_tcp::rules::{AckPolicyKind, ControlKind, Parameters};
use acklab_tcp::sender::control::{CongestionControl, Needs, misfits};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value;

use crate::errors::{RunError, ScenarioError};

thread_local! {
    /// What the first algorithm on this thread to fail has raised, until it is taken.
    static FAILURE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether an algorithm has failed on this thread.
pub(crate) fn failed() -> bool {
    FAILURE.with_borrow(Option::is_some)
}

/// What `result` is, unless an algorithm has failed on this thread.
pub(crate) fn unless_failed<T>(result: T) -> PyResult<T> {
    FAILURE.take().map_or(Ok(result), Err)
}

/// What the program passes: factories of policies and controls by their names.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    policies: Option<Py<PyDict>>,
    controls: Option<Py<PyDict>>,
}

impl Registry {
    pub(crate) fn new(policies: Option<Py<PyDict>>, controls: Option<Py<PyDict>>) -> Registry {
        Registry { policies, controls }
    }

    /// Gives each flow of `scenario` what it names of these; `file` is what errors call the scenario.
    pub(crate) fn supply(&self, scenario: &mut Scenario, file: &str) -> PyResult<()> {
        for (at, spec) in scenario.flows.iter_mut().enumerate() {
            let place = |key: &str| format!("{file}{}flow[{at}].{key}", if file.is_empty() { "" } else { ": " });
            if let AckPolicyKind::Python { name, parameters } = &spec.receiver.ack {
                let side = Side { key: "receiver.ack", table: "policies", class: "AckPolicy" };
                let own = Own::find(&self.policies, side, name, parameters, &spec.name, place)?;
                spec.custom.policy = Some(Box::new(own));
            }
            if let ControlKind::Python { name, parameters } = &spec.sender.control {
                let side = Side { key: "sender.control", table: "controls", class: "CongestionControl" };
                let own = Own::find(&self.controls, side, name, parameters, &spec.name, place)?;
                let (needs, owns_window) = own.declarations()?;
                if let Some((key, what)) = misfits(&spec.sender, name, needs, owns_window).into_iter().next() {
                    return Err(ScenarioError::new_err(visible(&format!(
                        "{}: {what}",
                        place(&format!("sender.{key}"))
                    ))));
                }
                spec.custom.control = Some(Box::new(own));
            }
        }
        Ok(())
    }
}

/// Which of the two seams it is: the flow's key, the argument that takes such algorithms, and their base class.
#[derive(Clone, Copy, Debug)]
struct Side {
    key: &'static str,
    table: &'static str,
    class: &'static str,
}

/// Where instances of an algorithm come from.
struct Factory {
    side: Side,
    /// What errors call it.
    what: String,
    make: Py<PyAny>,
    parameters: Parameters,
}

/// An algorithm in Python of one connection.
pub(crate) struct Own {
    factory: Arc<Factory>,
    /// Its instance, once it was asked; none if there is none to be had.
    instance: OnceLock<Option<Instance>>,
}

/// An object, and those of its methods that it has not from its base class.
struct Instance {
    object: Py<PyAny>,
    methods: Vec<(&'static str, Py<PyAny>)>,
}

/// Methods that a subclass may define.
const METHODS: [&str; 16] = [
    "on_segment",
    "on_timer",
    "on_ack_sent",
    "on_probe_sent",
    "on_reply",
    "window_estimate",
    "on_ack",
    "on_lost",
    "grow",
    "on_sent",
    "on_congestion",
    "undo",
    "pacing_rate",
    "send_quantum",
    "limits_itself",
    "estimate",
];

impl Own {
    fn find(
        table: &Option<Py<PyDict>>,
        side: Side,
        name: &str,
        parameters: &Parameters,
        flow: &str,
        place: impl Fn(&str) -> String,
    ) -> PyResult<Own> {
        Python::attach(|py| {
            let table = table.as_ref().map(|table| table.bind(py).clone()).unwrap_or_else(|| PyDict::new(py));
            let Some(make) = table.get_item(name)? else {
                let there = table.keys().iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
                let there = if there.is_empty() { String::new() } else { format!(" (passed: {there})") };
                return Err(ScenarioError::new_err(visible(&format!(
                    "{}: `{name}` is Python code, and nothing of that name was passed{there}; pass it with \
                     acklab.run(..., {}={{\"{name}\": ...}}) or acklab run --python FILE",
                    place(side.key),
                    side.table
                ))));
            };
            let what = visible(&format!("flow `{flow}`, {} `{name}`", side.key));
            let factory = Factory { side, what, make: make.unbind(), parameters: parameters.clone() };
            Ok(Own { factory: Arc::new(factory), instance: OnceLock::new() })
        })
    }

    /// What a control declares: its needs, and whether it owns the window. Asked of the class; of an instance made for it, where
    /// a function makes them.
    fn declarations(&self) -> PyResult<(Needs, bool)> {
        let class = Python::attach(|py| {
            let make = self.factory.make.bind(py);
            let needs = make.getattr_opt("needs").ok().flatten()?.extract::<String>().ok()?;
            let needs = control::needs(&needs)?;
            Some((needs, make.getattr_opt("owns_window").ok().flatten()?.is_truthy().ok()?))
        });
        match class {
            Some(declared) => Ok(declared),
            None => {
                let probe = self.clone();
                unless_failed((probe.needs(), probe.owns_window()))
            }
        }
    }

    /// Calls a method, if the instance has it, and reads its answer. None where there is nothing to be had: the method is the base
    /// class's, or something has failed.
    fn ask<T, A>(
        &self,
        method: &'static str,
        arguments: A,
        read: impl FnOnce(Bound<'_, PyAny>, Bound<'_, PyTuple>) -> PyResult<T>,
    ) -> Option<T>
    where
        A: for<'py> IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
    {
        if failed() {
            return None;
        }
        let (_, bound) = self.instance()?.methods.iter().find(|(name, _)| *name == method)?;
        Python::attach(|py| {
            let answer = arguments.into_pyobject(py).map_err(Into::into).and_then(|given| {
                let answer = bound.bind(py).call1(&given).map_err(|error| self.factory.said(py, method, error))?;
                read(answer, given).map_err(|error| self.factory.refused(py, method, error))
            });
            answer.map_err(|error| FAILURE.set(Some(error))).ok()
        })
    }

    /// Its instance, which is made when first asked for.
    fn instance(&self) -> Option<&Instance> {
        self.instance.get_or_init(|| Python::attach(|py| self.made(self.factory.instance(py)))).as_ref()
    }

    /// What was made, unless that failed.
    fn made(&self, result: PyResult<Instance>) -> Option<Instance> {
        result.map_err(|error| FAILURE.set(Some(error))).ok()
    }

    /// An attribute of the instance that is no method.
    fn attribute<T>(&self, name: &'static str, read: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        let instance = self.instance()?;
        Python::attach(|py| {
            let value = instance.object.bind(py).getattr(name).and_then(read);
            value.map_err(|error| FAILURE.set(Some(self.factory.refused(py, name, error)))).ok()
        })
    }
}

impl Factory {
    /// A new object.
    fn instance(&self, py: Python<'_>) -> PyResult<Instance> {
        let arguments = PyDict::new(py);
        for (key, value) in &self.parameters.0 {
            arguments.set_item(key, object(py, value)?)?;
        }
        let made = self.make.bind(py).call((), Some(&arguments)).map_err(|error| self.said(py, "__init__", error))?;
        self.checked(made)
    }

    /// The object with its methods, if it is what it should be.
    fn checked(&self, made: Bound<'_, PyAny>) -> PyResult<Instance> {
        let py = made.py();
        let base = py.import("acklab.scenario.own")?.getattr(self.side.class)?;
        if !made.is_instance(&base)? {
            let class = made.get_type().name()?;
            let what = format!("{}: {}(...) gave a {class}, no acklab.{}", self.what, self.side.table, self.side.class);
            return Err(RunError::new_err(what));
        }
        let mut methods = Vec::new();
        for name in METHODS {
            let own = made.get_type().getattr_opt(name)?;
            if let Some(own) = own
                && !base.getattr_opt(name)?.is_some_and(|inherited| inherited.is(&own))
            {
                methods.push((name, made.getattr(name)?.unbind()));
            }
        }
        Ok(Instance { object: made.unbind(), methods })
    }

    /// The error of a run whose Python code raised `error`, with its traceback. An interrupt stays what it is.
    fn said(&self, py: Python<'_>, method: &str, error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let lines = py
            .import("traceback")
            .and_then(|module| module.call_method1("format_exception", (error.clone_ref(py).into_value(py),)))
            .and_then(|lines| lines.extract::<Vec<String>>());
        let text = lines.map_or_else(|_| error.to_string(), |lines| lines.concat());
        RunError::new_err(format!("{}: {method} raised {error}\n{}", self.what, text.trim_end()))
    }

    /// The error of an answer that cannot be used.
    fn refused(&self, py: Python<'_>, method: &str, error: PyErr) -> PyErr {
        RunError::new_err(format!("{}: {method} {}", self.what, error.value(py)))
    }
}

/// A parameter as Python has it.
fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// Of an answer of the wrong type.
fn wrong(answer: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    let given = answer.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    PyTypeError::new_err(format!("answered {given}; must be {allowed}"))
}

/// A number that may be `allowed`.
fn number(answer: &Bound<'_, PyAny>, allowed: &str, may_be: impl Fn(f64) -> bool) -> PyResult<f64> {
    answer.extract::<f64>().ok().filter(|value| may_be(*value)).ok_or_else(|| wrong(answer, allowed))
}

impl Clone for Own {
    /// With a copy of the instance, if there is one yet (`copy.deepcopy`).
    fn clone(&self) -> Own {
        let copied = self.instance.get().map(|instance| {
            let instance = instance.as_ref()?;
            Python::attach(|py| {
                let copy = py.import("copy").and_then(|module| module.call_method1("deepcopy", (&instance.object,)));
                self.made(
                    copy.map_err(|error| self.factory.said(py, "deepcopy", error))
                        .and_then(|copy| self.factory.checked(copy)),
                )
            })
        });
        let instance = copied.map_or_else(OnceLock::new, OnceLock::from);
        Own { factory: self.factory.clone(), instance }
    }
}

impl fmt::Debug for Own {
    /// The same for algorithms that begin alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Factory { side, what, make, parameters } = &*self.factory;
        write!(f, "{} {what} {:?} {parameters:?}", side.class, make.as_ptr())
    }
}
