//! Work at the two ends of a direction: counting and, on the return path, ACK shaping.

use acklab_packet::Time;
use acklab_path::queue::Removal;

use crate::edge::{Edge, Seen};
use crate::header::flag;
use crate::ledger::{Outgoing, Returning};
use crate::packet::WirePacket;
use crate::settings::FIRST_PORT;

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

/// A direction's.
#[derive(Debug)]
pub struct Duty {
    /// For each flow.
    pub flows: Vec<Role>,
    /// Segments that have reached the receivers but not yet their shapers.
    pub hears: Vec<Seen>,
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

impl Duty {
    /// The flow of a packet with these ports: its receiver's tells.
    pub fn flow_of(&self, (from, to): (u16, u16)) -> Option<u32> {
        let index = |port: u16| port.checked_sub(FIRST_PORT).map(usize::from);
        let known = |port: u16, data: bool| {
            index(port).filter(|&at| self.flows.get(at).is_some_and(|role| matches!(role, Role::Data { .. }) == data))
        };
        known(to, true).or(known(from, false)).map(|at| at as u32)
    }

    fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.flows.iter().filter_map(|role| match role {
            Role::Acks { edge, .. } => edge.as_deref(),
            Role::Data { .. } => None,
        })
    }

    fn edge(&mut self, flow: u32) -> Option<&mut Edge> {
        match self.flows.get_mut(flow as usize)? {
            Role::Acks { edge, .. } => edge.as_deref_mut(),
            Role::Data { .. } => None,
        }
    }

    /// An endpoint hands over a packet; what enters the path goes to `entering`.
    pub fn comes(&mut self, mut packet: WirePacket, now: Time, entering: &mut Vec<WirePacket>) {
        self.hear(now, entering);
        if let Some(Role::Acks { edge, cap, .. }) = self.flows.get_mut(packet.flow() as usize) {
            cap.apply(&mut packet);
            if let Some(edge) = edge {
                return edge.leaves(packet, now, entering);
            }
        }
        entering.push(packet);
    }

    /// Lets the shapers do what is due.
    pub fn wake(&mut self, now: Time, entering: &mut Vec<WirePacket>) {
        self.hear(now, entering);
        for role in &mut self.flows {
            if let Role::Acks { edge: Some(edge), .. } = role
                && edge.next().is_some_and(|due| due <= now)
            {
                edge.wake(now, entering);
            }
        }
    }

    /// Tells the shapers what has reached the receivers.
    fn hear(&mut self, now: Time, entering: &mut Vec<WirePacket>) {
        for seen in std::mem::take(&mut self.hears) {
            if let Some(edge) = self.edge(seen.flow) {
                edge.arrives(&seen, now, entering);
            }
        }
    }

    /// When a shaper wants to be woken.
    pub fn next(&self) -> Option<Time> {
        self.edges().filter_map(Edge::next).min()
    }

    /// A packet enters the path.
    pub fn enters(&mut self, packet: &WirePacket, now: Time) {
        match self.flows.get_mut(packet.flow() as usize) {
            Some(Role::Data { sent, .. }) => sent.leaves(packet, now),
            Some(Role::Acks { got, .. }) => got.leaves(packet),
            None => {}
        }
    }

    /// A packet has reached the far end, and is about to be handed over; what a shaper there has to hear of it before the
    /// kernel answers.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) -> Option<Seen> {
        match self.flows.get_mut(packet.flow() as usize)? {
            Role::Data { sent, shaped } => {
                sent.arrives(packet, now);
                Seen::of(packet).filter(|_| *shaped)
            }
            Role::Acks { got, .. } => {
                got.arrives(packet, now);
                None
            }
        }
    }

    /// A packet will not arrive.
    pub fn gone(&mut self, packet: &WirePacket, reason: Removal) {
        if let Some(Role::Acks { got, .. }) = self.flows.get_mut(packet.flow() as usize) {
            got.gone(packet, reason);
        }
    }
}
