//! From what was seen of a run to its rows.

use acklab_packet::Time;
use acklab_path::direction::QueueLength;
use acklab_sim::outcome::{LinkRow, QueueRow};
use acklab_sim::{Counted, link_row};

use crate::duty::Role;
use crate::edge::Edge;
use crate::ignored::Ignored;
use crate::lateness::{Summary, refusal};
use crate::outcome::{FlowRow, Outcome};
use crate::plan::{Plan, PlannedFlow};
use crate::sample::Sample;
use crate::way::Way;

/// What was seen of a run.
#[derive(Debug)]
pub struct Seen {
    /// Both directions of the path.
    pub ways: [Way; 2],
    /// The kernels' state every 5 ms.
    pub series: Vec<Sample>,
    /// When the run ended.
    pub end: Time,
    /// How late packets were released.
    pub lateness: Summary,
    /// More than so late is too late for the numbers to mean what they say, in seconds.
    pub late_s: f64,
    /// Packets that the kernels did not take.
    pub refused: u64,
    /// Of each side's kernel: recoveries that duplicate ACKs or SACK began, where it has one sender.
    pub recoveries: [Option<u64>; 2],
    /// Remarks on each flow's sender, for people.
    pub labels: Vec<String>,
    /// Differences from the plan, for people.
    pub notes: Vec<String>,
    /// The rules that were not followed.
    pub ignored: Vec<Ignored>,
    /// The kernels' release.
    pub kernel: String,
}

/// The rows.
pub fn outcome(plan: &Plan, seen: Seen) -> Outcome {
    let mut why = Vec::new();
    let missed: u64 = seen.ways.iter().filter_map(|way| way.tape.as_ref()).map(|tape| tape.missed).sum();
    if missed > 0 {
        why.push(format!("the captures lack {missed} packets for which there was no memory"));
    }
    let foreign: u64 = seen.ways.iter().map(|way| way.foreign).sum();
    if foreign > 0 {
        why.push(format!("{foreign} packets that belong to no flow were not carried"));
    }
    let [there, back] = seen.ways;
    let mut flows = flow_rows(plan, [&there, &back], &seen.series, seen.end);
    for ((row, label), flow) in flows.iter_mut().zip(seen.labels).zip(&plan.flows) {
        row.control = label;
        row.fast_retransmits = seen.recoveries[flow.side];
    }
    let (mut links, mut queue) = (Vec::new(), Vec::new());
    for (mut way, course) in [there, back].into_iter().zip(&plan.courses) {
        for (place, &index) in course.links.iter().enumerate() {
            let row = links.len() as u32;
            let lengths = way.hops.links_mut()[place].take_lengths();
            queue.extend(lengths.into_iter().map(|QueueLength { time_s, packets, bytes }| QueueRow {
                time_s,
                link: row,
                queue_packets: packets,
                queue_bytes: bytes,
            }));
            links.push(direction_row(plan, index, &way, place, seen.end));
        }
    }
    queue.sort_by(|a: &QueueRow, b| a.time_s.total_cmp(&b.time_s));
    let wrong: Vec<_> = [seen.lateness.too_late(seen.late_s), refusal(seen.refused)].into_iter().flatten().collect();
    let valid = wrong.is_empty();
    why.extend(wrong);
    Outcome {
        title: plan.scenario.title.clone(),
        seed: plan.scenario.seed,
        end_s: seen.end.secs(),
        valid,
        why,
        lateness: seen.lateness,
        kernel: seen.kernel,
        notes: plan.notes.iter().cloned().chain(seen.notes).collect(),
        ignored: seen.ignored,
        flows,
        links,
        series: seen.series,
        queue,
    }
}

fn flow_rows(plan: &Plan, carried: [&Way; 2], series: &[Sample], end: Time) -> Vec<FlowRow> {
    let row = |(index, flow): (usize, &PlannedFlow)| {
        let [data, acks] = [carried[flow.side], carried[1 - flow.side]];
        let (Role::Data { sent, .. }, Role::Acks { got, edge, .. }) = (&data.flows[index], &acks.flows[index]) else {
            return None;
        };
        let shaper = edge.as_deref().map(Edge::counts);
        let samples = || series.iter().filter(|sample| sample.flow as usize == index);
        let last = samples().next_back();
        let rtts: Vec<f64> = samples().filter_map(|sample| sample.srtt_s).collect();
        let bytes = got.bytes(sent.payload_end());
        let since = |at: Option<Time>| Some((at? - sent.first_data?).secs());
        let seconds = since(Some(got.finished.unwrap_or(end)));
        Some(FlowRow {
            name: flow.name.clone(),
            from: flow.nodes[0].clone(),
            to: flow.nodes[1].clone(),
            completed: got.finished.is_some(),
            start_s: flow.start_s,
            first_data_s: sent.first_data.map(Time::secs),
            finished_s: got.finished.map(Time::secs),
            completion_s: since(got.finished),
            last_data_s: since(sent.last_progress),
            bytes,
            goodput_bps: seconds.filter(|&s| s > 0.0).map_or(0.0, |s| 8.0 * bytes as f64 / s),
            segments_sent: sent.segments_sent,
            syns_sent: sent.syns_sent,
            retransmits: sent.retransmits,
            timeouts: last.and_then(|sample| sample.timeouts),
            fast_retransmits: None,
            acks_sent: got.acks_sent,
            acks_received: got.acks_received,
            acks_dropped: got.acks_dropped,
            acks_filtered: got.acks_filtered,
            acks_created: acks.hops.acks_created()[index],
            cwnd_segments: last.map(|sample| sample.cwnd_segments),
            ssthresh_segments: last.and_then(|sample| sample.ssthresh_segments),
            mean_srtt_s: (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64),
            min_rtt_s: last.and_then(|sample| sample.min_rtt_s),
            control: flow.control.clone(),
            segment_bytes: plan.settings.payload(),
            acks_offered: shaper.map(|shaper| shaper.offered),
            acks_thinned: shaper.map(|shaper| shaper.thinned),
            acks_made: shaper.map(|shaper| shaper.made),
        })
    };
    plan.flows.iter().enumerate().filter_map(row).collect()
}

fn direction_row(plan: &Plan, index: usize, way: &Way, place: usize, end: Time) -> LinkRow {
    let link = &way.hops.links()[place];
    let counted = Counted {
        totals: link.totals(),
        counts: link.link().counts,
        done: link.done(),
        waiting: link.link().waiting(),
        utilisation: link.utilisation(end),
        end,
    };
    link_row(&plan.scenario, &plan.scenario.links[index], counted)
}
