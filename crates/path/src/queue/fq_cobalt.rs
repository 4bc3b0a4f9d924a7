//! FQ-COBALT: a queue for each hash of a connection, served by deficit round robin, with COBALT in each (as in ns-3).

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cobalt::control::{Cobalt as Control, Rules, nanoseconds};
use super::cobalt::rules;
use super::fair::{self, EmptyNew, Fair};
use super::{Queue, Removal, Service, codel};
use crate::Carried;
use crate::random::Random;

/// Parameters of FQ-COBALT; the defaults are those of FQ-CoDel (RFC 8290 section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqCobaltParams {
    /// Packets that may wait, the one in service not counted; at least 1. One more, and the queue with most bytes is
    /// dropped from.
    #[schemars(range(min = 1))]
    pub waiting: u64,
    /// Memory that packets may take, counted as Linux does: 832 B for a packet up to 192 B, 2304 B for one of 1500 B.
    pub memory: Bytes,
    /// Packets dropped at once when there is no room, at most half of the bytes of the queue with most; at least 1.
    #[schemars(range(min = 1))]
    pub drop_batch: u32,
    /// Queues, from 1 to 65,536.
    #[schemars(range(min = 1, max = 65536))]
    pub flows: u32,
    /// Bytes that a queue may send in its turn, from 1 B to 1 MiB.
    pub quantum: Bytes,
    /// Waiting time that a queue may keep up: more than 0, at most `interval`.
    pub target: Time,
    /// Time between the first two drops of a queue: about the longest round trip; from 1 ms to 100 s.
    pub interval: Time,
    /// Whether packets that can be marked are marked instead of dropped. BLUE drops all the same.
    pub ecn: bool,
}

impl Default for FqCobaltParams {
    fn default() -> FqCobaltParams {
        FqCobaltParams {
            waiting: 10_240,
            memory: Bytes::new(32 << 20),
            drop_batch: 64,
            flows: 1024,
            quantum: Bytes::new(1514),
            target: Time::from_secs(0.005),
            interval: Time::from_secs(0.1),
            ecn: true,
        }
    }
}

impl FqCobaltParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        fair::out_of_range((self.flows, self.quantum.get()), (self.waiting, self.memory.get()))
            .or_else(|| (self.drop_batch == 0).then(|| ("drop_batch", "must be at least 1", "0".into())))
            .or_else(|| codel::control::out_of_range((self.target, self.interval), Bytes::new(1)))
    }
}

/// An FQ-COBALT queue.
#[derive(Clone, Debug, PartialEq)]
pub struct FqCobalt<P> {
    params: FqCobaltParams,
    rules: Rules,
    fair: Fair<P, Control>,
    random: Random,
}

impl<P: Carried> FqCobalt<P> {
    /// An empty queue.
    pub fn new(params: &FqCobaltParams, mut random: Random) -> FqCobalt<P> {
        let state = Control::whole_first_interval();
        FqCobalt {
            params: *params,
            rules: rules(params.target, params.interval, params.ecn),
            fair: Fair::new((params.flows, params.quantum.get()), EmptyNew::Old, &state, &mut random),
            random,
        }
    }
}

impl<P: Carried> Queue<P> for FqCobalt<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if let (true, Service::Idle(since)) = (self.is_empty(), service) {
            // The link has asked for a packet then, and found none.
            self.dequeue(since, removed);
        }
        let index = self.fair.bucket_of(&packet);
        self.fair.push(index, packet, now);
        if self.fair.len as u64 > self.params.waiting || self.fair.memory > self.params.memory.get() {
            let (fattest, _) = self.fair.drop_batch(self.params.drop_batch, removed);
            self.fair.buckets[fattest].state.overflowed(&self.rules, nanoseconds(now));
        }
    }

    fn lets_pass(&self, _: &P) -> bool {
        false
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let (rules, random, now) = (&self.rules, &mut self.random, nanoseconds(now));
        self.fair.serve(|fair, index| {
            while let Some((arrival, mut packet)) = fair.pop(index) {
                let times = (nanoseconds(arrival), now);
                if !fair.buckets[index].state.drops(rules, &mut packet, times, random) {
                    return Some(packet);
                }
                removed.push((packet, Removal::Early));
            }
            fair.buckets[index].state.found_empty(rules, now);
            None
        })
    }

    fn len(&self) -> usize {
        self.fair.len
    }

    fn bytes(&self) -> u64 {
        self.fair.bytes
    }
}
