//! The tables: their columns, each with what it means, and how they reach whoever shows them.

use crate::acks::ACK_KINDS;
use crate::connection::{Connection, Passed};
use crate::segment::Seen;
use crate::thresholds::MOST_ROWS;
use crate::way::DATA_KINDS;

/// Takes a table column by column.
pub trait Sink: Sized {
    /// Whole numbers.
    fn counts(self, name: &str, values: impl Iterator<Item = u64>) -> Self;
    /// Whole numbers that may be missing.
    fn maybe_counts(self, name: &str, values: impl Iterator<Item = Option<u64>>) -> Self;
    /// Numbers.
    fn numbers(self, name: &str, values: impl Iterator<Item = f64>) -> Self;
    /// Numbers that may be missing.
    fn maybe_numbers(self, name: &str, values: impl Iterator<Item = Option<f64>>) -> Self;
    /// Truth values.
    fn truths(self, name: &str, values: impl Iterator<Item = bool>) -> Self;
    /// Texts.
    fn texts<'a>(self, name: &str, values: impl Iterator<Item = &'a str>) -> Self;
    /// Texts out of a handful, by index.
    fn words(self, name: &str, vocabulary: &[&str], indices: impl Iterator<Item = usize>) -> Self;
}

macro_rules! table {
    (@add counts, $sink:ident, $name:ident, $rows:ident) => { $sink.counts(stringify!($name), $rows.iter().map(|row| row.$name)) };
    (@add maybe_counts, $sink:ident, $name:ident, $rows:ident) => { $sink.maybe_counts(stringify!($name), $rows.iter().map(|row| row.$name)) };
    (@add numbers, $sink:ident, $name:ident, $rows:ident) => { $sink.numbers(stringify!($name), $rows.iter().map(|row| row.$name)) };
    (@add maybe_numbers, $sink:ident, $name:ident, $rows:ident) => { $sink.maybe_numbers(stringify!($name), $rows.iter().map(|row| row.$name)) };
    (@add truths, $sink:ident, $name:ident, $rows:ident) => { $sink.truths(stringify!($name), $rows.iter().map(|row| row.$name)) };
    (@add texts, $sink:ident, $name:ident, $rows:ident) => { $sink.texts(stringify!($name), $rows.iter().map(|row| &*row.$name)) };
    (@add kinds, $sink:ident, $name:ident, $rows:ident) => { $sink.words(stringify!($name), Self::KINDS, $rows.iter().map(|row| row.$name)) };
    (@type counts) => { u64 };
    (@type maybe_counts) => { Option<u64> };
    (@type numbers) => { f64 };
    (@type maybe_numbers) => { Option<f64> };
    (@type truths) => { bool };
    (@type texts) => { String };
    (@type kinds) => { usize };
    ($(#[$about:meta])* $table:ident { $(#[doc = $doc:literal] $name:ident: $kind:tt,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub struct $table { $(#[doc = $doc] pub $name: table!(@type $kind),)+ }

        impl $table {
            /// Each column's name and meaning.
            pub const COLUMNS: &[(&str, &str)] = &[$((stringify!($name), $doc),)+];

            /// Hands the rows over column by column.
            pub fn columns<S: Sink>(rows: &[Self], sink: S) -> S {
                $(let sink = table!(@add $kind, sink, $name, rows);)+
                sink
            }
        }
    };
}
pub(crate) use table;

impl AckRow {
    const KINDS: &[&str] = &ACK_KINDS;
}

impl SegmentRow {
    const KINDS: &[&str] = &DATA_KINDS;
}

pub use crate::summary::ConnectionRow;

table! {
    /// An ACK.
    AckRow {
        /// when it passed, from the first packet of the capture
        time_s: numbers,
        /// the connection's number
        connection: counts,
        /// 0 if it acknowledges data of the end that opened the connection, 1 for the other's
        way: counts,
        /// `new`, `duplicate`, `window-update`, `probe` (a keep-alive or the answer to one), `repeated` (on data of its own), `old` (overtaken)
        kind: kinds,
        /// acknowledgment number, counted from the direction's first number seen
        ack_bytes: counts,
        /// payload bytes it acknowledges for the first time
        acked_bytes: counts,
        /// segments it completes for the first time
        acked_segments: counts,
        /// time since everything it covers had passed; null where something of it was resent, late or never seen
        delay_s: maybe_numbers,
        /// round trip from here to the receiver and back that it tells, if it tells one
        rtt_s: maybe_numbers,
        /// plain: a pure ACK of new data that passed once and in order, with no gap open
        plain: truths,
        /// it ends inside a segment
        divided: truths,
        /// it acknowledges what had not passed
        ahead: truths,
        /// SACK blocks on it
        sack_blocks: counts,
        /// window it advertises
        window_bytes: counts,
        /// sent and not acknowledged before it
        flight_bytes: counts,
    }
}

table! {
    /// A segment with data, SYN or FIN, or a keep-alive.
    SegmentRow {
        /// when it passed, from the first packet of the capture
        time_s: numbers,
        /// the connection's number
        connection: counts,
        /// 0 if the end that opened the connection sent it, 1 for the other
        way: counts,
        /// `new`, `resent` (some of it had passed), `late` (fills a gap), `keep-alive`
        kind: kinds,
        /// first number, counted from the direction's first number seen
        seq_bytes: counts,
        /// payload
        payload_bytes: counts,
        /// sent and not acknowledged after it
        flight_bytes: counts,
        /// window of its sender in segments, as a receiver here could estimate it; null before the first round trip
        cwnd_segments: maybe_numbers,
    }
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
        passed: &Passed,
        at_ns: i64,
    ) -> u64 {
        let rows = u64::from(passed.data.is_some()) + u64::from(passed.ack.is_some());
        if self.acks.len() + self.segments.len() + rows as usize > MOST_ROWS {
            return rows;
        }
        let time_s = at_ns as f64 * 1e-9;
        let number = |way: usize, wide: u64| wide.saturating_sub(connection.ways[way].first.unwrap_or(wide));
        if let Some(kind) = passed.data {
            let way = &connection.ways[passed.from];
            self.segments.push(SegmentRow {
                time_s,
                connection: index as u64,
                way: passed.from as u64,
                kind: kind as usize,
                seq_bytes: number(passed.from, passed.seq),
                payload_bytes: seen.payload.into(),
                flight_bytes: way.flight_bytes(),
                cwnd_segments: way.eyes.cwnd(connection.last_ns),
            });
        }
        if let Some(told) = passed.ack {
            let way = 1 - passed.from;
            self.acks.push(AckRow {
                time_s,
                connection: index as u64,
                way: way as u64,
                kind: told.kind as usize,
                ack_bytes: number(way, told.ack),
                acked_bytes: told.bytes,
                acked_segments: told.segments,
                delay_s: told.delay,
                rtt_s: told.rtt,
                plain: told.clean,
                divided: told.divided,
                ahead: told.ahead,
                sack_blocks: told.sacks.into(),
                window_bytes: told.window,
                flight_bytes: told.flight,
            });
        }
        0
    }
}
