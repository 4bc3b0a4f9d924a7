//! DualPI2: a queue for senders that answer many marks, one for the others, and one controller for both (RFC 9332, as in Linux).

use std::sync::Arc;

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::classes::{Classes, FlowClass};
use super::pie::control::Clock;
use super::store::Store;
use super::{Backlog, Queue, QueueParams, Removal, Service};
use crate::Carried;
use crate::ack_filter::{self, FilterSpec};
use crate::random::Random;
use crate::values::{Checked, at_least, must, quoted};

// The defaults are Linux's (sch_dualpi2.c, from 6.17), which are RFC 9332's but for `beta` (3) and a step instead of a ramp from 0.8 to
// 1.2 ms.
/// A queue for senders that answer many marks, one for the others, and one controller for both (DualPI2, RFC 9332).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Params {
    /// Packets that may wait in both queues together; at least 1.
    #[schemars(range(min = 1))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub waiting: u64,
    /// Delay that the controller aims at; more than 0, at most 100 s.
    pub target: Time,
    /// Time between two updates of the probability; from 1 ms to 10 s.
    pub update: Time,
    /// Weight of the delay's distance from `target`, per second; from 0 to 100.
    pub alpha: f64,
    /// Weight of the delay's change, per second; from 0 to 100.
    pub beta: f64,
    /// Marks of low latency packets for each unit of the controller's probability; from 1 to 255. The others are dropped or marked with
    /// its square.
    pub coupling: f64,
    /// A low latency packet that waited longer is marked; at most 100 s.
    pub step: Time,
    /// Percent of the link that the other packets have at least, while both wait; from 0 to 100.
    pub classic_share: f64,
    /// While fewer than two packets of this size wait, the controller drops and marks nothing; at least 1 B.
    pub max_packet: Bytes,
    /// Code points of flows (their `dscp`) that share the low latency queue, unmarked; such as 45, non-queue-building flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_points: Vec<u8>,
    /// Which waiting ACKs an arriving one erases, of those in the same of the two queues; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
    /// Code points of the run's flows, by index.
    #[serde(skip)]
    pub classes: Arc<[FlowClass]>,
}

impl Default for DualPi2Params {
    fn default() -> DualPi2Params {
        DualPi2Params {
            waiting: 10_000,
            target: Time::from_secs(0.015),
            update: Time::from_secs(0.016),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            step: Time::from_secs(0.001),
            classic_share: 10.0,
            max_packet: Bytes::new(1514),
            code_points: Vec::new(),
            filter: None,
            classes: Arc::new([]),
        }
    }
}

impl QueueParams for DualPi2Params {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        at_least(1, "waiting", self.waiting)?;
        let target = self.target.secs() > 0.0 && self.target.secs() <= 100.0;
        must(target, "target", "must be more than 0s and at most 100s", quoted(self.target))?;
        let update = (0.001..=10.0).contains(&self.update.secs());
        must(update, "update", "must be from 1ms to 10s", quoted(self.update))?;
        must(self.step.secs() <= 100.0, "step", "must be at most 100s", quoted(self.step))?;
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta), ("classic_share", self.classic_share)] {
            must((0.0..=100.0).contains(&value), name, "must be from 0 to 100", value)?;
        }
        must((1.0..=255.0).contains(&self.coupling), "coupling", "must be from 1 to 255", self.coupling)?;
        for &point in &self.code_points {
            must(point <= 63, "code_points", "must be from 0 to 63 each", point)?;
        }
        must(self.max_packet.get() > 0, "max_packet", "must be at least 1B", quoted("0B"))
    }

    fn classes(&mut self) -> Option<&mut Arc<[FlowClass]>> {
        Some(&mut self.classes)
    }
}

/// The queue of a packet, and whether it is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// In the low latency queue, marked.
    Scalable,
    /// In the low latency queue, neither marked nor dropped but for room.
    Unmarked,
    /// In the other queue.
    Classic,
}

/// The low latency queue.
const LOW: usize = 0;
/// The other one.
const CLASSIC: usize = 1;

/// A DualPI2 queue.
#[derive(Clone, Debug, PartialEq)]
pub struct DualPi2<P> {
    params: DualPi2Params,
    classes: Classes,
    store: Store<P>,
    probability: f64,
    delay_before: f64,
    /// Up to 0 the low latency queue is next, above the other one, while both have packets: bytes times percent.
    credit: f64,
    clock: Clock,
    random: Random,
}

impl<P: Carried> DualPi2<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &DualPi2Params, rate: Rate, random: impl FnOnce() -> Random) -> DualPi2<P> {
        let mut queue = DualPi2 {
            classes: Classes::new(&params.classes),
            store: Store::new(2, params.filter, rate),
            probability: 0.0,
            delay_before: 0.0,
            credit: 0.0,
            clock: Clock::new(params.update),
            params: params.clone(),
            random: random(),
        };
        queue.reset_credit();
        queue
    }

    /// The first update of the probability is then, and not `update` after the beginning.
    pub fn update_first_at(&mut self, time: Time) {
        self.clock.first_at(time);
    }

    /// Both queues have been empty: the low latency queue is next for a packet or so.
    fn reset_credit(&mut self) {
        self.credit = self.params.max_packet.get() as f64 * (2.0 * self.params.classic_share - 100.0);
    }

    fn catch_up(&mut self, now: Time) {
        let DualPi2 { params, store, probability, delay_before, .. } = self;
        let heads = (store.since(LOW), store.since(CLASSIC));
        self.clock.catch_up(now, |then| {
            let waited = |since: Option<Time>| since.map_or(0.0, |since| (then.secs() - since.secs()).max(0.0));
            let delay = waited(heads.0).max(waited(heads.1));
            let change = params.alpha * (delay - params.target.secs()) + params.beta * (delay - *delay_before);
            *probability = (*probability + change).clamp(0.0, 1.0);
            *delay_before = delay;
            *probability == 0.0 && delay == 0.0 && heads == (None, None)
        });
    }

    fn classify(&self, packet: &P) -> Class {
        if packet.low_latency() {
            return Class::Scalable;
        }
        if !self.params.code_points.is_empty()
            && self.params.code_points.contains(&self.classes.of(packet.connection()).dscp)
        {
            Class::Unmarked
        } else {
            Class::Classic
        }
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.random.uniform() < probability
    }

    /// Applies the controller to a packet that is about to leave: marks it, or says that it is dropped.
    fn drops(&mut self, packet: &mut P, class: Class) -> bool {
        if self.store.bytes() < 2 * self.params.max_packet.get() {
            return false;
        }
        let coupled = self.probability * self.params.coupling;
        let overload = coupled > 1.0;
        match class {
            Class::Unmarked => false,
            Class::Classic => {
                let chosen = self.chance(self.probability) && self.chance(self.probability);
                chosen && (overload || !packet.mark())
            }
            Class::Scalable if overload => {
                let dropped = self.chance(self.probability) && self.chance(self.probability);
                if !dropped {
                    packet.mark();
                }
                dropped
            }
            Class::Scalable => {
                if self.chance(coupled) {
                    packet.mark();
                }
                false
            }
        }
    }

    /// The next packet, its arrival, and what its departure does to the credit.
    fn next(&mut self, now: Time) -> Option<(Time, P, f64)> {
        let share = self.params.classic_share;
        let empty = |line: usize| self.store.since(line).is_none();
        let low = !empty(LOW) && (empty(CLASSIC) || self.credit <= 0.0);
        let (own, other) = if low { (LOW, CLASSIC) } else { (CLASSIC, LOW) };
        let weight = if empty(other) {
            0.0
        } else if low {
            share
        } else {
            share - 100.0
        };
        let (since, packet) = self.store.pop(own, now)?;
        let change = weight * f64::from(packet.wire_bytes());
        Some((since, packet, change))
    }
}

impl<P: Carried> Queue<P> for DualPi2<P> {
    fn enqueue(&mut self, packet: P, _: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        self.catch_up(now);
        let line = if self.classify(&packet) == Class::Classic { CLASSIC } else { LOW };
        let waiting = self.params.waiting;
        self.store.admit(line, packet, now, removed, |_, room| (room.packets >= waiting).then_some(Removal::Full));
    }

    fn learn(&mut self, class: FlowClass) {
        self.classes.add(class);
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        self.catch_up(now);
        while let Some((since, mut packet, change)) = self.next(now) {
            let class = self.classify(&packet);
            if self.drops(&mut packet, class) {
                removed.push((packet, Removal::Early));
                continue;
            }
            if class == Class::Scalable && now - since > self.params.step {
                packet.mark();
            }
            self.credit += change;
            return Some(packet);
        }
        self.reset_credit();
        None
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.store.held()
    }
}

#[cfg(test)]
#[path = "dual_pi2/tests.rs"]
mod tests;
