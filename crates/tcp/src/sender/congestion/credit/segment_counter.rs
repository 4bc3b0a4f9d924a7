//! Linux's worth of an ACK: the segments it completes, and in congestion avoidance exactly one segment for each
//! window of them (`tcp_cong_avoid_ai` in net/ipv4/tcp_cong.c).
//!
//! The standard's increment for each ACK, SMSS^2 / cwnd, shrinks while the window grows within a round trip: of a window of three
//! segments it makes nine tenths of one.

use super::full_segments::FullSegments;
use super::{Covered, WindowCredit, Worth};

/// Whole segments, and a counter of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SegmentCounter {
    segments: FullSegments,
    /// Segments counted towards the next one of the window (`snd_cwnd_cnt`).
    count: u64,
}

impl WindowCredit for SegmentCounter {
    #[inline(never)]
    fn worth(&mut self, ack: &Covered) -> Worth {
        let worth = self.segments.worth(ack);
        if ack.slow_start {
            return worth;
        }
        let window = ((ack.cwnd / ack.mss) as u64).max(1);
        // Counted for a window that was larger.
        let mut grown = u64::from(self.count >= window);
        if grown > 0 {
            self.count = 0;
        }
        self.count += (worth.first / ack.mss) as u64;
        grown += self.count / window;
        self.count %= window;
        // A window of credit makes a segment.
        Worth::whole(grown as f64 * ack.cwnd)
    }

    fn on_reduction(&mut self) {
        self.count = 0;
    }

    fn on_timeout(&mut self) {
        *self = SegmentCounter::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(segments: f64, cwnd: f64) -> Covered {
        Covered { acked: 100.0 * segments, mss: 100.0, cwnd, slow_start: false, after_timeout: false, all: false }
    }

    #[test]
    fn a_window_of_segments_makes_one_however_they_are_acknowledged() {
        let mut rule = SegmentCounter::default();
        let mut worth =
            |segments: &[f64], cwnd| segments.iter().map(|n| rule.worth(&ack(*n, cwnd)).first).collect::<Vec<_>>();
        assert_eq!(worth(&[1.0, 1.0, 1.0], 300.0), [0.0, 0.0, 300.0]);
        // Pieces count when a segment is complete; a window of 4 segments and a half is one of 4; what is over is kept.
        assert_eq!(worth(&[2.5, 0.5, 3.0], 450.0), [0.0, 0.0, 450.0]);
        assert_eq!(worth(&[1.0, 1.0], 400.0), [0.0, 400.0]);
        // Nine of four are two segments, and one is left.
        assert_eq!(worth(&[9.0, 3.0], 400.0), [800.0, 400.0]);
    }

    #[test]
    fn what_was_counted_for_a_larger_window_makes_one_and_a_reduction_forgets_it() {
        let mut rule = SegmentCounter::default();
        assert_eq!(rule.worth(&ack(9.0, 1000.0)).first, 0.0);
        assert_eq!(rule.worth(&ack(1.0, 500.0)).first, 500.0);
        assert_eq!(rule.count, 1);
        assert_eq!(
            rule.worth(&Covered { slow_start: true, ..ack(2.0, 500.0) }).first,
            200.0,
            "slow start does not count"
        );
        rule.worth(&ack(3.0, 500.0));
        rule.on_reduction();
        assert_eq!(rule.worth(&ack(4.0, 500.0)).first, 0.0);
    }
}
