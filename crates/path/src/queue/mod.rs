//! Queues: where packets wait for a link, and which are dropped.
//!
//! To add one: a file here with its parameters ([`QueueParams`]) and the queue ([`Queue`]), its `mod`, and its line in `queues!`
//! below. A program's own needs neither ([`QueueSpec::Custom`]).

mod cake;
mod classes;
mod cobalt;
mod codel;
mod composed;
pub(crate) mod counts;
mod custom;
mod docsis_pie;
mod drop_policy;
mod drop_tail;
mod dual_pi2;
mod fair;
mod filtering;
mod fq_cobalt;
mod fq_codel;
mod fq_pie;
mod limit;
pub(crate) mod line;
mod pie;
mod policer;
mod red;
mod scheduler;
mod store;

pub use cake::{AckFiltering, Cells, Isolation, TinMode};
pub use classes::FlowClass;
pub use codel::Law;
pub use composed::Composed;
pub use counts::{Counts, Totals};
pub use custom::{Custom, Discipline};
pub use drop_policy::DropPolicy;
pub use drop_tail::{DropTail, DropTailParams};
pub use fair::flow_hash;
pub use limit::Limit;
pub use line::{Backlog, Line, Stamped};
pub use scheduler::Scheduler;

use std::sync::Arc;

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::values::{Checked, kinds};
use crate::{Buffer, Carried, Own};

/// Why a packet leaves a link before it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The queue had no room for it, or dropped it to make room for another.
    Full,
    /// The queue dropped it although there was room.
    Early,
    /// An ACK filter removed it: a newer ACK made it redundant.
    Filtered,
    /// The link's loss model removed it.
    Lost,
}

/// What the link's transmitter is doing when a packet arrives at its queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service {
    /// Serving a packet of that many bytes, which has left the queue.
    Busy(u32),
    /// Nothing, since then.
    Idle(Time),
}

impl Service {
    /// Bytes in service.
    #[inline]
    pub fn bytes(self) -> Option<u32> {
        match self {
            Service::Busy(bytes) => Some(bytes),
            Service::Idle(_) => None,
        }
    }
}

/// A queueing discipline.
pub trait Queue<P: Carried> {
    /// Takes in `packet`, which arrives `now`, or not: every packet that leaves unserved goes to `removed` with its
    /// reason.
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>);
    /// Whether a packet that finds the link idle and the queue empty goes straight into service, leaving no trace in
    /// the queue's state. Answering `false` is always right, only slower.
    fn lets_pass(&self, _packet: &P) -> bool {
        false
    }
    /// The next packet to serve, `None` if none waits then, or none may leave yet ([`Queue::ready_at`]). It may be marked
    /// first, and others before it may be dropped: those go to `removed`.
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P>;
    /// One more flow comes, whose packets bear the next number.
    fn learn(&mut self, _: FlowClass) {}
    /// When it may next hand out a packet, because a shaper holds it back; `now` or earlier: at once.
    fn ready_at(&self, now: Time) -> Time {
        now
    }
    /// Its limit, if that alone decides what happens to an arrival: first in, first out, and nothing else is dropped.
    /// With it comes the size below which it admits a packet while it is empty and the link idle: 0 if it admits none.
    fn books(&self) -> Option<(Limit, u32)> {
        None
    }
    /// Returns the packets that wait.
    fn held(&self) -> Backlog;
    /// Packets waiting.
    #[inline]
    fn len(&self) -> usize {
        self.held().packets as usize
    }
    /// Bytes waiting.
    #[inline]
    fn bytes(&self) -> u64 {
        self.held().bytes
    }
    /// Whether none waits.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A queue's parameters, as a scenario writes them.
pub trait QueueParams {
    /// Says what is wrong with them, and completes them. The queue stands before a link of `rate`, or before a medium without one.
    fn check(&mut self, _rate: Option<Rate>) -> Checked {
        Ok(())
    }
    /// Returns the bytes that may wait, if that is a parameter.
    fn buffer(&self) -> Option<Buffer> {
        None
    }
    /// Returns the place for the hosts and code points of the run's flows, by index.
    fn classes(&mut self) -> Option<&mut Arc<[FlowClass]>> {
        None
    }
}

/// Declares the queues: how a scenario writes them, in this order; the queues themselves, and how each is made.
macro_rules! queues {
    (@each $any:expr, $queue:ident => $act:expr; $($name:ident)+) => {
        match $any { $(AnyQueue::$name($queue) => $act,)+ }
    };
    ($($file:ident::$name:ident($params:ident))+) => {
        $(pub use $file::{$name, $params};)+

        kinds! {
            /// A queue and its discipline, as written under `queue`.
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[schemars(extend("neutral" = { "by": "drop-tail" }))]
            pub enum QueueSpec as QueueParams {
                DropTail(DropTailParams),
                $($name($params),)+
            } or Own<dyn Discipline>
        }

        /// The queues, dispatched without `Box<dyn>`.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum AnyQueue<P> {
            DropTail(DropTail<P>),
            Composed(Box<Composed<P>>),
            $($name(Box<$name<P>>),)+
            Custom(Box<Custom<P>>),
        }

        impl<P: Carried> AnyQueue<P> {
            /// The queue that `spec` describes, before a link of `rate`; `random` is its stream unless the spec asks for
            /// ns-2's seeding.
            pub fn new(spec: &QueueSpec, rate: Rate, random: impl FnOnce() -> Random) -> AnyQueue<P> {
                match spec {
                    QueueSpec::DropTail(params) if params.is_plain() => AnyQueue::DropTail(DropTail::new(params.limit(rate))),
                    QueueSpec::DropTail(params) => AnyQueue::Composed(Box::new(Composed::new(params, rate, random))),
                    $(QueueSpec::$name(params) => AnyQueue::$name(Box::new($name::new(params, rate, random))),)+
                    QueueSpec::Custom(own) => AnyQueue::Custom(Box::new(Custom::new(own.clone()))),
                }
            }
        }

        impl<P: Carried> Queue<P> for AnyQueue<P> {
            #[inline]
            fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
                queues!(@each self, queue => queue.enqueue(packet, service, now, removed); DropTail Composed $($name)+ Custom);
            }

            #[inline]
            fn lets_pass(&self, packet: &P) -> bool {
                queues!(@each self, queue => queue.lets_pass(packet); DropTail Composed $($name)+ Custom)
            }

            #[inline]
            fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
                queues!(@each self, queue => queue.dequeue(now, removed); DropTail Composed $($name)+ Custom)
            }

            fn learn(&mut self, class: FlowClass) {
                queues!(@each self, queue => queue.learn(class); DropTail Composed $($name)+ Custom);
            }

            #[inline]
            fn ready_at(&self, now: Time) -> Time {
                queues!(@each self, queue => queue.ready_at(now); DropTail Composed $($name)+ Custom)
            }

            fn books(&self) -> Option<(Limit, u32)> {
                queues!(@each self, queue => queue.books(); DropTail Composed $($name)+ Custom)
            }

            #[inline]
            fn held(&self) -> Backlog {
                queues!(@each self, queue => queue.held(); DropTail Composed $($name)+ Custom)
            }
        }
    };
}

queues! {
    red::Red(RedParams)
    codel::Codel(CodelParams)
    fq_codel::FqCodel(FqCodelParams)
    pie::Pie(PieParams)
    docsis_pie::DocsisPie(DocsisPieParams)
    dual_pi2::DualPi2(DualPi2Params)
    fq_pie::FqPie(FqPieParams)
    cobalt::Cobalt(CobaltParams)
    fq_cobalt::FqCobalt(FqCobaltParams)
    cake::Cake(CakeQueueParams)
    policer::Policer(PolicerParams)
}

impl QueueSpec {
    /// The queue a link has when the scenario names none.
    pub const DEFAULT: QueueSpec = QueueSpec::drop_tail(Some(DropTailParams::PACKETS), None, None, None);

    /// A plain drop-tail queue with these limits.
    pub const fn drop_tail(
        packets: Option<u64>,
        waiting: Option<u64>,
        bytes: Option<Buffer>,
        waiting_bytes: Option<Buffer>,
    ) -> QueueSpec {
        let (drop, scheduler) = (DropPolicy::Tail, Scheduler::Fifo);
        QueueSpec::DropTail(DropTailParams { packets, waiting, bytes, waiting_bytes, filter: None, drop, scheduler })
    }
}
