//! CAKE's tables of flows and hosts: eight places for each hash, so that few flows share a queue (sch_cake.c).

use super::flow::{Flow, Set};

/// Queues of a tin, and hosts that it knows.
pub const QUEUES: usize = 1024;
/// Places among which a hash may be.
const WAYS: usize = 8;

/// How many flows of a host are bulk, as a source and as a destination.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    tags: [u32; 2],
    bulk: [u16; 2],
}

/// The places of a set, beginning with the hash's own.
fn places(hash: u32) -> impl Iterator<Item = usize> + Clone {
    let index = hash as usize % QUEUES;
    let (outer, inner) = (index - index % WAYS, index % WAYS);
    (0..WAYS).map(move |way| outer + (inner + way) % WAYS)
}

/// Which of a flow's two hosts its queue is to be fair to.
pub const SIDES: [usize; 2] = [0, 1];

/// The tables of a tin.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    tags: Vec<u32>,
    hosts: Vec<Host>,
    /// By side, whether hosts share evenly.
    fair: [bool; 2],
}

impl Places {
    pub fn new(fair: [bool; 2]) -> Places {
        Places { tags: vec![0; QUEUES], hosts: vec![Host::default(); QUEUES], fair }
    }

    /// The queue of a flow with this hash, between hosts with those.
    pub fn find<P>(&mut self, hash: u32, hosts: [u32; 2], flows: &mut [Flow<P>]) -> usize {
        let own = hash as usize % QUEUES;
        if self.tags[own] == hash && flows[own].set != Set::Idle {
            return own;
        }
        let mut set = places(hash);
        let known = set.clone().find(|&place| self.tags[place] == hash);
        let place = known.or_else(|| set.find(|&place| flows[place].set == Set::Idle));
        let shared = place.is_none();
        let place = place.unwrap_or(own);
        if shared && flows[place].set == Set::Bulk {
            self.count_bulk(&flows[place], -1);
        }
        let is_new = shared || flows[place].set == Set::Idle;
        self.tags[place] = hash;
        for side in SIDES.into_iter().filter(|&side| is_new && self.fair[side]) {
            let mut set = places(hosts[side]);
            let host = set
                .clone()
                .find(|&host| self.hosts[host].tags[side] == hosts[side])
                .or_else(|| set.find(|&host| self.hosts[host].bulk[side] == 0))
                .unwrap_or(hosts[side] as usize % QUEUES);
            self.hosts[host].tags[side] = hosts[side];
            flows[place].hosts[side] = host as u16;
            if flows[place].set == Set::Bulk {
                self.hosts[host].bulk[side] += 1;
            }
        }
        place
    }

    /// A flow becomes bulk, or is so no more.
    pub fn count_bulk<P>(&mut self, flow: &Flow<P>, change: i16) {
        for side in SIDES.into_iter().filter(|&side| self.fair[side]) {
            let bulk = &mut self.hosts[usize::from(flow.hosts[side])].bulk[side];
            *bulk = bulk.saturating_add_signed(change);
        }
    }

    /// Bulk flows of the busier of a flow's hosts, at least 1: its share is that part of a quantum.
    pub fn load<P>(&self, flow: &Flow<P>) -> u16 {
        let bulk = |side: usize| self.hosts[usize::from(flow.hosts[side])].bulk[side];
        SIDES.into_iter().filter(|&side| self.fair[side]).map(bulk).fold(1, u16::max)
    }
}
