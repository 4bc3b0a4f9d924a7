//! What waits before a link, sorted so that nothing has to be searched.
//!
//! There are three orders: all packets in order of service, each connection's own packets, and of those the ACKs that a
//! filter may look at. To add or remove a packet, at an end or in the middle, takes a few writes. It depends neither on
//! how many wait nor on their connections.

mod flows;
pub(crate) mod links;
mod multiply;
mod ranking;
mod rate;

pub use flows::{Flows, Load, Measures};
pub use rate::{Presence, Tsw};

use acklab_packet::Time;
use links::{Links, List};

use crate::Carried;

/// A waiting packet's name, until it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(u32);

/// Where an arrival is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Behind all others.
    Tail,
    /// Right before this one.
    Before(Handle),
}

#[derive(Clone, Debug, PartialEq)]
struct Node<P> {
    packet: P,
    /// Slot of its connection.
    flow: u32,
    class: u32,
    /// Whether it is in its connection's list of ACKs.
    listed: bool,
    /// Whether its number was already known when it came.
    repeats: bool,
}

/// The packets that wait, and the flow table.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting<P> {
    nodes: Vec<Option<Node<P>>>,
    free: Vec<u32>,
    order: Links,
    own: Links,
    acks: Links,
    /// Packets in order of service, those of each class apart: a scheduler's two, or a queue's lines.
    classes: Vec<List>,
    flows: Flows,
    len: usize,
    bytes: u64,
    /// Packets looked at, for the test that cost does not grow with the queue.
    #[cfg(test)]
    pub(crate) looks: std::cell::Cell<u64>,
}

impl<P: Carried> Waiting<P> {
    /// Nothing waits in so many classes, at least 1; the flow table keeps `measures`.
    pub fn new(measures: Measures, classes: usize) -> Waiting<P> {
        Waiting {
            nodes: Vec::new(),
            free: Vec::new(),
            order: Links::default(),
            own: Links::default(),
            acks: Links::default(),
            classes: vec![List::default(); classes],
            flows: Flows::new(measures),
            len: 0,
            bytes: 0,
            #[cfg(test)]
            looks: std::cell::Cell::new(0),
        }
    }

    /// Packets that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that wait.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The flow table.
    #[inline]
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    #[inline]
    fn node(&self, handle: Handle) -> &Node<P> {
        #[cfg(test)]
        self.looks.set(self.looks.get() + 1);
        self.nodes[handle.0 as usize].as_ref().expect("a handle outlives its packet")
    }

    /// A packet that waits.
    #[inline]
    pub fn packet(&self, handle: Handle) -> &P {
        &self.node(handle).packet
    }

    /// Whether an ACK's number was already known when it came.
    #[inline]
    pub fn repeats(&self, handle: Handle) -> bool {
        self.node(handle).repeats
    }

    /// The class of a packet.
    #[inline]
    pub fn class(&self, handle: Handle) -> u32 {
        self.node(handle).class
    }

    /// Returns the places for packets: as many as ever waited at once.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }

    /// The packet in a place, if one waits there. Places have no order.
    pub fn at(&self, place: usize) -> Option<Handle> {
        self.nodes.get(place)?.as_ref().map(|_| Handle(place as u32))
    }

    /// The packet of the first class that waits first, or else that of the next.
    #[inline]
    pub fn first(&self) -> Option<Handle> {
        self.classes.iter().find_map(List::head).map(Handle)
    }

    /// The packet that waits first of a class.
    #[inline]
    pub fn first_in(&self, class: u32) -> Option<Handle> {
        self.classes[class as usize].head().map(Handle)
    }

    /// A connection's oldest packet.
    #[inline]
    pub fn first_of(&self, flow: u32) -> Option<Handle> {
        self.flows.entry(flow).packets.head().map(Handle)
    }

    /// The packet of the same connection that came after `handle`.
    #[inline]
    pub fn follower(&self, handle: Handle) -> Option<Handle> {
        self.own.next(handle.0).map(Handle)
    }

    /// A connection's ACKs that a filter may look at, counted.
    #[inline]
    pub fn acks_of(&self, flow: u32) -> usize {
        self.flows.entry(flow).acks.len()
    }

    /// The oldest of them.
    #[inline]
    pub fn first_ack_of(&self, flow: u32) -> Option<Handle> {
        self.flows.entry(flow).acks.head().map(Handle)
    }

    /// The next younger of them.
    #[inline]
    pub fn next_ack(&self, handle: Handle) -> Option<Handle> {
        self.acks.next(handle.0).map(Handle)
    }

    /// A packet arrives: the slot of its connection. Comes before [`Waiting::insert`], which may not follow.
    #[inline]
    pub fn on_arrival(&mut self, packet: &P, now: Time) -> u32 {
        self.flows.on_arrival(self.len > 0, now);
        self.flows.find(packet.connection())
    }

    /// Takes in `packet`, of the connection at `flow`.
    pub fn insert(&mut self, packet: P, flow: u32, class: u32, place: Place) {
        let (number, size) = (packet.plain_ack(), u64::from(packet.wire_bytes()));
        let entry = self.flows.entry_mut(flow);
        let repeats = number.is_some() && number <= entry.newest;
        entry.newest = entry.newest.max(number);
        let listed = number.is_some();
        let node = Some(Node { packet, flow, class, listed, repeats });
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                [&mut self.order, &mut self.own, &mut self.acks].into_iter().for_each(Links::grow);
                self.nodes.len() as u32 - 1
            }
        };
        let order = &mut self.classes[class as usize];
        match place {
            Place::Tail => {
                self.order.push_back(order, index);
                self.own.push_back(&mut entry.packets, index);
            }
            Place::Before(Handle(next)) => {
                self.order.insert_before(order, index, next);
                self.own.insert_before(&mut entry.packets, index, next);
            }
        }
        if listed {
            self.acks.push_back(&mut entry.acks, index);
        }
        self.len += 1;
        self.bytes += size;
        self.flows.joined(flow);
    }

    /// Leaves an ACK alone for good: no filter looks at it again.
    pub fn spare(&mut self, Handle(index): Handle) {
        if let Some(node) = &mut self.nodes[index as usize]
            && std::mem::take(&mut node.listed)
        {
            self.acks.unlink(&mut self.flows.entry_mut(node.flow).acks, index);
        }
    }

    /// Removes a packet that will not be served.
    pub fn remove(&mut self, handle: Handle) -> P {
        let node = self.take(handle);
        self.flows.left(node.flow);
        node.packet
    }

    /// Removes a packet to be transmitted.
    #[inline]
    pub fn serve(&mut self, handle: Handle, now: Time) -> P {
        let node = self.take(handle);
        self.flows.served(node.flow, node.packet.wire_bytes(), now);
        node.packet
    }

    #[inline]
    fn take(&mut self, Handle(index): Handle) -> Node<P> {
        let node = self.nodes[index as usize].take().expect("a handle outlives its packet");
        let entry = self.flows.entry_mut(node.flow);
        self.order.unlink(&mut self.classes[node.class as usize], index);
        self.own.unlink(&mut entry.packets, index);
        if node.listed {
            self.acks.unlink(&mut entry.acks, index);
        }
        self.free.push(index);
        self.len -= 1;
        self.bytes -= u64::from(node.packet.wire_bytes());
        node
    }
}
