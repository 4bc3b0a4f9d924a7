//! Slow starts that end before the path overflows. Each stands before a control.

mod hystart;
mod hystart_plus_plus;

use super::control::{AckEvent, Signal, Traits, Window};
use crate::rules::{CubicSlowStart, SenderRules};
use hystart::HyStart;
use hystart_plus_plus::HyStartPlusPlus;

/// A slow start that looks for a queue by round trips.
#[derive(Clone, Debug)]
pub(in crate::sender) enum SlowStart {
    HyStart(HyStart),
    HyStartPlusPlus(HyStartPlusPlus),
}

impl SlowStart {
    /// Returns the slow start that the rules name; none for the standard's, and where the control ends slow start itself.
    pub fn of(rules: &SenderRules, control: &Traits) -> Option<Box<SlowStart>> {
        match rules.control.slow_start() {
            _ if control.ends_slow_start => None,
            CubicSlowStart::HyStartPlusPlus => Some(SlowStart::HyStartPlusPlus(HyStartPlusPlus::new())),
            CubicSlowStart::HyStart => Some(SlowStart::HyStart(HyStart::new(true))),
            CubicSlowStart::HyStartDelay => Some(SlowStart::HyStart(HyStart::new(false))),
            CubicSlowStart::Standard => None,
        }
        .map(Box::new)
    }

    /// Takes in an ACK, before the control does.
    pub fn on_ack(&mut self, ack: &AckEvent, window: &Window) {
        match self {
            SlowStart::HyStart(slow_start) => slow_start.on_ack(ack, window),
            SlowStart::HyStartPlusPlus(slow_start) => slow_start.on_ack(ack),
        }
    }

    /// Lets the control `grow` the window, before or after which slow start may end.
    pub fn grow(&mut self, credit: f64, window: &mut Window, grow: impl FnOnce(f64, &mut Window)) {
        match self {
            SlowStart::HyStart(slow_start) => slow_start.grow(credit, window, grow),
            SlowStart::HyStartPlusPlus(slow_start) => slow_start.grow(credit, window, grow),
        }
    }

    /// Takes in a signal of congestion, before the control does.
    pub fn on_congestion(&mut self, signal: Signal) {
        match self {
            SlowStart::HyStart(slow_start) => slow_start.on_congestion(signal),
            SlowStart::HyStartPlusPlus(slow_start) => slow_start.on_congestion(),
        }
    }
}
