//! What a control that needs losses is told of the flight beside its delivery rate. It is told each segment that is found lost, and
//! whether the window has stopped the sender (draft-ietf-ccwg-bbr-06 sections 2.2 and 5.5.10.2).

use acklab_packet::Seq;

use super::Sent;

/// A segment, or what an ACK has left of one, is found lost. In sequence units, except for `delivered`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// Its first unit.
    pub start: Seq,
    /// One past its last unit.
    pub end: Seq,
    /// Units in flight right after it last left, itself included.
    pub tx_in_flight: f64,
    /// Units found lost since it last left, itself included.
    pub lost: f64,
    /// True if the application, and not the network, was the limit when it left.
    pub app_limited: bool,
    /// Segments of the connection delivered so far.
    pub delivered: u64,
}

/// Losses of which the control has not been told, and the use of the window.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Losses {
    found: Vec<LostSegment>,
    limited: bool,
    /// Segments delivered at which the round trip ends that `limited` is about.
    until: u64,
}

impl Losses {
    /// A segment is found lost; with it, `lost_ever` units were.
    pub fn note(&mut self, sent: &Sent, lost_ever: u64) {
        let stamp = &sent.stamp;
        self.found.push(LostSegment {
            start: sent.start,
            end: sent.end,
            tx_in_flight: f64::from(stamp.in_flight),
            lost: (lost_ever - stamp.lost) as f64,
            app_limited: stamp.app_limited,
            delivered: 0,
        });
    }

    /// Takes the losses since the last call, with `delivered` segments of the connection delivered.
    pub fn take(&mut self, delivered: u64) -> Vec<LostSegment> {
        let mut found = std::mem::take(&mut self.found);
        found.iter_mut().for_each(|lost| lost.delivered = delivered);
        found
    }

    /// Notes a segment that leaves, with which `in_flight` segments are in flight and `delivered` are delivered; `full`: the window
    /// lets no other go.
    pub fn note_window(&mut self, full: bool, in_flight: u64, delivered: u64) {
        if full || delivered >= self.until {
            (self.limited, self.until) = (full, delivered + in_flight);
        }
    }

    /// True if the window has stopped the sender at some time in the last round trip (`C.is_cwnd_limited`).
    pub fn limited(&self) -> bool {
        self.limited
    }
}

#[cfg(test)]
mod tests {
    use super::super::Flight;
    use super::super::rate::DeliveryRate;
    use super::super::tests::at;
    use super::*;

    /// Segments of 10 units, one a second, on which five are out when the first comes back.
    #[test]
    fn a_lost_segment_brings_what_was_in_flight_and_lost_when_it_left() {
        let mut flight = Flight::empty(10, Some(DeliveryRate::new(10, true)));
        (0..5).for_each(|n| flight.sent(10 * n, 10 * n + 10, n == 0, at(n as f64)));
        flight.acknowledge(10, at(5.0), |_| {});
        flight.sent(50, 60, false, at(5.0));
        // Three more are reported, from 30 on: what left before the last of them, a round trip ago, is lost.
        flight.report(30, 60, at(10.0), |_| {});
        flight.detect((at(5.0), 60), at(5.0), at(10.0), 0.0);
        let lost = flight.rate.as_mut().unwrap().losses.as_mut().unwrap().take(4);
        let seen: Vec<_> = lost.iter().map(|lost| (lost.start, lost.tx_in_flight, lost.lost, lost.delivered)).collect();
        assert_eq!(seen, [(10, 20.0, 10.0, 4), (20, 30.0, 20.0, 4)]);
        assert_eq!(flight.in_flight(), 0);
        // Sent again it is in flight alone, and the two before are lost no more since then.
        flight.sent(10, 20, true, at(10.5));
        assert_eq!(
            (flight.in_flight(), flight.segments[0].stamp.in_flight, flight.segments[0].stamp.lost),
            (10, 10, 20)
        );
    }

    #[test]
    fn a_full_window_counts_for_a_round_trip() {
        let mut losses = Losses::default();
        losses.note_window(false, 9, 0);
        losses.note_window(true, 10, 0);
        losses.note_window(false, 9, 9);
        assert!(losses.limited(), "the tenth, which filled it, is not delivered");
        losses.note_window(false, 9, 10);
        assert!(!losses.limited());
    }
}
