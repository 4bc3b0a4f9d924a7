//! Duplicate-ACK spoofing (Savage et al. 1999; ledger divack, section I): an in-order segment is answered by its ACK and by
//! copies of it that pretend that more segments have left the network.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// Repeats each ACK of in-order data.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoof {
    /// Copies of each ACK.
    pub duplicates: u32,
}

impl AckPolicy for Spoof {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        if arrival.in_order { Emission::Repeated(self.duplicates) } else { Emission::Now }
    }

    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Nothing
    }
}
