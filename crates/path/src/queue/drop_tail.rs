//! First in, first out; an arrival that finds no room is dropped (ledger allman1998.m.droptail).

use std::collections::VecDeque;

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Backlog, DropPolicy, Limit, Queue, QueueParams, Removal, Scheduler, Service};
use crate::ack_filter::{self, FilterSpec};
use crate::values::{Checked, Wrong, is_default, must, quoted};
use crate::{Buffer, Carried};

/// A limited buffer; unless told otherwise first in, first out, and an arrival that finds no room is dropped. At
/// most one limit; `packets = 1000` without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTailParams {
    /// Whole capacity in packets, the one in service included (ns-2's `queue-limit`; 1 admits nothing, as in ns-2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub packets: Option<u64>,
    /// Packets that may wait, the one in service not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub waiting: Option<u64>,
    /// Whole capacity in bytes, the packet in service included; or as the time for which the link sends them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("neutral" = { "value": "1000GB" }))]
    pub bytes: Option<Buffer>,
    /// Bytes that may wait, the packet in service not counted; or as the time for which the link sends them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("neutral" = { "value": "1000GB" }))]
    pub waiting_bytes: Option<Buffer>,
    /// Which waiting ACKs an arriving one erases; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
    /// Which packet goes when there is no room.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drop: DropPolicy,
    /// Which waiting packet is next.
    #[serde(default, skip_serializing_if = "is_default")]
    pub scheduler: Scheduler,
}

impl DropTailParams {
    /// The limit of a queue without one, as `packets`.
    pub(super) const PACKETS: u64 = 1000;

    /// Returns whether the queue has a limit and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.filter.is_none() && self.drop == DropPolicy::Tail && self.scheduler == Scheduler::Fifo
    }

    /// The limits that it names.
    pub fn limits(&self) -> Vec<&'static str> {
        let limits = [
            ("`packets`", self.packets.is_some()),
            ("`waiting`", self.waiting.is_some()),
            ("`bytes`", self.bytes.is_some()),
            ("`waiting_bytes`", self.waiting_bytes.is_some()),
        ];
        limits.into_iter().filter_map(|(key, given)| given.then_some(key)).collect()
    }

    /// The limit, before a link of `rate`.
    pub(super) fn limit(&self, rate: Rate) -> Limit {
        let [bytes, waiting_bytes] = [self.bytes, self.waiting_bytes].map(|limit| limit.map(|limit| limit.at(rate)));
        match (self.waiting, bytes, waiting_bytes) {
            (Some(packets), ..) => Limit::Waiting(packets),
            (_, Some(bytes), _) => Limit::Bytes(bytes.get()),
            (_, _, Some(bytes)) => Limit::WaitingBytes(bytes.get()),
            _ => Limit::Packets(self.packets.unwrap_or(Self::PACKETS)),
        }
    }
}

impl QueueParams for DropTailParams {
    fn check(&mut self, rate: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        self.bytes.as_mut().map_or(Ok(()), |bytes| bytes.count("bytes", rate))?;
        self.waiting_bytes.as_mut().map_or(Ok(()), |bytes| bytes.count("waiting_bytes", rate))?;
        match self.limits().as_slice() {
            [] => self.packets = Some(Self::PACKETS),
            [_] => {}
            given => return Err(Wrong::at("", format!("has the limits {}; give one of them", given.join(", ")))),
        }
        must(self.packets != Some(0), "packets", "must be at least 1", 0)?;
        must(self.bytes != Some(Buffer::bytes(0)), "bytes", "must be at least 1B", quoted("0B"))
    }

    fn buffer(&self) -> Option<Buffer> {
        self.bytes.or(self.waiting_bytes)
    }
}

/// A drop-tail queue.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTail<P> {
    limit: Limit,
    packets: VecDeque<P>,
    bytes: u64,
}

impl<P: Carried> DropTail<P> {
    /// A queue with this limit.
    pub fn new(limit: Limit) -> Self {
        DropTail { limit, packets: VecDeque::new(), bytes: 0 }
    }

    /// The packet to serve next.
    #[inline]
    pub fn front(&self) -> Option<&P> {
        self.packets.front()
    }

    /// Whether there is room for a packet of `size` bytes, beside one of so many that is in service.
    #[inline]
    pub fn admits(&self, size: u32, in_service: Option<u32>) -> bool {
        self.limit.admits(u64::from(size), self.packets.len() as u64, self.bytes, in_service)
    }

    /// Takes in a packet that was admitted.
    #[inline]
    pub fn push(&mut self, packet: P) {
        self.bytes += u64::from(packet.wire_bytes());
        self.packets.push_back(packet);
    }
}

impl<P: Carried> Queue<P> for DropTail<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, service: Service, _: Time, removed: &mut Vec<(P, Removal)>) {
        if self.admits(packet.wire_bytes(), service.bytes()) {
            self.push(packet);
        } else {
            removed.push((packet, Removal::Full));
        }
    }

    #[inline]
    fn lets_pass(&self, packet: &P) -> bool {
        self.admits(packet.wire_bytes(), None)
    }

    #[inline]
    fn dequeue(&mut self, _: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    fn books(&self) -> Option<(Limit, u32)> {
        let below = match self.limit {
            Limit::Packets(limit) if limit < 2 => 0,
            Limit::Bytes(limit) => u32::try_from(limit).unwrap_or(u32::MAX).saturating_add(1),
            _ => u32::MAX,
        };
        Some((self.limit, below))
    }

    #[inline]
    fn held(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64, bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bare;

    /// How many of ten packets of 1000 bytes fit, behind one in service or with the link idle.
    fn admitted(mut queue: DropTail<Bare>, service: Service) -> usize {
        let mut removed = Vec::new();
        for _ in 0..10 {
            queue.enqueue(Bare::of(1000), service, Time::ZERO, &mut removed);
        }
        assert_eq!(queue.len() + removed.len(), 10);
        assert_eq!(queue.bytes(), 1000 * queue.len() as u64);
        queue.len()
    }

    #[test]
    fn both_counting_rules_in_packets_and_bytes() {
        let behind_another = |limit| admitted(DropTail::new(limit), Service::Busy(1000));
        assert_eq!(behind_another(Limit::Packets(4)), 3);
        assert_eq!(behind_another(Limit::Waiting(4)), 4);
        assert_eq!(behind_another(Limit::Bytes(4000)), 3);
        assert_eq!(behind_another(Limit::WaitingBytes(4000)), 4);
        let idle = Service::Idle(Time::ZERO);
        assert_eq!(admitted(DropTail::new(Limit::Packets(1)), idle), 0, "ns-2's limit 1 admits nothing");
    }

    #[test]
    fn what_passes_an_idle_link_is_known_by_its_size() {
        for limit in [
            Limit::Packets(1),
            Limit::Packets(2),
            Limit::Waiting(0),
            Limit::Bytes(4000),
            Limit::Bytes(10_000_000_000),
            Limit::WaitingBytes(0),
        ] {
            let queue = DropTail::<Bare>::new(limit);
            for size in [0, 1, 3999, 4000, 4001, u32::MAX - 1] {
                assert_eq!(
                    queue.books().is_some_and(|(_, below)| size < below),
                    queue.lets_pass(&Bare::of(size)),
                    "{queue:?} {size}"
                );
            }
        }
    }
}
