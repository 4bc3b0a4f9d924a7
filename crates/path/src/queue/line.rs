//! What waits before the server of a link, or of a station on a shared medium. It is a queue, and the packet that has
//! left the queue but is not yet in service. Waits are measured here, for every discipline alike.

use acklab_packet::Time;

use super::{AnyQueue, FlowClass, Queue, Removal, Service};
use crate::{Carried, carried_within};

/// A packet in a line, and when it came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamped<P> {
    /// The packet.
    pub packet: P,
    /// When it came.
    pub came: Time,
}

impl<P> Stamped<P> {
    /// How long it has waited.
    #[inline]
    pub fn waited(&self, now: Time) -> Time {
        now - self.came
    }
}

carried_within!(Stamped);

/// What waits before a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Their bytes, less what has been sent of the first.
    pub bytes: u64,
}

/// A queue, and the packet in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<P> {
    queue: AnyQueue<Stamped<P>>,
    /// The packet in front, and its bytes that are left to send.
    first: Option<(Stamped<P>, u32)>,
    /// What the queue removes during one call; empty between calls.
    removed: Vec<(Stamped<P>, Removal)>,
}

impl<P: Carried> Line<P> {
    /// Nothing waits.
    pub fn new(queue: AnyQueue<Stamped<P>>) -> Line<P> {
        Line { queue, first: None, removed: Vec::new() }
    }

    /// The queue.
    #[inline]
    pub fn queue(&self) -> &AnyQueue<Stamped<P>> {
        &self.queue
    }

    /// One more flow comes, whose packets bear the next number.
    pub fn learn(&mut self, class: FlowClass) {
        self.queue.learn(class);
    }

    /// The packet in front of the queue, if one is.
    #[inline]
    pub fn first(&self) -> Option<&P> {
        self.first.as_ref().map(|(first, _)| &first.packet)
    }

    /// What waits.
    #[inline]
    pub fn held(&self) -> Backlog {
        let Backlog { packets, bytes } = self.queue.held();
        let first = self.first.as_ref().map_or((0, 0), |(_, rest)| (1, u64::from(*rest)));
        Backlog { packets: packets + first.0, bytes: bytes + first.1 }
    }

    /// A packet comes to the queue `now`. What the queue removes goes to `gone`, with the reason and its wait.
    #[inline]
    pub fn enqueue(&mut self, packet: Stamped<P>, service: Service, now: Time, gone: impl FnMut(P, Removal, Time)) {
        self.queue.enqueue(packet, service, now, &mut self.removed);
        self.hand_over_removed(now, gone);
    }

    /// The packet to serve next, and its bytes that are left to send.
    #[inline]
    pub fn dequeue(&mut self, now: Time, gone: impl FnMut(P, Removal, Time)) -> Option<(Stamped<P>, u32)> {
        if self.first.is_some() {
            return self.first.take();
        }
        let next = self.queue.dequeue(now, &mut self.removed);
        self.hand_over_removed(now, gone);
        let packet = next?;
        let bytes = packet.wire_bytes();
        Some((packet, bytes))
    }

    /// A packet that [`Line::dequeue`] gave stays in front of the queue; `rest` of its bytes are left to send.
    pub fn keep(&mut self, packet: Stamped<P>, rest: u32) {
        self.first = Some((packet, rest));
    }

    #[inline]
    fn hand_over_removed(&mut self, now: Time, mut gone: impl FnMut(P, Removal, Time)) {
        // Mostly nothing: a loop over an empty list costs, too.
        if self.removed.is_empty() {
            return;
        }
        for (stamped, reason) in self.removed.drain(..) {
            let waited = stamped.waited(now);
            gone(stamped.packet, reason, waited);
        }
    }
}
