//! COBALT (CoDel and BLUE): a queue that drops by how long packets have waited, and more when it overflows.
//!
//! Source: Palmei, Gupta, Imputato, Morton, Tahiliani, Avallone and Täht 2019, "Design and Evaluation of COBALT Queue
//! Discipline".

pub(crate) mod control;

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::Store;
use super::{Backlog, Limit, Queue, QueueParams, Removal, Service, codel};
use crate::Carried;
use crate::ack_filter::{self, FilterSpec};
use crate::random::Random;
use crate::values::{Checked, at_least};
use control::{Cobalt as Control, Rules, nanoseconds};

/// Drops by how long packets have waited, and more when the queue overflows (COBALT: CoDel and BLUE).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CobaltParams {
    /// Whole capacity in packets, the one in service included; at least 2.
    #[schemars(range(min = 2))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub packets: u64,
    /// Waiting time that the queue may keep up: more than 0, at most `interval`.
    pub target: Time,
    /// Time between the first two drops: about the longest round trip; from 1 ms to 100 s.
    pub interval: Time,
    /// Whether a packet that would be dropped is marked instead, if its sender understands marks. BLUE drops all the same.
    pub ecn: bool,
    /// Which waiting ACKs an arriving one erases; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
}

impl Default for CobaltParams {
    fn default() -> CobaltParams {
        let (target, interval) = (Time::from_secs(0.005), Time::from_secs(0.1));
        CobaltParams { packets: 1000, target, interval, ecn: false, filter: None }
    }
}

impl QueueParams for CobaltParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        at_least(2, "packets", self.packets)?;
        codel::control::check((self.target, self.interval), acklab_packet::Bytes::new(1))
    }
}

/// COBALT's rules outside CAKE, where no link's rate is known.
pub(super) fn rules(target: Time, interval: Time, ecn: bool) -> Rules {
    Rules { interval: nanoseconds(interval) as u64, target: nanoseconds(target) as u64, packet: 0, ecn }
}

/// A COBALT queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Cobalt<P> {
    rules: Rules,
    limit: Limit,
    store: Store<P>,
    control: Control,
    /// True if the link found the queue empty after the last arrival.
    found_empty: bool,
    random: Random,
}

impl<P: Carried> Cobalt<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &CobaltParams, rate: Rate, random: impl FnOnce() -> Random) -> Cobalt<P> {
        Cobalt {
            rules: rules(params.target, params.interval, params.ecn),
            limit: Limit::Packets(params.packets),
            store: Store::new(1, params.filter, rate),
            control: Control::whole_first_interval(),
            found_empty: false,
            random: random(),
        }
    }

    fn is_found_empty(&mut self, now: Time) {
        if !std::mem::replace(&mut self.found_empty, true) {
            self.control.found_empty(&self.rules, nanoseconds(now));
        }
    }
}

impl<P: Carried> Queue<P> for Cobalt<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if let (true, Service::Idle(since)) = (self.is_empty(), service) {
            self.is_found_empty(since);
        }
        let (limit, size) = (self.limit, u64::from(packet.wire_bytes()));
        if self.store.admit(0, packet, now, removed, |_, room| limit.refuses(size, room, service)) {
            self.found_empty = false;
        } else {
            self.control.overflowed(&self.rules, nanoseconds(now));
        }
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        while let Some((arrival, mut packet)) = self.store.pop(0, now) {
            let times = (nanoseconds(arrival), nanoseconds(now));
            if !self.control.drops(&self.rules, &mut packet, times, &mut self.random) {
                return Some(packet);
            }
            removed.push((packet, Removal::Early));
        }
        self.is_found_empty(now);
        None
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.store.held()
    }
}
