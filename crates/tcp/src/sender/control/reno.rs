//! Slow start, additive increase, halving (RFC 5681 section 3.1; ledger allman1998.m.cong_avoid).

use super::CongestionControl;

/// The standard's congestion control.
#[derive(Clone, Debug, PartialEq)]
pub struct Reno;

impl CongestionControl for Reno {
    #[inline]
    fn increase(&mut self, cwnd: f64, ssthresh: f64, credit: f64, mss: f64) -> f64 {
        if cwnd < ssthresh { credit } else { credit * mss / cwnd }
    }

    #[inline]
    fn reduced(&mut self, in_use: f64) -> f64 {
        in_use / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_acks_adds_one_segment_in_congestion_avoidance() {
        let (mut reno, mut cwnd) = (Reno, 10.0);
        for _ in 0..10 {
            cwnd += reno.increase(cwnd, 10.0, 1.0, 1.0);
        }
        assert!((10.9..11.0).contains(&cwnd), "{cwnd}");
        assert_eq!(reno.increase(4.0, 10.0, 1.0, 1.0), 1.0);
        assert_eq!(reno.increase(14_600.0, 14_600.0, 1460.0, 1460.0), 146.0);
    }
}
