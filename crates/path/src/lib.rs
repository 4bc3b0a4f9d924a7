//! What a packet passes on its way: queues and loss.
//!
//! Everything here decides about one packet at a time, owns no clock and no socket, and is told the time by a driver.
//! It is generic over the packet ([`Carried`]): the simulator's small `Copy` packets, or real ones.
//!
//! * [`queue`]: where packets wait, and what is dropped; one file a discipline;
//! * [`loss`]: packets that vanish for other reasons than congestion;
//! * [`random`]: MRG32k3a, one named stream a component;
//! * [`spec`]: how a scenario writes all this down.

pub mod loss;
pub mod queue;
pub mod random;
pub mod spec;

/// What a path needs to know of a packet.
pub trait Carried {
    /// Bytes on the wire, headers included.
    fn wire_bytes(&self) -> u32;
    /// Whether it is a pure ACK.
    fn is_ack(&self) -> bool;
    /// Whether it carries payload.
    fn has_payload(&self) -> bool;
    /// Sets its congestion mark (CE, RFC 3168), if its sender understands marks; whether it did.
    fn mark(&mut self) -> bool;
}

impl Carried for acklab_packet::Packet {
    #[inline]
    fn wire_bytes(&self) -> u32 {
        self.size
    }

    #[inline]
    fn is_ack(&self) -> bool {
        acklab_packet::Packet::is_ack(self)
    }

    #[inline]
    fn has_payload(&self) -> bool {
        match self.body {
            acklab_packet::Body::Data(segment) => !segment.syn && !segment.fin,
            acklab_packet::Body::Datagram(_) => true,
            acklab_packet::Body::Ack(_) | acklab_packet::Body::Probe(_) => false,
        }
    }

    fn mark(&mut self) -> bool {
        match &mut self.body {
            acklab_packet::Body::Data(segment) if segment.ect => {
                segment.ce = true;
                true
            }
            _ => false,
        }
    }
}
