//! A program's own queueing discipline.

use std::collections::HashMap;
use std::fmt::Debug;

use acklab_packet::Time;
use dyn_clone::DynClone;

use super::{Backlog, Queue, QueueParams, Removal, Service};
use crate::{Carried, Own, PacketView};

/// A discipline over numbered packets; the link keeps the packets themselves.
///
/// Each packet that arrives leaves once: it is served, or its number goes to `removed`. Numbers that do not wait are ignored.
pub trait Discipline: Debug + Send + Sync + DynClone {
    /// `packet` arrives `now`; it waits unless its number goes to `removed`.
    fn enqueue(&mut self, packet: PacketView, service: Service, now: Time, removed: &mut Vec<(u64, Removal)>);

    /// The number of the packet to serve next, and whether it gets a congestion mark (CE, RFC 3168) if its sender
    /// understands marks. `None` only where nothing waits, or [`Discipline::ready_at`] is later.
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(u64, Removal)>) -> Option<(u64, bool)>;

    /// When it may next hand out a packet ([`Queue::ready_at`]).
    fn ready_at(&self, now: Time) -> Time {
        now
    }
}

impl<D: Discipline + 'static> From<D> for Own<dyn Discipline> {
    fn from(discipline: D) -> Self {
        Own(Box::new(discipline))
    }
}

impl QueueParams for Own<dyn Discipline> {}

/// The queue of a program's own discipline.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom<P> {
    discipline: Own<dyn Discipline>,
    packets: HashMap<u64, P>,
    bytes: u64,
    /// Packets that have arrived.
    arrived: u64,
    /// Numbers to remove; empty between calls.
    numbers: Vec<(u64, Removal)>,
}

impl<P: Carried> Custom<P> {
    /// An empty queue.
    pub fn new(discipline: Own<dyn Discipline>) -> Custom<P> {
        Custom { discipline, packets: HashMap::new(), bytes: 0, arrived: 0, numbers: Vec::new() }
    }

    fn take(&mut self, number: u64) -> Option<P> {
        let packet = self.packets.remove(&number)?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    fn clear(&mut self, removed: &mut Vec<(P, Removal)>) {
        for (number, why) in std::mem::take(&mut self.numbers) {
            removed.extend(self.take(number).map(|packet| (packet, why)));
        }
    }
}

impl<P: Carried> Queue<P> for Custom<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        let (number, bytes) = (self.arrived, packet.wire_bytes());
        let view = PacketView::new(number, &packet);
        self.arrived += 1;
        self.bytes += u64::from(bytes);
        self.packets.insert(number, packet);
        self.discipline.0.enqueue(view, service, now, &mut self.numbers);
        self.clear(removed);
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let next = self.discipline.0.dequeue(now, &mut self.numbers);
        self.clear(removed);
        let (number, mark) = next?;
        let mut packet = self.take(number)?;
        if mark {
            packet.mark();
        }
        Some(packet)
    }

    fn ready_at(&self, now: Time) -> Time {
        self.discipline.0.ready_at(now)
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

    /// The last packet first; at most two wait, and the oldest goes.
    #[derive(Clone, Debug)]
    struct Stack(Vec<u64>);

    impl Discipline for Stack {
        fn enqueue(&mut self, packet: PacketView, _: Service, _: Time, removed: &mut Vec<(u64, Removal)>) {
            self.0.push(packet.number);
            if self.0.len() > 2 {
                removed.push((self.0.remove(0), Removal::Full));
                removed.push((99, Removal::Early));
            }
        }
        fn dequeue(&mut self, _: Time, _: &mut Vec<(u64, Removal)>) -> Option<(u64, bool)> {
            self.0.pop().map(|number| (number, false))
        }
    }

    #[test]
    fn packets_leave_as_the_discipline_says() {
        let (mut queue, mut removed) = (Custom::new(Stack(Vec::new()).into()), Vec::new());
        for size in [100, 200, 300] {
            queue.enqueue(Bare::of(size), Service::Idle(Time::ZERO), Time::ZERO, &mut removed);
        }
        assert_eq!(removed, [(Bare::of(100), Removal::Full)]);
        assert_eq!((queue.len(), queue.bytes()), (2, 500));
        let mut copy = queue.clone();
        assert_eq!(queue.dequeue(Time::ZERO, &mut removed), Some(Bare::of(300)));
        assert_eq!(queue.dequeue(Time::ZERO, &mut removed), Some(Bare::of(200)));
        assert_eq!((queue.dequeue(Time::ZERO, &mut removed), queue.bytes()), (None, 0));
        assert_eq!((copy.dequeue(Time::ZERO, &mut removed), removed.len()), (Some(Bare::of(300)), 1));
    }
}
