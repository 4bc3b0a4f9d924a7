//! Random experiments at the edges of what is allowed: packets larger than queues, times that vanish beside others, tables
//! that say nothing, media, stages, and any rules.

use std::sync::Arc;

use acklab_packet::{Rate, Time};
use acklab_path::spec::QueueSpec;
use acklab_scenario::spec::{FlowSpec, Record, Scenario, Size, Source};
use acklab_scenario::{expanded_toml, parse_toml};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::draw::{stacked, wild};
use crate::world::{World, stages, without_header, world};

/// Queues that hold next to nothing, or less than one packet, or whatever comes.
fn queue() -> impl Strategy<Value = QueueSpec> {
    let limits = [
        json!({ "packets": 1 }),
        json!({ "packets": 2 }),
        json!({ "packets": u64::MAX }),
        json!({ "waiting": 0 }),
        json!({ "waiting": 1 }),
        json!({ "bytes": "0B" }),
        json!({ "bytes": "40B" }),
        json!({ "bytes": "1000B" }),
        json!({ "bytes": "1500B" }),
        json!({ "bytes": "3kB" }),
        json!({ "waiting_bytes": "0B" }),
        json!({ "waiting_bytes": "1B" }),
        json!({ "waiting_bytes": "1200B" }),
    ];
    let disciplines = [
        json!({}),
        json!({}),
        json!({}),
        json!({ "scheduler": "round-robin" }),
        json!({ "scheduler": "acks-first", "drop": "front" }),
        json!({ "drop": "longest-front", "filter": { "kind": "static", "threshold": 1 } }),
        json!({ "drop": "fastest-oldest" }),
    ];
    (select(limits.to_vec()), select(disciplines.to_vec())).prop_map(|(mut queue, discipline)| {
        let table = queue.as_object_mut().expect("a table");
        table.extend(discipline.as_object().expect("a table").clone());
        table.insert("kind".into(), "drop-tail".into());
        serde_json::from_value(queue).expect("a queue")
    })
}

/// One link direction's edges.
#[derive(Clone, Debug)]
struct Edges {
    queue: Option<QueueSpec>,
    delay: Option<f64>,
    rate: Option<f64>,
    /// Of its neighbours in this list.
    staged: bool,
}

fn edges() -> impl Strategy<Value = Edges> {
    let delay = select(&[0.0, 1e-300, 5e-324, 1e-18, 1e-9, 3.0][..]);
    let rate = select(&[8.0, 9_600.0, 1e6, 1e9][..]);
    let (queue, delay) = (prop::option::weighted(0.4, queue()), prop::option::weighted(0.4, delay));
    (queue, delay, prop::option::weighted(0.2, rate), prop::bool::weighted(0.1))
        .prop_map(|(queue, delay, rate, staged)| Edges { queue, delay, rate, staged })
}

/// What is changed in one flow.
fn flow_edges() -> impl Strategy<Value = (Option<crate::draw::Case>, Option<u64>, Option<u32>)> {
    let rules = prop_oneof![2 => Just(None), 1 => stacked().prop_map(Some), 1 => wild().prop_map(Some)];
    (rules, prop::option::weighted(0.2, 1_u64..3), prop::option::weighted(0.5, select(&[28_u32, 1_001, 65_535][..])))
}

/// A network of the air beside the others, on which two flows cross; its stations and rules.
fn air() -> impl Strategy<Value = String> {
    let macs = ["{}", "{ rts_threshold = '0B' }", "{ phy = '802.11n' }", "{ frame_loss = 0.3, short_retries = 3 }"];
    (1_usize..4, select(macs.to_vec()), 0_u64..3).prop_map(|(stations, mac, waiting)| {
        let names: Vec<String> = (0..stations).map(|index| format!("'M{index}'")).collect();
        format!(
            "\n[[wlan]]\nap = 'n0'\nstations = [{}]\nqueue = {{ kind = 'drop-tail', waiting = {waiting} }}\nmac = {mac}\n\
             [[flow]]\nname = 'down'\nfrom = 'n1'\nto = 'M0'\nsize.segments = 20\n\
             [[flow]]\nname = 'up'\nfrom = 'M{}'\nto = 'n1'\nsize.segments = 20\n",
            names.join(", "),
            stations - 1
        )
    })
}

/// A random experiment, as a text says it.
pub fn ordinary() -> impl Strategy<Value = World> {
    world().prop_filter_map("no scenario", |World(scenario)| Some(World(read(&scenario, "")?)))
}

/// A random experiment at the edges.
pub fn edgy() -> impl Strategy<Value = World> {
    let links = prop::collection::vec(edges(), 16);
    let flows = prop::collection::vec(flow_edges(), 5);
    let air = prop::option::weighted(0.15, air());
    let length = prop::option::weighted(0.2, select(&[1e-300, 1e-3, 0.04][..]));
    (world(), links, flows, air, length, prop::collection::vec(stages(), 4)).prop_filter_map(
        "no scenario",
        |(World(mut scenario), links, flows, air, length, stages)| {
            scenario.record = Record::default();
            for (link, edges) in scenario.links.iter_mut().zip(&links) {
                link.queue = edges.queue.clone().unwrap_or(link.queue.clone());
                link.delay = edges.delay.map_or(link.delay, Time::from_secs);
                link.rate = edges.rate.map_or(link.rate, Rate::from_bps);
            }
            for ((link, _), stages) in
                scenario.links.iter_mut().zip(&links).filter(|(_, edges)| edges.staged).zip(stages)
            {
                link.stages = stages;
            }
            for (flow, (case, segments, packet)) in scenario.flows.iter_mut().zip(flows) {
                change(flow, case, segments, packet);
            }
            // So small that the stop comes first.
            if let Some(length) = length {
                scenario.stop = acklab_scenario::spec::Stop::At(Time::from_secs(length));
                scenario.flows.iter_mut().for_each(|flow| flow.start = Time::ZERO);
            }
            Some(World(read(&scenario, air.as_deref().unwrap_or_default())?))
        },
    )
}

fn change(flow: &mut FlowSpec, case: Option<crate::draw::Case>, segments: Option<u64>, packet: Option<u32>) {
    if let (Some(case), None) = (case, &flow.source) {
        let (mut sender, receiver) = case.rules();
        if flow.sender.header == 0 {
            without_header(&mut sender);
        }
        (flow.sender, flow.receiver) = (Arc::new(sender), Arc::new(receiver));
    }
    // A link may be fast now.
    match (segments, flow.size) {
        (Some(segments), _) => flow.size = Size::Segments(segments),
        (None, Size::Unlimited) => flow.size = Size::Segments(200),
        _ => {}
    }
    if let (Some(packet), Some(Source::Udp(spec))) = (packet, &mut flow.source) {
        spec.packet = packet;
    }
}

/// The scenario as its text says it, with more tables behind; `None` if what was drawn does not go together.
fn read(scenario: &Scenario, more: &str) -> Option<Scenario> {
    parse_toml(&(expanded_toml(scenario) + more), "drawn").ok()
}
