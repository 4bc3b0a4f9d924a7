//! Optimistic ACKs (Savage et al. 1999): acknowledging data before it arrives, so that the round trip looks shorter and
//! losses never show. What was lost is never sent again: the receiver gives up reliability for speed.
//!
//! Each segment is answered with an ACK of `ahead` segments beyond the highest that came. At first it is of no more than
//! half of what came so far, because a sender in slow start has that much in flight. A sender ignores an ACK of what it has
//! not sent yet (RFC 9293 section 3.10.7.4). So when nothing comes for a while, an ACK of exactly what came follows.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// Units by which ACKs lead, and the arrivals.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimistic {
    ahead: u32,
    timer: Time,
    received: u64,
    /// Units of the longest segment.
    longest: u32,
}

impl Optimistic {
    /// Acknowledges up to `ahead` segments that have not come, and exactly what came when nothing follows for `timer`.
    pub fn new(ahead: u32, timer: Time) -> Optimistic {
        Optimistic { ahead, timer, received: 0, longest: 0 }
    }
}

impl AckPolicy for Optimistic {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.received += 1 + u64::from(arrival.merged);
        self.longest = self.longest.max(arrival.sent_len());
        let segments = (self.received / 2).min(u64::from(self.ahead));
        Emission::Ahead { units: segments * u64::from(self.longest), again: Some(arrival.now + self.timer), echo: None }
    }

    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Ahead { units: 0, again: None, echo: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_came_up_to_the_limit() {
        let mut policy = Optimistic::new(3, Time::from_secs(0.1));
        let arrival = Arrival {
            in_order: true,
            gap: false,
            duplicate: false,
            len: 100,
            phase: Default::default(),
            now: Time::from_secs(1.0),
            ..Arrival::default()
        };
        let units: Vec<_> = (0..8)
            .map(|_| match policy.on_segment(&arrival) {
                Emission::Ahead { units, again, echo: None } if again == Some(Time::from_secs(1.1)) => units,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(units, [0, 100, 100, 200, 200, 300, 300, 300]);
        assert_eq!(policy.on_timer(Time::from_secs(1.2)), Emission::Ahead { units: 0, again: None, echo: None });
    }
}
