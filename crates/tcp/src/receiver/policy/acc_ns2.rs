//! ACK congestion control as ns-2.35 runs it (`TcpAsymSink::recv` in tcp/tcp-asym-sink.cc).
//!
//! It differs from [`Acc`](super::Acc) in three points. A round trip ends when the sender has an ACK that left after the last change
//! of d. Doubling and reduction have marks of time of their own. An ACK covers at most half of what the sender may have
//! outstanding, not of its window, which each arrival tells.

use std::collections::VecDeque;

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct AccNs2 {
    d_max: u32,
    timer: Time,
    /// Segments an ACK covers (`delackfactor_`), and those that wait for one.
    d: u32,
    held: u32,
    /// When d was doubled last, and when reduced.
    doubled: Time,
    reduced: Time,
    /// Departure of the newest ACK that the sender is known to have (`highest_ts_echo_`).
    known: Time,
    /// Number and departure of ACKs that the sender may not have yet.
    sent: VecDeque<(u32, Time)>,
    next: u32,
}

impl AccNs2 {
    /// At most `d_max` segments an ACK, none later than `timer`.
    pub fn new(d_max: u32, timer: Time) -> AccNs2 {
        let [doubled, reduced, known] = [Time::ZERO; 3];
        AccNs2 { d_max, timer, d: 1, held: 0, doubled, reduced, known, sent: VecDeque::new(), next: 0 }
    }

    /// Segments an ACK covers at present.
    pub fn d(&self) -> u32 {
        self.d
    }

    /// The segment's sender had the ACK of number `echo`, and `repeats` more of that number.
    fn learn(&mut self, echo: u32, repeats: usize) {
        while self.sent.front().is_some_and(|&(number, _)| number != echo && (echo.wrapping_sub(number) as i32) > 0) {
            self.sent.pop_front();
        }
        let same = self.sent.iter().take_while(|&&(number, _)| number == echo);
        if let Some(&(_, at)) = same.take(repeats + 1).last() {
            self.known = self.known.max(at);
        }
    }
}

impl AckPolicy for AccNs2 {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.next = arrival.rcv_nxt as u32;
        self.learn(arrival.echo, arrival.srtt as usize);
        if arrival.ack_marked && self.known >= self.doubled {
            self.d = self.d.saturating_mul(2).min(self.d_max);
            self.doubled = arrival.now;
        } else if self.known >= self.doubled && self.known >= self.reduced {
            self.d = self.d.saturating_sub(1).max(1);
            self.reduced = arrival.now;
        }
        // The newest in order: only its ACK may wait.
        let newest = arrival.seq + u64::from(arrival.len) == arrival.rcv_nxt;
        let limit = if newest { (arrival.window.max(0.0) as u32 / 2).min(self.d_max).min(self.d) } else { 0 };
        self.held += 1 + arrival.merged;
        if self.held < limit { Emission::By(arrival.now + self.timer) } else { Emission::Now }
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.held = 0;
        self.sent.push_back((self.next, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In order, from a sender that had the ACK of number `echo` and may have 40 segments outstanding.
    fn arrival(secs: f64, number: u64, echo: u32, ack_marked: bool) -> Arrival {
        let (seq, rcv_nxt) = (number, number + 1);
        Arrival {
            seq,
            rcv_nxt,
            len: 1,
            echo,
            ack_marked,
            window: 40.0,
            now: Time::from_secs(secs),
            ..Arrival::default()
        }
    }

    /// What it answers, with the ACK sent where it leaves at once.
    fn step(policy: &mut AccNs2, arrival: &Arrival) -> Emission {
        let emission = policy.on_segment(arrival);
        if emission == Emission::Now {
            policy.on_ack_sent(arrival.now);
        }
        emission
    }

    #[test]
    fn d_doubles_once_until_an_ack_that_left_later_is_known() {
        let mut policy = AccNs2::new(16, Time::from_secs(0.1));
        step(&mut policy, &arrival(0.1, 0, 0, false));
        step(&mut policy, &arrival(0.2, 1, 1, true));
        assert_eq!(policy.d(), 2);
        // A second mark: the sender still has the ACK of 0.1 s.
        step(&mut policy, &arrival(0.21, 2, 1, true));
        assert_eq!(policy.d(), 2);
        // The ACK of number 3 left at 0.21 s, after the doubling.
        step(&mut policy, &arrival(0.3, 3, 3, true));
        assert_eq!(policy.d(), 4);
    }

    #[test]
    fn without_a_mark_d_falls_by_one_a_round_trip() {
        let mut policy = AccNs2::new(16, Time::from_secs(0.1));
        step(&mut policy, &arrival(0.1, 0, 0, false));
        step(&mut policy, &arrival(0.2, 1, 1, true));
        step(&mut policy, &arrival(0.21, 2, 1, false));
        step(&mut policy, &arrival(0.3, 3, 3, true));
        assert_eq!(policy.d(), 4);
        step(&mut policy, &arrival(0.31, 4, 3, false));
        step(&mut policy, &arrival(0.32, 5, 3, false));
        assert_eq!((policy.d(), policy.held), (4, 3));
        // The fourth since the last ACK: the ACK of number 7 leaves.
        step(&mut policy, &arrival(0.33, 6, 3, false));
        step(&mut policy, &arrival(0.45, 7, 7, false));
        assert_eq!(policy.d(), 3);
        step(&mut policy, &arrival(0.46, 8, 7, false));
        assert_eq!(policy.d(), 3);
    }

    #[test]
    fn what_the_sender_may_have_outstanding_limits_an_ack() {
        let mut policy = AccNs2 { d: 8, doubled: Time::from_secs(1.0), ..AccNs2::new(16, Time::from_secs(0.1)) };
        let allowed = |secs, number, window| Arrival { window, ..arrival(secs, number, 0, false) };
        assert_eq!(step(&mut policy, &allowed(0.1, 0, 5.0)), Emission::By(Time::from_secs(0.1 + 0.1)));
        assert_eq!(step(&mut policy, &allowed(0.2, 1, 5.0)), Emission::Now, "half of 5 is 2");
        assert_eq!(step(&mut policy, &allowed(0.3, 2, 3.0)), Emission::Now, "half of 3 is 1");
        let above_gap = Arrival { rcv_nxt: 3, ..allowed(0.4, 5, 40.0) };
        assert_eq!(step(&mut policy, &above_gap), Emission::Now, "not the newest in order");
    }

    #[test]
    fn a_repeated_number_is_told_apart_by_its_place() {
        let mut policy = AccNs2::new(16, Time::from_secs(0.1));
        policy.next = 5;
        for secs in [0.1, 0.2, 0.3] {
            policy.on_ack_sent(Time::from_secs(secs));
        }
        policy.learn(5, 1);
        assert_eq!(policy.known, Time::from_secs(0.2));
        policy.learn(5, 0);
        assert_eq!(policy.known, Time::from_secs(0.2), "the highest stands");
    }
}
