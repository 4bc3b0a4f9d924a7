//! A run as one JSON object: the summary, and the recorded tables as arrays of objects with the tables' column names.

use acklab_sim::json::{Value, list, object};
use acklab_sim::outcome::{Outcome, PacketRow, QueueRow, SeriesRow};
use acklab_sim::spec::Record;

use crate::tables::{EVENTS, KINDS, STATES, ack, event_index, is_syn, kind_index, link_names, segment, state_index};

/// The summary of `outcome` and every table that `record` asked for, on one line.
pub(crate) fn to_json(outcome: &Outcome, record: Record) -> Vec<u8> {
    let links = if record.queue || record.packets { link_names(outcome) } else { Vec::new() };
    let names = Names { outcome, links: &links };
    let mut out = Vec::with_capacity(ROW_BYTES * (outcome.flows.len() + outcome.links.len()));
    outcome.write(&mut out);
    if record.series {
        add(&mut out, "series", outcome.series.iter().map(|row| Named(names, row)));
    }
    if record.queue {
        add(&mut out, "queue", outcome.queue.iter().map(|row| Named(names, row)));
    }
    if record.packets {
        add(&mut out, "packets", outcome.packets.iter().map(|row| Named(names, row)));
    }
    out
}

/// About what a row of the summary takes.
const ROW_BYTES: usize = 400;

/// Adds a table to the object written last.
fn add<Row: Value>(out: &mut Vec<u8>, name: &str, rows: impl Iterator<Item = Row>) {
    out.pop(); // the brace
    out.push(b',');
    name.write(out);
    out.push(b':');
    list(rows, out);
    out.push(b'}');
}

/// What rows refer to by index.
#[derive(Clone, Copy)]
struct Names<'a> {
    outcome: &'a Outcome,
    links: &'a [String],
}

impl<'a> Names<'a> {
    fn flow(self, index: u32) -> &'a str {
        &self.outcome.flows[index as usize].name
    }

    fn link(self, index: u32) -> &'a str {
        &self.links[index as usize]
    }
}

/// A row, and what it refers to.
struct Named<'a, Row>(Names<'a>, &'a Row);

impl Value for Named<'_, SeriesRow> {
    fn write(&self, out: &mut Vec<u8>) {
        let Named(names, row) = self;
        object!(out, {
            time_s: row.time_s,
            flow: names.flow(row.flow),
            cwnd_segments: row.cwnd_segments,
            ssthresh_segments: row.ssthresh_segments,
            flight_segments: row.flight_segments,
            rtt_s: row.rtt_s, // JSON has no NaN: a missing sample is null
            rto_s: row.rto_s,
            cwnd_estimate_segments: row.cwnd_estimate_segments, // null, too, where nobody estimates
            backlog_segments: row.backlog_segments,
            base_rtt_s: row.base_rtt_s,
            state: STATES[state_index(row.state)],
        });
    }
}

impl Value for Named<'_, QueueRow> {
    fn write(&self, out: &mut Vec<u8>) {
        let Named(names, row) = self;
        object!(out, {
            time_s: row.time_s,
            link: names.link(row.link),
            queue_packets: row.queue_packets,
            queue_bytes: row.queue_bytes,
        });
    }
}

impl Value for Named<'_, PacketRow> {
    fn write(&self, out: &mut Vec<u8>) {
        let Named(names, row) = self;
        let (segment, ack) = (segment(row), ack(row));
        object!(out, {
            time_s: row.time_s,
            link: names.link(row.link),
            event: EVENTS[event_index(row.event)],
            flow: names.flow(row.transfer),
            kind: KINDS[kind_index(row)],
            seq: segment.map(|segment| segment.seq),
            len: segment.map(|segment| segment.len),
            ack: ack.map(|ack| ack.ack),
            sack: ack.map(|ack| ack.sack.iter(ack.ack).collect::<Vec<_>>()).unwrap_or_default(),
            size_bytes: row.packet.size,
            retransmit: segment.is_some_and(|segment| segment.retransmit),
            syn: is_syn(row),
            fin: segment.is_some_and(|segment| segment.fin),
            ts_val: segment.map(|segment| segment.ts_val.secs()),
            ts_ecr: ack.map(|ack| ack.ts_ecr.secs()),
        });
    }
}
