//! CoDel: a queue that drops by how long packets have waited (RFC 8289).
//!
//! Once every packet has waited `target` or longer for an `interval`, one is dropped when it leaves the queue. Further
//! drops follow, closer together with the square root of their number, until a packet has waited less.

pub(crate) mod control;

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::Store;
use super::{Backlog, Limit, Queue, QueueParams, Removal, Service};
use crate::Carried;
use crate::ack_filter::{self, FilterSpec};
use crate::random::Random;
use crate::values::{Checked, at_least};
pub use control::Law;
use control::{Control, Rules};

/// Drops by how long packets have waited (CoDel, RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelParams {
    /// Whole capacity in packets, the one in service included; at least 2.
    #[schemars(range(min = 2))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub packets: u64,
    /// Waiting time that the queue may keep up: more than 0, at most `interval`.
    pub target: Time,
    /// How long every packet must have waited `target` or longer before one is dropped: about the longest round trip; from
    /// 1 ms to 100 s.
    pub interval: Time,
    /// A queue of so many bytes or fewer is never dropped from: the size of the largest packet; at least 1 B.
    pub max_packet: Bytes,
    /// Whether a packet that would be dropped is marked instead, if its sender understands marks (as Linux does).
    pub ecn: bool,
    /// Packets that have waited longer are marked, too; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Time>,
    /// How the times between drops are computed.
    #[serde(skip_serializing_if = "crate::values::is_default")]
    pub law: Law,
    /// Which waiting ACKs an arriving one erases; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
}

impl Default for CodelParams {
    fn default() -> CodelParams {
        let (target, interval) = (Time::from_secs(0.005), Time::from_secs(0.1));
        let (max_packet, law) = (Bytes::new(1500), Law::Rfc8289);
        CodelParams { packets: 1000, target, interval, max_packet, ecn: false, ce_threshold: None, law, filter: None }
    }
}

impl QueueParams for CodelParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        at_least(2, "packets", self.packets)?;
        control::check((self.target, self.interval), self.max_packet)
    }
}

/// A CoDel queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Codel<P> {
    rules: Rules,
    limit: Limit,
    store: Store<P>,
    control: Control,
}

impl<P: Carried> Codel<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &CodelParams, rate: Rate, _: impl FnOnce() -> Random) -> Codel<P> {
        let times = (params.target, params.interval, params.ce_threshold);
        Codel {
            rules: Rules::new(params.law, times, params.max_packet, params.ecn),
            limit: Limit::Packets(params.packets),
            store: Store::new(1, params.filter, rate),
            control: Control::default(),
        }
    }
}

impl<P: Carried> Queue<P> for Codel<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if self.is_empty() && service.bytes().is_none() {
            // The link has asked for a packet since the last one, and found none.
            self.dequeue(now, removed);
        }
        let (limit, size) = (self.limit, u64::from(packet.wire_bytes()));
        self.store.admit(0, packet, now, removed, |_, room| limit.refuses(size, room, service));
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let store = &mut self.store;
        self.control.dequeue(&self.rules, now, removed, || {
            let (arrival, packet) = store.pop(0, now)?;
            Some((arrival, packet, store.bytes()))
        })
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.store.held()
    }
}
