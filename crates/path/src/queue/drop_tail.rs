//! First in, first out; an arrival that finds no room is dropped (ledger allman1998.m.droptail).

use std::collections::VecDeque;

use acklab_packet::{Bytes, Time};

use super::{Limit, Queue, Removal, Service};
use crate::Carried;

/// A drop-tail queue.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTail<P> {
    limit: Limit,
    packets: VecDeque<P>,
    bytes: u64,
}

impl<P: Carried> DropTail<P> {
    /// A queue with the one limit given; 1000 packets if none is.
    pub fn new(packets: Option<u64>, waiting: Option<u64>, bytes: Option<Bytes>, waiting_bytes: Option<Bytes>) -> Self {
        let limit = Limit::new(packets, waiting, bytes, waiting_bytes);
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
    fn len(&self) -> usize {
        self.packets.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
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
        let kb = |n: u64| Some(Bytes::new(n * 1000));
        assert_eq!(admitted(DropTail::new(Some(4), None, None, None), Service::Busy(1000)), 3);
        assert_eq!(admitted(DropTail::new(None, Some(4), None, None), Service::Busy(1000)), 4);
        assert_eq!(admitted(DropTail::new(None, None, kb(4), None), Service::Busy(1000)), 3);
        assert_eq!(admitted(DropTail::new(None, None, None, kb(4)), Service::Busy(1000)), 4);
        assert_eq!(
            admitted(DropTail::new(Some(1), None, None, None), Service::Idle(Time::ZERO)),
            0,
            "ns-2's limit 1 admits nothing"
        );
    }

    #[test]
    fn what_passes_an_idle_link_is_known_by_its_size() {
        let kb = |n: u64| Some(Bytes::new(n * 1000));
        for queue in [
            DropTail::<Bare>::new(Some(1), None, None, None),
            DropTail::new(Some(2), None, None, None),
            DropTail::new(None, Some(0), None, None),
            DropTail::new(None, None, kb(4), None),
            DropTail::new(None, None, kb(10_000_000), None),
            DropTail::new(None, None, None, kb(0)),
        ] {
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
