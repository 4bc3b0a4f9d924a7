//! FQ-CoDel: a queue for each hash of a connection, served by deficit round robin, with CoDel in each (RFC 8290).

use acklab_packet::{Bytes, Rate, Time};

use super::codel::control::{self, Control, Law, Rules};
use super::fair::{EmptyNew, Fair, with_queues};
use super::store::Store;
use super::{Backlog, Queue, QueueParams, Removal, Service};
use crate::random::Random;
use crate::values::Checked;
use crate::{Carried, ack_filter};

with_queues! {
    // The defaults are those of RFC 8290 section 5.2.
    /// A queue for each hash of a connection, with CoDel in each (FQ-CoDel, RFC 8290).
    pub struct FqCodelParams {
        /// Time for which all packets of a queue have to wait `target` or longer before the first is dropped; from 1 ms to 100 s.
        pub interval: Time = Time::from_secs(0.1),
        /// If so many bytes or fewer wait in all, nothing is dropped; at least 1 B.
        pub max_packet: Bytes = Bytes::new(1500),
        /// Whether a packet that would be dropped is marked instead, if its sender understands marks.
        pub ecn: bool = true,
        /// Packets that have waited longer are marked, too; none when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ce_threshold: Option<Time> = None,
        /// How the times between drops are computed, and where a new queue goes that is found empty. RFC 8290 section
        /// 4.2 puts it behind the old ones. Linux does so, too, but takes it out of the round if there are no old ones.
        pub law: Law = Law::Rfc8289,
    }
}

impl QueueParams for FqCodelParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        self.check_queues()?;
        control::check((self.target, self.interval), self.max_packet)
    }
}

/// An FQ-CoDel queue.
#[derive(Clone, Debug, PartialEq)]
pub struct FqCodel<P> {
    params: FqCodelParams,
    rules: Rules,
    fair: Fair<P, Control>,
}

impl<P: Carried> FqCodel<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &FqCodelParams, rate: Rate, random: impl FnOnce() -> Random) -> FqCodel<P> {
        let times = (params.target, params.interval, params.ce_threshold);
        let empty = match params.law {
            Law::Rfc8289 => EmptyNew::Old,
            Law::Linux => EmptyNew::OldAmongOthers,
        };
        let store = Store::new(params.flows as usize, params.filter, rate);
        FqCodel {
            params: *params,
            rules: Rules::new(params.law, times, params.max_packet, params.ecn),
            fair: Fair::new(store, params.quantum.get(), empty, &Control::default(), &mut random()),
        }
    }
}

impl<P: Carried> Queue<P> for FqCodel<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if self.is_empty() && service.bytes().is_none() {
            // The link has asked for a packet since the last one, and found none.
            self.dequeue(now, removed);
        }
        let index = self.fair.bucket_of(&packet);
        self.fair.admit(index, packet, now, removed, |_, _, _| None);
        if self.len() as u64 > self.params.waiting || self.fair.memory > self.params.memory.get() {
            let (fattest, drops) = self.fair.drop_batch(self.params.drop_batch, now, removed);
            self.fair.state(fattest).add_drops(drops);
        }
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let rules = &self.rules;
        self.fair.serve(|fair, index| {
            let mut control = std::mem::take(fair.state(index));
            let packet = control.dequeue(rules, now, removed, || {
                let (arrival, packet) = fair.pop(index, now)?;
                Some((arrival, packet, fair.store.bytes()))
            });
            *fair.state(index) = control;
            packet
        })
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.fair.store.held()
    }
}
