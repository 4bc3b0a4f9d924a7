//! FQ-PIE: a queue for each hash of a connection, served by deficit round robin, with PIE in each (as Linux has it).

use acklab_packet::{Bytes, Rate, Time};

use super::fair::{self, EmptyNew, Fair};
use super::pie::control::{Chance, Clock, Rules, with_controller};
use super::store::Store;
use super::{Backlog, Queue, QueueParams, Removal, Service};
use crate::random::Random;
use crate::values::Checked;
use crate::{Carried, ack_filter};

with_controller! {
    // The defaults are Linux's. Each queue has a controller of its own.
    /// A queue for each hash of a connection, with PIE in each (FQ-PIE, as in Linux).
    pub struct FqPieParams {
        /// Packets that may wait, the one in service not counted; at least 1. An arrival that finds so many is dropped.
        #[schemars(range(min = 1))]
        #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
        pub waiting: u64 = 10_240,
        /// Queues, from 1 to 65,536.
        #[schemars(range(min = 1, max = 65536))]
        pub flows: u32 = 1024,
        /// Bytes that a queue may send in its turn, from 1 B to 1 MiB.
        pub quantum: Bytes = Bytes::new(1514),
    }
}

impl QueueParams for FqPieParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        fair::check((self.flows, self.quantum.get()), (self.waiting, 1))?;
        self.rules().check()
    }
}

/// An FQ-PIE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct FqPie<P> {
    waiting: u64,
    rules: Rules,
    fair: Fair<P, Chance>,
    /// Queues whose probability an update may change.
    awake: Vec<u32>,
    is_awake: Vec<bool>,
    clock: Clock,
    random: Random,
}

impl<P: Carried> FqPie<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &FqPieParams, rate: Rate, random: impl FnOnce() -> Random) -> FqPie<P> {
        let mut random = random();
        let rules = params.rules();
        let store = Store::new(params.flows as usize, params.filter, rate);
        FqPie {
            waiting: params.waiting,
            rules,
            fair: Fair::new(store, params.quantum.get(), EmptyNew::OldAmongOthers, &Chance::new(&rules), &mut random),
            awake: Vec::new(),
            is_awake: vec![false; params.flows as usize],
            clock: Clock::new(params.update),
            random,
        }
    }

    /// The first update of the probabilities is then, and not `update` after the beginning.
    pub fn update_first_at(&mut self, time: Time) {
        self.clock.first_at(time);
    }

    fn catch_up(&mut self, now: Time) {
        let FqPie { fair, awake, is_awake, rules, .. } = self;
        self.clock.catch_up(now, |_| {
            awake.retain(|&index| {
                let (chance, bytes) = fair.open(index as usize);
                chance.update(rules, bytes);
                is_awake[index as usize] = !chance.rests() || bytes > 0;
                is_awake[index as usize]
            });
            awake.is_empty()
        });
    }

    fn wake(&mut self, index: usize) {
        if !std::mem::replace(&mut self.is_awake[index], true) {
            self.awake.push(index as u32);
        }
    }
}

impl<P: Carried> Queue<P> for FqPie<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if self.is_empty() && service.bytes().is_none() {
            // The link has asked for a packet since the last one, and found none.
            self.dequeue(now, removed);
        }
        self.catch_up(now);
        let index = self.fair.bucket_of(&packet);
        self.wake(index);
        let FqPie { waiting, rules, fair, random, .. } = self;
        fair.admit(index, packet, now, removed, |chance, packet, room| {
            let full = (room.packets >= *waiting).then_some(Removal::Full);
            let refused = full.or_else(|| chance.drops(rules, packet, room.in_line, random).then_some(Removal::Early));
            if refused.is_some() {
                chance.dropped();
            }
            refused
        });
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        self.catch_up(now);
        let mut served = None;
        let packet = self.fair.serve(|fair, index| {
            let (arrival, packet) = fair.pop(index, now)?;
            let (chance, bytes) = fair.open(index);
            chance.departed(arrival, now, bytes);
            served = Some(index);
            Some(packet)
        });
        served.into_iter().for_each(|index| self.wake(index));
        packet
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.fair.store.held()
    }
}
