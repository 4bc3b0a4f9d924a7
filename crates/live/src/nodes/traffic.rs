//! What nodes outside send each other, on its way through the simulated network: streams, captures, and where it arrives.
//!
//! Who has the clock, a calendar or the machine's, is another matter: it says when a frame leaves its node, and takes what has arrived.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

use acklab_capture::RawPcap;
use acklab_packet::Time;
use acklab_scenario::spec::{Scenario, Stop};
use acklab_sim::outcome::Outcome;
use acklab_sim::{Left, Simulation};

use super::frame::{self, Goal};
use super::key::Key;
use super::network::{Arrival, Network};
use super::streams::{StreamRow, Streams};

/// The simulated network, and the packets from outside in it.
pub struct Traffic {
    /// The network, and the simulated flows.
    sim: Simulation,
    /// The scenario's nodes that are outside.
    nodes: Vec<u32>,
    /// Packets that went to no node.
    astray: u64,
    streams: Streams,
    left: Vec<Left>,
    captures: Vec<RawPcap<BufWriter<File>>>,
}

/// The stage on a link of the scenario that does not carry outside packets, if there is one.
pub fn refused(scenario: &Scenario) -> Option<&'static str> {
    scenario.links.iter().flat_map(|link| &link.stages).find_map(|stage| stage.only_simulated())
}

impl Traffic {
    /// Nothing yet, between these nodes of the scenario; `captures` is a directory for each node's packets, as NODE.pcap.
    ///
    /// # Errors
    /// A capture cannot be made, or the scenario cannot run.
    pub fn new(scenario: &Scenario, nodes: Vec<u32>, captures: Option<&Path>) -> Result<Traffic, String> {
        // Its flows may be done before its programs are.
        let end = match scenario.stop {
            Stop::FlowsComplete { at_most } => at_most,
            Stop::At(at) => at,
        };
        let scenario = Arc::new(Scenario { stop: Stop::At(end), ..scenario.clone() });
        let capture = |folder: &Path| -> io::Result<Vec<_>> {
            let names = acklab_scenario::file_names(&scenario.nodes);
            let place = |&node: &u32| folder.join(format!("{}.pcap", names[node as usize]));
            let file = |node: &u32| RawPcap::new(BufWriter::new(File::create(place(node))?), 262_144);
            nodes.iter().map(file).collect()
        };
        let captures = captures.map(capture).transpose().map_err(|error| format!("captures: {error}"))?;
        let copies = scenario.links.iter().any(|link| !link.stages.is_empty());
        Ok(Traffic {
            sim: Simulation::with_outside(scenario).map_err(|why| why.to_string())?,
            nodes,
            astray: 0,
            streams: Streams::new(copies),
            left: Vec::new(),
            captures: captures.unwrap_or_default(),
        })
    }

    /// The outcome, in which each stream is a flow; more of these streams; and how many packets went to no node.
    pub fn finish(mut self) -> (Outcome, Vec<StreamRow>, u64) {
        self.captures.drain(..).for_each(|file| _ = file.finish());
        let mut outcome = self.sim.give();
        let streams = self.streams.rows(&mut outcome.flows);
        (outcome, streams, self.astray)
    }
}

impl Network for Traffic {
    fn name(&self, node: usize) -> String {
        format!("node {}", self.sim.scenario().nodes[self.nodes[node] as usize])
    }

    fn number(&self, node: usize) -> u32 {
        self.nodes[node]
    }

    fn due(&mut self) -> Option<Time> {
        self.sim.due()
    }

    fn step(&mut self, _: Time) -> Result<(), String> {
        self.sim.run_some(1).map(|_| ()).map_err(|why| why.to_string())
    }

    fn ended(&self) -> bool {
        self.sim.ended()
    }

    fn sent(&mut self, node: usize, frame: &[u8], at: Option<Time>, time_ns: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(bytes) = frame::packet(frame) else {
            self.astray += 1;
            return Ok(None);
        };
        let (from, nodes) = (self.nodes[node], self.sim.scenario().nodes.len());
        let (to, at) = match (frame::goal(bytes, nodes), at) {
            (Goal::Control, _) => return Ok(Some(frame::control(bytes).to_vec())),
            (Goal::Neighbours, _) => return Ok(None),
            (Goal::Node(to), Some(at)) if to != from && !self.sim.ended() => (to, at),
            _ => {
                self.astray += 1;
                return Ok(None);
            }
        };
        let Some(key) = Key::of(bytes, from, to) else { return Ok(None) };
        self.capture(node, bytes, time_ns)?;
        let sim = &mut self.sim;
        let stream = self.streams.find(key, at, || {
            let name = key.name(&sim.scenario().nodes);
            let opened = sim.open_stream(&name, [from, to], key.dscp).map_err(|why| why.to_string())?;
            Ok((name, opened))
        })?;
        let packet = self.streams.send(stream, bytes, at.max(sim.now()));
        sim.offer(packet, at);
        Ok(None)
    }

    fn capture(&mut self, node: usize, bytes: &[u8], time_ns: u64) -> Result<(), String> {
        let Some(file) = self.captures.get_mut(node) else { return Ok(()) };
        file.packet(time_ns, bytes, bytes.len() as u32).map_err(|error| format!("captures: {error}"))
    }

    fn arrivals(&mut self, into: &mut Vec<Arrival>) {
        self.sim.take_left(&mut self.left);
        let nodes = self.sim.scenario().nodes.len();
        for left in self.left.drain(..) {
            let Some(bytes) = self.streams.left(&left) else { continue };
            let Goal::Node(to) = frame::goal(&bytes, nodes) else { continue };
            match self.nodes.iter().position(|&node| node == to) {
                Some(node) => into.push(Arrival { node, at: left.at, bytes }),
                None => self.astray += 1,
            }
        }
    }
}
