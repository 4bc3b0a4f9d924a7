//! Queues: where packets wait for a link, and which are dropped.
//!
//! To add one: a file here, a variant in [`AnyQueue`] and in [`QueueSpec`].

mod drop_tail;

pub use drop_tail::DropTail;

use acklab_packet::Time;

use crate::Carried;
use crate::spec::QueueSpec;

/// Why a packet left a queue other than by being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// There was no room for it, or it made room for another.
    Dropped,
    /// It was an ACK that a newer one made superfluous.
    Filtered,
}

/// A queueing discipline.
///
/// The packet in service has left the queue; `in_service` is its size, `None` while the link is idle.
pub trait Queue<P: Carried> {
    /// Takes in `packet`, or not: every packet that leaves unserved goes to `removed` with its reason.
    fn enqueue(&mut self, packet: P, in_service: Option<u32>, now: Time, removed: &mut Vec<(P, Removal)>);
    /// Whether a packet that finds the link idle and the queue empty goes straight into service, leaving no trace in
    /// the queue's state. Answering `false` is always right, only slower.
    fn lets_pass(&self, packet: &P) -> bool;
    /// The next packet to serve.
    fn dequeue(&mut self, now: Time) -> Option<P>;
    /// Packets waiting.
    fn len(&self) -> usize;
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The disciplines, dispatched without boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyQueue<P> {
    /// See [`DropTail`].
    DropTail(DropTail<P>),
}

impl<P: Carried> AnyQueue<P> {
    /// The queue that `spec` describes.
    pub fn new(spec: &QueueSpec) -> AnyQueue<P> {
        match *spec {
            QueueSpec::DropTail { packets, waiting, bytes, waiting_bytes } => {
                AnyQueue::DropTail(DropTail::new(packets, waiting, bytes, waiting_bytes))
            }
        }
    }
}

impl<P: Carried> Queue<P> for AnyQueue<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, in_service: Option<u32>, now: Time, removed: &mut Vec<(P, Removal)>) {
        match self {
            AnyQueue::DropTail(queue) => queue.enqueue(packet, in_service, now, removed),
        }
    }

    #[inline]
    fn lets_pass(&self, packet: &P) -> bool {
        match self {
            AnyQueue::DropTail(queue) => queue.lets_pass(packet),
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Time) -> Option<P> {
        match self {
            AnyQueue::DropTail(queue) => queue.dequeue(now),
        }
    }

    #[inline]
    fn len(&self) -> usize {
        match self {
            AnyQueue::DropTail(queue) => queue.len(),
        }
    }

    #[inline]
    fn bytes(&self) -> u64 {
        match self {
            AnyQueue::DropTail(queue) => queue.bytes(),
        }
    }
}
