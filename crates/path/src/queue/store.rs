//! What waits in a queue that decides by itself what to drop: one line of packets or several, each first in, first out.
//!
//! An ACK filter of such a queue is asked here, whatever the discipline: when an ACK arrives, about the ACKs that wait in its line. The
//! discipline then decides about the arrival as if those were gone. They are erased if it is taken in.

use std::collections::VecDeque;

use acklab_packet::{Rate, Time};

use super::filtering::Filtering;
use super::{Backlog, Removal, Scheduler};
use crate::ack_filter::FilterSpec;
use crate::waiting::{Place, Waiting};
use crate::{Carried, carried_within};

/// What an arrival would wait behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    /// Packets in all lines.
    pub packets: u64,
    /// Bytes in all lines.
    pub bytes: u64,
    /// Bytes in its line.
    pub in_line: u64,
}

/// Packets that wait.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Store<P> {
    kept: Kept<P>,
    /// Bytes in each line.
    in_line: Vec<u64>,
    len: usize,
    bytes: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Kept<P> {
    /// With neither a filter nor a scheduler: of each line the packets and their arrivals.
    Plain(Vec<VecDeque<(Time, P)>>),
    /// Sorted by connection for one of them.
    Sorted(Box<Sorted<P>>),
}

#[derive(Clone, Debug, PartialEq)]
struct Sorted<P> {
    waiting: Waiting<Arrived<P>>,
    filtering: Filtering,
    scheduler: Scheduler,
}

impl<P: Carried> Store<P> {
    /// So many empty lines before a link of `rate`.
    pub fn new(lines: usize, filter: Option<FilterSpec>, rate: Rate) -> Store<P> {
        Store::scheduled(lines, filter, Scheduler::Fifo, rate)
    }

    /// The same; a scheduler other than `Fifo` needs one line.
    pub fn scheduled(lines: usize, filter: Option<FilterSpec>, scheduler: Scheduler, rate: Rate) -> Store<P> {
        let kept = if filter.is_none() && scheduler == Scheduler::Fifo {
            Kept::Plain((0..lines).map(|_| VecDeque::new()).collect())
        } else {
            let filtering = Filtering::new(filter.as_ref(), rate);
            let waiting = Waiting::new(filtering.measures::<P>(), lines.max(scheduler.classes()));
            Kept::Sorted(Box::new(Sorted { waiting, filtering, scheduler }))
        };
        Store { kept, in_line: vec![0; lines], len: 0, bytes: 0 }
    }

    /// Takes `packet` in, or not: `refuses` says why not, and may mark it. What leaves goes to `removed`. Whether it was taken in.
    #[inline]
    pub fn admit(
        &mut self,
        line: usize,
        mut packet: P,
        now: Time,
        removed: &mut Vec<(P, Removal)>,
        refuses: impl FnOnce(&mut P, Room) -> Option<Removal>,
    ) -> bool {
        let room = Room { packets: self.len as u64, bytes: self.bytes, in_line: self.in_line[line] };
        let size = u64::from(packet.wire_bytes());
        let (mut erased, mut freed) = (0, 0);
        match &mut self.kept {
            Kept::Plain(lines) => {
                if let Some(why) = refuses(&mut packet, room) {
                    removed.push((packet, why));
                    return false;
                }
                lines[line].push_back((now, packet));
            }
            Kept::Sorted(sorted) => {
                let arrived = Arrived { since: now, packet };
                match sorted.admit(line as u32, arrived, now, room, removed, refuses) {
                    Some(gone) => (erased, freed) = gone,
                    None => return false,
                }
            }
        }
        self.len = self.len + 1 - erased;
        self.bytes = self.bytes + size - freed;
        self.in_line[line] = self.in_line[line] + size - freed;
        true
    }

    /// The packet that is next in that line, with its arrival. It is about to leave the link's queue, also if it is dropped then.
    #[inline]
    pub fn pop(&mut self, line: usize, now: Time) -> Option<(Time, P)> {
        let (since, packet) = match &mut self.kept {
            Kept::Plain(lines) => lines[line].pop_front()?,
            Kept::Sorted(sorted) => {
                let next = match sorted.scheduler {
                    Scheduler::Fifo => sorted.waiting.first_in(line as u32),
                    scheduler => scheduler.next(&sorted.waiting),
                };
                let Arrived { since, packet } = sorted.waiting.serve(next?, now);
                (since, packet)
            }
        };
        let size = u64::from(packet.wire_bytes());
        self.len -= 1;
        self.bytes -= size;
        self.in_line[line] -= size;
        Some((since, packet))
    }

    /// When the packet came that is next in that line.
    #[inline]
    pub fn since(&self, line: usize) -> Option<Time> {
        match &self.kept {
            Kept::Plain(lines) => lines[line].front().map(|(since, _)| *since),
            Kept::Sorted(sorted) => {
                let first = sorted.waiting.first_in(line as u32);
                first.map(|first| sorted.waiting.packet(first).since)
            }
        }
    }

    /// Returns the packets that wait in all lines.
    #[inline]
    pub fn held(&self) -> Backlog {
        Backlog { packets: self.len as u64, bytes: self.bytes }
    }

    /// Bytes in all lines.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes in each line.
    #[inline]
    pub fn in_line(&self) -> &[u64] {
        &self.in_line
    }
}

impl<P: Carried> Sorted<P> {
    /// See [`Store::admit`]; how many ACKs were erased, and their bytes.
    fn admit(
        &mut self,
        line: u32,
        mut arrived: Arrived<P>,
        now: Time,
        room: Room,
        removed: &mut Vec<(P, Removal)>,
        refuses: impl FnOnce(&mut P, Room) -> Option<Removal>,
    ) -> Option<(usize, u64)> {
        let Sorted { waiting, filtering, scheduler } = self;
        let flow = waiting.on_arrival(&arrived, now);
        let class = if *scheduler == Scheduler::Fifo { line } else { scheduler.class(&arrived) };
        let place = filtering.ask(&arrived, (flow, class), waiting);
        let (erased, freed) = filtering.frees(waiting);
        let room = match filtering.needs_room_first::<P>() {
            true => room,
            false => {
                Room { packets: room.packets - erased as u64, bytes: room.bytes - freed, in_line: room.in_line - freed }
            }
        };
        if let Some(why) = refuses(&mut arrived.packet, room) {
            filtering.withdraw();
            removed.push((arrived.packet, why));
            return None;
        }
        // In another's place it has waited as long as that one: the controllers read the delay of the line there.
        if let Place::Before(oldest) = place {
            arrived.since = waiting.packet(oldest).since;
        }
        waiting.insert(arrived, flow, class, place);
        filtering.erase(waiting, |gone| removed.push((gone.packet, Removal::Filtered)));
        filtering.spare(waiting);
        Some((erased, freed))
    }
}

/// A packet that waits, with its arrival.
#[derive(Clone, Debug, PartialEq)]
struct Arrived<P> {
    since: Time,
    packet: P,
}

carried_within!(Arrived);

#[cfg(test)]
mod tests {
    use acklab_packet::{Ack, Body, Packet};

    use super::*;

    /// Numbers and arrivals of what leaves after ACKs of two flows came at 0, 1, 2 ... ms.
    fn left(place: &str) -> Vec<(u64, f64)> {
        let filter = format!(r#"{{"kind": "static", "threshold": 1, "place": "{place}"}}"#);
        let filter: FilterSpec = serde_json::from_str(&filter).expect("a filter");
        let mut store: Store<Packet> = Store::new(1, Some(filter), Rate::from_bps(1e5));
        let mut removed = Vec::new();
        for (at, (flow, ack)) in [(0, 10), (1, 20), (0, 11)].into_iter().enumerate() {
            let body = Body::Ack(Ack { ack, ..Ack::default() });
            let packet = Packet { flow, size: 40, connection: 0, place: 0, body };
            assert!(store.admit(0, packet, Time::from_secs(at as f64), &mut removed, |_, _| None));
        }
        assert_eq!((store.held(), store.in_line(), removed.len()), (Backlog { packets: 2, bytes: 80 }, &[80][..], 1));
        let number = |(since, packet): (Time, Packet)| (packet.plain_ack().unwrap_or(0), since.secs());
        std::iter::from_fn(|| store.pop(0, Time::ZERO)).map(number).collect()
    }

    #[test]
    fn an_ack_in_anothers_place_has_waited_as_long() {
        assert_eq!(left("tail"), [(20, 1.0), (11, 2.0)]);
        assert_eq!(left("slot"), [(11, 0.0), (20, 1.0)]);
    }
}
