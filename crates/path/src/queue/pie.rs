//! PIE: a queue that drops arrivals with a probability that a controller of the delay sets (RFC 8033).

pub(crate) mod control;

use std::collections::VecDeque;

use acklab_packet::Time;

use super::{Limit, Queue, Removal, Service};
use crate::Carried;
use crate::random::Random;
use control::{Chance, Clock, Rules, with_controller};

with_controller! {
    /// Parameters of PIE; the defaults are those of RFC 8033 section 4.
    pub struct PieParams {
        /// Whole capacity in packets, the one in service included; at least 2.
        #[schemars(range(min = 2))]
        pub packets: u64 = 1000,
    }
}

impl PieParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        if self.packets < 2 {
            return Some(("packets", "must be at least 2", self.packets.to_string()));
        }
        self.rules().out_of_range()
    }
}

/// A PIE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Pie<P> {
    rules: Rules,
    limit: Limit,
    packets: VecDeque<(Time, P)>,
    bytes: u64,
    chance: Chance,
    clock: Clock,
    random: Random,
}

impl<P: Carried> Pie<P> {
    /// An empty queue.
    pub fn new(params: &PieParams, random: Random) -> Pie<P> {
        let rules = params.rules();
        Pie {
            limit: Limit::Packets(params.packets),
            packets: VecDeque::new(),
            bytes: 0,
            chance: Chance::new(&rules),
            clock: Clock::new(params.update),
            rules,
            random,
        }
    }

    /// The first update of the probability is then, and not `update` after the beginning.
    pub fn update_first_at(&mut self, time: Time) {
        self.clock.first_at(time);
    }

    fn catch_up(&mut self, now: Time) {
        let (rules, chance, bytes) = (&self.rules, &mut self.chance, self.bytes);
        self.clock.catch_up(now, |_| {
            chance.update(rules, bytes);
            chance.rests()
        });
    }
}

impl<P: Carried> Queue<P> for Pie<P> {
    fn enqueue(&mut self, mut packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        self.catch_up(now);
        let size = u64::from(packet.wire_bytes());
        let full = !self.limit.admits(size, self.packets.len() as u64, self.bytes, service.bytes());
        if full || self.chance.drops(&self.rules, &mut packet, self.bytes, &mut self.random) {
            self.chance.dropped();
            removed.push((packet, if full { Removal::Full } else { Removal::Early }));
        } else {
            self.bytes += size;
            self.packets.push_back((now, packet));
        }
    }

    fn lets_pass(&self, _: &P) -> bool {
        false
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        self.catch_up(now);
        let (arrival, packet) = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        self.chance.departed(arrival, now, self.bytes);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
