//! Send times of outstanding segments, for controls that watch round trips more closely than the timer does.

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

/// Segments sent once and not yet acknowledged, oldest first.
///
/// A loss makes all of it void: what is outstanding then may be acknowledged late, by an ACK that waited for a
/// retransmission, or be retransmitted itself (Karn).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SendTimes {
    /// One past each segment's last unit, and when it left.
    sent: VecDeque<(Seq, Time)>,
}

impl SendTimes {
    /// A new segment leaves.
    #[inline(never)]
    pub fn sent(&mut self, end: Seq, now: Time) {
        self.sent.push_back((end, now));
    }

    /// Forgets what `ack` covers; the newest segment among it gives the round trip.
    pub fn acknowledged(&mut self, ack: Seq, now: Time) -> Option<f64> {
        let mut newest = None;
        while let Some(&(end, sent)) = self.sent.front()
            && end <= ack
        {
            newest = Some((now - sent).secs());
            self.sent.pop_front();
        }
        newest
    }

    /// Something was lost.
    pub fn forget(&mut self) {
        self.sent.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_segment_an_ack_covers_gives_the_round_trip() {
        let (mut times, at) = (SendTimes::default(), Time::from_secs);
        (1..=4).for_each(|end| times.sent(end, at(end as f64)));
        assert_eq!(times.acknowledged(2, at(5.0)), Some(3.0));
        assert_eq!(times.acknowledged(2, at(5.5)), None, "a duplicate says nothing");
        times.forget();
        assert_eq!(times.acknowledged(4, at(6.0)), None, "nor does what was out at a loss");
    }
}
