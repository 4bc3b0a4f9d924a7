//! ACK congestion control as smartacking's section 2 has it (ledger smartacking.m.acc).
//!
//! The receiver sends one ACK every d segments. Each delivered segment whose header has a congestion mark doubles d, and each round
//! trip in which none has comes takes one off. A queue set the mark on the segment's own way, or its sender repeats that of an ACK.
//! The largest d is a share of the window that segments carry. The paper says only that the window determines it.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct AccDelivered {
    window_share: f64,
    timer: Time,
    /// Segments an ACK covers, and those that wait for one.
    d: u32,
    held: u32,
    /// When a round trip without a mark is over.
    quiet: Time,
}

impl AccDelivered {
    /// At most `window_share` of the sender's window an ACK, none later than `timer`.
    pub fn new(window_share: f64, timer: Time) -> AccDelivered {
        AccDelivered { window_share, timer, d: 1, held: 0, quiet: Time::ZERO }
    }

    /// Segments an ACK covers at present.
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Reads the header of `arrival`.
    fn adapt(&mut self, arrival: &Arrival) {
        // Until the sender has a round trip to tell, the timer stands for one.
        let rtt = if arrival.srtt > 0.0 { Time::from_secs(f64::from(arrival.srtt)) } else { self.timer };
        while self.d > 1 && self.quiet <= arrival.now {
            self.d -= 1;
            self.quiet = self.quiet + rtt;
        }
        if arrival.ce || arrival.ack_marked {
            self.d = self.d.saturating_mul(2);
            self.quiet = arrival.now + rtt;
        }
        let largest = (self.window_share * f64::from(arrival.window)) as u32;
        self.d = self.d.min(largest).max(1);
    }
}

impl AckPolicy for AccDelivered {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.adapt(arrival);
        self.held += 1 + arrival.merged;
        if arrival.in_order && self.held < self.d { Emission::By(arrival.now + self.timer) } else { Emission::Now }
    }

    fn on_ack_sent(&mut self, _: Time) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// d after each of the arrivals at `secs`, of which some bear a mark, from a sender whose window is 40 and round trip 100 ms.
    fn course(arrivals: &[(f64, bool)], change: impl Fn(Arrival) -> Arrival) -> Vec<u32> {
        let mut policy = AccDelivered::new(0.5, Time::from_secs(0.2));
        let mut after = |&(secs, ce): &(f64, bool)| {
            let now = Time::from_secs(secs);
            let arrival = Arrival { in_order: true, ce, window: 40.0, srtt: 0.1, now, ..Arrival::default() };
            policy.on_segment(&change(arrival));
            policy.d()
        };
        arrivals.iter().map(&mut after).collect()
    }

    /// Section 2, sentence by sentence: each marked segment doubles, however near the last; half of 40 is the most; from the last mark
    /// on each round trip takes one off, and not the segments in it.
    #[test]
    fn each_marked_segment_doubles_d_and_each_round_trip_without_takes_one_off() {
        let arrivals =
            [(1.0, true), (1.01, true), (1.02, true), (1.03, true), (1.04, true), (1.05, false), (1.13, false)];
        assert_eq!(course(&arrivals, |arrival| arrival), [2, 4, 8, 16, 20, 20, 20]);
        let arrivals =
            [(1.0, true), (1.01, true), (1.02, true), (1.11, false), (1.13, false), (1.2, false), (1.45, false)];
        assert_eq!(course(&arrivals, |arrival| arrival), [2, 4, 8, 8, 7, 7, 4], "at 1.12, then at 1.22, 1.32 and 1.42");
    }

    #[test]
    fn a_mark_that_the_sender_repeats_counts_as_one_of_the_segments_own() {
        let repeated = |arrival: Arrival| Arrival { ack_marked: arrival.ce, ce: false, ..arrival };
        assert_eq!(course(&[(1.0, true), (1.01, true), (1.02, false)], repeated), [2, 4, 4]);
    }

    #[test]
    fn a_smaller_window_lowers_the_most_at_once() {
        let falling =
            |arrival: Arrival| Arrival { window: if arrival.now.secs() > 1.02 { 6.0 } else { 40.0 }, ..arrival };
        assert_eq!(course(&[(1.0, true), (1.01, true), (1.02, true), (1.03, false)], falling), [2, 4, 8, 3]);
    }

    #[test]
    fn an_ack_leaves_with_every_dth_segment_and_with_what_is_out_of_order() {
        let mut policy = AccDelivered::new(0.5, Time::from_secs(0.2));
        let at = |secs, ce| {
            let now = Time::from_secs(secs);
            Arrival { in_order: true, ce, window: 40.0, srtt: 0.1, now, ..Arrival::default() }
        };
        let held = Emission::By(Time::from_secs(1.0) + Time::from_secs(0.2));
        assert_eq!(policy.on_segment(&at(1.0, true)), held, "the first of two");
        assert_eq!(policy.on_segment(&at(1.01, false)), Emission::Now);
        policy.on_ack_sent(Time::from_secs(1.01));
        assert_eq!(policy.on_segment(&Arrival { in_order: false, ..at(1.02, false) }), Emission::Now);
    }
}
