//! Every ACK of new data is worth one segment, whatever it covers (RFC 2581; ledger allman1998.m.slow_start).

use super::{Covered, WindowCredit, Worth};

/// One segment an ACK: delayed ACKs halve the growth, divided ACKs multiply it.
#[derive(Clone, Debug, PartialEq)]
pub struct AckCounting;

impl WindowCredit for AckCounting {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        Worth::whole(ack.mss)
    }

    fn on_timeout(&mut self) {}
}
