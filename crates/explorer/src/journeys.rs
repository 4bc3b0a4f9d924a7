//! Each packet's journey from sender to receiver, from its events on links, as in `python/acklab/plot/prep/series.py`.
//!
//! Packets with equal headers keep their order on a path of FIFO queues: the k-th to leave is the k-th to arrive. If one of
//! them was lost, they are followed link by link.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{Hash, Hasher};

use acklab_packet::{Ack, Body, Segment};
use acklab_sim::Outcome;
use acklab_sim::outcome::{PacketEvent, PacketRow};

/// How a journey ends; the page names the variants in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Delivered,
    Drop,
    Lose,
    Filter,
    InFlight,
}

impl Fate {
    /// The end that an event is, or `None` if the packet goes on.
    pub(crate) fn of(event: PacketEvent) -> Option<Fate> {
        match event {
            PacketEvent::Drop => Some(Fate::Drop),
            PacketEvent::Lose => Some(Fate::Lose),
            PacketEvent::Filter => Some(Fate::Filter),
            PacketEvent::Enqueue | PacketEvent::Dequeue | PacketEvent::Deliver => None,
        }
    }
}

/// One packet's journey.
pub(crate) struct Journey<'a> {
    /// One of its events.
    pub(crate) packet: &'a PacketRow,
    /// Index of that event; it orders packets that left at the same instant.
    row: usize,
    pub(crate) sent_s: f64,
    /// NaN while in flight.
    pub(crate) ended_s: f64,
    pub(crate) fate: Fate,
    /// The link on which it was lost.
    pub(crate) link: Option<u32>,
    /// Time of its last event.
    moved: f64,
}

/// The fields that distinguish packets: flow, data or ACK, number, length, flags, SACK blocks.
#[derive(PartialEq, Eq)]
struct Key(u32, bool, u64, u32, [bool; 3], [(u64, u64); 3]);

impl Hash for Key {
    /// Hashes the fields that differ most often, because this runs for every packet.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.0) << 1 | u64::from(self.1));
        state.write_u64(self.2);
        state.write_u64(self.5[0].1);
    }
}

/// The key of data or of an ACK; `None` for keep-alives and datagrams, which no chart shows.
fn key(row: &PacketRow) -> Option<Key> {
    match row.packet.body {
        Body::Data(Segment { seq, len, retransmit, syn, fin, .. }) => {
            Some(Key(row.transfer, true, seq, len, [retransmit, syn, fin], Default::default()))
        }
        Body::Ack(Ack { ack, sack, syn, .. }) => {
            let mut blocks = [(0, 0); 3];
            blocks.iter_mut().zip(sack.iter(ack)).for_each(|(place, block)| *place = block);
            Some(Key(row.transfer, false, ack, 0, [false, syn, false], blocks))
        }
        Body::Probe(_) | Body::Datagram(_) => None,
    }
}

/// The nodes at the ends of links and flows.
struct Map<'a>(&'a Outcome);

impl<'a> Map<'a> {
    fn ends(&self, row: &PacketRow) -> (&'a str, &'a str) {
        let link = &self.0.links[row.link as usize];
        (&link.from, &link.to)
    }

    /// True if the event's link is the packet's first, and true if it is the last.
    fn edges(&self, row: &PacketRow) -> (bool, bool) {
        let flow = &self.0.flows[row.transfer as usize];
        let data = row.packet.is_data();
        let (first, last) = if data { (&flow.from, &flow.to) } else { (&flow.to, &flow.from) };
        let (from, to) = self.ends(row);
        (from == first, to == last)
    }
}

/// The journeys of all data and ACKs, in the order of sending.
pub(crate) fn journeys(outcome: &Outcome) -> Vec<Journey<'_>> {
    let map = Map(outcome);
    let mut groups: HashMap<Key, usize> = HashMap::new();
    // A counting sort: the events of each group follow one another in `order`.
    let events = outcome.packets.iter().enumerate().filter(|(_, row)| row.event != PacketEvent::Dequeue);
    let keyed = events.filter_map(|(i, row)| key(row).map(|key| (i, key)));
    let grouped: Vec<(usize, usize)> = keyed
        .map(|(i, key)| {
            let fresh = groups.len();
            (i, *groups.entry(key).or_insert(fresh))
        })
        .collect();
    let mut ends = vec![0; groups.len() + 1];
    grouped.iter().for_each(|&(_, group)| ends[group + 1] += 1);
    for group in 0..groups.len() {
        ends[group + 1] += ends[group];
    }
    let mut order = vec![0; grouped.len()];
    for (i, group) in grouped {
        order[ends[group]] = i;
        ends[group] += 1;
    }
    let mut out = Vec::with_capacity(groups.len());
    let mut begin = 0;
    for &end in &ends[..groups.len()] {
        of_equal(&order[begin..end], &map, &mut out);
        begin = end;
    }
    out.sort_by(|a, b| a.sent_s.total_cmp(&b.sent_s).then(a.row.cmp(&b.row)));
    out
}

/// The journeys of packets with equal keys.
fn of_equal<'a>(group: &[usize], map: &Map<'a>, out: &mut Vec<Journey<'a>>) {
    let rows = || group.iter().map(|&i| (i, &map.0.packets[i]));
    let leaves = || rows().filter(|(_, row)| row.event == PacketEvent::Enqueue && map.edges(row).0);
    let mut ends = rows().filter(|(_, row)| row.event == PacketEvent::Deliver && map.edges(row).1);
    let mut dead = rows().filter_map(|(i, row)| Fate::of(row.event).map(|fate| (i, row, fate)));
    let first = |row: usize, packet: &'a PacketRow| Journey {
        packet,
        row,
        sent_s: packet.time_s,
        ended_s: f64::NAN,
        fate: Fate::InFlight,
        link: None,
        moved: packet.time_s,
    };
    let Some((i, row, fate)) = dead.next() else {
        out.extend(leaves().map(|(i, row)| match ends.next() {
            Some((_, end)) => Journey { ended_s: end.time_s, fate: Fate::Delivered, ..first(i, row) },
            None => first(i, row),
        }));
        return;
    };
    if dead.next().is_none() && ends.next().is_none() && leaves().count() <= 1 {
        // A packet that its first queue drops leaves and is lost at the same instant.
        let sent_s = leaves().next().map_or(row.time_s, |(_, sent)| sent.time_s);
        out.push(Journey { sent_s, ended_s: row.time_s, fate, link: Some(row.link), ..first(i, row) });
        return;
    }
    follow(rows(), map, first, out);
}

/// Follows packets with equal keys event by event; each link is first in, first out.
fn follow<'a>(
    rows: impl Iterator<Item = (usize, &'a PacketRow)>,
    map: &Map<'a>,
    first: impl Fn(usize, &'a PacketRow) -> Journey<'a>,
    out: &mut Vec<Journey<'a>>,
) {
    let mut on_link: BTreeMap<u32, VecDeque<usize>> = BTreeMap::new();
    let mut at_node: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (i, row) in rows {
        let (at, to) = map.ends(row);
        let start = |out: &mut Vec<Journey<'a>>| {
            out.push(first(i, row));
            out.len() - 1
        };
        match Fate::of(row.event) {
            None if row.event == PacketEvent::Enqueue => {
                let journey = at_node.entry(at).or_default().pop_front().unwrap_or_else(|| start(out));
                out[journey].moved = row.time_s;
                on_link.entry(row.link).or_default().push_back(journey);
            }
            None => {
                let journey = on_link.entry(row.link).or_default().pop_front().unwrap_or_else(|| start(out));
                out[journey].moved = row.time_s;
                if map.edges(row).1 {
                    (out[journey].ended_s, out[journey].fate) = (row.time_s, Fate::Delivered);
                } else {
                    at_node.entry(to).or_default().push_back(journey);
                }
            }
            Some(fate) => {
                let queued = on_link.entry(row.link).or_default();
                let waiting = at_node.entry(at).or_default();
                // The lost packet is the one that arrived here at this instant.
                let just = |place: &mut VecDeque<usize>| {
                    let found = place.iter().rposition(|&journey| out[journey].moved == row.time_s);
                    found.and_then(|at| place.remove(at))
                };
                let victim = just(queued).or_else(|| just(waiting)).or_else(|| waiting.pop_front());
                let origin = map.edges(row).0;
                let victim = victim.or_else(|| if origin { None } else { queued.pop_front() });
                let journey = victim.unwrap_or_else(|| start(out));
                (out[journey].ended_s, out[journey].fate, out[journey].link) = (row.time_s, fate, Some(row.link));
            }
        }
    }
}
