//! Stages of link directions: what [`acklab_path::stage`] decides, as events.
//!
//! The stages at a direction's far end have a place of their own on every route behind that link, so that a link without
//! any asks no question.

use std::collections::HashMap;
use std::mem::take;

use acklab_packet::{Packet, Time};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;
use acklab_path::stage::{Chain, Done, Passing};

use crate::event::Due;
use crate::hop::Meets;
use crate::medium::Port;
use crate::pending::EventQueue;
use crate::timer::LazyTimer;

/// The stages at one far end.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Their link.
    pub(crate) link: u32,
    chain: Chain<Packet>,
    timer: LazyTimer,
    /// Packets that have left the stages and not yet moved on.
    out: Vec<Passing<Packet>>,
}

impl Stages {
    /// A packet arrives that entered the wire at `sent`.
    pub fn arrive(&mut self, packet: Packet, sent: Time, now: Time) {
        self.chain.precede(sent, now, &mut self.out);
        self.chain.arrive(packet, now, &mut self.out);
    }

    /// A packet enters the other direction of their link.
    #[cold]
    pub fn overhear(&mut self, packet: &Packet, now: Time) {
        self.chain.overhear(packet, now);
    }

    /// What they let go.
    pub fn release(&mut self, now: Time) -> Vec<Passing<Packet>> {
        self.chain.wake(now, &mut self.out);
        take(&mut self.out)
    }

    /// Gets the list of [`Stages::release`] back, empty.
    pub fn reuse(&mut self, out: Vec<Passing<Packet>>) {
        self.out = out;
    }

    /// How many packets they hold.
    pub fn held(&self) -> usize {
        self.chain.held()
    }

    /// What they have done so far.
    pub fn done(&self) -> Done {
        self.chain.done()
    }

    /// Asks to be woken: at once when something has left them, else when they want it. `decide` reserves an event.
    pub fn arm(&mut self, now: Time, events: &mut EventQueue, decide: impl FnOnce(Time) -> Due) {
        let at = if self.out.is_empty() { self.chain.next() } else { Some(now) };
        match at {
            Some(at) => self.timer.arm(decide(at.max(now)), events),
            None => self.timer.disarm(),
        }
    }

    /// Whether their timer has really run out.
    pub fn wakes(&mut self, entry: Due, events: &mut EventQueue) -> bool {
        self.timer.expires(entry, events)
    }
}

/// Where stages stand.
pub struct Placed {
    /// For each link what its packets meet.
    pub meets: Vec<Meets>,
    /// For each link the stages at its far end, as a place on routes: an index behind those of all links.
    pub behind: Vec<Option<u32>>,
    /// The stages, in order of their links.
    pub stages: Vec<Stages>,
}

/// Places the stages of `links`, some of which have `ports` on media. `random` gives a link's component a stream.
pub fn place(links: &[LinkSpec], ports: &[Option<Port>], random: impl Fn(&LinkSpec, &str) -> Random) -> Placed {
    let mut meets: Vec<Meets> = ports.iter().map(|port| port.map_or(Meets::Wire, Meets::Medium)).collect();
    let (mut behind, mut stages) = (vec![None; links.len()], Vec::new());
    let listens = |spec: &LinkSpec| spec.stages.iter().any(|stage| stage.listens());
    // Where the links stand that others may overhear; of several between two nodes the first.
    let mut places = HashMap::new();
    if links.iter().any(listens) {
        places.extend(links.iter().enumerate().rev().map(|(index, spec)| ((spec.from, spec.to), index)));
    }
    for (index, spec) in links.iter().enumerate() {
        let Some(chain) = Chain::new(&spec.stages, |part| random(spec, part)) else { continue };
        let id = stages.len() as u32;
        behind[index] = Some(links.len() as u32 + id);
        stages.push(Stages { link: index as u32, chain, timer: LazyTimer::default(), out: Vec::new() });
        if listens(spec)
            && let Some(other) = places.get(&(spec.to, spec.from)).map(|&back| &mut meets[back])
            && *other == Meets::Wire
        {
            *other = Meets::Overheard(id);
        }
    }
    Placed { meets, behind, stages }
}

/// Whether stages stand at a direction's far end.
pub fn at_far_end(spec: &LinkSpec) -> bool {
    spec.stages.iter().any(|stage| stage.at_far_end())
}
