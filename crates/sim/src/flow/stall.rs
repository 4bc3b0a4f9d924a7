//! The longest time for which a flow gets nothing through.

use acklab_packet::Time;

/// The longest time in which something was outstanding and nothing new was acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Stall {
    /// Units acknowledged so far.
    acked: u64,
    /// Since when something is outstanding and nothing new is acknowledged; [`Time::NEVER`] while nothing is outstanding.
    since: Time,
    longest: Time,
}

impl Default for Stall {
    fn default() -> Stall {
        Stall { acked: 0, since: Time::NEVER, longest: Time::ZERO }
    }
}

impl Stall {
    /// The sender has acted: `acked` units are acknowledged, and `outstanding` are not.
    #[inline(always)]
    pub fn on_change(&mut self, now: Time, acked: u64, outstanding: u64) {
        if acked != self.acked {
            self.longest = self.longest(now);
            (self.acked, self.since) = (acked, if outstanding > 0 { now } else { Time::NEVER });
        } else if self.since == Time::NEVER && outstanding > 0 {
            self.since = now;
        }
    }

    /// The longest up to `now`, one that is not over included.
    pub fn longest(&self, now: Time) -> Time {
        if self.since < Time::NEVER { self.longest.max(now - self.since) } else { self.longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_with_something_outstanding_counts() {
        let mut stall = Stall::default();
        let at = Time::from_secs;
        stall.on_change(at(1.0), 0, 2);
        stall.on_change(at(1.1), 0, 4); // more is sent, and the same waits
        assert_eq!(stall.longest(at(1.25)), at(0.25), "not over yet");
        stall.on_change(at(1.5), 2, 2);
        stall.on_change(at(1.75), 4, 0);
        stall.on_change(at(9.0), 4, 0); // the application is idle
        assert_eq!(stall.longest(at(9.0)), at(0.5));
        stall.on_change(at(9.0), 4, 1);
        stall.on_change(at(10.0), 5, 0);
        assert_eq!(stall.longest(at(20.0)), at(1.0));
    }
}
