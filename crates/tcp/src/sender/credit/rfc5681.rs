//! What the standard recommends: min(N, SMSS) in slow start, one segment an ACK in congestion avoidance.

use super::WindowCredit;

/// RFC 5681 section 3.1, equations (2) and (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Rfc5681;

impl WindowCredit for Rfc5681 {
    #[inline]
    fn units(&mut self, acked: f64, mss: f64, slow_start: bool) -> f64 {
        if slow_start { acked.min(mss) } else { mss }
    }
}
