//! An ACK for every segment (ledger allman1998.m.ack_every).

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// Keeps nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Every;

impl AckPolicy for Every {
    #[inline]
    fn on_segment(&mut self, _: &Arrival) -> Emission {
        Emission::Now
    }

    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Nothing
    }
}
