//! Packets of outside nodes that have left the network.

use acklab_packet::{Packet, Time};
use acklab_path::queue::Removal;

/// A packet of an outside node that is no longer in the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// When it left.
    pub at: Time,
    /// The packet, marks and rewritten numbers included.
    pub packet: Packet,
    /// Why it left before its destination; `None` if it got there.
    pub removal: Option<Removal>,
}
