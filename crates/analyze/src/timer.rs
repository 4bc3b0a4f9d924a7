//! The timer of a receiver that delays its ACKs, as far as lone segments show it.

use crate::holds::Holds;
use crate::thresholds::{MIN_HELD, MIN_TICKS, TIMER_RANGE, TIMER_SHARE, TIMER_WIDTH};

/// How lone segments waited for their ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// Where most lie, in seconds; the middle four fifths lie between the others.
    pub mode: f64,
    pub low: f64,
    pub high: f64,
}

/// A timer is named from enough held ACKs of a single segment, if most of them waited alike.
///
/// Their waiting was counted from the handshake's round trip, in which no full segment had to be serialised. Where some
/// ACK was at once, the least delay of all says what that takes.
pub fn timer(holds: &Holds, tick: f64) -> Option<Timer> {
    let held = &holds.held_single;
    if held.count() < MIN_HELD {
        return None;
    }
    let mode = held.mode_above(0.0)?;
    let near = held.between(mode * (1.0 - TIMER_WIDTH), mode * (1.0 + TIMER_WIDTH));
    if (near as f64) < TIMER_SHARE * held.count() as f64 {
        return None;
    }
    let less = |value: f64| (value - holds.serialisation()).max(0.0);
    let timer = Timer { mode: less(mode), low: less(held.quantile(0.1)?), high: less(held.quantile(0.9)?) };
    (timer.high <= TIMER_RANGE * timer.low && timer.low >= MIN_TICKS * tick).then_some(timer)
}
