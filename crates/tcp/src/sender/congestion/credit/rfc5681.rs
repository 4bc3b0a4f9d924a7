//! The standard's recommendation: min(N, SMSS) in slow start, one segment an ACK in congestion avoidance.

use super::{Covered, WindowCredit, Worth};

/// RFC 5681 section 3.1, equations (2) and (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Rfc5681;

impl WindowCredit for Rfc5681 {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        Worth::whole(if ack.slow_start { ack.acked.min(ack.mss) } else { ack.mss })
    }

    fn on_timeout(&mut self) {}
}
