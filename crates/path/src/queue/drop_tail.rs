//! First in, first out; an arrival that finds no room is dropped (ledger allman1998.m.droptail).

use std::collections::VecDeque;

use acklab_packet::{Bytes, Time};

use super::{Queue, Removal, Service};
use crate::Carried;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// Packets, the one in service included. As in ns-2, one place is taken even while the link is idle.
    Packets(u64),
    /// Packets that wait.
    Waiting(u64),
    /// Bytes, those in service included.
    Bytes(u64),
    /// Bytes that wait.
    WaitingBytes(u64),
}

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
        let limit = match (waiting, bytes, waiting_bytes) {
            (Some(n), _, _) => Limit::Waiting(n),
            (_, Some(bytes), _) => Limit::Bytes(bytes.get()),
            (_, _, Some(bytes)) => Limit::WaitingBytes(bytes.get()),
            _ => Limit::Packets(packets.unwrap_or(1000)),
        };
        DropTail { limit, packets: VecDeque::new(), bytes: 0 }
    }

    fn admits(&self, size: u64, in_service: Option<u32>) -> bool {
        let waiting = self.packets.len() as u64;
        match self.limit {
            Limit::Packets(limit) => waiting + 1 < limit,
            Limit::Waiting(limit) => in_service.is_none() || waiting < limit,
            Limit::Bytes(limit) => self.bytes + u64::from(in_service.unwrap_or(0)) + size <= limit,
            Limit::WaitingBytes(limit) => in_service.is_none() || self.bytes + size <= limit,
        }
    }
}

impl<P: Carried> Queue<P> for DropTail<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, service: Service, _: Time, removed: &mut Vec<(P, Removal)>) {
        let size = u64::from(packet.wire_bytes());
        if self.admits(size, service.bytes()) {
            self.bytes += size;
            self.packets.push_back(packet);
        } else {
            removed.push((packet, Removal::Dropped));
        }
    }

    #[inline]
    fn lets_pass(&self, packet: &P) -> bool {
        self.admits(u64::from(packet.wire_bytes()), None)
    }

    #[inline]
    fn dequeue(&mut self, _: Time) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
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

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Raw(u32);
    impl Carried for Raw {
        fn wire_bytes(&self) -> u32 {
            self.0
        }
        fn is_ack(&self) -> bool {
            false
        }
        fn has_payload(&self) -> bool {
            true
        }
        fn mark(&mut self) -> bool {
            false
        }
    }

    /// How many of ten packets of 1000 bytes fit, behind one in service or with the link idle.
    fn admitted(mut queue: DropTail<Raw>, service: Service) -> usize {
        let mut removed = Vec::new();
        for _ in 0..10 {
            queue.enqueue(Raw(1000), service, Time::ZERO, &mut removed);
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
}
