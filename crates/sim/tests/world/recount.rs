//! What a summary tells, computed again from the recorded rows; and what no summary may tell.

use std::collections::{BTreeMap, BTreeSet};

use acklab_packet::Body;
use acklab_path::spec::{LossPlace, QueueSpec};
use acklab_path::stage::StageSpec;
use acklab_scenario::spec::{FlowSpec, Scenario};
use acklab_sim::Outcome;
use acklab_sim::outcome::{FlowRow, LinkRow, PacketEvent, PacketRow};
use proptest::prelude::*;

/// The rounding of a sum of many terms.
fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1e-9)
}

/// Every average and instant of a summary is possible.
pub fn possible(outcome: &Outcome) -> Result<(), TestCaseError> {
    for link in &outcome.links {
        let &LinkRow { mean_queue_packets: mean, max_queue_packets: max, utilisation, airtime_s, .. } = link;
        prop_assert!(mean >= 0.0 && mean <= max as f64 * (1.0 + 1e-9), "a queue of {mean} on average, {max} at most");
        prop_assert!((0.0..=1.0 + 1e-9).contains(&utilisation), "utilisation {utilisation}");
        prop_assert!(airtime_s >= 0.0 && airtime_s.is_finite(), "airtime {airtime_s}");
    }
    for flow in &outcome.flows {
        let spans = [flow.last_data_s, flow.completion_s, flow.min_rtt_s, flow.mean_rtt_s, flow.first_data_s];
        prop_assert!(spans.iter().flatten().all(|span| *span >= 0.0 && span.is_finite()), "{flow:?}");
        prop_assert!(flow.goodput_bps >= 0.0 && !flow.goodput_bps.is_nan(), "{flow:?}");
        let least = flow.min_rtt_s.unwrap_or_default();
        prop_assert!(flow.mean_rtt_s.is_none_or(|mean| mean >= least * (1.0 - 1e-9)), "{flow:?}");
    }
    Ok(())
}

/// Every average and instant of a recorded run's summary follows from its rows.
pub fn follows_from_rows(scenario: &Scenario, outcome: &Outcome) -> Result<(), TestCaseError> {
    possible(outcome)?;
    for index in 0..outcome.links.len() {
        queue_by_its_rows(scenario, outcome, index)?;
        let air = scenario.media.iter().any(|medium| medium.links.contains(&(index as u32)));
        if air {
            let link = &outcome.links[index];
            prop_assert!(near(link.utilisation, link.airtime_s / outcome.end_s), "{link:?}");
        } else {
            queue_by_packets(scenario, outcome, index)?;
            utilisation_by_packets(scenario, outcome, index)?;
        }
    }
    for index in 0..outcome.flows.len() {
        round_trips_by_series(outcome, index)?;
        flow_by_packets(scenario, outcome, index)?;
    }
    Ok(())
}

/// The time average of a queue is the integral of its recorded lengths, and its maximum the largest of them.
fn queue_by_its_rows(scenario: &Scenario, outcome: &Outcome, index: usize) -> Result<(), TestCaseError> {
    let link = &outcome.links[index];
    let (mut area, mut since, mut length, mut longest) = (0.0, 0.0, 0, 0);
    for row in outcome.queue.iter().filter(|row| row.link as usize == index) {
        area += f64::from(length) * (row.time_s - since);
        (since, length, longest) = (row.time_s, row.queue_packets, longest.max(row.queue_packets));
    }
    area += f64::from(length) * (outcome.end_s - since);
    let told = link.mean_queue_packets * outcome.end_s;
    prop_assert!(near(area, told), "link {index}: {area} of the queue's rows, {told} told");
    // RED and composed queues take a packet in before it is served, even when the link is idle; so does every queue before grants.
    let exact = match &scenario.links[index].queue {
        _ if scenario.links[index].varying.is_some() => false,
        QueueSpec::DropTail(params) => {
            params.filter.is_none() && params.drop == Default::default() && params.scheduler == Default::default()
        }
        _ => false,
    };
    let told = link.max_queue_packets as u32;
    prop_assert!(told == longest || (!exact && told == longest.max(1)), "link {index}: {longest} seen, {told} told");
    Ok(())
}

fn before_queue(scenario: &Scenario, index: usize) -> bool {
    scenario.links[index].loss.as_ref().is_some_and(|loss| loss.r#where == LossPlace::BeforeQueue)
}

fn rows_of(outcome: &Outcome, index: usize) -> impl Iterator<Item = &PacketRow> {
    outcome.packets.iter().filter(move |row| row.link as usize == index)
}

/// The same average from arrivals less departures.
fn queue_by_packets(scenario: &Scenario, outcome: &Outcome, index: usize) -> Result<(), TestCaseError> {
    let (mut area, mut since, mut length) = (0.0, 0.0, 0_i64);
    // What stages remove is told of at the place behind the link.
    let place = |row: &PacketRow| (row.packet.flow, row.packet.is_data(), row.packet.place);
    let came = rows_of(outcome, index).filter(|row| row.event == PacketEvent::Enqueue);
    let places: BTreeSet<_> = came.map(place).collect();
    for row in rows_of(outcome, index) {
        area += length as f64 * (row.time_s - since);
        since = row.time_s;
        length += match row.event {
            PacketEvent::Enqueue => 1,
            PacketEvent::Filter => -i64::from(places.contains(&place(row))),
            PacketEvent::Dequeue | PacketEvent::Drop => -1,
            PacketEvent::Lose if before_queue(scenario, index) => -1,
            PacketEvent::Lose | PacketEvent::Deliver => 0,
        };
        prop_assert!(length >= 0);
    }
    area += length as f64 * (outcome.end_s - since);
    let told = outcome.links[index].mean_queue_packets * outcome.end_s;
    prop_assert!(near(area, told), "link {index}: {area} of the packets, {told} told");
    waits(&outcome.links[index], area, length)
}

/// The waits of what has left a queue are its integral, less those of what still waits.
fn waits(link: &LinkRow, area: f64, length: i64) -> Result<(), TestCaseError> {
    let (sent, removed) = (link.sent_wait_s, link.removed_wait_s);
    prop_assert!(sent >= 0.0 && removed >= 0.0, "{link:?}");
    prop_assert!(removed == 0.0 || link.drops + link.filtered > 0, "{link:?}");
    let all = sent + removed;
    let right = if length == 0 { near(area, all) } else { all <= area * (1.0 + 1e-9) };
    prop_assert!(right, "{area} waited in all, {sent} by what was sent, {removed} by what was removed; {length} wait");
    Ok(())
}

/// A transmitter is busy while it serves; of the last packet only up to the end.
fn utilisation_by_packets(scenario: &Scenario, outcome: &Outcome, index: usize) -> Result<(), TestCaseError> {
    let spec = &scenario.links[index];
    if spec.stages.iter().any(|stage| matches!(stage, StageSpec::HeaderCompression(_))) {
        return Ok(()); // the rows have the packets before they are compressed
    }
    if spec.varying.is_some() {
        return Ok(()); // a packet's service follows from the server's state
    }
    let served = rows_of(outcome, index).filter(|row| row.event == PacketEvent::Dequeue);
    let busy: f64 =
        served.map(|row| spec.rate.transmission(row.packet.size).secs().min(outcome.end_s - row.time_s)).sum();
    let told = outcome.links[index].utilisation * outcome.end_s;
    // What is in service at the end is counted whole, and what is left of it then is taken off.
    let whole = spec.rate.transmission(u16::MAX.into()).secs();
    prop_assert!(near(busy, told) || (busy - told).abs() < 1e-12 * whole, "link {index}: busy for {busy}, {told} told");
    Ok(())
}

/// Round trips are those of the sender's rows.
fn round_trips_by_series(outcome: &Outcome, index: usize) -> Result<(), TestCaseError> {
    let rows = outcome.series.iter().filter(|row| row.flow as usize == index && !row.rtt_s.is_nan());
    let samples: Vec<f64> = rows.map(|row| row.rtt_s).collect();
    let flow = &outcome.flows[index];
    let least = samples.iter().copied().reduce(f64::min);
    prop_assert_eq!(flow.min_rtt_s, least, "{}", &flow.name);
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let told = flow.mean_rtt_s.unwrap_or(mean);
    prop_assert!(samples.is_empty() || near(mean, told), "{}: {mean} of the series, {told} told", &flow.name);
    Ok(())
}

/// The table of a row, and whether the row is of a transfer that was repeated.
fn table_of<'a>(scenario: &'a Scenario, outcome: &Outcome, flow: &FlowRow) -> (&'a FlowSpec, bool) {
    let (base, number) = flow.name.split_once('#').unwrap_or((&flow.name, "1"));
    let later = format!("{base}#{}", number.parse::<u32>().expect("a number") + 1);
    let known = |table: &&FlowSpec| table.name == base;
    let counted = |table: &&FlowSpec| table.count > 1 && base.starts_with(&table.name);
    let table = scenario.flows.iter().find(known).or_else(|| scenario.flows.iter().find(counted));
    (table.expect("a row has a table"), outcome.flows.iter().any(|other| other.name == later))
}

/// Links and far ends with stages that a packet passes from one node to another.
fn places(scenario: &Scenario, from: u32, to: u32) -> u32 {
    let route = acklab_sim::route(scenario, from, to).expect("connected");
    let mut staged: Vec<u32> = route.clone();
    staged.dedup();
    staged.retain(|&link| scenario.links[link as usize].stages.iter().any(|stage| stage.at_far_end()));
    (route.len() + staged.len()) as u32
}

/// First and last data, and the goodput, from what was sent and delivered.
fn flow_by_packets(scenario: &Scenario, outcome: &Outcome, index: usize) -> Result<(), TestCaseError> {
    let flow = &outcome.flows[index];
    let (table, repeated) = table_of(scenario, outcome, flow);
    let end = flow.finished_s.filter(|_| repeated).unwrap_or(f64::INFINITY);
    let rows = || outcome.packets.iter().filter(|row| row.transfer as usize == index && row.time_s <= end);
    let payload = |row: &&PacketRow| match row.packet.body {
        Body::Data(segment) => !segment.syn,
        Body::Datagram(_) => true,
        Body::Ack(_) | Body::Probe(_) => false,
    };
    let first = rows().filter(|row| row.event == PacketEvent::Enqueue && row.packet.place == 0).find(payload);
    let first = first.map(|row| row.time_s);
    prop_assert_eq!(flow.first_data_s, first, "{}", &flow.name);
    let Some(first) = first else {
        prop_assert_eq!((flow.last_data_s, flow.goodput_bps), (None, 0.0), "{}", &flow.name);
        return Ok(());
    };
    let last_place = places(scenario, table.from, table.to) - 1;
    let came = rows().filter(|row| row.event == PacketEvent::Deliver && row.packet.place == last_place);
    let last = last_in_order(came, table.sender.syn).map(|at| at - first);
    prop_assert_eq!(flow.last_data_s, last, "{}", &flow.name);
    let seconds = flow.finished_s.unwrap_or(outcome.end_s) - first;
    let goodput = if seconds > 0.0 { 8.0 * flow.bytes as f64 / seconds } else { 0.0 };
    prop_assert!(near(flow.goodput_bps, goodput), "{}: {goodput} of the packets, {}", &flow.name, flow.goodput_bps);
    Ok(())
}

/// When the last payload came of what came without a gap; every datagram counts.
fn last_in_order<'a>(came: impl Iterator<Item = &'a PacketRow>, syn: bool) -> Option<f64> {
    let (mut next, mut last, mut beyond) = (0, None, BTreeMap::new());
    for row in came {
        match row.packet.body {
            Body::Datagram(_) => last = Some(row.time_s),
            Body::Data(segment) => {
                let longest = beyond.entry(segment.seq).or_insert(0);
                *longest = segment.end().max(*longest);
                let before = next;
                while let Some((&seq, &end)) = beyond.first_key_value()
                    && seq <= next
                {
                    next = end.max(next);
                    beyond.remove(&seq);
                }
                if next > before && next > u64::from(syn) && !segment.fin {
                    last = Some(row.time_s);
                }
            }
            Body::Ack(_) | Body::Probe(_) => {}
        }
    }
    last
}
