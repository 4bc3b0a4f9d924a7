//! A clock of real time, in seconds of the scenario.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use acklab_packet::Time;
use nix::time::{ClockId, clock_gettime};

/// A run's clock: 0 is its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    /// The start in nanoseconds since 1970.
    pub epoch_ns: u64,
}

fn of_day() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

impl Clock {
    /// Starts it.
    pub fn start() -> Clock {
        Clock { start: Instant::now(), epoch_ns: of_day().as_nanos() as u64 }
    }

    /// Starts it at an instant of the system's clock, in nanoseconds since 1970, for which it waits.
    pub fn start_at(epoch_ns: u64) -> Clock {
        let start = Instant::now() + Duration::from_nanos(epoch_ns).saturating_sub(of_day());
        thread::sleep(start.saturating_duration_since(Instant::now()));
        Clock { start, epoch_ns }
    }

    /// It starts at an instant of the monotonic clock, in nanoseconds, which may be to come.
    pub fn from_monotonic(start_ns: u64) -> Clock {
        let now = Clock::start();
        let (start, passed) = (Duration::from_nanos(start_ns), clock_gettime(ClockId::CLOCK_MONOTONIC));
        let passed = passed.map_or(start, Duration::from);
        let epoch = Duration::from_nanos(now.epoch_ns) + start - passed;
        Clock { start: now.start + start - passed, epoch_ns: epoch.as_nanos() as u64 }
    }

    /// The time; 0 before the start.
    pub fn now(&self) -> Time {
        Time::from_secs(self.start.elapsed().as_secs_f64())
    }

    /// The same in nanoseconds since 1970, also before the start.
    pub fn time_ns(&self) -> u64 {
        let now = Instant::now();
        let [since, before] = [now.saturating_duration_since(self.start), self.start.saturating_duration_since(now)];
        self.epoch_ns + since.as_nanos() as u64 - before.as_nanos() as u64
    }

    /// Returns the time until `at`; zero if that has passed.
    pub fn until(&self, at: Time) -> Duration {
        Duration::try_from_secs_f64((at.secs() - self.start.elapsed().as_secs_f64()).max(0.0)).unwrap_or(Duration::MAX)
    }
}
