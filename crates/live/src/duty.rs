//! Work at the two ends of a direction: counting and, on the return path, ACK shaping.

use std::sync::{Arc, Mutex, PoisonError};

use acklab_packet::Time;
use acklab_path::queue::Removal;

use crate::edge::{Edge, Seen};
use crate::header::flag;
use crate::ledger::{Outgoing, Returning};
use crate::packet::WirePacket;

/// Segments that have reached the receivers and whose shapers have not heard of them yet.
pub type Inbox = Arc<Mutex<Vec<Seen>>>;

/// A direction's.
#[derive(Debug)]
pub enum Duty {
    /// From the senders.
    There {
        /// For each flow.
        flows: Vec<Outgoing>,
        /// Where the shapers hear of segments, and whether a flow has one.
        inbox: Inbox,
        /// See `inbox`.
        shaped: Vec<bool>,
    },
    /// From the receivers.
    Back {
        /// For each flow.
        flows: Vec<Returning>,
        /// For each flow, its shaper.
        edges: Vec<Option<Edge>>,
        /// What the other direction tells.
        inbox: Inbox,
        /// The receivers' windows.
        caps: Vec<WindowCap>,
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
            self.scale = packet.header().window_scale.unwrap_or(0).min(MOST_SCALE);
        }
        // A SYN's own window is never shifted (RFC 7323 section 2.2).
        let shift = if opens { 0 } else { self.scale };
        packet.cap_window(u16::try_from((self.bytes >> shift).max(1)).unwrap_or(u16::MAX));
    }
}

/// RFC 7323 section 2.3.
const MOST_SCALE: u8 = 14;

impl Duty {
    /// How many flows.
    pub fn flows(&self) -> usize {
        match self {
            Duty::There { flows, .. } => flows.len(),
            Duty::Back { flows, .. } => flows.len(),
        }
    }

    /// An endpoint hands over a packet; what enters the path goes to `entering`.
    pub fn comes(&mut self, mut packet: WirePacket, now: Time, entering: &mut Vec<WirePacket>) {
        self.hear(now, entering);
        match self {
            Duty::There { .. } => entering.push(packet),
            Duty::Back { edges, caps, .. } => {
                let flow = packet.flow() as usize;
                if let Some(cap) = caps.get_mut(flow) {
                    cap.apply(&mut packet);
                }
                match edges.get_mut(flow) {
                    Some(Some(edge)) => edge.leaves(packet, now, entering),
                    _ => entering.push(packet),
                }
            }
        }
    }

    /// Lets the shapers do what is due.
    pub fn wake(&mut self, now: Time, entering: &mut Vec<WirePacket>) {
        self.hear(now, entering);
        if let Duty::Back { edges, .. } = self {
            for edge in edges.iter_mut().flatten() {
                if edge.next().is_some_and(|due| due <= now) {
                    edge.wake(now, entering);
                }
            }
        }
    }

    /// Tells the shapers what has reached the receivers.
    fn hear(&mut self, now: Time, entering: &mut Vec<WirePacket>) {
        if let Duty::Back { edges, inbox, .. } = self {
            let heard = std::mem::take(&mut *inbox.lock().unwrap_or_else(PoisonError::into_inner));
            for seen in heard {
                if let Some(Some(edge)) = edges.get_mut(seen.flow as usize) {
                    edge.arrives(&seen, now, entering);
                }
            }
        }
    }

    /// When a shaper wants to be woken.
    pub fn next(&self) -> Option<Time> {
        match self {
            Duty::There { .. } => None,
            Duty::Back { edges, .. } => edges.iter().flatten().filter_map(Edge::next).min(),
        }
    }

    /// A packet enters the path.
    pub fn enters(&mut self, packet: &WirePacket, now: Time) {
        let flow = packet.flow() as usize;
        match self {
            Duty::There { flows, .. } => {
                if let Some(flow) = flows.get_mut(flow) {
                    flow.leaves(packet, now);
                }
            }
            Duty::Back { flows, .. } => {
                if let Some(flow) = flows.get_mut(flow) {
                    flow.leaves(packet);
                }
            }
        }
    }

    /// A packet has reached the far end, and is about to be handed over.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) {
        let flow = packet.flow() as usize;
        match self {
            Duty::There { flows, inbox, shaped } => {
                if let Some(flow) = flows.get_mut(flow) {
                    flow.arrives(packet, now);
                }
                // Before the kernel answers: its answer finds the shaper informed.
                if shaped.get(flow) == Some(&true)
                    && let Some(seen) = Seen::of(packet)
                {
                    inbox.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
                }
            }
            Duty::Back { flows, .. } => {
                if let Some(flow) = flows.get_mut(flow) {
                    flow.arrives(packet, now);
                }
            }
        }
    }

    /// A packet will not arrive.
    pub fn gone(&mut self, packet: &WirePacket, reason: Removal) {
        if let Duty::Back { flows, .. } = self
            && let Some(flow) = flows.get_mut(packet.flow() as usize)
        {
            flow.gone(packet, reason);
        }
    }
}
