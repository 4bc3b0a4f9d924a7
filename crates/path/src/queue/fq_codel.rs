//! FQ-CoDel: a queue for each hash of a connection, served by deficit round robin, with CoDel in each (RFC 8290).

use acklab_packet::{Bytes, Time};

use super::codel::control::{self, Control, Law, Rules};
use super::fair::{EmptyNew, Fair};
use super::{Queue, Removal, Service};
use crate::Carried;
use crate::random::Random;

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
            pub waiting: u64,
            /// Memory that packets may take, counted as Linux does: 832 B for a packet up to 192 B, 2304 B for one of 1500 B.
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
                    $($key: $default,)*
                }
            }
        }

        impl $name {
            /// The first key that is out of range among those of the queues.
            fn queues_out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
                let sizes = (self.flows, self.quantum.get());
                $crate::queue::fair::out_of_range(sizes, (self.waiting, self.memory.get()))
                    .or_else(|| (self.drop_batch == 0).then(|| ("drop_batch", "must be at least 1", "0".into())))
            }
        }
    };
}
pub(super) use with_queues;

with_queues! {
    /// Parameters of FQ-CoDel; the defaults are those of RFC 8290 section 5.2.
    pub struct FqCodelParams {
        /// How long every packet of a queue must have waited `target` or longer before one is dropped; from 1 ms to 100 s.
        pub interval: Time = Time::from_secs(0.1),
        /// If so many bytes or fewer wait in all, nothing is dropped; at least 1 B.
        pub max_packet: Bytes = Bytes::new(1500),
        /// Whether packets that can be marked are marked instead of dropped.
        pub ecn: bool = true,
        /// Packets that have waited longer are marked, too; none when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ce_threshold: Option<Time> = None,
        /// How the times between drops are computed, and what a new queue is that is found empty: old by RFC 8290 section 4.2, in Linux
        /// only if there are old ones.
        pub law: Law = Law::Rfc8289,
    }
}

impl FqCodelParams {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        self.queues_out_of_range().or_else(|| control::out_of_range((self.target, self.interval), self.max_packet))
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
    /// An empty queue.
    pub fn new(params: &FqCodelParams, mut random: Random) -> FqCodel<P> {
        let times = (params.target, params.interval, params.ce_threshold);
        let empty = match params.law {
            Law::Rfc8289 => EmptyNew::Old,
            Law::Linux => EmptyNew::OldAmongOthers,
        };
        FqCodel {
            params: *params,
            rules: Rules::new(params.law, times, params.max_packet, params.ecn),
            fair: Fair::new((params.flows, params.quantum.get()), empty, &Control::default(), &mut random),
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
        self.fair.push(index, packet, now);
        if self.fair.len as u64 > self.params.waiting || self.fair.memory > self.params.memory.get() {
            let (fattest, drops) = self.fair.drop_batch(self.params.drop_batch, removed);
            self.fair.buckets[fattest].state.add_drops(drops);
        }
    }

    fn lets_pass(&self, _: &P) -> bool {
        false
    }

    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let rules = &self.rules;
        self.fair.serve(|fair, index| {
            let (control, mut stock) = fair.open(index);
            control.dequeue(rules, now, removed, || {
                let (arrival, packet) = stock.pop()?;
                Some((arrival, packet, stock.bytes_of_all()))
            })
        })
    }

    fn len(&self) -> usize {
        self.fair.len
    }

    fn bytes(&self) -> u64 {
        self.fair.bytes
    }
}
