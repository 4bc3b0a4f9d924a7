//! Queues side by side, served by deficit round robin, new ones first (DRR++; RFC 8290 section 4).
//!
//! A connection's hash chooses one of a number of queues. A queue that packets come to after a pause is new: it is served
//! before the old ones until it has used its quantum up.

use std::collections::VecDeque;

use acklab_packet::Time;

use super::Removal;
use super::store::{Room, Store};
use crate::Carried;
use crate::random::Random;
use crate::values::{Checked, at_least, must, quoted, within};

/// Declares the parameters of queues with a controller in each: those of FQ-CoDel, then the controller's, with their defaults.
macro_rules! with_queues {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $key:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// Packets that may wait, the one in service not counted; at least 1. One more, and the queue with most bytes is
            /// dropped from.
            #[schemars(range(min = 1))]
            #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
            pub waiting: u64,
            /// Memory that packets may take, counted as Linux does: 832 B for a packet up to 192 B, 2304 B for one of 1500 B.
            #[schemars(extend("neutral" = { "value": "1000GB" }))]
            pub memory: acklab_packet::Bytes,
            /// Packets dropped at once when there is no room, at most half of the bytes of the queue with most; at least 1.
            #[schemars(range(min = 1))]
            pub drop_batch: u32,
            /// Queues, from 1 to 65,536.
            #[schemars(range(min = 1, max = 65536))]
            pub flows: u32,
            /// Bytes that a queue may send in its turn, from 1 B to 1 MiB.
            pub quantum: acklab_packet::Bytes,
            /// Waiting time that a queue may keep up: more than 0, at most `interval`.
            pub target: acklab_packet::Time,
            /// Which waiting ACKs an arriving one erases; none when left out.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub filter: Option<$crate::ack_filter::FilterSpec>,
            $($(#[$doc])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name {
                    waiting: 10_240,
                    memory: acklab_packet::Bytes::new(32 << 20),
                    drop_batch: 64,
                    flows: 1024,
                    quantum: acklab_packet::Bytes::new(1514),
                    target: acklab_packet::Time::from_secs(0.005),
                    filter: None,
                    $($key: $default,)*
                }
            }
        }

        impl $name {
            /// Checks the keys of the queues.
            fn check_queues(&self) -> $crate::values::Checked {
                let sizes = (self.flows, self.quantum.get());
                $crate::queue::fair::check(sizes, (self.waiting, self.memory.get()))?;
                $crate::values::at_least(1, "drop_batch", self.drop_batch.into())
            }
        }
    };
}
pub(super) use with_queues;

/// A connection's hash, changed by a secret perturbation.
pub fn flow_hash(connection: u64, perturbation: u32) -> u32 {
    let mut x = connection.wrapping_add(u64::from(perturbation).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53_u64] {
        x = (x ^ x >> 33).wrapping_mul(factor);
    }
    ((x ^ x >> 33) >> 32) as u32
}

/// A draw of 32 bits.
pub(super) fn draw(random: &mut Random) -> u32 {
    (random.uniform() * 4_294_967_296.0) as u32
}

/// Memory that Linux takes for a packet of that many bytes: what its memory limits count (its `truesize`).
pub(super) fn memory(bytes: u32) -> u64 {
    const BEFORE: u64 = 64;
    const BEHIND: u64 = 320;
    const SMALL: u64 = 576;
    const DESCRIPTOR: u64 = 256;
    let buffer = (u64::from(bytes) + BEFORE).next_multiple_of(64) + BEHIND;
    DESCRIPTOR + if buffer <= SMALL { SMALL } else { buffer.next_power_of_two() }
}

/// One of the queues, with a state `S` of its own; its packets are a line of the store.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bucket<S> {
    deficit: i64,
    /// Whether it takes part in the round.
    listed: bool,
    state: S,
}

/// Where a new queue goes that is found empty in its turn. It has to pass through the old ones before it can be new
/// again, so that a flow of single packets cannot starve them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmptyNew {
    /// It is old (RFC 8290 section 4.2).
    Old,
    /// It is old if another is; otherwise it leaves the round (Linux).
    OldAmongOthers,
}

/// The queues.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fair<P, S> {
    buckets: Vec<Bucket<S>>,
    pub store: Store<P>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    quantum: i64,
    empty: EmptyNew,
    perturbation: u32,
    pub memory: u64,
}

impl<P: Carried, S: Clone> Fair<P, S> {
    /// So many empty queues, whose packets are in `store`.
    pub fn new(store: Store<P>, quantum: u64, empty: EmptyNew, state: &S, random: &mut Random) -> Fair<P, S> {
        let bucket = || Bucket { deficit: 0, listed: false, state: state.clone() };
        Fair {
            buckets: store.in_line().iter().map(|_| bucket()).collect(),
            store,
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: quantum as i64,
            empty,
            perturbation: draw(random),
            memory: 0,
        }
    }

    /// The queue of a packet.
    #[inline]
    pub fn bucket_of(&self, packet: &P) -> usize {
        let hash = flow_hash(packet.connection(), self.perturbation);
        ((u64::from(hash) * self.buckets.len() as u64) >> 32) as usize
    }

    /// The state of a queue.
    pub fn state(&mut self, index: usize) -> &mut S {
        &mut self.buckets[index].state
    }

    /// The state of a queue, and the bytes that wait there.
    pub fn open(&mut self, index: usize) -> (&mut S, u64) {
        (&mut self.buckets[index].state, self.store.in_line()[index])
    }

    /// A packet waits in that queue, unless `refuses` has a reason against it.
    pub fn admit(
        &mut self,
        index: usize,
        packet: P,
        now: Time,
        removed: &mut Vec<(P, Removal)>,
        refuses: impl FnOnce(&mut S, &mut P, Room) -> Option<Removal>,
    ) {
        let (bucket, size, before) = (&mut self.buckets[index], packet.wire_bytes(), removed.len());
        let state = &mut bucket.state;
        if !self.store.admit(index, packet, now, removed, |packet, room| refuses(state, packet, room)) {
            return;
        }
        if !bucket.listed {
            (bucket.listed, bucket.deficit) = (true, self.quantum);
            self.new.push_back(index as u32);
        }
        let erased: u64 = removed[before..].iter().map(|(packet, _)| memory(packet.wire_bytes())).sum();
        self.memory = self.memory + memory(size) - erased;
    }

    /// The oldest packet of that queue, with its arrival, and the queue's state.
    #[inline]
    pub fn pop(&mut self, index: usize, now: Time) -> Option<(Time, P)> {
        let (arrival, packet) = self.store.pop(index, now)?;
        self.memory -= memory(packet.wire_bytes());
        Some((arrival, packet))
    }

    /// Drops from the front of the queue with most bytes: up to `most` packets, or half of its bytes. Which queue that was, and
    /// how many.
    pub fn drop_batch(&mut self, most: u32, now: Time, removed: &mut Vec<(P, Removal)>) -> (usize, u32) {
        let index = self.fattest();
        let before = self.store.in_line()[index];
        let mut drops = 0;
        while let Some((_, packet)) = self.pop(index, now) {
            removed.push((packet, Removal::Full));
            drops += 1;
            if drops >= most || before - self.store.in_line()[index] >= before / 2 {
                break;
            }
        }
        (index, drops)
    }

    /// The queue with most bytes; of several the first.
    fn fattest(&self) -> usize {
        let most = self.store.in_line().iter().max();
        self.store.in_line().iter().position(|bytes| Some(bytes) == most).unwrap_or(0)
    }

    /// The next packet: `take` takes one out of the queue whose turn it is, or finds it empty.
    pub fn serve(&mut self, mut take: impl FnMut(&mut Self, usize) -> Option<P>) -> Option<P> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let bucket = &mut self.buckets[index as usize];
            if bucket.deficit <= 0 {
                bucket.deficit += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            if let Some(packet) = take(self, index as usize) {
                self.buckets[index as usize].deficit -= i64::from(packet.wire_bytes());
                return Some(packet);
            }
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.pop_front();
            if is_new && (self.empty == EmptyNew::Old || !self.old.is_empty()) {
                self.old.push_back(index);
            } else {
                self.buckets[index as usize].listed = false;
            }
        }
    }
}

/// Checks the keys that every such queue has.
pub(super) fn check((flows, quantum): (u32, u64), (waiting, memory): (u64, u64)) -> Checked {
    within(1, 65_536, "flows", flows)?;
    let bytes = |count| quoted(format_args!("{count}B"));
    must((1..=1 << 20).contains(&quantum), "quantum", "must be from 1B to 1048576B", bytes(quantum))?;
    at_least(1, "waiting", waiting)?;
    must(memory > 0, "memory", "must be at least 1B", bytes(memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs that share one of 1,024 queues, among 100 flows numbered as in a scenario. The expected number is 4950 /
    /// 1024 = 4.83, with a standard error of 0.07 over 1,000 perturbations. FQ-CoDel takes the hash's upper bits, CAKE
    /// its lower ones.
    #[test]
    fn flows_share_a_queue_as_often_as_with_random_hashes_and_others_with_each_perturbation() {
        let mut random = Random::named(1, "perturbations");
        let buckets: [fn(u32) -> usize; 2] = [|hash| (hash >> 22) as usize, |hash| hash as usize % 1024];
        for bucket in buckets {
            let (mut pairs, mut of_flow_0) = (0, Vec::new());
            for _ in 0..1000 {
                let perturbation = draw(&mut random);
                let mut waiting = vec![0; 1024];
                for flow in 0..100_u64 {
                    let place = bucket(flow_hash(flow << 16, perturbation));
                    pairs += waiting[place];
                    waiting[place] += 1;
                    of_flow_0.extend((flow == 0).then_some(place));
                }
            }
            let mean = f64::from(pairs) / 1000.0;
            assert!((mean - 4950.0 / 1024.0).abs() < 0.35, "{mean} pairs");
            of_flow_0.sort_unstable();
            of_flow_0.dedup();
            // 1024 * (1 - exp(-1000 / 1024)) = 638 different queues.
            assert!((580..700).contains(&of_flow_0.len()), "{} queues", of_flow_0.len());
        }
    }
}
