//! Every ACK of new data is worth one segment, whatever it covers (RFC 2581; ledger allman1998.m.slow_start).

use super::WindowCredit;

/// One segment an ACK: delayed ACKs halve the growth, divided ACKs multiply it.
#[derive(Clone, Debug, PartialEq)]
pub struct AckCounting;

impl WindowCredit for AckCounting {
    #[inline]
    fn units(&mut self, _acked: f64, mss: f64, _slow_start: bool) -> f64 {
        mss
    }
}
