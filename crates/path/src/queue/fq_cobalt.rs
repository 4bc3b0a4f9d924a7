//! FQ-COBALT: a queue for each hash of a connection, served by deficit round robin, with COBALT in each (as in ns-3).

use acklab_packet::{Bytes, Time};

use super::cobalt::control::{Cobalt as Control, Rules, nanoseconds};
use super::cobalt::rules;
use super::fair::{EmptyNew, Fair};
use super::fq_codel::with_queues;
use super::{Queue, Removal, Service, codel};
use crate::Carried;
use crate::random::Random;

with_queues! {
    /// Parameters of FQ-COBALT; the defaults are those of FQ-CoDel (RFC 8290 section 5.2).
    pub struct FqCobaltParams {
        /// Time between the first two drops of a queue: about the longest round trip; from 1 ms to 100 s.
        pub interval: Time = Time::from_secs(0.1),
        /// Whether packets that can be marked are marked instead of dropped. BLUE drops all the same.
        pub ecn: bool = true,
    }
}

impl FqCobaltParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        self.queues_out_of_range().or_else(|| codel::control::out_of_range((self.target, self.interval), Bytes::new(1)))
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
