//! The kernel's clock: spans are whole ticks.

use acklab_packet::Time;

/// Most that a quotient of doubles may lack of the whole number it stands for.
const NEARLY: f64 = 1e-6;

/// Instants and spans in ticks, or in seconds where the tick is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    tick: f64,
}

impl Clock {
    pub fn new(tick: Time) -> Clock {
        Clock { tick: tick.secs() }
    }

    /// So many seconds, in ticks that have passed.
    pub fn passed(self, secs: f64) -> f64 {
        if self.tick > 0.0 { (secs / self.tick + NEARLY).floor() } else { secs }
    }

    /// So many seconds, in ticks that contain them.
    pub fn containing(self, secs: f64) -> f64 {
        if self.tick > 0.0 { (secs / self.tick - NEARLY).ceil() } else { secs }
    }

    /// A `parts`-th of a span, in whole ticks.
    pub fn part(self, span: f64, parts: f64) -> f64 {
        if self.tick > 0.0 { (span / parts).floor() } else { span / parts }
    }

    /// A span less one tick, but no less than one.
    pub fn less_a_tick(self, span: f64) -> f64 {
        if self.tick > 0.0 { (span - 1.0).max(1.0) } else { span }
    }

    /// Expiry of a timer set to this instant: the tick after it, so that it is never early.
    pub fn expiry(self, at: f64) -> Time {
        Time::from_secs(if self.tick > 0.0 { (at + 1.0) * self.tick } else { at })
    }
}
