//! What a packet passes on its way: queues and loss.
//!
//! Everything here decides about one packet at a time, owns no clock and no socket, and is told the time by a driver.
//! It is generic over the packet ([`Carried`]): the simulator's small `Copy` packets, or real ones, or, to try a part by
//! itself, [`Bare`] sizes.
//!
//! * [`queue`]: where packets wait, and what is dropped; one file a discipline;
//! * [`ack_filter`]: which ACKs newer ones make superfluous;
//! * [`waiting`]: what filters, drop policies and schedulers see: the packets that wait, and the flow table;
//! * [`link`]: one direction of a link: loss model, queue, server, wire;
//! * [`direction`]: a link with what it carries and the stages at its far end;
//! * [`server`]: what takes packets into service, and for how long; one file a server;
//! * [`stage`]: middleboxes that hold, make or rewrite packets; one file a stage;
//! * [`loss`]: packets that vanish for other reasons than congestion;
//! * [`random`]: MRG32k3a, one named stream a component;
//! * [`spec`]: how a scenario writes all this down.

pub mod ack_filter;
mod bare;
mod buffer;
pub mod direction;
pub mod link;
pub mod loss;
mod own;
pub mod queue;
pub mod random;
pub mod server;
pub mod spec;
pub mod stage;
mod values;
pub mod waiting;

pub use bare::Bare;
pub use buffer::Buffer;
pub use own::{Own, PacketView};
pub use values::{Checked, Wrong};

use acklab_packet::{Ace, Body, Ecn};

/// The bit of AE in [`Carried::congestion`]: the third flag of accurate ECN (RFC 9768), a reserved flag before.
pub const AE: u8 = 8;

/// What a path needs to know of a packet.
pub trait Carried {
    /// Bytes on the wire, headers included.
    fn wire_bytes(&self) -> u32;
    /// Whether it is a pure ACK.
    fn is_ack(&self) -> bool;
    /// Whether it carries payload.
    fn has_payload(&self) -> bool;
    /// The connection it belongs to, under a number of its own; a flow that connects again is a new connection.
    fn connection(&self) -> u64;
    /// The cumulative number of a plain ACK: one with no payload and no flag besides ACK, PSH, ECE and CWR. Nothing else
    /// is ever filtered. Counted from the connection's start in 64 bits, so that it never wraps.
    fn plain_ack(&self) -> Option<u64>;
    /// The blocks it acknowledges selectively, as `start .. end`, numbered like [`Carried::plain_ack`].
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_;
    /// Its timestamps (TSval, TSecr; RFC 7323) as numbers that grow; zeros without.
    fn timestamps(&self) -> (u64, u64);
    /// Whether its ECN field is ECT(1) or CE: traffic for a low latency queue (RFC 9331).
    fn low_latency(&self) -> bool {
        false
    }
    /// What it says about congestion: one bit each for ECE, CWR, a congestion mark of its own (CE), and [`AE`].
    fn congestion(&self) -> u8;
    /// Whether it carries options other than SACK and timestamps.
    fn unknown_options(&self) -> bool;
    /// Sets its congestion mark (CE, RFC 3168), if its sender understands marks; whether it did.
    fn mark(&mut self) -> bool;
}

/// Makes a type with a field `packet` carry what that packet does.
macro_rules! carried_within {
    ($type:ident) => {
        impl<P: $crate::Carried> $crate::Carried for $type<P> {
            #[inline]
            fn wire_bytes(&self) -> u32 {
                self.packet.wire_bytes()
            }
            #[inline]
            fn is_ack(&self) -> bool {
                self.packet.is_ack()
            }
            #[inline]
            fn has_payload(&self) -> bool {
                self.packet.has_payload()
            }
            #[inline]
            fn connection(&self) -> u64 {
                self.packet.connection()
            }
            #[inline]
            fn plain_ack(&self) -> Option<u64> {
                self.packet.plain_ack()
            }
            #[inline]
            fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
                self.packet.sack_blocks()
            }
            #[inline]
            fn timestamps(&self) -> (u64, u64) {
                self.packet.timestamps()
            }
            #[inline]
            fn low_latency(&self) -> bool {
                self.packet.low_latency()
            }
            #[inline]
            fn congestion(&self) -> u8 {
                self.packet.congestion()
            }
            #[inline]
            fn unknown_options(&self) -> bool {
                self.packet.unknown_options()
            }
            fn mark(&mut self) -> bool {
                self.packet.mark()
            }
        }
    };
}
use carried_within;

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
            Body::Data(segment) => !segment.syn && !segment.fin,
            Body::Datagram(_) => true,
            Body::Ack(_) | Body::Probe(_) => false,
        }
    }

    #[inline]
    fn connection(&self) -> u64 {
        u64::from(self.flow) << 16 | u64::from(self.connection)
    }

    #[inline]
    fn plain_ack(&self) -> Option<u64> {
        match &self.body {
            Body::Ack(ack) if !ack.syn => Some(ack.ack),
            _ => None,
        }
    }

    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ack = if let Body::Ack(ack) = &self.body { Some(ack) } else { None };
        ack.into_iter().flat_map(|ack| ack.sack.iter(ack.ack))
    }

    #[inline]
    fn timestamps(&self) -> (u64, u64) {
        match &self.body {
            Body::Ack(ack) => (0, ack.ts_ecr.bits()),
            Body::Data(segment) => (segment.ts_val.bits(), 0),
            Body::Datagram(_) | Body::Probe(_) => (0, 0),
        }
    }

    #[inline]
    fn low_latency(&self) -> bool {
        match &self.body {
            Body::Data(segment) => matches!(segment.ecn, Ecn::Ect1 | Ecn::Ce),
            Body::Ack(ack) => ack.ecn == Ecn::Ce,
            Body::Datagram(_) | Body::Probe(_) => false,
        }
    }

    #[inline]
    fn congestion(&self) -> u8 {
        match &self.body {
            Body::Ack(ack) => {
                let [ae, cwr, ece] = ack.ace.flags().unwrap_or([false, false, ack.ece]);
                u8::from(ece) | u8::from(cwr) << 1 | u8::from(ack.ecn == Ecn::Ce) << 2 | if ae { AE } else { 0 }
            }
            Body::Data(segment) => u8::from(segment.ace == Ace::CWR) << 1 | u8::from(segment.ecn == Ecn::Ce) << 2,
            Body::Datagram(_) | Body::Probe(_) => 0,
        }
    }

    #[inline]
    fn unknown_options(&self) -> bool {
        matches!(&self.body, Body::Ack(ack) if ack.sack.counts().is_some())
    }

    fn mark(&mut self) -> bool {
        match &mut self.body {
            Body::Data(segment) if segment.ecn != Ecn::NotEct => {
                segment.ecn = Ecn::Ce;
                true
            }
            Body::Ack(ack) if ack.ecn != Ecn::NotEct => {
                ack.ecn = Ecn::Ce;
                true
            }
            _ => false,
        }
    }
}
