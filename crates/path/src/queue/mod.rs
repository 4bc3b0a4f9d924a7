//! Queues: where packets wait for a link, and which are dropped.
//!
//! To add one: a file here, a variant in [`AnyQueue`] and in [`QueueSpec`]. A program's own needs neither
//! ([`QueueSpec::Custom`]).

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
mod spec;
mod store;

pub use cake::{AckFiltering, Cake, CakeQueueParams, Cells, Isolation, TinMode};
pub use classes::FlowClass;
pub use cobalt::{Cobalt, CobaltParams};
pub use codel::{Codel, CodelParams, Law};
pub use composed::Composed;
pub use counts::{Counts, Totals};
pub use custom::{CloneDiscipline, Custom, Discipline, OwnQueue, Waiter};
pub use docsis_pie::{DocsisPie, DocsisPieParams};
pub use drop_policy::DropPolicy;
pub use drop_tail::DropTail;
pub use dual_pi2::{DualPi2, DualPi2Params};
pub use fair::flow_hash;
pub use fq_cobalt::{FqCobalt, FqCobaltParams};
pub use fq_codel::{FqCodel, FqCodelParams};
pub use fq_pie::{FqPie, FqPieParams};
pub use limit::Limit;
pub use line::{Backlog, Line, Stamped};
pub use pie::{Pie, PieParams};
pub use policer::{Policer, PolicerParams};
pub use red::{Red, RedParams};
pub use scheduler::Scheduler;
pub use spec::QueueSpec;

use acklab_packet::{Rate, Time};

use crate::Carried;
use crate::random::Random;

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
    fn lets_pass(&self, packet: &P) -> bool;
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
    /// Packets waiting.
    fn len(&self) -> usize;
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The disciplines, dispatched without `Box<dyn>`.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyQueue<P> {
    /// See [`DropTail`].
    DropTail(DropTail<P>),
    /// See [`Red`].
    Red(Box<Red<P>>),
    /// See [`Composed`].
    Composed(Box<Composed<P>>),
    /// See [`Codel`].
    Codel(Box<Codel<P>>),
    /// See [`FqCodel`].
    FqCodel(Box<FqCodel<P>>),
    /// See [`Pie`].
    Pie(Box<Pie<P>>),
    /// See [`DocsisPie`].
    DocsisPie(Box<DocsisPie<P>>),
    /// See [`DualPi2`].
    DualPi2(Box<DualPi2<P>>),
    /// See [`FqPie`].
    FqPie(Box<FqPie<P>>),
    /// See [`Cobalt`].
    Cobalt(Box<Cobalt<P>>),
    /// See [`FqCobalt`].
    FqCobalt(Box<FqCobalt<P>>),
    /// See [`Cake`].
    Cake(Box<Cake<P>>),
    /// See [`Policer`].
    Policer(Box<Policer<P>>),
    /// A program's own.
    Custom(Box<Custom<P>>),
}

/// Calls the same method on whichever discipline it is.
macro_rules! each {
    ($self:expr, $queue:ident => $call:expr) => {
        match $self {
            AnyQueue::DropTail($queue) => $call,
            AnyQueue::Red($queue) => $call,
            AnyQueue::Composed($queue) => $call,
            AnyQueue::Codel($queue) => $call,
            AnyQueue::FqCodel($queue) => $call,
            AnyQueue::Pie($queue) => $call,
            AnyQueue::DocsisPie($queue) => $call,
            AnyQueue::DualPi2($queue) => $call,
            AnyQueue::FqPie($queue) => $call,
            AnyQueue::Cobalt($queue) => $call,
            AnyQueue::FqCobalt($queue) => $call,
            AnyQueue::Cake($queue) => $call,
            AnyQueue::Policer($queue) => $call,
            AnyQueue::Custom($queue) => $call,
        }
    };
}

impl<P: Carried> AnyQueue<P> {
    /// The queue that `spec` describes, before a link of `rate`; `random` is its stream unless the spec asks for
    /// ns-2's seeding.
    pub fn new(spec: &QueueSpec, rate: Rate, random: impl FnOnce() -> Random) -> AnyQueue<P> {
        match spec {
            &QueueSpec::DropTail { packets, waiting, bytes, waiting_bytes, ref filter, drop, scheduler } => {
                let [bytes, waiting_bytes] = [bytes, waiting_bytes].map(|limit| limit.map(|limit| limit.at(rate)));
                if filter.is_none() && drop == DropPolicy::Tail && scheduler == Scheduler::Fifo {
                    return AnyQueue::DropTail(DropTail::new(packets, waiting, bytes, waiting_bytes));
                }
                let limit = Limit::new(packets, waiting, bytes, waiting_bytes);
                AnyQueue::Composed(Box::new(Composed::new(limit, filter.as_ref(), drop, scheduler, rate)))
            }
            QueueSpec::Custom(discipline) => AnyQueue::Custom(Box::new(Custom::new(discipline.clone()))),
            QueueSpec::Codel(params) => AnyQueue::Codel(Box::new(Codel::new(params, rate))),
            QueueSpec::Policer(params) => AnyQueue::Policer(Box::new(Policer::new(params, rate))),
            QueueSpec::FqCodel(params) => AnyQueue::FqCodel(Box::new(FqCodel::new(params, rate, random()))),
            QueueSpec::Pie(params) => AnyQueue::Pie(Box::new(Pie::new(params, rate, random()))),
            QueueSpec::DocsisPie(params) => AnyQueue::DocsisPie(Box::new(DocsisPie::new(params, rate, random()))),
            QueueSpec::DualPi2(params) => AnyQueue::DualPi2(Box::new(DualPi2::new(params, rate, random()))),
            QueueSpec::FqPie(params) => AnyQueue::FqPie(Box::new(FqPie::new(params, rate, random()))),
            QueueSpec::Cobalt(params) => AnyQueue::Cobalt(Box::new(Cobalt::new(params, rate, random()))),
            QueueSpec::FqCobalt(params) => AnyQueue::FqCobalt(Box::new(FqCobalt::new(params, rate, random()))),
            QueueSpec::Cake(params) => AnyQueue::Cake(Box::new(Cake::new(params, random()))),
            QueueSpec::Red(params) => AnyQueue::Red(Box::new(Red::new(params, rate, random))),
        }
    }
}

impl<P: Carried> Queue<P> for AnyQueue<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        each!(self, queue => queue.enqueue(packet, service, now, removed));
    }

    #[inline]
    fn lets_pass(&self, packet: &P) -> bool {
        each!(self, queue => queue.lets_pass(packet))
    }

    #[inline]
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        each!(self, queue => queue.dequeue(now, removed))
    }

    fn learn(&mut self, class: FlowClass) {
        each!(self, queue => queue.learn(class));
    }

    #[inline]
    fn ready_at(&self, now: Time) -> Time {
        each!(self, queue => queue.ready_at(now))
    }

    fn books(&self) -> Option<(Limit, u32)> {
        each!(self, queue => queue.books())
    }

    #[inline]
    fn len(&self) -> usize {
        each!(self, queue => queue.len())
    }

    #[inline]
    fn bytes(&self) -> u64 {
        each!(self, queue => queue.bytes())
    }
}
