//! ACK congestion control (Balakrishnan, Padmanabhan and Katz 1997; ledger smartacking.m.acc, ackfilter.m.acc).
//!
//! The receiver sends one ACK every d segments, where d follows congestion on the ACKs' path. A queue there marks ACKs. The
//! sender reports a mark to the receiver on its next segment. The receiver then doubles d, at most once a round trip. Each
//! round trip without a mark reduces d by one. An ACK covers at most half of the sender's window, so that the sender does not
//! stop.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Acc {
    d_max: u32,
    timer: Time,
    /// Segments an ACK covers, and those that wait for one.
    d: u32,
    held: u32,
    /// Start of the present round trip, and whether it has seen a mark.
    round: Time,
    marked: bool,
}

impl Acc {
    /// At most `d_max` segments an ACK, none later than `timer`.
    pub fn new(d_max: u32, timer: Time) -> Acc {
        Acc { d_max, timer, d: 1, held: 0, round: Time::ZERO, marked: false }
    }

    /// Segments an ACK covers at present.
    pub fn d(&self) -> u32 {
        self.d
    }

    /// Reads what `arrival` says of the path of the ACKs.
    fn adapt(&mut self, arrival: &Arrival) {
        // Until the sender has a round trip to tell, the timer stands for one.
        let rtt = if arrival.srtt > 0.0 { Time::from_secs(f64::from(arrival.srtt)) } else { self.timer };
        if arrival.now - self.round >= rtt {
            if !self.marked {
                self.d = self.d.saturating_sub(1).max(1);
            }
            (self.round, self.marked) = (arrival.now, false);
        }
        if arrival.ack_marked && !self.marked {
            self.d = self.d.saturating_mul(2);
            (self.round, self.marked) = (arrival.now, true);
        }
        let most = if arrival.window > 0.0 { ((arrival.window / 2.0) as u32).min(self.d_max) } else { self.d_max };
        self.d = self.d.min(most).max(1);
    }
}

impl AckPolicy for Acc {
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

    fn arrival(secs: f64, ack_marked: bool) -> Arrival {
        let now = Time::from_secs(secs);
        Arrival { in_order: true, ack_marked, window: 40.0, srtt: 0.1, now, ..Arrival::default() }
    }

    /// d after each of these arrivals.
    fn course(arrivals: &[Arrival]) -> Vec<u32> {
        let mut policy = Acc::new(16, Time::from_secs(0.2));
        let after = arrivals.iter().map(|arrival| (policy.on_segment(arrival), policy.d()).1);
        after.collect()
    }

    #[test]
    fn a_mark_doubles_once_a_round_trip_and_each_round_trip_without_takes_one_off() {
        let marks = [(1.0, true), (1.01, true), (1.05, false), (1.11, true), (1.22, true), (1.33, true), (1.44, true)];
        let arrivals: Vec<_> = marks.into_iter().map(|(secs, mark)| arrival(secs, mark)).collect();
        assert_eq!(course(&arrivals), [2, 2, 2, 4, 8, 16, 16]);
        // From the last mark at 1.0 on: a round trip that saw the mark, then one off each.
        let secs = [1.0, 1.09, 1.11, 1.15, 1.22, 1.33, 1.44];
        let arrivals: Vec<_> = secs.into_iter().enumerate().map(|(i, secs)| arrival(secs, i == 0)).collect();
        assert_eq!(course(&arrivals), [2, 2, 2, 2, 1, 1, 1]);
    }

    #[test]
    fn half_the_senders_window_is_the_most() {
        let marked = |secs, window| Arrival { window, ..arrival(secs, true) };
        assert_eq!(course(&[marked(1.0, 40.0), marked(1.2, 40.0), marked(1.4, 7.0), marked(1.6, 1.0)]), [2, 4, 3, 1]);
    }

    #[test]
    fn what_is_not_in_order_is_not_delayed() {
        let mut policy = Acc::new(16, Time::from_secs(0.2));
        policy.on_segment(&arrival(1.0, true));
        policy.on_ack_sent(Time::from_secs(1.0));
        assert_eq!(policy.on_segment(&arrival(1.01, false)), Emission::By(Time::from_secs(1.01 + 0.2)));
        assert_eq!(policy.on_segment(&arrival(1.02, false)), Emission::Now, "the second of two");
        policy.on_ack_sent(Time::from_secs(1.02));
        assert_eq!(policy.on_segment(&Arrival { in_order: false, gap: true, ..arrival(1.03, false) }), Emission::Now);
    }
}
