//! The seam for nodes that are not the simulator's: packets come in at an instant, and leave with their outcome.
//!
//! A program with such nodes owns the clock. It asks when the simulation's next event is due ([`Simulation::due`]). It
//! lets that happen ([`Simulation::run_some`]) or its own, whichever is earlier. It offers what its nodes send
//! ([`Simulation::offer`]), and collects what has left the network ([`Simulation::take_left`]). Packets stand in the
//! links' queues among those of the scenario's flows, and are recorded like them.

use std::sync::Arc;

use acklab_packet::{Packet, Time};
use acklab_path::queue::{FlowClass, Removal};
use acklab_scenario::spec::Scenario;

use super::Simulation;
use crate::error::CannotGoOn;
use crate::event::Event;
use crate::left::Left;
use crate::network::AcksRemoved;
use crate::outcome::FlowRow;
use crate::route::leaving;

/// Packets one way between two nodes, of which at least the sending one is outside.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    name: String,
    ends: [u32; 2],
    /// Its row in the outcome.
    transfer: u32,
}

/// What [`Simulation::open_stream`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The number that its packets bear as their flow.
    pub flow: u32,
    /// Its row in the outcome's `flows`, which has its name and its nodes; the rest of the row is the caller's to fill.
    pub row: u32,
}

impl Simulation {
    /// A simulation at time 0 to which packets may come from outside: it decides event by event from the beginning.
    ///
    /// # Errors
    /// As [`Simulation::try_new`].
    pub fn with_outside(scenario: Arc<Scenario>) -> Result<Simulation, CannotGoOn> {
        if let Some(key) = scenario.flows.iter().find_map(|spec| spec.unsupplied()) {
            return Err(CannotGoOn::new(format!("{key} names an algorithm that the program has not supplied")));
        }
        Simulation::deciding(scenario, false)
    }

    /// Opens a stream from one node of the scenario to another, whose packets have this code point of DiffServ.
    ///
    /// # Errors
    /// No links lead there, or the routes are too long in all.
    pub fn open_stream(&mut self, name: &str, [from, to]: [u32; 2], dscp: u8) -> Result<Opened, CannotGoOn> {
        let scenario = &self.scenario;
        let mut behind = vec![None; scenario.links.len()];
        for (placed, id) in self.net.stages.iter().zip(scenario.links.len() as u32..) {
            behind[placed.link as usize] = Some(id);
        }
        let leaving = leaving(scenario.nodes.len(), &scenario.links);
        let Some(start) = self.net.routes.find(from, to, &scenario.links, &leaving, &behind) else {
            return Err(CannotGoOn::new(format!("no links lead where `{name}` goes")));
        };
        self.net.routes.fit(name)?;
        let (flow, row) = ((self.flows.len() + self.streams.len()) as u32, self.transfers);
        self.transfers += 1;
        self.net.open([start; 2], row, FlowClass { source: from, destination: to, dscp, one_way: true });
        self.streams.push(Stream { name: name.to_owned(), ends: [from, to], transfer: row });
        Ok(Opened { flow, row })
    }

    /// When the next event is due; `None` once the run has ended.
    pub fn due(&mut self) -> Option<Time> {
        self.net.peek().map(|due| due.time())
    }

    /// A packet of an opened stream enters the network at `at`, or now if that is later; everything due before must have
    /// happened. Returns the instant.
    pub fn offer(&mut self, packet: Packet, at: Time) -> Time {
        let at = at.max(self.now());
        // No flow handles it: it stands for what happens outside.
        self.net.current = self.net.decide(at, Event::Write(packet.flow));
        self.net.send(packet);
        at
    }

    /// Takes over what has left the network since the last call; `into` is empty.
    pub fn take_left(&mut self, into: &mut Vec<Left>) {
        std::mem::swap(&mut self.net.left, into);
    }

    /// The rows of streams, each with its place, with no more than their names.
    pub(super) fn stream_rows(&self) -> impl Iterator<Item = (u32, FlowRow)> + '_ {
        let node = |node: u32| self.scenario.nodes[node as usize].clone();
        self.streams.iter().map(move |stream| {
            let [from, to] = stream.ends.map(node);
            (stream.transfer, FlowRow { name: stream.name.clone(), from, to, unit_bytes: 1, ..FlowRow::default() })
        })
    }
}

impl crate::network::Network {
    /// One more flow, whose routes begin there and whose records belong to the outcome's row `row`.
    fn open(&mut self, starts: [u32; 2], row: u32, class: FlowClass) {
        self.hops.iter_mut().for_each(|hop| hop.link.learn(class));
        self.media.iter_mut().for_each(|medium| medium.server.learn(class));
        self.starts.push(starts);
        self.acks_removed.push(AcksRemoved::default());
        self.recorder.open(starts, row);
    }

    /// A packet of an outside node leaves the network.
    #[cold]
    pub(crate) fn leave(&mut self, packet: &Packet, removal: Option<Removal>) {
        self.left.push(Left { at: self.now(), packet: *packet, removal });
    }
}
