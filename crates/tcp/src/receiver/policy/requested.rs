//! Delayed ACKs whose number the sender sets: TCP ACK Rate Request (draft-ietf-tcpm-ack-rate-request).
//!
//! A segment's option has a number R. From this segment on the receiver sends one ACK for R in-order segments. R = 0 asks for an ACK
//! of this segment at once, and changes nothing else. The timer still sends what waits too long, and what is out of order is
//! acknowledged at once.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Delayed, Emission};

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Requested {
    delayed: Delayed,
    /// Most segments an ACK may cover, whatever is requested.
    most: u32,
}

impl Requested {
    /// Acknowledges every `segments` until a request comes; no ACK later than `timer`, and none for more than `most`.
    pub fn new(timer: Time, segments: u32, most: u32) -> Requested {
        Requested { delayed: Delayed::new(timer, segments.min(most), false, Time::ZERO), most }
    }
}

impl AckPolicy for Requested {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        if let Some(segments) = arrival.requested.filter(|&segments| segments > 0) {
            self.delayed.cover(u32::from(segments).min(self.most));
        }
        let emission = self.delayed.on_segment(arrival);
        if arrival.requested == Some(0) { Emission::Now } else { emission }
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        self.delayed.on_timer(now)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.delayed.on_ack_sent(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the segments with these requests, a millisecond apart, are acknowledged at once.
    fn answered(policy: &mut Requested, requests: &[Option<u8>]) -> Vec<usize> {
        let mut answered = Vec::new();
        for (i, &requested) in requests.iter().enumerate() {
            let now = Time::from_secs(1.0 + i as f64 * 0.001);
            if policy.on_segment(&Arrival { in_order: true, requested, now, ..Arrival::default() }) == Emission::Now {
                policy.on_ack_sent(now);
                answered.push(i);
            }
        }
        answered
    }

    #[test]
    fn a_request_holds_from_its_segment_on() {
        let mut policy = Requested::new(Time::from_secs(0.1), 2, 127);
        let ask = |r| Some(r);
        // Two until 3 is requested, which counts its own segment; then each.
        let course = [None, None, ask(3), None, None, None, None, None, ask(1), None];
        assert_eq!(answered(&mut policy, &course), [1, 4, 7, 8, 9]);
    }

    #[test]
    fn zero_asks_for_one_ack_and_changes_nothing() {
        let mut policy = Requested::new(Time::from_secs(0.1), 4, 127);
        assert_eq!(answered(&mut policy, &[None, Some(0), None, None, None, None]), [1, 5]);
    }

    #[test]
    fn the_receiver_may_cap_what_is_requested() {
        let mut policy = Requested::new(Time::from_secs(0.1), 2, 4);
        assert_eq!(answered(&mut policy, &[Some(100), None, None, None, None]), [3]);
        let mut deaf = Requested::new(Time::from_secs(0.1), 2, 2);
        assert_eq!(answered(&mut deaf, &[Some(100), None, None, None]), [1, 3]);
    }

    #[test]
    fn the_timer_and_what_is_out_of_order_do_not_wait_for_the_request() {
        let mut policy = Requested::new(Time::from_secs(0.1), 2, 127);
        let at = Time::from_secs(1.0);
        let arrival = Arrival { in_order: true, requested: Some(50), now: at, ..Arrival::default() };
        assert_eq!(policy.on_segment(&arrival), Emission::By(Time::from_secs(1.1)));
        assert_eq!(policy.on_timer(Time::from_secs(1.1)), Emission::Now);
        policy.on_ack_sent(Time::from_secs(1.1));
        assert_eq!(policy.on_segment(&Arrival { in_order: false, now: at, ..Arrival::default() }), Emission::Now);
    }
}
