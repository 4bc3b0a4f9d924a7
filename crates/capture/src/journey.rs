//! Follows packets through the records of a run, to know of each when it was sent.
//!
//! An ACK carries no timestamp of its own in the simulator, but on the wire it has one. The records are replayed link
//! by link, which tells like packets (duplicate ACKs) apart.

use std::collections::VecDeque;

use acklab_packet::{Body, Packet, Time};
use acklab_sim::outcome::{PacketEvent, PacketRow};
use acklab_sim::spec::Scenario;

/// What a packet took along from its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// When its endpoint sent it.
    pub sent: Time,
    /// The latest ACK the endpoint had received then, by when it was sent; `None` before the first.
    pub echo: Option<Time>,
}

/// Packets on one link direction, oldest first.
#[derive(Debug, Default)]
struct Passage {
    waiting: VecDeque<(Packet, Tag)>,
    flying: VecDeque<Tag>,
}

/// A flow's sender, as far as timestamps go.
#[derive(Debug)]
struct Origin {
    node: u32,
    connection: u16,
    latest: Option<Time>,
}

/// The replay.
#[derive(Debug)]
pub struct Journeys {
    /// The node each link direction leads to.
    heads: Vec<u32>,
    links: Vec<Passage>,
    origins: Vec<Origin>,
    previous: PacketEvent,
    /// The packet that has just crossed a link and is about to enter the next.
    arriving: Option<Tag>,
}

impl Journeys {
    /// A replay of `scenario`'s run, before its first record.
    pub fn new(scenario: &Scenario) -> Journeys {
        let flows = scenario.flows.iter().flat_map(|flow| (0..flow.count).map(|_| flow.from));
        Journeys {
            heads: scenario.links.iter().map(|link| link.to).collect(),
            links: scenario.links.iter().map(|_| Passage::default()).collect(),
            origins: flows.map(|node| Origin { node, connection: 0, latest: None }).collect(),
            previous: PacketEvent::Enqueue,
            arriving: None,
        }
    }

    /// Takes in the next record and tells its packet's tag. Every record of the run must pass, in order.
    pub fn follow(&mut self, row: &PacketRow) -> Tag {
        let known = self.advance(row);
        self.previous = row.event;
        known.unwrap_or(Tag { sent: Time::from_secs(row.time_s), echo: None })
    }

    fn advance(&mut self, row: &PacketRow) -> Option<Tag> {
        let tag = match row.event {
            PacketEvent::Enqueue if row.packet.hop == 0 => Some(self.depart(row)),
            PacketEvent::Enqueue => self.arriving.take(),
            _ => None,
        };
        let link = self.links.get_mut(row.link as usize)?;
        match row.event {
            PacketEvent::Enqueue => link.waiting.push_back((row.packet, tag?)),
            PacketEvent::Dequeue => {
                let at = link.waiting.iter().position(|(packet, _)| *packet == row.packet)?;
                let (_, tag) = link.waiting.remove(at)?;
                link.flying.push_back(tag);
                return Some(tag);
            }
            // A loss model speaks right after the record of what it looked at.
            PacketEvent::Lose if self.previous == PacketEvent::Dequeue => return link.flying.pop_back(),
            // Who is turned away came last; who is thrown out, mostly too.
            PacketEvent::Lose | PacketEvent::Drop | PacketEvent::Filter => {
                let at = link.waiting.iter().rposition(|(packet, _)| *packet == row.packet)?;
                return link.waiting.remove(at).map(|(_, tag)| tag);
            }
            PacketEvent::Deliver => {
                let tag = link.flying.pop_front()?;
                self.arriving = Some(tag);
                self.arrive(row, tag);
                return Some(tag);
            }
        }
        tag
    }

    /// An endpoint sends: a segment echoes the last ACK that reached its sender on this connection.
    fn depart(&self, row: &PacketRow) -> Tag {
        let sent = Time::from_secs(row.time_s);
        let origin = self.origins.get(row.packet.flow as usize);
        let echo = origin.filter(|origin| row.packet.is_data() && origin.connection == row.packet.connection);
        Tag { sent, echo: echo.and_then(|origin| origin.latest) }
    }

    /// A packet reaches a node: if it is an ACK and the node its sender's, the sender remembers its timestamp.
    fn arrive(&mut self, row: &PacketRow, tag: Tag) {
        let Body::Ack(_) = row.packet.body else { return };
        let Some(origin) = self.origins.get_mut(row.packet.flow as usize) else { return };
        if self.heads.get(row.link as usize) == Some(&origin.node) && row.packet.connection >= origin.connection {
            if row.packet.connection > origin.connection {
                *origin = Origin { connection: row.packet.connection, latest: None, ..*origin };
            }
            origin.latest = origin.latest.max(Some(tag.sent)); // RFC 7323 section 4.3: never backwards
        }
    }
}
