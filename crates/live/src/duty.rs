//! What happens at the two ends of a direction: counting, and, on the way back, the ACK shapers.

use std::sync::{Arc, Mutex, PoisonError};

use acklab_packet::Time;

use crate::edge::{Edge, Seen};
use crate::ledger::{Outgoing, Returning};
use crate::link::Fate;
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
    },
}

impl Duty {
    /// How many flows.
    pub fn flows(&self) -> usize {
        match self {
            Duty::There { flows, .. } => flows.len(),
            Duty::Back { flows, .. } => flows.len(),
        }
    }

    /// An endpoint hands over a packet; what enters the path goes to `entering`.
    pub fn comes(&mut self, packet: WirePacket, now: Time, entering: &mut Vec<WirePacket>) {
        self.hear(now, entering);
        match self {
            Duty::There { .. } => entering.push(packet),
            Duty::Back { edges, .. } => match edges.get_mut(packet.flow() as usize) {
                Some(Some(edge)) => edge.leaves(packet, now, entering),
                _ => entering.push(packet),
            },
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
    pub fn gone(&mut self, packet: &WirePacket, fate: Fate) {
        if let Duty::Back { flows, .. } = self
            && let Some(flow) = flows.get_mut(packet.flow() as usize)
        {
            flow.gone(packet, fate);
        }
    }
}
