//! PIE: a queue that drops arrivals with a probability that a controller of the delay sets (RFC 8033).

pub(crate) mod control;

use std::collections::VecDeque;

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limit, Queue, Removal, Service};
use crate::Carried;
use crate::random::Random;
use control::{Chance, Clock, Rules};

/// Parameters of PIE; the defaults are those of RFC 8033 section 4. DOCSIS-PIE (RFC 8034) is not here: it also
/// estimates the delay otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PieParams {
    /// Whole capacity in packets, the one in service included; at least 2.
    #[schemars(range(min = 2))]
    pub packets: u64,
    /// Delay that the controller aims at; more than 0.
    pub target: Time,
    /// Time between two updates of the probability; from 1 ms to 10 s.
    pub update: Time,
    /// Weight of the delay's distance from `target`, per second; from 0 to 100.
    pub alpha: f64,
    /// Weight of the delay's change, per second; from 0 to 100.
    pub beta: f64,
    /// How long nothing is dropped after the queue was empty and the probability 0.
    pub burst: Time,
    /// While less than two packets of this size wait, nothing is dropped; also the unit of `byte_mode`; at least 1 B.
    pub max_packet: Bytes,
    /// Whether a small packet is less likely to be dropped than a large one.
    pub byte_mode: bool,
    /// Whether packets that can be marked are marked instead of dropped.
    pub ecn: bool,
    /// With `ecn`: above this probability packets are dropped all the same; from 0 to 1.
    pub mark_below: f64,
    /// Bound of the probability; more than 0, at most 256. Linux has none below 256.
    pub max_p: f64,
}

impl Default for PieParams {
    fn default() -> PieParams {
        PieParams {
            packets: 1000,
            target: Time::from_secs(0.015),
            update: Time::from_secs(0.015),
            alpha: 0.125,
            beta: 1.25,
            burst: Time::from_secs(0.15),
            max_packet: Bytes::new(1500),
            byte_mode: false,
            ecn: false,
            mark_below: 0.1,
            max_p: 1.0,
        }
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

    fn rules(&self) -> Rules {
        Rules {
            target: self.target.secs(),
            update: self.update.secs(),
            alpha: self.alpha,
            beta: self.beta,
            burst: self.burst.secs(),
            max_packet: self.max_packet.get(),
            byte_mode: self.byte_mode,
            ecn: self.ecn,
            mark_below: self.mark_below,
            max_p: self.max_p,
        }
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
        self.clock.catch_up(now, || {
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
