//! CAKE: a shaper, tins by DiffServ, fairness between hosts and flows, COBALT, and an ACK filter (as in Linux, sch_cake.c;
//! Høiland-Jørgensen, Täht and Morton 2018).
//!
//! The shaper does not hold packets back by itself: [`Queue::ready_at`] says when the next one may leave.

mod fattest;
mod flow;
mod params;
mod places;
mod shaper;
mod tin;
mod tins;

use acklab_packet::{Rate, Time};

use super::classes::{Classes, FlowClass};
use super::cobalt::control::nanoseconds;
use super::fair::{draw, flow_hash, memory};
use super::{Backlog, Queue, Removal, Service};
use crate::Carried;
use crate::ack_filter::superfluous;
use crate::random::Random;
use fattest::{Fattest, flow_of, number};
use flow::{Entry, Set};
pub use params::{AckFiltering, CakeQueueParams, Isolation};
pub use shaper::Cells;
use shaper::{Pace, framed};
use tin::{DECAYING, NEW, OLD, Tin};
pub use tins::TinMode;

/// A CAKE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Cake<P> {
    params: CakeQueueParams,
    classes: Classes,
    memory_limit: u64,
    tins: Vec<Tin<P>>,
    fattest: Fattest,
    /// The tin served last.
    tin: usize,
    pace: Pace,
    next: i64,
    perturbation: u32,
    random: Random,
    len: usize,
    bytes: u64,
    memory: u64,
}

/// Bytes that wait, by a flow's number.
fn bytes_in<P>(tins: &[Tin<P>]) -> impl Fn(u16) -> u64 + '_ {
    |number| {
        let (tin, flow) = flow_of(number);
        tins.get(tin).map_or(0, |tin| tin.flows[flow].bytes)
    }
}

impl<P: Carried> Cake<P> {
    /// An empty queue.
    pub fn new(params: &CakeQueueParams, _: Rate, random: impl FnOnce() -> Random) -> Cake<P> {
        let mut random = random();
        Cake {
            memory_limit: params.memory_limit(),
            tins: params.tins.shares().iter().map(|&share| Tin::new(params, share)).collect(),
            fattest: Fattest::default(),
            tin: 0,
            pace: Pace::of(params.bandwidth),
            next: 0,
            perturbation: draw(&mut random),
            random,
            len: 0,
            bytes: 0,
            memory: 0,
            classes: Classes::new(&params.classes),
            params: params.clone(),
        }
    }

    /// Takes the oldest packet of a flow out.
    fn pop(&mut self, tin: usize, flow: usize) -> Option<Entry<P>> {
        let entry = self.tins[tin].flows[flow].packets.pop_front()?;
        self.forget(tin, flow, &entry.packet);
        self.fattest.shrunk(number(tin, flow), bytes_in(&self.tins));
        Some(entry)
    }

    fn forget(&mut self, tin: usize, flow: usize, packet: &P) {
        let size = packet.wire_bytes();
        self.tins[tin].flows[flow].bytes -= u64::from(size);
        self.tins[tin].packets -= 1;
        self.len -= 1;
        self.bytes -= u64::from(size);
        self.memory -= memory(size);
    }

    /// Drops the oldest packet of the flow with most bytes.
    fn drop_longest(&mut self, now: i64, removed: &mut Vec<(P, Removal)>) {
        let (tin, flow) = flow_of(self.fattest.top(bytes_in(&self.tins)));
        let inside = &mut self.tins[tin];
        inside.flows[flow].cobalt.overflowed(&inside.rules, now);
        removed.extend(self.pop(tin, flow).map(|entry| (entry.packet, Removal::Full)));
    }

    /// The tin to serve: without a shaper by deficit round robin; with one the last that is within its rate, or else the one
    /// that is within it first.
    fn choose_tin(&mut self, now: i64) {
        if self.pace.bytes_per_second > 0 {
            let mut best = i64::MAX;
            for (index, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.active > 0) {
                if tin.next <= now || tin.next - now <= best {
                    (best, self.tin) = (tin.next - now, index);
                }
            }
            return;
        }
        while self.tins[self.tin].deficit < 0 || self.tins[self.tin].active == 0 {
            let tin = &mut self.tins[self.tin];
            if tin.deficit <= 0 {
                tin.deficit += tin.quantum;
            }
            self.tin = (self.tin + 1) % self.tins.len();
        }
    }

    /// A flow's queue was found empty in its turn.
    fn retire(&mut self, flow: usize, from: usize, now: i64) {
        let tin = &mut self.tins[self.tin];
        tin.flows[flow].cobalt.found_empty(&tin.rules, now);
        if tin.flows[flow].set != Set::Decaying {
            tin.active -= 1;
        }
        if tin.flows[flow].set == Set::Bulk {
            tin.places.count_bulk(&tin.flows[flow], -1);
        }
        tin.leave(from, flow);
        if tin.flows[flow].cobalt.rests(now) {
            tin.flows[flow].set = Set::Idle;
        } else {
            tin.append(DECAYING, flow);
            tin.flows[flow].set = Set::Decaying;
        }
    }

    /// The flow whose turn it is in the tin served, and the list it is in; `None` if the tin has to be chosen again.
    /// One flow that decays is looked at first: `decaying` is whether that is still to come.
    fn turn(&mut self, decaying: &mut bool) -> Option<(usize, usize)> {
        loop {
            let tin = &mut self.tins[self.tin];
            let first = std::mem::take(decaying);
            let order = if first { [DECAYING, NEW, OLD] } else { [NEW, OLD, DECAYING] };
            let (list, flow) = order.into_iter().find_map(|list| Some((list, tin.front(list)?)))?;
            if tin.flows[flow].deficit > 0 {
                return Some((flow, list));
            }
            if tin.flows[flow].set == Set::Sparse {
                if tin.flows[flow].packets.is_empty() {
                    tin.flows[flow].set = Set::SparseWaits;
                } else {
                    tin.flows[flow].set = Set::Bulk;
                    tin.places.count_bulk(&tin.flows[flow], 1);
                }
            }
            let more = tin.quantum_of(flow, &mut self.random);
            tin.flows[flow].deficit += more;
            tin.leave(list, flow);
            tin.append(OLD, flow);
        }
    }

    /// The packet that an ACK filter erases for the one that came last to a flow's queue.
    fn filter(&mut self, tin: usize, flow: usize, removed: &mut Vec<(P, Removal)>) {
        let packets = &self.tins[tin].flows[flow].packets;
        let Some(last) = packets.len().checked_sub(1) else { return };
        let arrival = &packets[last].packet;
        if self.params.ack_filter == AckFiltering::Off || arrival.plain_ack().is_none() {
            return;
        }
        let others = packets.iter().take(last).map(|entry| &entry.packet).enumerate();
        if let Some(place) = superfluous(others, arrival, self.params.ack_filter == AckFiltering::Aggressive)
            && let Some(entry) = self.tins[tin].flows[flow].packets.remove(place)
        {
            self.forget(tin, flow, &entry.packet);
            removed.push((entry.packet, Removal::Filtered));
        }
    }
}

impl<P: Carried> Queue<P> for Cake<P> {
    fn enqueue(&mut self, packet: P, _: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        let (now, size) = (nanoseconds(now), packet.wire_bytes());
        let class = self.classes.of(packet.connection());
        let (from, to) = if packet.is_ack() && !class.one_way {
            (class.destination, class.source)
        } else {
            (class.source, class.destination)
        };
        let tin = self.params.tins.tin(class.dscp);
        let inside = &mut self.tins[tin];
        let hash = flow_hash(packet.connection(), self.perturbation);
        let hosts = [from, to].map(|host| flow_hash(u64::from(host), 0));
        let flow = inside.places.find(hash, hosts, &mut inside.flows);
        // The shaper saves nothing while nothing waits.
        if inside.packets == 0 {
            inside.next = inside.next.max(now);
            if self.len == 0 {
                self.next = self.next.max(now);
            }
        }
        let framed = framed(size, self.params.overhead, self.params.mpu.get() as u32, self.params.cells);
        inside.flows[flow].packets.push_back(Entry { arrival: now, framed, packet });
        inside.flows[flow].bytes += u64::from(size);
        inside.packets += 1;
        self.len += 1;
        self.bytes += u64::from(size);
        self.memory += memory(size);
        self.filter(tin, flow, removed);
        self.fattest.grown(number(tin, flow), bytes_in(&self.tins));
        let inside = &mut self.tins[tin];
        match inside.flows[flow].set {
            set @ (Set::Idle | Set::Decaying) => {
                if set == Set::Decaying {
                    inside.leave(DECAYING, flow);
                }
                inside.append(NEW, flow);
                inside.flows[flow].set = Set::Sparse;
                inside.active += 1;
                inside.flows[flow].deficit = inside.quantum_of(flow, &mut self.random);
            }
            Set::SparseWaits => {
                inside.flows[flow].set = Set::Bulk;
                inside.places.count_bulk(&inside.flows[flow], 1);
            }
            Set::Sparse | Set::Bulk => {}
        }
        while self.memory > self.memory_limit && self.len > 0 {
            self.drop_longest(now, removed);
        }
    }

    fn learn(&mut self, class: FlowClass) {
        self.classes.add(class);
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let now = nanoseconds(now);
        let mut decaying = true;
        loop {
            if self.len == 0 || self.next > now {
                return None;
            }
            self.choose_tin(now);
            let Some((flow, list)) = self.turn(&mut decaying) else { continue };
            let tin = self.tin;
            loop {
                let Some(mut entry) = self.pop(tin, flow) else {
                    self.retire(flow, list, now);
                    break;
                };
                let inside = &mut self.tins[tin];
                let queue = &mut inside.flows[flow];
                let drops =
                    queue.cobalt.drops(&inside.rules, &mut entry.packet, (entry.arrival, now), &mut self.random);
                // The last packet of a flow may be marked, but is not dropped.
                if drops && !queue.packets.is_empty() {
                    removed.push((entry.packet, Removal::Early));
                    continue;
                }
                queue.deficit -= i64::from(entry.framed);
                inside.deficit -= i64::from(entry.framed);
                if self.pace.bytes_per_second > 0 {
                    let lasts = inside.pace.lasts(entry.framed);
                    inside.next = if inside.next < now { inside.next + lasts } else { inside.next.max(now + lasts) };
                    self.next += self.pace.lasts(entry.framed);
                }
                self.fattest.departed();
                return Some(entry.packet);
            }
        }
    }

    /// Without a shaper nothing waits for its clock, which rounds to nanoseconds.
    fn ready_at(&self, now: Time) -> Time {
        if self.pace.bytes_per_second > 0 { Time::from_secs(self.next as f64 * 1e-9) } else { now }
    }

    #[inline]
    fn held(&self) -> Backlog {
        Backlog { packets: self.len as u64, bytes: self.bytes }
    }
}
