//! CoDel: a queue that drops by how long packets have waited (RFC 8289).
//!
//! Once every packet has waited `target` or longer for an `interval`, one is dropped when it leaves the queue, and then another
//! at times that the square root of their number brings closer together, until one has waited less.

pub(crate) mod control;

use std::collections::VecDeque;

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limit, Queue, Removal, Service};
use crate::Carried;
pub use control::Law;
use control::{Control, Rules};

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelParams {
    /// Whole capacity in packets, the one in service included; at least 2.
    #[schemars(range(min = 2))]
    pub packets: u64,
    /// Waiting time that the queue may keep up: more than 0, at most `interval`.
    pub target: Time,
    /// How long every packet must have waited `target` or longer before one is dropped: about the longest round trip; from
    /// 1 ms to 100 s.
    pub interval: Time,
    /// A queue of so many bytes or fewer is never dropped from: the size of the largest packet; at least 1 B.
    pub max_packet: Bytes,
    /// Whether packets that can be marked are marked instead of dropped (as Linux does).
    pub ecn: bool,
    /// Packets that have waited longer are marked, too; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Time>,
    /// How the times between drops are computed.
    #[serde(skip_serializing_if = "crate::spec::is_default")]
    pub law: Law,
}

impl Default for CodelParams {
    fn default() -> CodelParams {
        let (target, interval) = (Time::from_secs(0.005), Time::from_secs(0.1));
        let (max_packet, law) = (Bytes::new(1500), Law::Rfc8289);
        CodelParams { packets: 1000, target, interval, max_packet, ecn: false, ce_threshold: None, law }
    }
}

impl CodelParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        if self.packets < 2 {
            return Some(("packets", "must be at least 2", self.packets.to_string()));
        }
        control::out_of_range((self.target, self.interval), self.max_packet)
    }
}

/// A CoDel queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Codel<P> {
    rules: Rules,
    limit: Limit,
    /// What waits, with its arrival.
    packets: VecDeque<(Time, P)>,
    bytes: u64,
    control: Control,
}

impl<P: Carried> Codel<P> {
    /// An empty queue.
    pub fn new(params: &CodelParams) -> Codel<P> {
        let times = (params.target, params.interval, params.ce_threshold);
        Codel {
            rules: Rules::new(params.law, times, params.max_packet, params.ecn),
            limit: Limit::Packets(params.packets),
            packets: VecDeque::new(),
            bytes: 0,
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
        let size = u64::from(packet.wire_bytes());
        if self.limit.admits(size, self.packets.len() as u64, self.bytes, service.bytes()) {
            self.bytes += size;
            self.packets.push_back((now, packet));
        } else {
            removed.push((packet, Removal::Full));
        }
    }

    fn lets_pass(&self, _: &P) -> bool {
        false
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let (packets, bytes) = (&mut self.packets, &mut self.bytes);
        self.control.dequeue(&self.rules, now, removed, || {
            let (arrival, packet) = packets.pop_front()?;
            *bytes -= u64::from(packet.wire_bytes());
            Some((arrival, packet, *bytes))
        })
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
