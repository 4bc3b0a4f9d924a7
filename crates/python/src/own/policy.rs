//! An ACK policy in Python (`acklab.AckPolicy`).

use acklab_packet::Time;
use acklab_tcp::receiver::policy::{self as told, AckPolicy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{Arrival, Emission, Own, number, wrong};

const EMISSION: &str = "an acklab.Emission, such as Emission.now(), Emission.by(time_s) or Emission.nothing()";

/// The answer, given at `now`.
fn emission(answer: &Bound<'_, PyAny>, now: Time) -> PyResult<told::Emission> {
    let emission = answer.cast::<Emission>().map_err(|_| wrong(answer, EMISSION))?.get();
    if let Some(due) = emission.due().filter(|due| *due < now) {
        let what = format!("answered {} s at {} s; must not be past", due.secs(), now.secs());
        return Err(PyValueError::new_err(what));
    }
    Ok(emission.0)
}

impl AckPolicy for Own {
    fn on_segment(&mut self, arrival: &told::Arrival) -> told::Emission {
        let answer = self.ask("on_segment", (Arrival(*arrival),), |answer, _| emission(&answer, arrival.now));
        answer.unwrap_or(told::Emission::Nothing)
    }

    fn on_timer(&mut self, now: Time) -> told::Emission {
        let answer = self.ask("on_timer", (now.secs(),), |answer, _| emission(&answer, now));
        answer.unwrap_or(told::Emission::Now)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.ask("on_ack_sent", (now.secs(),), |_, _| Ok(()));
    }

    fn on_probe_sent(&mut self, now: Time) -> told::Emission {
        let answer = self.ask("on_probe_sent", (now.secs(),), |answer, _| emission(&answer, now));
        answer.unwrap_or(told::Emission::Nothing)
    }

    fn on_reply(&mut self, number: u32, now: Time) {
        self.ask("on_reply", (number, now.secs()), |_, _| Ok(()));
    }

    fn window_estimate(&self, now: Time) -> Option<f64> {
        let read = |answer: Bound<'_, PyAny>, _: Bound<'_, PyTuple>| {
            let segments =
                |answer| number(answer, "None, or a number of segments above 0", |n| n > 0.0 && n.is_finite());
            (!answer.is_none()).then(|| segments(&answer)).transpose()
        };
        self.ask("window_estimate", (now.secs(),), read).flatten()
    }
}
