//! Slow start, additive increase, halving (RFC 5681 section 3.1; ledger allman1998.m.cong_avoid).

use super::{CongestionControl, Needs, Reduced, Signal, Window};

/// The standard's congestion control. It keeps nothing, and credit is all it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reno;

impl CongestionControl for Reno {
    fn needs(&self) -> Needs {
        Needs::Credit
    }

    #[inline]
    fn on_congestion(&mut self, _: Signal, in_use: f64, _: &Window) -> Reduced {
        Reduced::to(in_use / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::window;
    use super::*;

    #[test]
    fn a_window_of_acks_adds_one_segment_in_congestion_avoidance() {
        let mut segments = window(10.0, 10.0);
        for _ in 0..10 {
            Reno.grow(1.0, &mut segments);
        }
        assert!((10.9..11.0).contains(&segments.cwnd), "{}", segments.cwnd);
        let mut slow_start = window(4.0, 10.0);
        Reno.grow(1.0, &mut slow_start);
        assert_eq!(slow_start.cwnd, 5.0);
    }

    #[test]
    fn bytes_are_added_whole_and_at_least_one() {
        let mut bytes = Window { mss: 1460.0, bytes: true, ..window(14_000.0, 14_000.0) };
        Reno.grow(1460.0, &mut bytes);
        assert_eq!(bytes.cwnd, 14_152.0);
        let mut large = Window { mss: 1.0, bytes: true, ..window(14_000.0, 14_000.0) };
        Reno.grow(1.0, &mut large);
        assert_eq!(large.cwnd, 14_001.0);
    }
}
