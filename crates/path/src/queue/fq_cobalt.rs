//! FQ-COBALT: a queue for each hash of a connection, served by deficit round robin, with COBALT in each (as in ns-3).

use acklab_packet::{Bytes, Rate, Time};

use super::cobalt::control::{Cobalt as Control, Rules, nanoseconds};
use super::cobalt::rules;
use super::fair::{EmptyNew, Fair, with_queues};
use super::store::Store;
use super::{Backlog, Queue, QueueParams, Removal, Service, codel};
use crate::random::Random;
use crate::values::Checked;
use crate::{Carried, ack_filter};

with_queues! {
    // The defaults are those of FQ-CoDel (RFC 8290 section 5.2).
    /// A queue for each hash of a connection, with COBALT in each (FQ-COBALT).
    pub struct FqCobaltParams {
        /// Time between the first two drops of a queue: about the longest round trip; from 1 ms to 100 s.
        pub interval: Time = Time::from_secs(0.1),
        /// Whether a packet that would be dropped is marked instead, if its sender understands marks. BLUE drops all the same.
        pub ecn: bool = true,
    }
}

impl QueueParams for FqCobaltParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        self.check_queues()?;
        codel::control::check((self.target, self.interval), Bytes::new(1))
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
    /// An empty queue before a link of `rate`.
    pub fn new(params: &FqCobaltParams, rate: Rate, random: impl FnOnce() -> Random) -> FqCobalt<P> {
        let mut random = random();
        let state = Control::whole_first_interval();
        let store = Store::new(params.flows as usize, params.filter, rate);
        FqCobalt {
            params: *params,
            rules: rules(params.target, params.interval, params.ecn),
            fair: Fair::new(store, params.quantum.get(), EmptyNew::Old, &state, &mut random),
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
        self.fair.admit(index, packet, now, removed, |_, _, _| None);
        if self.len() as u64 > self.params.waiting || self.fair.memory > self.params.memory.get() {
            let (fattest, _) = self.fair.drop_batch(self.params.drop_batch, now, removed);
            self.fair.state(fattest).overflowed(&self.rules, nanoseconds(now));
        }
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let (rules, random, nanos) = (&self.rules, &mut self.random, nanoseconds(now));
        self.fair.serve(|fair, index| {
            while let Some((arrival, mut packet)) = fair.pop(index, now) {
                let times = (nanoseconds(arrival), nanos);
                if !fair.state(index).drops(rules, &mut packet, times, random) {
                    return Some(packet);
                }
                removed.push((packet, Removal::Early));
            }
            fair.state(index).found_empty(rules, nanos);
            None
        })
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.fair.store.held()
    }
}
