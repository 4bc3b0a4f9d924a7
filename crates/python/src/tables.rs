//! The five tables of a run as Arrow record batches. Column names carry units.

use acklab_packet::{Ack, Body, Segment};
use acklab_sim::outcome::{FlowRow, LinkRow, Outcome, PacketEvent, PacketRow, SenderState};
use arrow_array::RecordBatch;

use crate::columns::Columns;

/// Names of [`SenderState`]s, by [`state_index`].
pub(crate) const STATES: [&str; 3] = ["slow-start", "congestion-avoidance", "recovery"];
/// Names of [`PacketEvent`]s, by [`event_index`].
pub(crate) const EVENTS: [&str; 6] = ["enqueue", "dequeue", "deliver", "drop", "lose", "filter"];
/// Names of packet kinds: data is 0, ACK is 1.
pub(crate) const KINDS: [&str; 5] = ["data", "ack", "probe", "reply", "datagram"];

pub(crate) fn state_index(state: SenderState) -> usize {
    match state {
        SenderState::SlowStart => 0,
        SenderState::CongestionAvoidance => 1,
        SenderState::Recovery => 2,
    }
}

pub(crate) fn event_index(event: PacketEvent) -> usize {
    match event {
        PacketEvent::Enqueue => 0,
        PacketEvent::Dequeue => 1,
        PacketEvent::Deliver => 2,
        PacketEvent::Drop => 3,
        PacketEvent::Lose => 4,
        PacketEvent::Filter => 5,
    }
}

pub(crate) fn kind_index(row: &PacketRow) -> usize {
    match &row.packet.body {
        Body::Data(_) => 0,
        Body::Ack(_) => 1,
        Body::Probe(probe) => 2 + usize::from(probe.reply),
        Body::Datagram(_) => 4,
    }
}

/// The segment a row tells of, if it is one.
pub(crate) fn segment(row: &PacketRow) -> Option<&Segment> {
    match &row.packet.body {
        Body::Data(segment) => Some(segment),
        Body::Ack(_) | Body::Probe(_) | Body::Datagram(_) => None,
    }
}

/// The ACK a row tells of, if it is one.
pub(crate) fn ack(row: &PacketRow) -> Option<&Ack> {
    match &row.packet.body {
        Body::Data(_) | Body::Probe(_) | Body::Datagram(_) => None,
        Body::Ack(ack) => Some(ack),
    }
}

/// What opens a connection: a SYN, or the ACK that answers it.
pub(crate) fn is_syn(row: &PacketRow) -> bool {
    match &row.packet.body {
        Body::Data(segment) => segment.syn,
        Body::Ack(ack) => ack.syn,
        Body::Probe(_) | Body::Datagram(_) => false,
    }
}

/// `"G->R"` for each link direction, as the tables call it.
pub(crate) fn link_names(outcome: &Outcome) -> Vec<String> {
    outcome.links.iter().map(|link| format!("{}->{}", link.from, link.to)).collect()
}

fn flow_names(outcome: &Outcome) -> Vec<String> {
    outcome.flows.iter().map(|flow| flow.name.clone()).collect()
}

/// One column a field, in the order and under the names of the row's type.
macro_rules! columns {
    ($rows:expr, $row:ident { $($kind:ident $name:ident,)+ }) => {{
        let rows: &[$row] = $rows;
        Columns::default()$(.$kind(stringify!($name), rows.iter().map(|row| columns!(@ $kind row.$name))))+.finish()
    }};
    (@ text $value:expr) => { $value.as_str() };
    (@ $kind:ident $value:expr) => { $value };
}

/// One row a transfer.
pub(crate) fn flows(outcome: &Outcome) -> RecordBatch {
    columns!(&outcome.flows, FlowRow {
        text name, text from, text to, bool completed,
        f64 start_s, maybe_f64 first_data_s, maybe_f64 finished_s, maybe_f64 completion_s, maybe_f64 last_data_s,
        u64 bytes, f64 goodput_bps, u64 segments_sent, u64 syns_sent, u64 retransmits, u64 timeouts,
        u64 fast_retransmits, u64 window_cuts, u64 undone, u64 acks_sent, u64 acks_received, u64 acks_dropped,
        u64 acks_filtered, u64 acks_created, u64 segments_acked, f64 cwnd_segments, f64 ssthresh_segments, maybe_f64 mean_rtt_s, maybe_f64 min_rtt_s,
        u32 unit_bytes,
    })
}

/// One row a link direction.
pub(crate) fn links(rows: &[LinkRow]) -> RecordBatch {
    columns!(rows, LinkRow {
        text from, text to, f64 rate_bps, f64 delay_s, u64 packets, u64 bytes, u64 drops, u64 lost, u64 filtered,
        u64 reordered, u64 duplicated, f64 mean_queue_packets, u64 max_queue_packets, f64 utilisation, u64 attempts,
        u64 collisions, u64 retries, u64 retry_drops, f64 airtime_s,
    })
}

/// Sender state at each change.
pub(crate) fn series(outcome: &Outcome) -> RecordBatch {
    let rows = || outcome.series.iter();
    Columns::default()
        .f64("time_s", rows().map(|row| row.time_s))
        .names("flow", &flow_names(outcome), rows().map(|row| row.flow))
        .f64("cwnd_segments", rows().map(|row| row.cwnd_segments))
        .f64("ssthresh_segments", rows().map(|row| row.ssthresh_segments))
        .f64("flight_segments", rows().map(|row| row.flight_segments))
        .maybe_f64("rtt_s", rows().map(|row| (!row.rtt_s.is_nan()).then_some(row.rtt_s)))
        .f64("rto_s", rows().map(|row| row.rto_s))
        .maybe_f64(
            "cwnd_estimate_segments",
            rows().map(|row| (!row.cwnd_estimate_segments.is_nan()).then_some(row.cwnd_estimate_segments)),
        )
        .maybe_f64("backlog_segments", rows().map(|row| row.backlog_segments))
        .maybe_f64("base_rtt_s", rows().map(|row| row.base_rtt_s))
        .words("state", &STATES, rows().map(|row| state_index(row.state)))
        .finish()
}

/// Queue lengths at each change.
pub(crate) fn queue(outcome: &Outcome) -> RecordBatch {
    let rows = || outcome.queue.iter();
    Columns::default()
        .f64("time_s", rows().map(|row| row.time_s))
        .names("link", &link_names(outcome), rows().map(|row| row.link))
        .u32("queue_packets", rows().map(|row| row.queue_packets))
        .u64("queue_bytes", rows().map(|row| row.queue_bytes))
        .finish()
}

/// Packet events in the order they happened. What only a segment or only an ACK has is null on the other.
pub(crate) fn packets(outcome: &Outcome) -> RecordBatch {
    let rows = || outcome.packets.iter();
    Columns::default()
        .f64("time_s", rows().map(|row| row.time_s))
        .names("link", &link_names(outcome), rows().map(|row| row.link))
        .words("event", &EVENTS, rows().map(|row| event_index(row.event)))
        .names("flow", &flow_names(outcome), rows().map(|row| row.transfer))
        .words("kind", &KINDS, rows().map(kind_index))
        .maybe_u64("seq", rows().map(|row| segment(row).map(|segment| segment.seq)))
        .maybe_u32("len", rows().map(|row| segment(row).map(|segment| segment.len)))
        .maybe_u64("ack", rows().map(|row| ack(row).map(|ack| ack.ack)))
        .ranges("sack", rows().map(|row| ack(row).into_iter().flat_map(|ack| ack.sack.iter(ack.ack))))
        .u32("size_bytes", rows().map(|row| row.packet.size))
        .bool("retransmit", rows().map(|row| segment(row).is_some_and(|segment| segment.retransmit)))
        .bool("syn", rows().map(is_syn))
        .bool("fin", rows().map(|row| segment(row).is_some_and(|segment| segment.fin)))
        .maybe_f64("ts_val", rows().map(|row| segment(row).map(|segment| segment.ts_val.secs())))
        .maybe_f64("ts_ecr", rows().map(|row| ack(row).map(|ack| ack.ts_ecr.secs())))
        .finish()
}
