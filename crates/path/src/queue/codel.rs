//! CoDel: a queue that drops by how long packets have waited (RFC 8289).
//!
//! Once every packet has waited `target` or longer for an `interval`, one is dropped when it leaves the queue, and then another
//! at times that the square root of their number brings closer together, until one has waited less.

use std::collections::VecDeque;

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limit, Queue, Removal, Service};
use crate::Carried;

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
}

impl Default for CodelParams {
    fn default() -> CodelParams {
        let (target, interval) = (Time::from_secs(0.005), Time::from_secs(0.1));
        CodelParams { packets: 1000, target, interval, max_packet: Bytes::new(1500), ecn: false }
    }
}

impl CodelParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        let seconds = |time: Time| time.secs();
        if self.packets < 2 {
            return Some(("packets", "must be at least 2", self.packets.to_string()));
        }
        if !(0.001..=100.0).contains(&seconds(self.interval)) {
            return Some(("interval", "must be from 1ms to 100s", self.interval.to_string()));
        }
        if !(seconds(self.target) > 0.0 && self.target <= self.interval) {
            return Some(("target", "must be more than 0s and at most `interval`", self.target.to_string()));
        }
        (self.max_packet.get() == 0).then(|| ("max_packet", "must be at least 1B", self.max_packet.to_string()))
    }
}

/// A CoDel queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Codel<P> {
    params: CodelParams,
    limit: Limit,
    /// What waits, with its arrival.
    packets: VecDeque<(Time, P)>,
    bytes: u64,
    /// When packets will have waited too long for an interval; none while the last one has not.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    /// Drops since dropping began, and what they began with.
    count: u32,
    last_count: u32,
}

impl<P: Carried> Codel<P> {
    /// An empty queue.
    pub fn new(params: &CodelParams) -> Codel<P> {
        Codel {
            params: *params,
            limit: Limit::Packets(params.packets),
            packets: VecDeque::new(),
            bytes: 0,
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// The packet in front, and whether it may be dropped (RFC 8289 section 5.6).
    fn front(&mut self, now: Time) -> (Option<P>, bool) {
        let Some((arrival, packet)) = self.packets.pop_front() else {
            self.first_above = None;
            return (None, false);
        };
        self.bytes -= u64::from(packet.wire_bytes());
        if now - arrival < self.params.target || self.bytes <= self.params.max_packet.get() {
            self.first_above = None;
            return (Some(packet), false);
        }
        let first_above = *self.first_above.get_or_insert(now + self.params.interval);
        (Some(packet), now >= first_above)
    }

    /// The time of the next drop, after `count` of them (section 5.5).
    fn control_law(&self, since: Time) -> Time {
        since + Time::from_secs(self.params.interval.secs() / f64::from(self.count).sqrt())
    }

    /// Marks a packet, or drops it and takes the next one; whether that one may be dropped, too.
    fn drop_one(&mut self, packet: &mut Option<P>, now: Time, removed: &mut Vec<(P, Removal)>) -> bool {
        if self.params.ecn && packet.as_mut().is_some_and(P::mark) {
            return true;
        }
        removed.extend(packet.take().map(|packet| (packet, Removal::Early)));
        let (next, may_drop) = self.front(now);
        *packet = next;
        may_drop
    }
}

impl<P: Carried> Queue<P> for Codel<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
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

    /// RFC 8289 section 5.5. A marked packet is served, as in Linux: it counts as the drop that was due.
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let (mut packet, may_drop) = self.front(now);
        if !self.dropping {
            if may_drop {
                self.drop_one(&mut packet, now, removed);
                self.dropping = true;
                // Soon after the last time, the rate of drops that was enough then is the one to begin with.
                let drops = self.count - self.last_count;
                let soon = now - self.drop_next < Time::from_secs(16.0 * self.params.interval.secs());
                self.count = if drops > 1 && soon { drops } else { 1 };
                self.last_count = self.count;
                self.drop_next = self.control_law(now);
            }
            return packet;
        }
        self.dropping = may_drop;
        while self.dropping && now >= self.drop_next {
            let before = removed.len();
            self.count = self.count.saturating_add(1);
            self.dropping = self.drop_one(&mut packet, now, removed);
            if self.dropping {
                self.drop_next = self.control_law(self.drop_next);
            }
            if removed.len() == before {
                break;
            }
        }
        packet
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
