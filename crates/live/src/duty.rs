//! Work of a direction's two ends for a flow: counting and, on the return path, ACK shaping.

use crate::edge::Edge;
use crate::header::flag;
use crate::ledger::{Outgoing, Returning};
use crate::packet::WirePacket;

/// The role of a direction for a flow: its data, or its ACKs.
#[derive(Debug)]
pub enum Role {
    /// It carries the data.
    Data {
        /// What is counted.
        sent: Outgoing,
        /// Whether its receiver has a shaper, which receives segments.
        shaped: bool,
    },
    /// It carries the ACKs.
    Acks {
        /// What is counted.
        got: Returning,
        /// The receiver's shaper.
        edge: Option<Box<Edge>>,
        /// The receiver's window.
        cap: WindowCap,
    },
}

/// Keeps a receiver's advertised window to the scenario's.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowCap {
    /// Bytes; 0 is no limit.
    pub bytes: u64,
    /// By how much the receiver's windows are shifted: its SYN says it.
    scale: u8,
}

impl WindowCap {
    /// No window above so many bytes; 0 is no limit.
    pub fn new(bytes: u64) -> WindowCap {
        WindowCap { bytes, scale: 0 }
    }

    /// A packet leaves the receiver.
    pub fn apply(&mut self, packet: &mut WirePacket) {
        if self.bytes == 0 {
            return;
        }
        let opens = packet.header().has(flag::SYN);
        if opens {
            self.scale = packet.header().window_scale.unwrap_or(0).min(MAX_SCALE);
        }
        // A SYN's own window is never shifted (RFC 7323 section 2.2).
        let shift = if opens { 0 } else { self.scale };
        packet.cap_window(u16::try_from((self.bytes >> shift).max(1)).unwrap_or(u16::MAX));
    }
}

/// RFC 7323 section 2.3.
const MAX_SCALE: u8 = 14;
