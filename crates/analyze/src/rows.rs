//! Tables of ACKs and data segments.

use acklab_table::table;

use crate::acks::AckKind;
use crate::connection::{Connection, Passed};
use crate::direction::DataKind;
use crate::limits::Limit;
use crate::numbers::span_s;
use crate::segment::Seen;
use crate::summary::finished;
use crate::thresholds::MAX_ROWS;

table! {
    /// An ACK.
    pub struct AckRow {
        /// When it passed, from the first packet of the capture.
        pub time_s: f64,
        /// The connection's number.
        pub connection: u64,
        /// 0 if it acknowledges data of the end that opened the connection, 1 for the other's.
        pub direction: u64,
        /// `new`, `duplicate`, `window-update`, `probe` (a keep-alive or the answer to one), `repeated` (on data of its own), `old` (overtaken).
        pub kind: AckKind,
        /// Acknowledgment number, counted from the direction's first number seen.
        pub ack_bytes: u64,
        /// Payload bytes it acknowledges for the first time.
        pub acked_bytes: u64,
        /// Segments it completes for the first time.
        pub acked_segments: u64,
        /// Time since everything it covers had passed; null where something of it was resent, late or never seen.
        pub delay_s: Option<f64>,
        /// Round trip from here to the receiver and back that it times, if any.
        pub rtt_s: Option<f64>,
        /// Plain: a pure ACK of new data that passed once and in order, with no gap open.
        pub plain: bool,
        /// It ends inside a segment.
        pub divided: bool,
        /// It acknowledges what had not passed.
        pub ahead: bool,
        /// SACK blocks on it.
        pub sack_blocks: u64,
        /// Window it advertises.
        pub window_bytes: u64,
        /// Sent and not acknowledged before it.
        pub flight_bytes: u64,
        /// Number of its packet in the file, from 1, as Wireshark counts (`frame.number`).
        pub frame: u64,
    }
}

table! {
    /// A segment with data, SYN or FIN, or a keep-alive.
    pub struct SegmentRow {
        /// When it passed, from the first packet of the capture.
        pub time_s: f64,
        /// The connection's number.
        pub connection: u64,
        /// 0 if the end that opened the connection sent it, 1 for the other.
        pub direction: u64,
        /// `new`, `resent` (some of it had passed), `late` (fills a gap), `keep-alive`.
        pub kind: DataKind,
        /// First number, counted from the direction's first number seen.
        pub seq_bytes: u64,
        /// Payload.
        pub payload_bytes: u64,
        /// Sent and not acknowledged after it.
        pub flight_bytes: u64,
        /// Window of its sender in segments, as a receiver here could estimate it; null before the first round trip.
        pub cwnd_segments: Option<f64>,
        /// Number of its packet in the file, from 1, as Wireshark counts (`frame.number`).
        pub frame: u64,
    }
}

table! {
    /// Payload of a direction in a bin of time.
    pub struct ThroughputRow {
        /// When the bin begins, from the first packet of the capture.
        pub start_s: f64,
        /// When it ends.
        pub end_s: f64,
        /// The connection's number.
        pub connection: u64,
        /// 0 if the end that opened the connection sent the data, 1 for the other.
        pub direction: u64,
        /// Payload bits that passed a second, with what was resent.
        pub throughput_bps: f64,
        /// Payload bits acknowledged a second, for the first time.
        pub goodput_bps: f64,
    }
}

table! {
    /// A span of time in which one cause limited a direction.
    pub struct LimitRow {
        /// When it begins, from the first packet of the capture, at the sender as seen from here.
        pub start_s: f64,
        /// When it ends.
        pub end_s: f64,
        /// The connection's number.
        pub connection: u64,
        /// 0 if the end that opened the connection sent the data, 1 for the other.
        pub direction: u64,
        /// `application`, `receiver-window`, `closed-window`, `recovery`, `slow-start`, `path-rate`, `ack-path`, `cwnd`, `sender-window`, `network`.
        pub limit: Limit,
        /// Number in the file of the packet that began it.
        pub first_frame: u64,
        /// And of the one that ended it.
        pub last_frame: u64,
    }
}

/// The spans of both directions of a connection, by a clock of so many seconds a tick.
pub fn limits(index: usize, connection: &Connection, tick: f64) -> Vec<LimitRow> {
    let rows = (0..2).flat_map(|number| {
        let (direction, _) = finished(connection, number, tick);
        let rows: Vec<_> = direction.limits.spans.rows().collect();
        rows.into_iter().map(move |(from, to, limit, [first_frame, last_frame])| LimitRow {
            start_s: from as f64 * 1e-9,
            end_s: to as f64 * 1e-9,
            connection: index as u64,
            direction: number as u64,
            limit,
            first_frame,
            last_frame,
        })
    });
    rows.collect()
}

/// The bins of both directions of a connection.
pub fn throughput(index: usize, connection: &Connection) -> impl Iterator<Item = ThroughputRow> {
    connection.directions.iter().zip(0..).flat_map(move |(direction, number)| {
        direction.bins.rows().map(move |(start, end, passed, acked)| {
            let rate = |bytes: u64| 8.0 * bytes as f64 / span_s(start, end);
            ThroughputRow {
                start_s: start as f64 * 1e-9,
                end_s: end as f64 * 1e-9,
                connection: index as u64,
                direction: number,
                throughput_bps: rate(passed),
                goodput_bps: rate(acked),
            }
        })
    })
}

/// A row for every packet.
#[derive(Clone, Debug, Default)]
pub struct Packets {
    /// ACKs, as they passed.
    pub acks: Vec<AckRow>,
    /// Segments, as they passed.
    pub segments: Vec<SegmentRow>,
}

impl Packets {
    /// Adds the rows of a packet; how many there is no room for.
    pub(crate) fn add(
        &mut self,
        index: usize,
        connection: &Connection,
        seen: &Seen,
        passed: Passed,
        frame: u64,
    ) -> u64 {
        let rows = u64::from(passed.data.is_some()) + u64::from(passed.ack.is_some());
        if self.acks.len() + self.segments.len() + rows as usize > MAX_ROWS {
            return rows;
        }
        let time_s = connection.last_ns as f64 * 1e-9;
        let number =
            |direction: usize, wide: u64| wide.saturating_sub(connection.directions[direction].first.unwrap_or(wide));
        if let Some(kind) = passed.data {
            let direction = &connection.directions[passed.from];
            self.segments.push(SegmentRow {
                time_s,
                connection: index as u64,
                direction: passed.from as u64,
                kind,
                seq_bytes: number(passed.from, passed.seq),
                payload_bytes: seen.payload.into(),
                flight_bytes: direction.flight_bytes(),
                cwnd_segments: direction.eyes.cwnd(connection.last_ns),
                frame,
            });
        }
        if let Some(record) = passed.ack {
            let direction = 1 - passed.from;
            self.acks.push(AckRow {
                time_s,
                connection: index as u64,
                direction: direction as u64,
                ack_bytes: number(direction, record.ack_bytes),
                frame,
                ..record
            });
        }
        0
    }
}
