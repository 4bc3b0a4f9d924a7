//! CAKE: a shaper, tins by DiffServ, fairness between hosts and flows, COBALT, and an ACK filter (as in Linux, sch_cake.c;
//! Høiland-Jørgensen, Täht and Morton 2018).
//!
//! The shaper does not hold packets back by itself: [`Cake::free_at`] tells the link when the next one may leave.

mod cobalt;
mod fattest;
mod places;
mod shaper;
mod tins;

use std::collections::VecDeque;
use std::sync::Arc;

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fair::{draw, flow_hash, memory};
use super::{Queue, Removal, Service};
use crate::Carried;
use crate::ack_filter::superfluous;
use crate::random::Random;
use cobalt::{Cobalt, Rules};
use fattest::{Fattest, flow_of, number};
use places::{Places, QUEUES};
pub use shaper::Cells;
use shaper::{Pace, framed};
pub use tins::TinMode;

/// Between whom bandwidth is shared evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Flows.
    Flows,
    /// Source hosts, then flows.
    DualSrchost,
    /// Destination hosts, then flows.
    DualDsthost,
    /// Hosts of either side, whichever has more flows, then flows.
    #[default]
    TripleIsolate,
}

/// Which ACKs are erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckFiltering {
    /// None.
    #[default]
    Off,
    /// One of three that say the same: see `kind = "cake"` under `filter`.
    On,
    /// One of two.
    Aggressive,
}

/// Where the packets of a flow come from and go to, and their DiffServ code point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowClass {
    /// The node that sends data.
    pub source: u32,
    /// The node that sends ACKs.
    pub destination: u32,
    /// Of data and ACKs alike; from 0 to 63.
    pub dscp: u8,
}

/// Parameters of CAKE; keys and defaults are those of tc-cake(8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeQueueParams {
    /// Rate of the shaper, from 1 kbps; none when left out. Where it is below the link's rate, packets wait here and not
    /// behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rate>,
    /// Bytes that the shaper adds to each packet, from -64 to 256.
    #[schemars(range(min = -64, max = 256))]
    pub overhead: i32,
    /// Least size of a packet in the shaper's account, its overhead included; at most 256 B.
    pub mpu: Bytes,
    /// Cells in which the shaper's link carries packets.
    pub cells: Cells,
    /// Into which tins packets are sorted.
    pub tins: TinMode,
    /// Between whom bandwidth is shared evenly.
    pub isolation: Isolation,
    /// The usual round trip: COBALT's interval, twenty times its target; from 1 ms to 100 s.
    pub rtt: Time,
    /// Memory that packets may take, counted as Linux does. When left out: 15,360,000 B, or, with a `bandwidth`, four times
    /// what it carries in an `rtt`, if that is less, and at least 4 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// Which ACKs are erased.
    pub ack_filter: AckFiltering,
    /// Size of the largest packet, from 1 B: no packet is dropped that waited shorter than four of them take.
    pub max_packet: Bytes,
    /// Hosts and code points of the run's flows, by index.
    #[serde(skip)]
    pub classes: Arc<[FlowClass]>,
}

impl Default for CakeQueueParams {
    fn default() -> CakeQueueParams {
        CakeQueueParams {
            bandwidth: None,
            overhead: 0,
            mpu: Bytes::new(0),
            cells: Cells::None,
            tins: TinMode::Diffserv3,
            isolation: Isolation::TripleIsolate,
            rtt: Time::from_secs(0.1),
            memory: None,
            ack_filter: AckFiltering::Off,
            max_packet: Bytes::new(1500),
            classes: Arc::new([]),
        }
    }
}

impl CakeQueueParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        let positive = |name, bytes: Bytes| (bytes.get() == 0).then(|| (name, "must be at least 1B", "0B".into()));
        if let Some(rate) = self.bandwidth.filter(|rate| rate.bps() < 1000.0) {
            return Some(("bandwidth", "must be at least 1kbps", rate.to_string()));
        }
        if !(-64..=256).contains(&self.overhead) {
            return Some(("overhead", "must be from -64 to 256", self.overhead.to_string()));
        }
        if self.mpu.get() > 256 {
            return Some(("mpu", "must be at most 256B", self.mpu.to_string()));
        }
        if !(0.001..=100.0).contains(&self.rtt.secs()) {
            return Some(("rtt", "must be from 1ms to 100s", self.rtt.to_string()));
        }
        self.memory.and_then(|bytes| positive("memory", bytes)).or_else(|| positive("max_packet", self.max_packet))
    }

    fn memory_limit(&self) -> u64 {
        let most = 10_240 * self.max_packet.get();
        let carried = |rate: Rate| ((rate.bps() / 8.0 * self.rtt.secs() * 4.0) as u64).max(4 << 20);
        self.memory.map_or_else(|| self.bandwidth.map_or(most, carried).min(most), Bytes::get)
    }
}

/// What a flow's queue is to its tin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Set {
    /// Nothing waits, and nothing is remembered.
    #[default]
    Idle,
    /// It has not yet used a quantum up: served first.
    Sparse,
    /// The same, empty, in the round of the bulk flows.
    SparseWaits,
    /// It waits for its turn.
    Bulk,
    /// Empty; COBALT's state decays.
    Decaying,
}

/// A packet that waits: its arrival in nanoseconds, its size in the shaper's account.
#[derive(Clone, Debug, PartialEq)]
struct Entry<P> {
    arrival: i64,
    framed: u32,
    packet: P,
}

/// A flow's queue.
#[derive(Clone, Debug, PartialEq)]
struct Flow<P> {
    packets: VecDeque<Entry<P>>,
    bytes: u64,
    deficit: i64,
    cobalt: Cobalt,
    /// Places of its hosts.
    hosts: [u16; 2],
    set: Set,
}

impl<P> Default for Flow<P> {
    fn default() -> Flow<P> {
        let (packets, cobalt) = (VecDeque::new(), Cobalt::default());
        Flow { packets, bytes: 0, deficit: 0, cobalt, hosts: [0; 2], set: Set::Idle }
    }
}

/// The lists of a tin, in the order in which they are served.
const DECAYING: usize = 0;
const NEW: usize = 1;
const OLD: usize = 2;

/// A class of traffic.
#[derive(Clone, Debug, PartialEq)]
struct Tin<P> {
    flows: Vec<Flow<P>>,
    places: Places,
    lists: [VecDeque<u16>; 3],
    /// Flows that are sparse or bulk.
    active: u32,
    packets: usize,
    rules: Rules,
    pace: Pace,
    next: i64,
    /// Bytes of a turn: of a flow, and of the tin where no shaper paces it.
    flow_quantum: u64,
    quantum: i64,
    deficit: i64,
}

impl<P: Carried> Tin<P> {
    fn new(params: &CakeQueueParams, share: u32) -> Tin<P> {
        let pace = Pace::new(Pace::of(params.bandwidth).bytes_per_second >> share);
        let rate = pace.bytes_per_second;
        let fair = match params.isolation {
            Isolation::Flows => [false, false],
            Isolation::DualSrchost => [true, false],
            Isolation::DualDsthost => [false, true],
            Isolation::TripleIsolate => [true, true],
        };
        let packet = pace.lasts(params.max_packet.get() as u32) as u64;
        let rtt = (params.rtt.secs() * 1e9).round() as u64;
        let target = (packet * 3 / 2).max(rtt / 20);
        Tin {
            flows: (0..QUEUES).map(|_| Flow::default()).collect(),
            places: Places::new(fair),
            lists: Default::default(),
            active: 0,
            packets: 0,
            rules: Rules { interval: (rtt + target - rtt / 20).max(2 * target), target, packet },
            pace,
            next: 0,
            flow_quantum: if rate > 0 { (rate >> 12).clamp(300, 1514) } else { 1514 },
            quantum: if params.tins == TinMode::Besteffort { 65_535 } else { 1024 >> share },
            deficit: 0,
        }
    }

    /// What a flow may send in its turn; a draw makes up for rounding.
    fn quantum_of(&self, flow: usize, random: &mut Random) -> i64 {
        let part = 65_535 / u64::from(self.places.load(&self.flows[flow]));
        ((self.flow_quantum * part + u64::from(draw(random) >> 16)) >> 16) as i64
    }

    /// Moves a flow from the front of a list to the end of another.
    fn move_front(&mut self, from: usize, to: usize) {
        let flow = self.lists[from].pop_front();
        self.lists[to].extend(flow);
    }
}

/// A CAKE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Cake<P> {
    params: CakeQueueParams,
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

fn nanoseconds(time: Time) -> i64 {
    (time.secs() * 1e9).round() as i64
}

impl<P: Carried> Cake<P> {
    /// An empty queue.
    pub fn new(params: &CakeQueueParams, mut random: Random) -> Cake<P> {
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
            params: params.clone(),
        }
    }

    /// When the shaper lets the next packet go.
    pub fn free_at(&self) -> Time {
        Time::from_secs(self.next as f64 * 1e-9)
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
        if tin.flows[flow].cobalt.rests(now) {
            tin.lists[from].pop_front();
            tin.flows[flow].set = Set::Idle;
        } else {
            tin.move_front(from, DECAYING);
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
            let list = order.into_iter().find(|&list| !tin.lists[list].is_empty())?;
            let flow = usize::from(tin.lists[list][0]);
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
            tin.move_front(list, OLD);
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
        let class = self.params.classes.get((packet.connection() >> 16) as usize).copied().unwrap_or_default();
        let (from, to) =
            if packet.is_ack() { (class.destination, class.source) } else { (class.source, class.destination) };
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
                    inside.lists[DECAYING].retain(|&other| usize::from(other) != flow);
                }
                inside.lists[NEW].push_back(flow as u16);
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

    fn lets_pass(&self, _: &P) -> bool {
        false
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

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
