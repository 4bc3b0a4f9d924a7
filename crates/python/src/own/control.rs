//! A congestion control in Python (`acklab.CongestionControl`).

use acklab_tcp::sender::control::{self as events, CongestionControl, Estimate, Needs, Reduced, Signal};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{AckEvent, Departure, LostSegment, Own, Window, number, wrong};

impl Own {
    /// Tells the method of `event` and of the window, and takes the window as the method leaves it; whether it has the method.
    fn moved<E>(&self, method: &'static str, window: &mut events::Window, event: E) -> bool
    where
        E: for<'py> IntoPyObject<'py>,
    {
        let before = *window;
        let moved = self.ask(method, (event, Window(before)), |_, given| {
            let after = given.get_item(1)?.cast::<Window>()?.borrow().0;
            let (cwnd, ssthresh) = (after.cwnd, after.ssthresh);
            if !(cwnd.is_finite() && cwnd >= before.mss) {
                let what = format!("set window.cwnd to {cwnd}; must be at least a segment, {}", before.mss);
                return Err(PyValueError::new_err(what));
            }
            if ssthresh.is_nan() || ssthresh <= 0.0 {
                return Err(PyValueError::new_err(format!("set window.ssthresh to {ssthresh}; must be above 0")));
            }
            Ok(after)
        });
        if let Some(after) = moved {
            *window = after;
        }
        moved.is_some()
    }
}

/// The needs that a word names.
pub(super) fn needs(word: &str) -> Option<Needs> {
    match word {
        "credit" => Some(Needs::Credit),
        "round-trips" => Some(Needs::RoundTrips),
        "deliveries" => Some(Needs::Deliveries),
        "losses" => Some(Needs::Losses),
        _ => None,
    }
}

/// A window, or window and threshold.
fn reduced(answer: &Bound<'_, PyAny>) -> PyResult<Reduced> {
    let pair = answer.extract::<(f64, f64)>().or_else(|_| answer.extract::<f64>().map(|units| (units, units)));
    match pair {
        Ok((cwnd, ssthresh)) if cwnd.is_finite() && cwnd > 0.0 && ssthresh > 0.0 => Ok(Reduced { cwnd, ssthresh }),
        _ => Err(wrong(answer, "a window above 0, or (cwnd, ssthresh)")),
    }
}

impl CongestionControl for Own {
    fn needs(&self) -> Needs {
        let read = |answer: Bound<'_, PyAny>| {
            answer.extract::<String>().ok().and_then(|word| needs(&word)).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "is {answer}; must be \"credit\", \"round-trips\", \"deliveries\" or \"losses\""
                ))
            })
        };
        self.attribute("needs", read).unwrap_or(Needs::Credit)
    }

    fn owns_window(&self) -> bool {
        self.attribute("owns_window", |answer| answer.is_truthy()).unwrap_or(false)
    }

    fn on_ack(&mut self, ack: &events::AckEvent, window: &mut events::Window) {
        self.moved("on_ack", window, AckEvent(*ack));
    }

    fn on_lost(&mut self, lost: &events::LostSegment, window: &mut events::Window) {
        self.moved("on_lost", window, LostSegment(*lost));
    }

    fn grow(&mut self, credit: f64, window: &mut events::Window) {
        if !self.moved("grow", window, credit) {
            window.grow_by_standard(credit);
        }
    }

    fn on_sent(&mut self, departure: &events::Departure, window: &mut events::Window) {
        self.moved("on_sent", window, Departure(*departure));
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &events::Window) -> Reduced {
        let word = match signal {
            Signal::Loss => "loss",
            Signal::Timeout => "timeout",
            Signal::Mark => "mark",
            Signal::Idle => "idle",
        };
        let arguments = (word, in_use, Window(*window));
        self.ask("on_congestion", arguments, |answer, _| reduced(&answer)).unwrap_or(Reduced::to(in_use / 2.0))
    }

    fn undo(&mut self, before: Reduced, window: &mut events::Window) {
        if !self.moved("undo", window, (before.cwnd, before.ssthresh)) {
            window.cwnd = window.cwnd.max(before.cwnd);
            window.ssthresh = window.ssthresh.max(before.ssthresh);
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        let rate = |answer: &Bound<'_, PyAny>| {
            number(answer, "None, or segments a second above 0", |rate| rate.is_finite() && rate > 0.0)
        };
        let read =
            |answer: Bound<'_, PyAny>, _: Bound<'_, PyTuple>| (!answer.is_none()).then(|| rate(&answer)).transpose();
        self.ask("pacing_rate", (), read).flatten()
    }

    fn send_quantum(&self) -> u32 {
        let read = |answer: Bound<'_, PyAny>, _: Bound<'_, PyTuple>| {
            let quantum = answer.extract::<u32>().ok().filter(|segments| *segments > 0);
            quantum.ok_or_else(|| wrong(&answer, "a whole number of segments from 1"))
        };
        self.ask("send_quantum", (), read).unwrap_or(1)
    }

    fn limits_itself(&self) -> bool {
        let read = |answer: Bound<'_, PyAny>, _: Bound<'_, PyTuple>| answer.is_truthy();
        self.ask("limits_itself", (), read).unwrap_or(false)
    }

    fn estimate(&self) -> Option<Estimate> {
        let read = |answer: Bound<'_, PyAny>, _: Bound<'_, PyTuple>| {
            if answer.is_none() {
                return Ok(None);
            }
            let pair = answer.extract::<(f64, f64)>().ok().filter(|(backlog, rtt)| backlog.is_finite() && *rtt > 0.0);
            let (backlog, base_rtt) =
                pair.ok_or_else(|| wrong(&answer, "None, or (backlog in segments, base RTT in s)"))?;
            Ok(Some(Estimate { backlog, base_rtt }))
        };
        self.ask("estimate", (), read).flatten()
    }
}
