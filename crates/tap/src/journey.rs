//! Follows packets through the records of a run, to know of each when it was sent.
//!
//! An ACK carries no timestamp of its own in the simulator, but on the wire it has one. Only the FIN says where it
//! stands, but every later ACK counts it. The records are replayed link by link, which distinguishes like packets
//! (duplicate ACKs).

use std::collections::VecDeque;

use acklab_packet::{Body, Packet, Seq, Time};
use acklab_scenario::spec::Scenario;
use acklab_sim::outcome::{PacketEvent, PacketRow};

/// What a packet took along from its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// When its endpoint sent it.
    pub sent: Time,
    /// The latest ACK the endpoint had received then, by when it was sent; `None` before the first.
    pub echo: Option<Time>,
    /// The unit its connection's FIN occupies, if it had been sent.
    pub fin: Option<Seq>,
    /// Its identification in the IPv4 header: each end of a flow counts its packets, as Linux does.
    pub identification: u16,
}

/// Packets on one link direction, oldest first.
#[derive(Debug, Default)]
struct Passage {
    waiting: VecDeque<(Packet, Tag)>,
    flying: VecDeque<Tag>,
}

/// A flow's sender, as far as its packets do not tell it.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    node: u32,
    /// What follows is about this connection of the flow.
    connection: u16,
    latest: Option<Time>,
    fin: Option<Seq>,
}

/// The replay.
#[derive(Debug)]
pub struct Journeys {
    /// The node each link direction leads to.
    heads: Vec<u32>,
    links: Vec<Passage>,
    origins: Vec<Origin>,
    /// Identifications used last, of each flow's sender and receiver.
    identifications: Vec<[u16; 2]>,
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
            identifications: flows.clone().zip(0..).map(|(_, flow)| [2 * flow, 2 * flow + 1].map(scattered)).collect(),
            origins: flows.map(|node| Origin { node, ..Origin::default() }).collect(),
            previous: PacketEvent::Enqueue,
            arriving: None,
        }
    }

    /// Takes in the next record and tells its packet's tag. Every record of the run must pass, in order.
    pub fn follow(&mut self, row: &PacketRow) -> Tag {
        let known = self.advance(row);
        self.previous = row.event;
        known.unwrap_or(Tag { sent: Time::from_secs(row.time_s), echo: None, fin: None, identification: 0 })
    }

    fn advance(&mut self, row: &PacketRow) -> Option<Tag> {
        let tag = match row.event {
            PacketEvent::Enqueue if row.packet.place == 0 => Some(self.depart(row)),
            PacketEvent::Enqueue => self.arriving.take(),
            _ => None,
        };
        let link = self.links.get_mut(row.link as usize)?;
        match row.event {
            PacketEvent::Enqueue => link.waiting.push_back((row.packet, tag?)),
            PacketEvent::Dequeue => {
                // A queue that has changed a packet in a way not known here lets the first one go, most likely.
                let at = link.waiting.iter().position(|(packet, _)| same(packet, &row.packet)).unwrap_or(0);
                let (_, tag) = link.waiting.remove(at)?;
                link.flying.push_back(tag);
                return Some(tag);
            }
            // A loss model speaks right after the record of what it looked at.
            PacketEvent::Lose if self.previous == PacketEvent::Dequeue => return link.flying.pop_back(),
            // Who is turned away came last; who is thrown out, mostly too.
            // A stage behind the wire removes what never waits here at that place of its route.
            PacketEvent::Filter if !link.waiting.iter().any(|(packet, _)| packet.place == row.packet.place) => {
                return link.flying.pop_front();
            }
            PacketEvent::Lose | PacketEvent::Drop | PacketEvent::Filter => {
                let at = link.waiting.iter().rposition(|(packet, _)| same(packet, &row.packet));
                return link.waiting.remove(at.or(link.waiting.len().checked_sub(1))?).map(|(_, tag)| tag);
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
    fn depart(&mut self, row: &PacketRow) -> Tag {
        let sent = Time::from_secs(row.time_s);
        let identification = self.identify(&row.packet);
        let plain = Tag { sent, echo: None, fin: None, identification };
        let Some(origin) = self.origin(&row.packet) else { return plain };
        match &row.packet.body {
            Body::Data(segment) => {
                if segment.fin {
                    origin.fin = Some(segment.end() - 1);
                }
                Tag { echo: origin.latest, fin: origin.fin, ..plain }
            }
            Body::Probe(probe) if probe.reply => Tag { echo: origin.latest, fin: origin.fin, ..plain },
            Body::Ack(_) | Body::Probe(_) => Tag { fin: origin.fin, ..plain },
            Body::Datagram(_) => plain,
        }
    }

    /// The next identification of the end that sends `packet`.
    fn identify(&mut self, packet: &Packet) -> u16 {
        let receiver = match &packet.body {
            Body::Ack(_) => true,
            Body::Probe(probe) => !probe.reply,
            Body::Data(_) | Body::Datagram(_) => false,
        };
        let Some(ends) = self.identifications.get_mut(packet.flow as usize) else { return 0 };
        let last = &mut ends[usize::from(receiver)];
        *last = last.wrapping_add(1);
        *last
    }

    /// A packet reaches a node: if it is an ACK and the node its sender's, the sender remembers its timestamp.
    fn arrive(&mut self, row: &PacketRow, tag: Tag) {
        let node = self.heads.get(row.link as usize).copied();
        if row.packet.is_data() {
            return;
        }
        if let Some(origin) = self.origin(&row.packet).filter(|origin| node == Some(origin.node)) {
            origin.latest = origin.latest.max(Some(tag.sent)); // RFC 7323 section 4.3: never backwards
        }
    }

    /// The sender of `packet`'s flow, unless the packet is of an earlier connection than its present one.
    fn origin(&mut self, packet: &Packet) -> Option<&mut Origin> {
        let origin = self.origins.get_mut(packet.flow as usize)?;
        if packet.connection > origin.connection {
            *origin = Origin { node: origin.node, connection: packet.connection, ..Origin::default() };
        }
        (packet.connection == origin.connection).then_some(origin)
    }
}

/// A number that says little of `n`.
fn scattered(n: u64) -> u16 {
    ((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}

/// Whether both are the same packet, perhaps marked by a queue between the two looks.
fn same(before: &Packet, now: &Packet) -> bool {
    match (&before.body, &now.body) {
        (Body::Data(a), Body::Data(b)) => {
            (before.flow, before.connection, a.seq, a.len, a.ts_val)
                == (now.flow, now.connection, b.seq, b.len, b.ts_val)
        }
        (Body::Ack(a), Body::Ack(b)) => (before.flow, before.connection) == (now.flow, now.connection) && a == b,
        (Body::Probe(a), Body::Probe(b)) => (before.flow, before.connection) == (now.flow, now.connection) && a == b,
        (Body::Datagram(a), Body::Datagram(b)) => before.flow == now.flow && a == b,
        _ => false,
    }
}
