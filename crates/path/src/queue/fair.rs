//! Queues side by side, served by deficit round robin, new ones first (DRR++; RFC 8290 section 4).
//!
//! A connection's hash chooses one of a number of queues. A queue that packets come to after a pause is new: it is served
//! before the old ones until it has used its quantum up.

use std::collections::VecDeque;

use acklab_packet::Time;

use super::Removal;
use crate::Carried;
use crate::random::Random;
use crate::spec::quoted;

/// A connection's hash, changed by a perturbation that nobody outside knows.
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

/// One of the queues, with a state `S` of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bucket<P, S> {
    packets: VecDeque<(Time, P)>,
    pub bytes: u64,
    deficit: i64,
    /// Whether it takes part in the round.
    listed: bool,
    pub state: S,
}

/// What waits in one of the queues, with the sums over all of them.
pub(super) struct Stock<'a, P> {
    packets: &'a mut VecDeque<(Time, P)>,
    bytes: &'a mut u64,
    /// Packets, bytes, memory.
    of_all: (&'a mut usize, &'a mut u64, &'a mut u64),
}

impl<P: Carried> Stock<'_, P> {
    /// The oldest packet, with its arrival.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, P)> {
        let (arrival, packet) = self.packets.pop_front()?;
        let size = packet.wire_bytes();
        *self.bytes -= u64::from(size);
        *self.of_all.0 -= 1;
        *self.of_all.1 -= u64::from(size);
        *self.of_all.2 -= memory(size);
        Some((arrival, packet))
    }

    /// Bytes that wait in all queues.
    #[inline]
    pub fn bytes_of_all(&self) -> u64 {
        *self.of_all.1
    }
}

/// What becomes of a new queue that is found empty in its turn. It has to pass through the old ones before it can be new again, so
/// that a flow of single packets cannot starve them.
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
    pub buckets: Vec<Bucket<P, S>>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    quantum: i64,
    empty: EmptyNew,
    perturbation: u32,
    pub len: usize,
    pub bytes: u64,
    pub memory: u64,
}

impl<P: Carried, S: Clone> Fair<P, S> {
    /// So many empty queues.
    pub fn new((flows, quantum): (u32, u64), empty: EmptyNew, state: &S, random: &mut Random) -> Fair<P, S> {
        let bucket = || Bucket { packets: VecDeque::new(), bytes: 0, deficit: 0, listed: false, state: state.clone() };
        Fair {
            buckets: (0..flows).map(|_| bucket()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            quantum: quantum as i64,
            empty,
            perturbation: draw(random),
            len: 0,
            bytes: 0,
            memory: 0,
        }
    }

    /// The queue of a packet.
    #[inline]
    pub fn bucket_of(&self, packet: &P) -> usize {
        let hash = flow_hash(packet.connection(), self.perturbation);
        ((u64::from(hash) * self.buckets.len() as u64) >> 32) as usize
    }

    /// A packet waits in that queue.
    pub fn push(&mut self, index: usize, packet: P, now: Time) {
        let (bucket, size) = (&mut self.buckets[index], packet.wire_bytes());
        bucket.bytes += u64::from(size);
        bucket.packets.push_back((now, packet));
        if !bucket.listed {
            (bucket.listed, bucket.deficit) = (true, self.quantum);
            self.new.push_back(index as u32);
        }
        self.len += 1;
        self.bytes += u64::from(size);
        self.memory += memory(size);
    }

    /// The oldest packet of that queue, with its arrival.
    #[inline]
    pub fn pop(&mut self, index: usize) -> Option<(Time, P)> {
        self.open(index).1.pop()
    }

    /// A queue's state, and apart from it what waits there.
    #[inline]
    pub fn open(&mut self, index: usize) -> (&mut S, Stock<'_, P>) {
        let Bucket { packets, bytes, state, .. } = &mut self.buckets[index];
        let of_all = (&mut self.len, &mut self.bytes, &mut self.memory);
        (state, Stock { packets, bytes, of_all })
    }

    /// Drops from the front of the queue with most bytes: up to `most` packets, or half of its bytes. Which queue that was, and
    /// how many.
    pub fn drop_batch(&mut self, most: u32, removed: &mut Vec<(P, Removal)>) -> (usize, u32) {
        let index = self.fattest();
        let before = self.buckets[index].bytes;
        let mut drops = 0;
        while let Some((_, packet)) = self.pop(index) {
            removed.push((packet, Removal::Full));
            drops += 1;
            if drops >= most || before - self.buckets[index].bytes >= before / 2 {
                break;
            }
        }
        (index, drops)
    }

    /// The queue with most bytes; of several the first.
    fn fattest(&self) -> usize {
        let most = self.buckets.iter().map(|bucket| bucket.bytes).max();
        self.buckets.iter().position(|bucket| Some(bucket.bytes) == most).unwrap_or(0)
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

/// The first key that is out of range of those that every such queue has.
pub(super) fn out_of_range(
    (flows, quantum): (u32, u64),
    (waiting, memory): (u64, u64),
) -> Option<(&'static str, &'static str, String)> {
    if !(1..=65_536).contains(&flows) {
        return Some(("flows", "must be from 1 to 65536", flows.to_string()));
    }
    if !(1..=1 << 20).contains(&quantum) {
        return Some(("quantum", "must be from 1B to 1048576B", quoted(format_args!("{quantum}B"))));
    }
    if waiting == 0 {
        return Some(("waiting", "must be at least 1", waiting.to_string()));
    }
    (memory == 0).then(|| ("memory", "must be at least 1B", quoted(format_args!("{memory}B"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs among 100 flows, numbered as in a scenario, that share one of 1,024 queues: 4950 / 1024 = 4.83 are to be expected, with
    /// a standard error of 0.07 over 1,000 perturbations. FQ-CoDel takes the hash's upper bits, CAKE its lower ones.
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
