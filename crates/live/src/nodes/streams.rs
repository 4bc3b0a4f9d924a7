//! What became of packets on their way, a row for each direction of a conversation.

use std::collections::HashMap;

use acklab_packet::{Body, Packet, Time};
use acklab_path::queue::Removal;
use acklab_sim::outcome::FlowRow;
use acklab_sim::{Left, Opened};
use serde::Serialize;

use super::frame::Content;
use super::key::Key;
use crate::numbers::Numbers;

/// Most delays kept of a stream; when there are more, every second one is, then every fourth, and so on.
const MAX_DELAYS: usize = 1 << 20;
/// Most streams of a run, each with its own ports.
pub const MAX_STREAMS: usize = 100_000;

/// A packet on its way.
#[derive(Clone, Debug)]
struct Travelling {
    stream: usize,
    at: Time,
    content: Content,
}

/// One direction of a conversation.
#[derive(Debug)]
struct Stream {
    opened: Opened,
    numbers: Numbers,
    /// Past the highest sequence unit sent.
    highest: u64,
    /// Every how manieth delay is kept.
    every: u64,
    delays: Vec<f64>,
    row: StreamRow,
}

/// What is told of a stream. Instants and spans are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StreamRow {
    /// What it is called: `tcp S:5201>R:40000`.
    pub name: String,
    /// IP's number of its protocol.
    pub protocol: u8,
    /// Its code point of DiffServ.
    pub dscp: u8,
    /// When its first packet left, and its last one.
    pub first_s: f64,
    /// See `first_s`.
    pub last_s: f64,
    /// Packets that the sending kernel handed over, and their bytes from IP's header on.
    pub packets: u64,
    /// See `packets`.
    pub bytes: u64,
    /// Of TCP: segments that begin below what was sent before.
    pub retransmits: u64,
    /// Packets that arrived, their bytes, and the bytes behind their headers; copies count.
    pub arrived: u64,
    /// See `arrived`.
    pub arrived_bytes: u64,
    /// See `arrived`.
    pub payload_bytes: u64,
    /// Packets that queues dropped, that loss models took, that ACK filters or stages removed.
    pub dropped: u64,
    /// See `dropped`.
    pub lost: u64,
    /// See `dropped`.
    pub filtered: u64,
    /// Packets that queues marked, of those that arrived.
    pub marked: u64,
    /// One-way delays of those that arrived: the least, the median, two percentiles, the most.
    pub delay_min_s: Option<f64>,
    /// See `delay_min_s`.
    pub delay_p50_s: Option<f64>,
    /// See `delay_min_s`.
    pub delay_p95_s: Option<f64>,
    /// See `delay_min_s`.
    pub delay_p99_s: Option<f64>,
    /// See `delay_min_s`.
    pub delay_max_s: Option<f64>,
}

/// All streams, and the packets on their way.
#[derive(Debug, Default)]
pub struct Streams {
    known: HashMap<Key, usize>,
    streams: Vec<Stream>,
    travelling: HashMap<u64, Travelling>,
    /// Some stages copy packets, or make some of others: one that has arrived is kept for a while.
    copies: bool,
    offered: u64,
    last: Time,
}

/// How long one that has arrived is kept where stages copy, and how often old ones are thrown away, in packets.
const KEPT: Time = Time::from_secs(10.0);
const CLEANING: u64 = 1 << 14;

impl Streams {
    /// None yet; `copies`: on this path are stages that copy packets, or make some of others.
    pub fn new(copies: bool) -> Streams {
        Streams { copies, ..Streams::default() }
    }

    /// The stream with a key, which `open` opens if it is new.
    ///
    /// # Errors
    /// What `open` says, or there are too many.
    pub fn find(
        &mut self,
        key: Key,
        at: Time,
        open: impl FnOnce() -> Result<(String, Opened), String>,
    ) -> Result<usize, String> {
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        if self.streams.len() >= MAX_STREAMS {
            return Err(format!("the programs have opened {MAX_STREAMS} conversations"));
        }
        let (name, opened) = open()?;
        let row =
            StreamRow { name, protocol: key.protocol, dscp: key.dscp, first_s: at.secs(), ..StreamRow::default() };
        self.known.insert(key, self.streams.len());
        let (numbers, delays) = (Numbers::default(), Vec::new());
        self.streams.push(Stream { opened, numbers, highest: 0, every: 1, delays, row });
        Ok(self.streams.len() - 1)
    }

    /// A packet of a stream leaves its node at `at`, as the simulator carries it. Its timestamp is the instant of its
    /// departure, and so says which packet it is; no endpoint reads it. If another has left at that instant, the
    /// timestamp is moved by less than could be measured.
    pub fn send(&mut self, stream: usize, bytes: &[u8], at: Time) -> Packet {
        self.offered += 1;
        if self.copies && self.offered.is_multiple_of(CLEANING) {
            self.travelling.retain(|_, one| one.at + KEPT > at);
        }
        let stamp = if at > self.last { at } else { Time::from_secs(self.last.secs().next_up()) };
        self.last = stamp;
        let one = &mut self.streams[stream];
        let content = Content::new(bytes, &mut one.numbers);
        let mut body = content.body(one.row.packets);
        match &mut body {
            Body::Data(segment) => {
                segment.ts_val = stamp;
                segment.retransmit = one.row.protocol == 6 && segment.seq < one.highest;
                one.row.retransmits += u64::from(segment.retransmit);
                one.highest = one.highest.max(segment.end());
            }
            Body::Ack(ack) => ack.ts_ecr = stamp,
            _ => {}
        }
        one.row.packets += 1;
        one.row.bytes += bytes.len() as u64;
        one.row.last_s = at.secs();
        let packet = Packet { flow: one.opened.flow, size: bytes.len() as u32, connection: 0, place: 0, body };
        self.travelling.insert(stamp.bits(), Travelling { stream, at, content });
        packet
    }

    /// A packet has left the network: its bytes, if it has arrived.
    pub fn left(&mut self, left: &Left) -> Option<Vec<u8>> {
        let stamp = match &left.packet.body {
            Body::Data(segment) => segment.ts_val,
            Body::Ack(ack) => ack.ts_ecr,
            _ => return None,
        };
        let found = if self.copies {
            self.travelling.get(&stamp.bits()).cloned()
        } else {
            self.travelling.remove(&stamp.bits())
        };
        let Travelling { stream, at, content } = found?;
        let Stream { row, delays, every, .. } = &mut self.streams[stream];
        match left.removal {
            Some(Removal::Full | Removal::Early) => row.dropped += 1,
            Some(Removal::Lost) => row.lost += 1,
            Some(Removal::Filtered) => row.filtered += 1,
            None => {
                if row.arrived.is_multiple_of(*every) {
                    delays.push((left.at - at).secs());
                    if delays.len() >= MAX_DELAYS {
                        let mut keep = false;
                        delays.retain(|_| {
                            keep = !keep;
                            keep
                        });
                        *every *= 2;
                    }
                }
                let (bytes, marked) = content.arrived(&left.packet);
                row.arrived += 1;
                row.arrived_bytes += bytes.len() as u64;
                row.payload_bytes += content.payload() as u64;
                row.marked += u64::from(marked);
                return Some(bytes);
            }
        }
        None
    }

    /// The rows, in order of the streams' first packets; what the simulation's rows of them can tell goes into `flows`.
    pub fn rows(self, flows: &mut [FlowRow]) -> Vec<StreamRow> {
        let row = |Stream { opened, mut delays, mut row, .. }: Stream| {
            delays.sort_by(f64::total_cmp);
            let at =
                |share: f64| delays.get(((delays.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
            row.delay_min_s = delays.first().copied();
            (row.delay_p50_s, row.delay_p95_s, row.delay_p99_s) = (at(0.5), at(0.95), at(0.99));
            row.delay_max_s = delays.last().copied();
            if let Some(flow) = flows.get_mut(opened.row as usize) {
                let span = row.last_s - row.first_s;
                flow.start_s = Some(row.first_s);
                flow.first_data_s = Some(row.first_s);
                flow.last_data_s = Some(span);
                flow.bytes = row.payload_bytes;
                flow.goodput_bps = if span > 0.0 { 8.0 * row.payload_bytes as f64 / span } else { 0.0 };
                (flow.segments_sent, flow.retransmits) = (row.packets, row.retransmits);
            }
            row
        };
        self.streams.into_iter().map(row).collect()
    }
}
