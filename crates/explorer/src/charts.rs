//! The tables that the report's charts draw, as `python/acklab/report/contents.py` makes them.

use std::collections::BTreeMap;

use acklab_packet::Body;
use acklab_sim::Outcome;
use acklab_sim::outcome::{FlowRow, LinkRow, PacketEvent, QueueRow, SeriesRow, link_name};
use serde::Serialize;

use crate::blocks::{Blocks, Place};
use crate::journeys::{Fate, Journey, journeys};
use crate::progress::{PROGRESS, progress};
use crate::senders::{CUTS, RTT, WINDOW, cuts, rtt, window};

const WAYS: [&str; 6] = ["sent_s", "number", "len", "took_s", "flags", "link"];
const SACKS: [&str; 4] = ["time_s", "start", "end", "block"];
const QUEUE: [&str; 3] = ["time_s", "queue_packets", "wait_ms"];
const DROPS: [&str; 7] = ["time_s", "event", "queue_packets", "seq", "ack", "kind", "flow"];

/// Charts of a run; the page gets their description beside the run's summary.
#[derive(Serialize)]
struct Charts {
    items: Vec<Item>,
    queues: Vec<Queue>,
}

/// Tables of a flow's charts.
#[derive(Serialize)]
struct Item {
    flow: String,
    unit: &'static str,
    unit_bytes: u32,
    tables: BTreeMap<&'static str, Place>,
    /// Link -> the place of its losses along the flow's path, from 0 (sender) to 1 (receiver).
    depths: BTreeMap<&'static str, BTreeMap<String, f64>>,
    capacity_bps: Option<f64>,
    end_s: f64,
}

#[derive(Serialize)]
struct Queue {
    link: String,
    top: u32,
    /// True if most packets offered to the link are ACKs.
    acks: bool,
    table: Place,
    drops: Place,
}

/// Appends the description of the charts' tables and their columns.
pub(crate) fn write(outcome: &Outcome, out: &mut Vec<u8>) {
    let mut blocks = Blocks::default();
    let ways = journeys(outcome);
    let mut by_flow: Vec<Vec<&Journey<'_>>> = outcome.flows.iter().map(|_| Vec::new()).collect();
    ways.iter().for_each(|way| by_flow[way.packet.transfer as usize].push(way));
    let mut series: Vec<Vec<SeriesRow>> = outcome.flows.iter().map(|_| Vec::new()).collect();
    outcome.series.iter().for_each(|row| series[row.flow as usize].push(*row));
    let paths = Paths::of(outcome);
    let items = outcome.flows.iter().enumerate().map(|(i, flow)| {
        let mut item = Item {
            flow: flow.name.clone(),
            unit: if flow.unit_bytes == 1 { "bytes" } else { "segments" },
            unit_bytes: flow.unit_bytes,
            tables: BTreeMap::new(),
            depths: BTreeMap::new(),
            capacity_bps: paths.slowest(outcome, i as u32),
            end_s: flow.finished_s.unwrap_or(outcome.end_s),
        };
        if !series[i].is_empty() {
            item.tables.insert("window", blocks.add(&WINDOW, &window(&series[i])));
            item.tables.insert("cuts", blocks.add(&CUTS, &cuts(&series[i], flow.timeouts)));
            item.tables.insert("rtt", blocks.add(&RTT, &rtt(&series[i])));
        }
        packets(&mut item, flow, i as u32, &by_flow[i], &paths, outcome, &mut blocks);
        item
    });
    let items = items.collect();
    let charts = Charts { items, queues: queues(outcome, &mut blocks) };
    serde_json::to_writer(&mut *out, &charts).expect("memory takes every number and text");
    out.push(b'\n');
    blocks.write(out);
}

/// The tables of a flow's packets.
fn packets(
    item: &mut Item,
    flow: &FlowRow,
    transfer: u32,
    ways: &[&Journey<'_>],
    paths: &Paths,
    outcome: &Outcome,
    blocks: &mut Blocks,
) {
    for (kind, data) in [("data", true), ("ack", false)] {
        let mine = || ways.iter().filter(|way| way.packet.packet.is_data() == data);
        let depths = paths.depths(outcome, transfer, data);
        let mut lost: Vec<String> =
            mine().filter_map(|way| Some(link_name(&outcome.links[way.link? as usize]))).collect();
        lost.sort();
        lost.dedup();
        let row = |way: &&Journey<'_>| {
            let link = way.link.map(|link| link_name(&outcome.links[link as usize]));
            let place = link.and_then(|link| lost.binary_search(&link).ok()).map_or(0, |place| place + 1);
            let (number, len, marks) = match way.packet.packet.body {
                Body::Data(segment) => {
                    let marks = [segment.retransmit, segment.syn, segment.fin];
                    (segment.seq, f64::from(segment.len), marks)
                }
                Body::Ack(ack) => (ack.ack, 0.0, [false, ack.syn, false]),
                Body::Probe(_) | Body::Datagram(_) => unreachable!("they have no journeys"),
            };
            let flags = (0..).zip(marks).map(|(bit, mark)| u32::from(mark) << bit).sum::<u32>();
            let flags = flags + ((way.fate as u32) << 3);
            [way.sent_s, number as f64, len, way.ended_s - way.sent_s, f64::from(flags), place as f64]
        };
        let rows: Vec<_> = mine().map(row).collect();
        item.tables.insert(kind, blocks.add(&WAYS, &rows));
        let depth = |link: String| depths.get(&link).map(|&depth| (link, depth));
        item.depths.insert(kind, lost.iter().cloned().filter_map(depth).collect());
    }
    let mut acks: Vec<_> =
        ways.iter().filter(|way| !way.packet.packet.is_data() && way.fate == Fate::Delivered).collect();
    acks.sort_by(|a, b| a.ended_s.total_cmp(&b.ended_s));
    let blocks_of = |way: &&&Journey<'_>| {
        let Body::Ack(ack) = way.packet.packet.body else { return Vec::new() };
        let row = |(i, (start, end)): (usize, (u64, u64))| [way.ended_s, start as f64, end as f64, i as f64];
        ack.sack.iter(ack.ack).enumerate().map(row).collect()
    };
    item.tables.insert("sacks", blocks.add(&SACKS, &acks.iter().flat_map(blocks_of).collect::<Vec<_>>()));
    let arrivals =
        ways.iter().filter(|way| way.fate == Fate::Delivered).filter_map(|way| match way.packet.packet.body {
            Body::Data(segment) if !segment.syn && !segment.fin && segment.len > 0 => {
                Some((way.ended_s, segment.seq, u64::from(segment.len)))
            }
            _ => None,
        });
    item.tables.insert("progress", blocks.add(&PROGRESS, &progress(arrivals.collect(), flow.unit_bytes)));
}

/// The links that each flow's data and ACKs passed, in the order of their first packet.
struct Paths(BTreeMap<(u32, bool), Vec<u32>>);

impl Paths {
    fn of(outcome: &Outcome) -> Paths {
        let mut paths: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for row in outcome.packets.iter().filter(|row| matches!(row.packet.body, Body::Data(_) | Body::Ack(_))) {
            let path = paths.entry((row.transfer, row.packet.is_data())).or_default();
            if !path.contains(&row.link) {
                path.push(row.link);
            }
        }
        Paths(paths)
    }

    fn links<'a>(&'a self, outcome: &'a Outcome, transfer: u32, data: bool) -> impl Iterator<Item = &'a LinkRow> {
        self.0.get(&(transfer, data)).into_iter().flatten().map(|&link| &outcome.links[link as usize])
    }

    /// Where each link begins along the path, as a share of the path's propagation delay; without delays, of its links.
    /// Values stay a little away from 0 and 1, so that losses at the ends are visible.
    fn depths(&self, outcome: &Outcome, transfer: u32, data: bool) -> BTreeMap<String, f64> {
        let none = self.links(outcome, transfer, data).all(|link| link.delay_s == 0.0);
        let length = |link: &LinkRow| if none { 1.0 } else { link.delay_s };
        let whole: f64 = self.links(outcome, transfer, data).map(length).sum();
        let mut before = 0.0;
        let depth = |link: &LinkRow| {
            let depth = (before / whole).clamp(0.04, 0.96);
            before += length(link);
            (link_name(link), depth)
        };
        self.links(outcome, transfer, data).map(depth).collect()
    }

    /// Rate of the slowest link that a flow's data crossed.
    fn slowest(&self, outcome: &Outcome, transfer: u32) -> Option<f64> {
        self.links(outcome, transfer, true).map(|link| link.rate_bps).min_by(f64::total_cmp)
    }
}

/// Each link's queue, the fullest first, with what was dropped there.
fn queues(outcome: &Outcome, blocks: &mut Blocks) -> Vec<Queue> {
    let mut lengths: BTreeMap<u32, Vec<&QueueRow>> = BTreeMap::new();
    outcome.queue.iter().for_each(|row| lengths.entry(row.link).or_default().push(row));
    let mut order: Vec<_> = lengths
        .into_iter()
        .map(|(link, rows)| {
            let top = rows.iter().map(|row| row.queue_packets).max().unwrap_or(0);
            (std::cmp::Reverse(top), link_name(&outcome.links[link as usize]), link, rows)
        })
        .collect();
    order.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let queue = |(top, name, link, rows): (std::cmp::Reverse<u32>, String, u32, Vec<&QueueRow>)| {
        let ends = |i: usize| rows.get(i + 1).is_none_or(|next| next.time_s != rows[i].time_s);
        let waits = waits(&rows);
        let lasting = rows.iter().enumerate().filter(|&(i, _)| ends(i));
        let table: Vec<_> = lasting.map(|(i, row)| [row.time_s, f64::from(row.queue_packets), waits[i]]).collect();
        let drops = drops(outcome, link, &table);
        let acks = mostly_acks(outcome, link);
        Queue { link: name, top: top.0, acks, table: blocks.add(&QUEUE, &table), drops: blocks.add(&DROPS, &drops) }
    };
    order.into_iter().map(queue).collect()
}

/// Milliseconds, at each change of a queue, until as many packets as waited then had left; NaN where the run ended before.
///
/// The n-th packet in leaves as the n-th out: in a FIFO queue, what its last packet still waits.
fn waits(rows: &[&QueueRow]) -> Vec<f64> {
    let mut departures = Vec::new();
    let mut before = 0;
    let mut entered = Vec::with_capacity(rows.len());
    for row in rows {
        departures.extend((row.queue_packets..before).map(|_| row.time_s));
        before = row.queue_packets;
        entered.push(departures.len() + before as usize);
    }
    let wait = |(row, n): (&&QueueRow, usize)| match (row.queue_packets, departures.get(n.wrapping_sub(1))) {
        (0, _) => 0.0,
        (_, Some(left)) => (left - row.time_s) * 1e3,
        (_, None) => f64::NAN,
    };
    rows.iter().zip(entered).map(wait).collect()
}

/// True if more than half of the packets offered to a link are ACKs.
fn mostly_acks(outcome: &Outcome, link: u32) -> bool {
    let offered = outcome.packets.iter().filter(|row| row.link == link && row.event == PacketEvent::Enqueue);
    let (acks, all) =
        offered.fold((0, 0), |(acks, all), row| (acks + usize::from(matches!(row.packet.body, Body::Ack(_))), all + 1));
    2 * acks > all
}

/// Packets lost on a link, with the queue's length at that time (NaN before its first change).
fn drops(outcome: &Outcome, link: u32, lengths: &[[f64; 3]]) -> Vec<[f64; 7]> {
    let row = |row: &acklab_sim::outcome::PacketRow| {
        let fate = Fate::of(row.event)?;
        let before = lengths.partition_point(|length| length[0] <= row.time_s).checked_sub(1);
        let length = before.map_or(f64::NAN, |at| lengths[at][1]);
        let (seq, ack, kind) = match row.packet.body {
            Body::Data(segment) => (segment.seq as f64, 0.0, 0.0),
            Body::Ack(ack) => (0.0, ack.ack as f64, 1.0),
            Body::Probe(_) | Body::Datagram(_) => (0.0, 0.0, 0.0),
        };
        Some([row.time_s, f64::from(fate as u8), length, seq, ack, kind, f64::from(row.transfer)])
    };
    outcome.packets.iter().filter(|row| row.link == link).filter_map(row).collect()
}
