//! Where a queue that decides by itself what to drop keeps its packets, and which it serves next.

use std::collections::VecDeque;

use acklab_packet::Time;

use super::Scheduler;
use crate::Carried;
use crate::waiting::{Measures, Place, Waiting};

/// Packets that wait.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Store<P> {
    /// First in, first out.
    Fifo { packets: VecDeque<P>, bytes: u64 },
    /// By a scheduler.
    Scheduled(Box<Waiting<P>>, Scheduler),
}

impl<P: Carried> Store<P> {
    pub fn new(scheduler: Scheduler) -> Store<P> {
        match scheduler {
            Scheduler::Fifo => Store::Fifo { packets: VecDeque::new(), bytes: 0 },
            other => Store::Scheduled(Box::new(Waiting::new(Measures::default())), other),
        }
    }

    #[inline]
    pub fn push(&mut self, packet: P, now: Time) {
        match self {
            Store::Fifo { packets, bytes } => {
                *bytes += u64::from(packet.wire_bytes());
                packets.push_back(packet);
            }
            Store::Scheduled(waiting, scheduler) => {
                let flow = waiting.on_arrival(&packet, now);
                let class = scheduler.class(&packet);
                waiting.insert(packet, flow, class, Place::Tail);
            }
        }
    }

    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<P> {
        match self {
            Store::Fifo { packets, bytes } => {
                let packet = packets.pop_front()?;
                *bytes -= u64::from(packet.wire_bytes());
                Some(packet)
            }
            Store::Scheduled(waiting, scheduler) => {
                let next = scheduler.next(waiting)?;
                Some(waiting.serve(next, now))
            }
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Store::Fifo { packets, .. } => packets.len(),
            Store::Scheduled(waiting, _) => waiting.len(),
        }
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        match self {
            Store::Fifo { bytes, .. } => *bytes,
            Store::Scheduled(waiting, _) => waiting.bytes(),
        }
    }
}
