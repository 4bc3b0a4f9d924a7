//! Instants of a capture's packets, which need not be in order: clocks are set, files are joined, single times are wrong.

use crate::thresholds::{BACKWARD_NS, LEAP_NS};

/// Turns times as recorded into nanoseconds since the first packet that never go back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    start: Option<i128>,
    /// The last time as recorded, and what is added to those that come.
    last: i128,
    shift: i128,
    now: i64,
}

/// Relation of a time to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Not earlier.
    Forward,
    /// Earlier by so many nanoseconds, and taken as simultaneous: packets of several processors or interfaces.
    Backward(u64),
    /// Earlier by more than that: the clock was set, or another capture begins. Time goes on from where it was.
    Step,
}

impl Clock {
    /// The time is so far from the one before that it may be wrong.
    pub fn doubts(&self, time_ns: i128) -> bool {
        self.start.is_some() && !self.follows(time_ns)
    }

    /// The time is plausible after the last one.
    pub fn follows(&self, time_ns: i128) -> bool {
        (self.last - BACKWARD_NS..=self.last + LEAP_NS).contains(&time_ns)
    }

    /// The next packet's time.
    pub fn on_time(&mut self, time_ns: i128) -> Tick {
        let start = *self.start.get_or_insert(time_ns);
        self.last = time_ns;
        let back = i128::from(self.now) - (time_ns - start + self.shift);
        if back <= 0 {
            self.now = self.now.saturating_add(i64::try_from(-back).unwrap_or(i64::MAX));
            return Tick::Forward;
        }
        if back <= BACKWARD_NS {
            return Tick::Backward(back as u64);
        }
        self.shift += back;
        Tick::Step
    }

    /// The last time, as recorded.
    pub fn last(&self) -> i128 {
        self.last
    }

    /// Nanoseconds since the first packet.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Nanoseconds since 1970 of the first packet.
    pub fn start(&self) -> Option<i128> {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back_and_goes_on_after_a_step() {
        const S: i128 = 1_000_000_000;
        let mut clock = Clock::default();
        assert!(!clock.doubts(50 * S));
        let mut at = |time: i128| (clock.on_time(time), clock.now() as i128);
        assert_eq!(at(50 * S), (Tick::Forward, 0));
        assert_eq!(at(52 * S), (Tick::Forward, 2 * S));
        assert_eq!(at(52 * S - 7), (Tick::Backward(7), 2 * S));
        assert_eq!(at(9 * S), (Tick::Step, 2 * S));
        assert_eq!(at(10 * S), (Tick::Forward, 3 * S));
        assert_eq!(at(i128::from(i64::MAX) * 4), (Tick::Forward, i64::MAX.into()));
        assert!(clock.doubts(0));
    }
}
