//! Links that share a medium: what [`Dcf`] decides, as events.

use std::collections::HashMap;

use acklab_packet::{Packet, Time};
use acklab_path::queue::AnyQueue;
use acklab_path::random::Random;
use acklab_path::server::{AirStats, Dcf, DcfParams, Fate, Frame};

use crate::event::Due;
use crate::pending::EventQueue;
use crate::timer::LazyTimer;
use acklab_scenario::spec::{MediumSpec, Scenario};

/// A medium, and which link each of its ports is.
#[derive(Clone, Debug)]
pub struct Medium {
    pub(crate) server: Dcf<Packet>,
    /// For each port its link.
    pub(crate) links: Vec<u32>,
    timer: LazyTimer,
    pub(crate) out: Vec<(Frame<Packet>, Fate)>,
}

/// Where a link stands on a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The medium.
    pub medium: u32,
    /// The link's port there.
    pub port: u32,
}

impl Medium {
    /// The medium that `spec` describes.
    pub fn new(spec: &MediumSpec, scenario: &Scenario) -> Medium {
        let params = DcfParams::new(&spec.mac);
        let stations = spec.stations.iter().map(|(node, queue)| {
            // Named by medium and node, not by place: another station changes no other's stream.
            let node = &scenario.nodes[*node as usize];
            let stream = |what: &str| Random::named(scenario.seed, &format!("{what} {} {node}", spec.name));
            (AnyQueue::new(queue, params.rate, || stream("queue")), stream("backoff"), stream("air"))
        });
        let stations = stations.collect();
        let index: HashMap<u32, u32> = spec.stations.iter().zip(0..).map(|((node, _), id)| (*node, id)).collect();
        let ports = spec.links.iter().map(|&link| index[&scenario.links[link as usize].from]).collect();
        Medium {
            server: Dcf::new(params, stations, ports),
            links: spec.links.clone(),
            timer: LazyTimer::default(),
            out: Vec::new(),
        }
    }

    /// Asks to be woken when the medium wants it; `decide` reserves the place of an event.
    pub fn arm(&mut self, now: Time, events: &mut EventQueue, decide: impl FnOnce(Time) -> Due) {
        match self.server.next() {
            Some(at) => self.timer.arm(decide(at.max(now)), events),
            None => self.timer.disarm(),
        }
    }

    /// Whether its timer has really run out.
    pub fn wakes(&mut self, entry: Due, events: &mut EventQueue) -> bool {
        self.timer.expires(entry, events)
    }

    /// What a port has counted up to `now`.
    pub fn stats(&self, port: u32, now: Time) -> AirStats {
        self.server.stats_at(port, now)
    }
}

/// For each link its port, if it stands on a medium.
pub fn ports(media: &[MediumSpec], links: usize) -> Vec<Option<Port>> {
    let mut ports = vec![None; links];
    for (spec, medium) in media.iter().zip(0..) {
        for (&link, port) in spec.links.iter().zip(0..) {
            ports[link as usize] = Some(Port { medium, port });
        }
    }
    ports
}
