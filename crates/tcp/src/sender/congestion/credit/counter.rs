//! A counter of ACKs in congestion avoidance, as Linux had it before it counted what they cover.

use super::{Covered, WindowCredit, Worth};

/// In slow start each ACK gives one segment. In congestion avoidance ACKs are counted. An ACK that finds a whole window
/// already counted grows the window by a segment and is not counted itself. So one ACK more than a window is needed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counter {
    /// ACKs counted ("snd_cwnd_cnt").
    count: u64,
}

impl WindowCredit for Counter {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        if ack.slow_start {
            self.count = 0;
            return Worth::whole(ack.mss);
        }
        if self.count as f64 * ack.mss + ack.mss <= ack.cwnd {
            self.count += 1;
            return Worth::whole(0.0);
        }
        self.count = 0;
        Worth::whole(ack.cwnd)
    }

    fn on_timeout(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_ack_more_than_the_window_makes_a_segment() {
        let mut counter = Counter::default();
        let ack =
            |cwnd, slow_start| Covered { acked: 200.0, mss: 100.0, cwnd, slow_start, after_timeout: false, all: false };
        let mut grown = |acks, cwnd| (0..acks).map(|_| counter.worth(&ack(cwnd, false)).first).sum::<f64>();
        // A window of 4 segments and a half counts as 4.
        assert_eq!(grown(4, 450.0), 0.0);
        assert_eq!(grown(1, 450.0), 450.0, "worth a segment to additive increase");
        assert_eq!((grown(5, 500.0), grown(1, 500.0)), (0.0, 500.0));
        assert_eq!(grown(3, 500.0), 0.0);
        assert_eq!(counter.worth(&ack(500.0, true)).first, 100.0);
        assert_eq!(counter.count, 0, "slow start begins the count anew");
    }
}
