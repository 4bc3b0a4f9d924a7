//! PIE: a queue that drops arrivals with a probability that a controller of the delay sets (RFC 8033).

pub(crate) mod control;

use acklab_packet::{Rate, Time};

use super::store::Store;
use super::{Backlog, Limit, Queue, QueueParams, Removal, Service};
use crate::random::Random;
use crate::values::{Checked, at_least};
use crate::{Carried, ack_filter};
use control::{Chance, Clock, Rules, with_controller};

with_controller! {
    // The defaults are those of RFC 8033 section 4.
    /// Drops arrivals with a probability that a controller of the delay sets (PIE, RFC 8033).
    pub struct PieParams {
        /// Whole capacity in packets, the one in service included; at least 2.
        #[schemars(range(min = 2))]
        #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
        pub packets: u64 = 1000,
    }
}

impl QueueParams for PieParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        at_least(2, "packets", self.packets)?;
        self.rules().check()
    }
}

/// A PIE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Pie<P> {
    rules: Rules,
    limit: Limit,
    store: Store<P>,
    chance: Chance,
    clock: Clock,
    random: Random,
}

impl<P: Carried> Pie<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &PieParams, rate: Rate, random: impl FnOnce() -> Random) -> Pie<P> {
        let rules = params.rules();
        Pie {
            limit: Limit::Packets(params.packets),
            store: Store::new(1, params.filter, rate),
            chance: Chance::new(&rules),
            clock: Clock::new(params.update),
            rules,
            random: random(),
        }
    }

    /// The first update of the probability is then, and not `update` after the beginning.
    pub fn update_first_at(&mut self, time: Time) {
        self.clock.first_at(time);
    }

    fn catch_up(&mut self, now: Time) {
        let (rules, chance, bytes) = (&self.rules, &mut self.chance, self.store.bytes());
        self.clock.catch_up(now, |_| {
            chance.update(rules, bytes);
            chance.rests()
        });
    }
}

impl<P: Carried> Queue<P> for Pie<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        self.catch_up(now);
        let Pie { rules, limit, store, chance, random, .. } = self;
        let size = u64::from(packet.wire_bytes());
        let admitted = store.admit(0, packet, now, removed, |packet, room| {
            let full = limit.refuses(size, room, service);
            full.or_else(|| chance.drops(rules, packet, room.bytes, random).then_some(Removal::Early))
        });
        if !admitted {
            chance.dropped();
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        self.catch_up(now);
        let (arrival, packet) = self.store.pop(0, now)?;
        self.chance.departed(arrival, now, self.store.bytes());
        Some(packet)
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.store.held()
    }
}
