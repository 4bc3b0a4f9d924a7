//! A simulation at its beginning: from a scenario to links, routes and flows.

use std::sync::Arc;

use acklab_packet::{Phase, Time};
use acklab_path::spec::LinkSpec;
use acklab_scenario::spec::{FlowSpec, Scenario, Stop};
use acklab_tcp::rules::PhaseSource;

use super::Simulation;
use super::follow::Trees;
use super::watch::Watch;
use crate::error::CannotGoOn;
use crate::event::Event;
use crate::flow::{self, Flow};
use crate::hop::{Hop, Meets};
use crate::medium::{Medium, ports};
use crate::network::Network;
use crate::record::Recorder;
use crate::route::{Routes, leaving};
use crate::stages::{self, Placed};

impl Simulation {
    /// A simulation at time 0; `ahead`: hops over links that book are decided ahead.
    pub(super) fn deciding(scenario: Arc<Scenario>, ahead: bool) -> Result<Simulation, CannotGoOn> {
        let leaving = leaving(scenario.nodes.len(), &scenario.links);
        let stream = |link: &LinkSpec, part: &str| scenario.link_stream(link, part);
        let ports = ports(&scenario.media, scenario.links.len());
        let Placed { meets, behind, stages } = stages::place(&scenario.links, &ports, stream);
        let watched = scenario.record.packets || scenario.record.queue;
        let hop = |(spec, meets): (&LinkSpec, &Meets)| Hop::new(spec, watched, *meets, |part| stream(spec, part));
        let mut hops: Vec<Hop> = scenario.links.iter().zip(&meets).map(hop).collect();
        // Behind them the places of stages, which links lead to as to another link.
        hops.extend(stages.iter().zip(0..).map(|(placed, id)| {
            let spec = LinkSpec { stages: Vec::new(), loss: None, ..scenario.links[placed.link as usize].clone() };
            Hop::new(&spec, false, Meets::Stages(id), |part| stream(&spec, part))
        }));
        let media = scenario.media.iter().map(|spec| Medium::new(spec, &scenario)).collect();
        let total = scenario.flows.iter().map(|spec| spec.count as usize).sum();
        let (mut flows, mut routes, mut flow_routes) = (Vec::with_capacity(total), Routes::default(), Vec::new());
        flow_routes.reserve_exact(total);
        for (table, spec) in scenario.flows.iter().enumerate() {
            let [there, back] = [(spec.from, spec.to), (spec.to, spec.from)].map(|(from, to)| {
                routes.find(from, to, &scenario.links, &leaving, &behind).expect("the scenario's nodes are connected")
            });
            routes.fit(&spec.name)?;
            for member in 0..spec.count {
                let stream = |what: &str| flow::stream(scenario.seed, spec, member, what);
                let at = || Time::from_secs(spec.start.secs() + f64::from(member) * spec.stagger.secs());
                let start = if spec.after.is_some() { Time::NEVER } else { at() };
                flows.push(Flow::new(spec, (table as u32, member), flows.len() as u32, start, stream));
                flow_routes.push([there, back]);
            }
        }
        let recorder = Recorder::new(scenario.record, &flow_routes, &scenario.links);
        if ahead {
            let starts = flow_routes.iter().flatten().copied();
            routes.pair(starts, &mut hops);
        } else {
            hops.iter_mut().for_each(|hop| hop.link.never_book());
        }
        let own = flows.len() as u32;
        let mut net = Network::new((hops, media, stages), routes, flow_routes, recorder);
        net.own = own;
        for (id, flow) in flows.iter().enumerate().filter(|(_, flow)| flow.start < Time::NEVER) {
            net.schedule(flow.start, Event::Start(id as u32));
        }
        // Decided before the run: whatever happens at that very instant comes after it.
        let end = match scenario.stop {
            Stop::FlowsComplete { at_most } => at_most,
            Stop::At(at) => at,
        };
        net.schedule(end, Event::Stop);
        for (id, expect) in (0..).zip(&scenario.expect) {
            if let Some(at) = expect.at {
                net.schedule(at, Event::Look(id));
            }
        }
        let unfinished = scenario.flows.iter().filter(|spec| spec.finite()).map(|spec| spec.count as usize).sum();
        let transfers = flows.len() as u32;
        let shared_phase = scenario.flows.iter().any(reads_shared_phase).then_some(Phase::SlowStart);
        Ok(Simulation {
            trees: Trees::new(&scenario, &flows),
            looked: vec![None; scenario.expect.len()],
            scenario,
            net,
            flows,
            streams: Vec::new(),
            earlier: Vec::new(),
            unfinished,
            transfers,
            shared_phase,
            ended: false,
            ahead,
            arrived: Vec::new(),
            watch: Watch::default(),
        })
    }
}

/// Whether the receivers of a table read the flag that all flows share.
pub(super) fn reads_shared_phase(table: &FlowSpec) -> bool {
    table.receiver.ack.phase_source() == Some(PhaseSource::Shared)
}
