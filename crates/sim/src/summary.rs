//! The summary tables: one row a transfer, one a link direction.

use acklab_packet::Time;
use acklab_path::queue::{Counts, Totals};
use acklab_path::spec::LinkSpec;
use acklab_path::stage::Done;

use crate::flow::Flow;
use crate::hop::Hop;
use crate::network::{Network, Served};
use crate::outcome::{FlowRow, LinkRow};
use crate::source::Application;
use acklab_scenario::spec::Scenario;

/// What a flow's present transfer is called.
pub fn transfer_name(scenario: &Scenario, flow: &Flow) -> String {
    let spec = &scenario.flows[flow.spec as usize];
    let mut name = spec.name.clone();
    if spec.count > 1 {
        name.push_str(&flow.member.to_string());
    }
    if flow.connection > 0 {
        name.push_str(&format!("#{}", flow.connection + 1));
    }
    name
}

/// The row of a flow's present transfer, as it stands.
pub fn flow_row(scenario: &Scenario, flow: &Flow, id: usize, net: &Network) -> FlowRow {
    let spec = &scenario.flows[flow.spec as usize];
    let (core, counters) = (flow.sender.core(), flow.sender.counters());
    let received = flow.receiver.counters();
    let view = flow.sender.view();
    let since_first = |at: Time| flow.first_data().map(|first| (at - first).secs());
    let bytes = flow.sender.bytes_acked();
    let seconds = since_first(flow.finished().unwrap_or(net.now()));
    let removed = net.acks_removed[id];
    let (recoveries, repair_s) = flow.sender.repairs(net.now());
    // A SYN alone is no data.
    let syn = u64::from(core.rules.syn);
    if let Some(Application::Datagrams(source)) = flow.source.as_deref() {
        let bytes = source.received * u64::from(source.bytes());
        return FlowRow {
            name: transfer_name(scenario, flow),
            from: scenario.nodes[spec.from as usize].clone(),
            to: scenario.nodes[spec.to as usize].clone(),
            start_s: (flow.start < Time::NEVER).then(|| flow.start.secs()),
            first_data_s: flow.first_data().map(Time::secs),
            last_data_s: since_first(source.last_arrival).filter(|_| source.received > 0),
            bytes,
            goodput_bps: seconds.filter(|&s| s > 0.0).map_or(0.0, |s| 8.0 * bytes as f64 / s),
            segments_sent: source.sent,
            unit_bytes: source.bytes(),
            ..FlowRow::default()
        };
    }
    FlowRow {
        name: transfer_name(scenario, flow),
        from: scenario.nodes[spec.from as usize].clone(),
        to: scenario.nodes[spec.to as usize].clone(),
        completed: flow.finished().is_some(),
        start_s: (flow.start < Time::NEVER).then(|| flow.start.secs()),
        first_data_s: flow.first_data().map(Time::secs),
        finished_s: flow.finished().map(Time::secs),
        completion_s: flow.finished().and_then(since_first),
        last_data_s: since_first(flow.receiver.last_progress()).filter(|_| flow.receiver.rcv_nxt() > syn),
        bytes,
        goodput_bps: seconds.filter(|&s| s > 0.0).map_or(0.0, |s| 8.0 * bytes as f64 / s),
        segments_sent: counters.segments_sent,
        syns_sent: counters.syns_sent.into(),
        retransmits: counters.retransmits,
        timeouts: counters.timeouts.into(),
        fast_retransmits: counters.fast_retransmits.into(),
        recoveries: recoveries.into(),
        repair_s,
        max_stall_s: flow.first_data().map(|_| flow.max_stall(net.now()).secs()),
        window_cuts: counters.window_cuts.into(),
        undone: counters.undone.into(),
        false_acks: counters.false_acks.into(),
        marks_received: flow.receiver.marks(),
        marks_counted: flow.sender.marks(),
        marked_share: flow.sender.marked_share(),
        acks_sent: received.acks_sent,
        acks_received: counters.acks_received,
        acks_dropped: u64::from(removed.dropped),
        acks_filtered: u64::from(removed.filtered),
        acks_created: u64::from(removed.created),
        segments_acked: flow.sender.segments_acked(),
        cwnd_segments: view.cwnd,
        ssthresh_segments: view.ssthresh,
        mean_rtt_s: (counters.rtt_samples > 0).then(|| counters.rtt_sum / counters.rtt_samples as f64),
        min_rtt_s: (counters.rtt_samples > 0).then_some(counters.rtt_min),
        unit_bytes: if core.seq.mss == 1 { core.rules.packet } else { 1 },
    }
}

/// What was counted of a link direction up to `end`.
pub struct Counted {
    /// Of what was transmitted.
    pub totals: Totals,
    /// Of its queue and its loss model.
    pub counts: Counts,
    /// By its stages.
    pub done: Done,
    /// Packets that wait at the end.
    pub waiting: usize,
    /// Share of the time during which it was busy.
    pub utilisation: f64,
    /// When this was counted.
    pub end: Time,
}

/// A link's row; the columns of a shared medium are 0.
pub fn link_row(scenario: &Scenario, spec: &LinkSpec, counted: Counted) -> LinkRow {
    let Counted { totals, counts, done, waiting, utilisation, end } = counted;
    let node = |index: u32| scenario.nodes[index as usize].clone();
    LinkRow {
        from: node(spec.from),
        to: node(spec.to),
        rate_bps: spec.rate.bps(),
        delay_s: spec.delay.secs(),
        packets: totals.packets,
        bytes: totals.bytes,
        ack_packets: totals.ack_packets,
        ack_bytes: totals.ack_bytes,
        drops: counts.drops,
        lost: counts.lost,
        filtered: counts.filtered,
        reordered: done.reordered,
        duplicated: done.duplicated,
        thinned: done.thinned,
        mean_queue_packets: counts.mean_queue(waiting, end),
        max_queue_packets: counts.queue_max,
        sent_wait_s: counts.sent_wait,
        removed_wait_s: counts.removed_wait,
        utilisation,
        ..LinkRow::default()
    }
}

/// The links' rows, as they stand.
pub fn link_rows(scenario: &Scenario, net: &Network) -> Vec<LinkRow> {
    let end = net.now();
    let mut done = vec![Done::default(); scenario.links.len()];
    net.stages.iter().for_each(|stages| done[stages.link as usize] = stages.done());
    let row = |(((spec, hop), done), Served { totals, free }): (((&LinkSpec, &Hop), Done), Served)| {
        let (link, air) = (&hop.link, hop.port().map(|port| (&net.media[port.medium as usize], port.port)));
        let stats = air.map(|(medium, port)| medium.stats(port, end)).unwrap_or_default();
        let (totals, counts) = air.map_or((totals, link.counts), |(medium, port)| medium.server.counts(port));
        let waiting = air.map_or_else(|| link.waiting(), |(medium, port)| medium.server.waiting(port).0);
        let share = if end > Time::ZERO { stats.airtime / end.secs() } else { 0.0 };
        let utilisation = if air.is_some() { share } else { link.utilisation(totals.bytes, free, end) };
        LinkRow {
            lost: link.counts.lost,
            attempts: stats.attempts,
            collisions: stats.collisions,
            retries: stats.retries,
            retry_drops: stats.given_up,
            airtime_s: stats.airtime,
            ..link_row(scenario, spec, Counted { totals, counts, done, waiting, utilisation, end })
        }
    };
    scenario.links.iter().zip(&net.hops).zip(done).zip(net.served()).map(row).collect()
}
