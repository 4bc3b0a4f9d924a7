//! Instants of a capture's packets, which need not be in order: clocks are set, files are joined, single times are wrong.

use crate::thresholds::{BACKWARD_NS, COARSE_NS, LEAP_NS, MIN_STEPS, MIN_TIMES};

/// Nanoseconds in a second.
const SECOND_NS: u128 = 1_000_000_000;

/// Turns times as recorded into nanoseconds since the first packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    start: Option<i128>,
    /// The last time as recorded, and what is added to those that come.
    last: i128,
    shift: i128,
    now: i64,
    /// The last time, which may be earlier.
    at: i64,
    /// Largest span of which each step from time to time is a multiple, and how many steps there were; 0 before the first.
    grain: u128,
    steps: u32,
    times: u64,
}

/// Relation of a time to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Not earlier.
    Forward,
    /// Earlier by so many nanoseconds, and taken as simultaneous with its connection's last: packets of several processors or interfaces.
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
        self.times += 1;
        if self.grain == 0 || self.grain >= COARSE_NS {
            let step = if self.times == 1 { 0 } else { time_ns.abs_diff(self.last) };
            self.steps = self.steps.saturating_add(u32::from(step > 0));
            self.grain = greatest_divisor(self.grain, step);
        }
        self.last = time_ns;
        let back = i128::from(self.now) - (time_ns - start + self.shift);
        let tick = match back {
            ..=0 => Tick::Forward,
            1..=BACKWARD_NS => Tick::Backward(back as u64),
            _ => Tick::Step,
        };
        self.shift += if tick == Tick::Step { back } else { 0 };
        let back = if tick == Tick::Step { 0 } else { back };
        self.at = self.now.saturating_add(i64::try_from(-back).unwrap_or(i64::MAX));
        self.now = self.now.max(self.at);
        tick
    }

    /// Nanoseconds of a tick of the clock, if that is so coarse that it matters: every step is a multiple of it. If all times are
    /// one, no span is known.
    pub fn resolution(&self) -> Option<u64> {
        // No clock counts in more than seconds, in which one step is enough.
        let grain = greatest_divisor(self.grain, SECOND_NS);
        match self.steps {
            0 => (self.times >= MIN_TIMES).then_some(u64::MAX),
            1.. if grain == SECOND_NS && self.times >= MIN_TIMES => Some(grain as u64),
            MIN_STEPS.. if grain >= COARSE_NS => Some(grain as u64),
            _ => None,
        }
    }

    /// The last time, as recorded.
    pub fn last(&self) -> i128 {
        self.last
    }

    /// Nanoseconds from the first packet to the last, which may have passed before it.
    pub fn at(&self) -> i64 {
        self.at
    }

    /// Nanoseconds since the first packet, which never go back.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Nanoseconds since 1970 of the first packet.
    pub fn start(&self) -> Option<i128> {
        self.start
    }
}

/// Euclid's algorithm.
fn greatest_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_clock_is_known_by_its_steps() {
        const MS: i128 = 1_000_000;
        let resolution = |times: &mut dyn Iterator<Item = i128>| {
            let mut clock = Clock::default();
            times.for_each(|time| _ = clock.on_time(time));
            clock.resolution()
        };
        assert_eq!(resolution(&mut (0..99).map(|k| 123 + 10 * MS * (k / 3))), Some(10_000_000));
        assert_eq!(resolution(&mut (0..99).map(|k| 1000 * MS * (k / 20))), Some(1_000_000_000));
        assert_eq!(resolution(&mut (0..99).map(|k| 10 * MS * k + if k == 50 { 1000 } else { 0 })), None, "one of 1 µs");
        assert_eq!(resolution(&mut [0, 7 * MS, 9 * MS].into_iter()), None, "too few to tell");
        assert_eq!(resolution(&mut (0..20).map(|k| 3000 * MS * (k / 10))), Some(1_000_000_000), "one step");
        assert_eq!(resolution(&mut (0..20).map(|_| 5)), Some(u64::MAX));
        assert_eq!(resolution(&mut (0..3).map(|_| 5)), None);
    }

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
