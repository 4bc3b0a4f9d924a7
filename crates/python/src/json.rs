//! A run as one JSON object: the summary, and the recorded tables as arrays of objects with the tables' column names.

use acklab_sim::outcome::{Outcome, PacketRow, QueueRow, SeriesRow};
use acklab_sim::spec::Record;
use serde::ser::{Serialize, Serializer};

use crate::tables::{EVENTS, KINDS, STATES, ack, event_index, is_syn, kind_index, link_names, segment, state_index};

/// The summary of `outcome` and every table that `record` asked for, on one line.
pub(crate) fn to_json(outcome: &Outcome, record: Record) -> String {
    let links = if record.queue || record.packets { link_names(outcome) } else { Vec::new() };
    let rows = Rows { outcome, links: &links };
    let whole = Whole {
        summary: outcome,
        series: record.series.then_some(Table(rows, &outcome.series)),
        queue: record.queue.then_some(Table(rows, &outcome.queue)),
        packets: record.packets.then_some(Table(rows, &outcome.packets)),
    };
    let mut text = Vec::with_capacity(ROW_BYTES * (outcome.flows.len() + outcome.links.len()));
    serde_json::to_writer(&mut text, &whole).expect("strings, numbers and lists always serialise");
    String::from_utf8(text).expect("JSON is text")
}

/// About what a row of the summary takes.
const ROW_BYTES: usize = 400;

#[derive(serde::Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    summary: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Table<'a, SeriesRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<Table<'a, QueueRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<Table<'a, PacketRow>>,
}

/// What rows refer to by index.
#[derive(Clone, Copy)]
struct Rows<'a> {
    outcome: &'a Outcome,
    links: &'a [String],
}

impl<'a> Rows<'a> {
    fn flow(self, index: u32) -> &'a str {
        &self.outcome.flows[index as usize].name
    }

    fn link(self, index: u32) -> &'a str {
        &self.links[index as usize]
    }
}

struct Table<'a, Row>(Rows<'a>, &'a [Row]);

/// A row as an object.
trait Object {
    fn object<'a>(&'a self, rows: Rows<'a>) -> impl Serialize + 'a;
}

impl<Row: Object> Serialize for Table<'_, Row> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_seq(self.1.iter().map(|row| row.object(self.0)))
    }
}

impl Object for SeriesRow {
    fn object<'a>(&'a self, rows: Rows<'a>) -> impl Serialize + 'a {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            time_s: f64,
            flow: &'a str,
            cwnd_segments: f64,
            ssthresh_segments: f64,
            flight_segments: f64,
            rtt_s: f64, // JSON has no NaN: a missing sample is null
            rto_s: f64,
            cwnd_estimate_segments: f64, // null, too, where nobody estimates
            backlog_segments: Option<f64>,
            base_rtt_s: Option<f64>,
            state: &'a str,
        }
        let &SeriesRow { time_s, flow, cwnd_segments, ssthresh_segments, flight_segments, rtt_s, rto_s, .. } = self;
        let &SeriesRow { cwnd_estimate_segments, backlog_segments, base_rtt_s, state, .. } = self;
        let (flow, state) = (rows.flow(flow), STATES[state_index(state)]);
        Fields {
            time_s,
            flow,
            cwnd_segments,
            ssthresh_segments,
            flight_segments,
            rtt_s,
            rto_s,
            cwnd_estimate_segments,
            backlog_segments,
            base_rtt_s,
            state,
        }
    }
}

impl Object for QueueRow {
    fn object<'a>(&'a self, rows: Rows<'a>) -> impl Serialize + 'a {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            time_s: f64,
            link: &'a str,
            queue_packets: u32,
            queue_bytes: u64,
        }
        let &QueueRow { time_s, link, queue_packets, queue_bytes } = self;
        Fields { time_s, link: rows.link(link), queue_packets, queue_bytes }
    }
}

impl Object for PacketRow {
    fn object<'a>(&'a self, rows: Rows<'a>) -> impl Serialize + 'a {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            time_s: f64,
            link: &'a str,
            event: &'a str,
            flow: &'a str,
            kind: &'a str,
            seq: Option<u64>,
            len: Option<u32>,
            ack: Option<u64>,
            sack: Vec<(u64, u64)>,
            size_bytes: u32,
            retransmit: bool,
            syn: bool,
            fin: bool,
            ts_val: Option<f64>,
            ts_ecr: Option<f64>,
        }
        let (segment, ack) = (segment(self), ack(self));
        Fields {
            time_s: self.time_s,
            link: rows.link(self.link),
            event: EVENTS[event_index(self.event)],
            flow: rows.flow(self.transfer),
            kind: KINDS[kind_index(self)],
            seq: segment.map(|segment| segment.seq),
            len: segment.map(|segment| segment.len),
            ack: ack.map(|ack| ack.ack),
            sack: ack.map(|ack| ack.sack.iter(ack.ack).collect()).unwrap_or_default(),
            size_bytes: self.packet.size,
            retransmit: segment.is_some_and(|segment| segment.retransmit),
            syn: is_syn(self),
            fin: segment.is_some_and(|segment| segment.fin),
            ts_val: segment.map(|segment| segment.ts_val.secs()),
            ts_ecr: ack.map(|ack| ack.ts_ecr.secs()),
        }
    }
}
