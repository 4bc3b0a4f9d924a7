//! Delayed ACKs (RFC 1122 section 4.2.3.2, RFC 5681 section 4.2; ledger allman1998.m.delack).
//!
//! An in-order segment may wait for the next ones; the `segments`-th of a row, anything out of order, and the timer
//! send the ACK.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// Counts the segments that wait for an ACK.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    timer: Time,
    segments: u32,
    /// First beat of a free-running timer, if it is one.
    heartbeat: Option<Time>,
    held: u32,
}

impl Delayed {
    /// Acknowledges every `segments` in-order segments, or `timer` after the first of them; with `heartbeat`, at the
    /// next of the instants `phase` + k * `timer` (BSD's free-running timer).
    pub fn new(timer: Time, segments: u32, heartbeat: bool, phase: Time) -> Delayed {
        Delayed { timer, segments, heartbeat: heartbeat.then_some(phase), held: 0 }
    }

    /// From now on an ACK may cover `segments`.
    pub(super) fn cover(&mut self, segments: u32) {
        self.segments = segments;
    }

    fn deadline(&self, now: Time) -> Time {
        match self.heartbeat {
            None => now + self.timer,
            Some(phase) => {
                let beats = ((now - phase).secs() / self.timer.secs()).floor() + 1.0;
                Time::from_secs(phase.secs() + beats * self.timer.secs())
            }
        }
    }
}

impl AckPolicy for Delayed {
    #[inline]
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.held += 1 + arrival.merged;
        if arrival.in_order && self.held < self.segments {
            Emission::By(self.deadline(arrival.now))
        } else {
            Emission::Now
        }
    }

    #[inline]
    fn on_ack_sent(&mut self, _: Time) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: f64, in_order: bool) -> Arrival {
        Arrival { in_order, now: Time::from_secs(secs), ..Arrival::default() }
    }

    #[test]
    fn the_second_segment_or_the_timer_sends() {
        let mut policy = Delayed::new(Time::from_secs(0.1), 2, false, Time::ZERO);
        assert_eq!(policy.on_segment(&at(1.0, true)), Emission::By(Time::from_secs(1.1)));
        assert_eq!(policy.on_segment(&at(1.05, true)), Emission::Now);
        policy.on_ack_sent(Time::from_secs(1.05));
        assert_eq!(policy.on_segment(&at(2.0, false)), Emission::Now, "out of order is never delayed");
        policy.on_ack_sent(Time::from_secs(2.0));
        assert!(matches!(policy.on_segment(&at(3.0, true)), Emission::By(_)));
        assert_eq!(policy.on_timer(Time::from_secs(3.1)), Emission::Now);
    }

    #[test]
    fn a_heartbeat_beats_on_its_own() {
        let mut policy = Delayed::new(Time::from_secs(0.5), 2, true, Time::from_secs(0.25));
        assert_eq!(policy.on_segment(&at(1.0, true)), Emission::By(Time::from_secs(1.25)));
        policy.on_ack_sent(Time::from_secs(1.25));
        assert_eq!(policy.on_segment(&at(1.25, true)), Emission::By(Time::from_secs(1.75)));
    }
}
