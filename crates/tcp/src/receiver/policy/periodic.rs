//! ACKs at a pace tied to the round trip, as TACK has it (Li and others, SIGCOMM 2020).
//!
//! An ACK leaves once `segments` in-order segments have come *and* RTTmin/`beta` has passed since the last ACK. On a slow
//! path the number of segments decides. On a fast path the clock decides, with `beta` ACKs a round trip. Three points are our
//! reading. A held segment waits at most `timer`. Segments out of order are acknowledged at once (TACK's instant ACK). Before
//! a round trip is known, the number of segments alone decides.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};
use crate::receiver::estimator::RoundTrip;
use crate::rules::RttSource;

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic(Box<State>);

#[derive(Clone, Debug, PartialEq)]
struct State {
    beta: f64,
    segments: u32,
    timer: Time,
    round_trip: RoundTrip,
    held: u32,
    first_held: Time,
    last_ack: Time,
    /// Number that the next ACK acknowledges, and that of the last one.
    acked: u32,
    last_acked: Option<u32>,
    decision: Emission,
}

impl Periodic {
    /// At most `beta` ACKs a round trip, each of `segments` or more; `timer` ends any wait.
    pub fn new(beta: f64, segments: u32, timer: Time, rtt: RttSource, interval: Time) -> Periodic {
        Periodic(Box::new(State {
            beta,
            segments,
            timer,
            round_trip: RoundTrip::new(rtt, interval),
            held: 0,
            first_held: Time::ZERO,
            last_ack: Time::ZERO,
            acked: 0,
            last_acked: None,
            decision: Emission::Now,
        }))
    }
}

impl State {
    fn decide(&mut self, arrival: &Arrival) -> Emission {
        let now = arrival.now;
        self.acked = arrival.rcv_nxt as u32;
        if !arrival.in_order || arrival.gap || arrival.duplicate {
            return Emission::Now;
        }
        if self.held == 0 {
            self.first_held = now;
        }
        self.held += 1 + arrival.merged;
        let latest = self.first_held + self.timer;
        let due = match self.round_trip.least() {
            _ if self.held < self.segments => latest,
            Some(least) => latest.min(self.last_ack + Time::from_secs(least / self.beta)),
            None => now,
        };
        if due <= now { Emission::Now } else { Emission::At(due) }
    }
}

impl AckPolicy for Periodic {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        let state = &mut *self.0;
        if arrival.syn {
            return Emission::Now;
        }
        state.round_trip.on_segment(arrival.echo, arrival.srtt, arrival.now);
        state.decision = state.decide(arrival);
        state.round_trip.probe_due(arrival.now).map_or(state.decision, Emission::Probe)
    }

    fn on_ack_sent(&mut self, now: Time) {
        let state = &mut *self.0;
        (state.held, state.last_ack) = (0, now);
        // A repeated ACK lets no new echo leave: one that came back would time the repetition, not the round trip.
        if state.last_acked.replace(state.acked) != Some(state.acked) {
            state.round_trip.on_ack(state.acked, now);
        }
    }

    fn on_probe_sent(&mut self, _: Time) -> Emission {
        self.0.decision
    }

    fn on_reply(&mut self, number: u32, now: Time) {
        self.0.round_trip.on_reply(number, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    fn at(secs: f64, rcv_nxt: u64) -> Arrival {
        Arrival { in_order: true, now: t(secs), seq: rcv_nxt - 1, len: 1, rcv_nxt, ..Arrival::default() }
    }

    fn policy() -> Periodic {
        let mut policy = Periodic::new(4.0, 2, t(0.2), RttSource::Probe, t(1.0));
        assert_eq!(policy.on_segment(&at(0.0, 1)), Emission::Probe(1));
        assert_eq!(policy.on_probe_sent(t(0.0)), Emission::At(t(0.2)), "one segment, no round trip: the timer");
        assert_eq!(policy.on_segment(&at(0.01, 2)), Emission::Now, "two segments");
        policy.on_ack_sent(t(0.01));
        policy.on_reply(1, t(0.1));
        policy
    }

    #[test]
    fn where_segments_come_fast_the_clock_decides() {
        let mut policy = policy();
        assert_eq!(policy.on_segment(&at(0.02, 3)), Emission::At(t(0.02 + 0.2)));
        let quarter = t(0.01) + t(0.1 / 4.0);
        assert_eq!(
            policy.on_segment(&at(0.025, 4)),
            Emission::At(quarter),
            "a quarter of the round trip after the last"
        );
        assert_eq!(policy.on_segment(&at(0.03, 5)), Emission::At(quarter));
        assert_eq!(policy.on_timer(quarter), Emission::Now);
    }

    #[test]
    fn where_they_come_slowly_the_segments_decide() {
        let mut policy = policy();
        assert_eq!(policy.on_segment(&at(0.5, 3)), Emission::At(t(0.7)));
        assert_eq!(policy.on_segment(&at(0.6, 4)), Emission::Now);
        policy.on_ack_sent(t(0.6));
        let gap = Arrival { in_order: false, gap: true, ..at(0.61, 4) };
        assert_eq!(policy.on_segment(&gap), Emission::Now, "out of order");
    }

    #[test]
    fn the_least_round_trip_counts() {
        let mut policy = policy();
        assert_eq!(policy.on_segment(&at(1.1, 3)), Emission::Probe(2));
        policy.on_probe_sent(t(1.1));
        policy.on_reply(2, t(2.1));
        policy.on_segment(&at(1.2, 4));
        policy.on_ack_sent(t(1.2));
        policy.on_segment(&at(1.201, 5));
        assert_eq!(
            policy.on_segment(&at(1.202, 6)),
            Emission::At(t(1.2) + t(0.1 / 4.0)),
            "not the second of the second"
        );
    }

    /// An echo that comes back after a repeated ACK belongs to the first: a repetition just before must not look like a
    /// round trip of a millisecond.
    #[test]
    fn a_repeated_ack_is_not_timed() {
        let mut policy = Periodic::new(4.0, 2, t(0.2), RttSource::Timestamps, t(1.0));
        let echoing = |secs, rcv_nxt, echo| Arrival { echo, ..at(secs, rcv_nxt) };
        assert_eq!(policy.on_segment(&echoing(0.0, 1, 0)), Emission::At(t(0.2)));
        assert_eq!(policy.on_segment(&echoing(0.0, 2, 0)), Emission::Now);
        policy.on_ack_sent(t(0.0));
        let gap = Arrival { in_order: false, gap: true, ..echoing(0.099, 2, 0) };
        assert_eq!(policy.on_segment(&gap), Emission::Now);
        policy.on_ack_sent(t(0.099));
        assert_eq!(policy.on_segment(&echoing(0.1, 4, 2)), Emission::At(t(0.1) + t(0.2)), "the filled gap's echo");
        assert_eq!(
            policy.on_segment(&echoing(0.101, 5, 2)),
            Emission::At(t(0.099) + t(0.1 / 4.0)),
            "a quarter of 100 ms, not of one, after the last"
        );
    }
}
