//! Congestion control: what credit and losses do to the window.
//!
//! To add one: a file here, a variant in [`Control`] and in [`ControlKind`](crate::rules::ControlKind).

mod reno;

pub use reno::Reno;

use crate::rules::ControlKind;

/// A congestion control algorithm. Windows are in sequence units.
pub trait CongestionControl {
    /// By how much `cwnd` grows for `credit` units.
    fn increase(&mut self, cwnd: f64, ssthresh: f64, credit: f64, mss: f64) -> f64;

    /// What remains of a window of `in_use` after a loss.
    fn reduced(&mut self, in_use: f64) -> f64;
}

/// The algorithms, dispatched without boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// See [`Reno`].
    Reno(Reno),
}

impl Control {
    /// The algorithm a scenario names.
    pub fn new(kind: ControlKind) -> Control {
        match kind {
            ControlKind::Reno => Control::Reno(Reno),
        }
    }
}

impl CongestionControl for Control {
    #[inline]
    fn increase(&mut self, cwnd: f64, ssthresh: f64, credit: f64, mss: f64) -> f64 {
        match self {
            Control::Reno(control) => control.increase(cwnd, ssthresh, credit, mss),
        }
    }

    #[inline]
    fn reduced(&mut self, in_use: f64) -> f64 {
        match self {
            Control::Reno(control) => control.reduced(in_use),
        }
    }
}
