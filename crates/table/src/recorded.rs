//! Recorded rows: sender states, queue lengths and packet events, with the columns of their tables.

use acklab_packet::{Ack, Body, Packet, Segment};
use acklab_tcp::sender::control::Mode;

use crate::{Cell, Column, Kind, Row, table, words};

table! {
    /// A sender's state right after it changed.
    #[derive(Copy)]
    pub struct SeriesRow {
        /// Instant.
        pub time_s: f64,
        /// Name of the flow.
        pub flow: u32 as Flow,
        /// Congestion window.
        pub cwnd_segments: f64,
        /// Slow-start threshold.
        pub ssthresh_segments: f64,
        /// Segments on their way, as the recovery counts them: neither acknowledged nor reported, and not believed lost unless sent again.
        pub flight_segments: f64,
        /// Round-trip sample that came with this change.
        pub rtt_s: f64 as NanIsMissing,
        /// Present retransmission timeout.
        pub rto_s: f64,
        /// The receiver's estimate of cwnd, if its policy or `receiver.estimate` makes one.
        pub cwnd_estimate_segments: f64 as NanIsMissing,
        /// The congestion control's estimate of this flow's waiting segments (Veno, Vegas, BBR).
        pub backlog_segments: Option<f64>,
        /// The congestion control's estimate of the round-trip time without queues.
        pub base_rtt_s: Option<f64>,
        /// `slow-start`, `congestion-avoidance` or `recovery`.
        pub state: SenderState,
        /// Mode of a control that goes by a model of the path (BBR).
        pub mode: Option<Mode>,
        /// The bandwidth by which such a control goes, in bits of payload a second.
        pub bandwidth_bps: f32 as NanIsMissing,
        /// The largest rate that it remembers: the same without what recent losses allow.
        pub max_bandwidth_bps: f32 as NanIsMissing,
        /// The rate at which it paces.
        pub pacing_bps: f32 as NanIsMissing,
        /// What losses of earlier probes allow in flight, if there is such a bound (BBR version 3).
        pub inflight_longterm_segments: f32 as NanIsMissing,
        /// What recent losses allow in flight, if there is such a bound.
        pub inflight_shortterm_segments: f32 as NanIsMissing,
    }
}

/// The rule that governs the sender's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SenderState {
    #[default]
    SlowStart,
    CongestionAvoidance,
    Recovery,
}

words!(SenderState: "slow-start", "congestion-avoidance", "recovery");
words!(Mode: "startup", "drain", "probe-bw", "probe-down", "probe-cruise", "probe-refill", "probe-up", "probe-rtt");

table! {
    /// A queue's length right after it changed.
    #[derive(Copy)]
    pub struct QueueRow {
        /// Instant.
        pub time_s: f64,
        /// Link direction, as `G->R`.
        pub link: u32 as Link,
        /// Packets that wait.
        pub queue_packets: u32,
        /// Bytes that wait.
        pub queue_bytes: u64,
    }
}

/// An event of a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct PacketRow {
    pub time_s: f64,
    /// Index into [`crate::Outcome::links`].
    pub link: u32,
    /// Index into [`crate::Outcome::flows`].
    pub transfer: u32,
    pub event: PacketEvent,
    pub packet: Packet,
}

/// The events of a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// Offered to the link (before its loss model and queue).
    Enqueue,
    /// Taken by the transmitter.
    Dequeue,
    /// Arrived at the far end.
    Deliver,
    /// Dropped by the queue.
    Drop,
    /// Taken by the loss model.
    Lose,
    /// Removed by an ACK filter, or by a stage.
    Filter,
}

impl PacketRow {
    fn segment(&self) -> Option<&Segment> {
        if let Body::Data(segment) = &self.packet.body { Some(segment) } else { None }
    }

    fn ack(&self) -> Option<&Ack> {
        if let Body::Ack(ack) = &self.packet.body { Some(ack) } else { None }
    }

    /// Its index in the words of the column `kind`.
    fn kind(&self) -> u32 {
        match &self.packet.body {
            Body::Data(_) => 0,
            Body::Ack(_) => 1,
            Body::Probe(probe) => 2 + u32::from(probe.reply),
            Body::Datagram(_) => 4,
        }
    }

    /// It opens a connection: a SYN, or the ACK that answers it.
    fn syn(&self) -> bool {
        self.segment().is_some_and(|segment| segment.syn) || self.ack().is_some_and(|ack| ack.syn)
    }
}

impl Row for PacketRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("time_s", "Instant.", Kind::Number, |row| Cell::Number(row.time_s)),
        Column::new("link", "Link direction, as `G->R`.", Kind::Link, |row| Cell::Index(row.link)),
        Column::new(
            "event",
            "`enqueue` offered to the link, `dequeue` taken by the transmitter, `deliver` arrived at the far end, `drop` \
             dropped by the queue, `lose` taken by the loss model or given up after a wlan's retries, `filter` removed by an ACK filter.",
            Kind::Word(&["enqueue", "dequeue", "deliver", "drop", "lose", "filter"]),
            |row| Cell::Index(row.event as u32),
        ),
        Column::new("flow", "Name of the flow.", Kind::Flow, |row| Cell::Index(row.transfer)),
        Column::new(
            "kind",
            "`data` or `ack`; `probe` (a receiver's keep-alive), `reply` (its answer), `datagram` (UDP).",
            Kind::Word(&["data", "ack", "probe", "reply", "datagram"]),
            |row| Cell::Index(row.kind()),
        ),
        Column::optional("seq", "Data: first sequence unit.", Kind::Count, |row| {
            Cell::maybe(row.segment(), |segment| Cell::Count(segment.seq))
        }),
        Column::optional("len", "Data: sequence units.", Kind::Count32, |row| {
            Cell::maybe(row.segment(), |segment| Cell::Count(segment.len.into()))
        }),
        Column::optional("ack", "ACK: next unit expected.", Kind::Count, |row| {
            Cell::maybe(row.ack(), |ack| Cell::Count(ack.ack))
        }),
        Column::new("sack", "ACK: its SACK blocks, each `[start, end]`.", Kind::Ranges, |row| {
            Cell::Ranges(row.ack().into_iter().flat_map(|ack| ack.sack.iter(ack.ack)).collect())
        }),
        Column::new("size_bytes", "Size on the wire.", Kind::Count32, |row| Cell::Count(row.packet.size.into())),
        Column::new("retransmit", "Data: sent before.", Kind::Truth, |row| {
            Cell::Truth(row.segment().is_some_and(|segment| segment.retransmit))
        }),
        Column::new("syn", "A SYN, or the ACK that answers it.", Kind::Truth, |row| Cell::Truth(row.syn())),
        Column::new("fin", "Data: a FIN.", Kind::Truth, |row| {
            Cell::Truth(row.segment().is_some_and(|segment| segment.fin))
        }),
        Column::optional("ts_val", "Data: instant at which the segment was sent.", Kind::Number, |row| {
            Cell::maybe(row.segment(), |segment| Cell::Number(segment.ts_val.secs()))
        }),
        Column::optional("ts_ecr", "ACK: the `ts_val` that it echoes.", Kind::Number, |row| {
            Cell::maybe(row.ack(), |ack| Cell::Number(ack.ts_ecr.secs()))
        }),
    ];
}
