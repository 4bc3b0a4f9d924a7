//! One direction of a link: loss model, queue, transmitter, propagation.

use acklab_packet::{Packet, Time};
use acklab_path::loss::Loss;
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;
use acklab_path::stage::Compression;

use crate::event::{Due, EventQueue};
use crate::medium::Port;
use crate::stages;
use crate::transmitter::Transmitter;

/// A link direction and everything on it.
#[derive(Clone, Debug)]
pub struct Link {
    /// The largest packet that is handled as on a plain link: a drop-tail queue, a transmitter, a wire, and no loss model,
    /// stage or recorder that would see it. At least 1 where the link is plain.
    pub(crate) passes: u32,
    /// Whether the events hold this link's [`crate::event::Event::Free`].
    pub(crate) free_queued: bool,
    pub(crate) transmitter: Transmitter,
    pub(crate) queue: AnyQueue<Packet>,
    pub(crate) stats: LinkStats,
    pub(crate) loss: Option<Box<Loss>>,
    /// Where its packets go other ways than from a queue over a wire.
    pub(crate) way: Way,
    /// Both ends of header compression, if its wire carries compressed ACKs.
    pub(crate) compression: Option<Box<Compression>>,
}

/// What a packet offered to a link meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A queue, a transmitter, a wire.
    Wire,
    /// The same, overheard by the stages of the other direction; their index.
    Overheard(u32),
    /// A shared medium, which has the queue and the transmitter.
    Medium(Port),
    /// The stages at the far end of another link: this is no link but their place on a route.
    Stages(u32),
}

/// What a link direction counts besides what its transmitter serves. Integrals are in packet-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LinkStats {
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    pub queue_integral: f64,
    pub queue_since: f64,
    pub queue_max: u64,
}

impl LinkStats {
    /// The queue was `waiting` packets long since the last call; accounts for the time until `now`.
    #[inline]
    pub fn integrate(&mut self, waiting: usize, now: Time) {
        // Signed, which the processor converts at once.
        self.queue_integral += waiting as i64 as f64 * (now.secs() - self.queue_since);
        self.queue_since = now.secs();
    }
}

/// Does the same with whichever discipline it is.
macro_rules! each {
    ($queue:expr, $it:ident => $act:expr) => {
        match $queue {
            AnyQueue::DropTail($it) => $act,
            AnyQueue::Red($it) => $act,
            AnyQueue::Composed($it) => $act,
        }
    };
}

impl Link {
    /// The link direction `spec` describes; `random` gives its component of that name a stream. `watched`: its packets
    /// or its queue's lengths are recorded. `way`: what else its packets meet.
    pub fn new(spec: &LinkSpec, watched: bool, way: Way, random: impl Fn(&str) -> Random) -> Link {
        let queue = AnyQueue::new(&spec.queue, spec.rate, || random("queue"));
        let passes = match &queue {
            AnyQueue::DropTail(queue)
                if spec.loss.is_none() && !watched && way == Way::Wire && spec.stages.is_empty() =>
            {
                queue.passes()
            }
            _ => 0,
        };
        Link {
            passes,
            free_queued: false,
            transmitter: Transmitter::new(spec.rate, spec.delay),
            queue,
            stats: LinkStats::default(),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, || random("loss")))),
            way,
            compression: stages::compression(spec),
        }
    }

    /// The shared medium it stands on, if it does.
    pub fn port(&self) -> Option<Port> {
        if let Way::Medium(port) = self.way { Some(port) } else { None }
    }

    /// Whether nothing is in service at the event due `current`; what drop-tail queues keep waits for service.
    #[inline]
    pub fn is_idle(&self, current: Due) -> bool {
        !current.before(self.transmitter.free)
    }

    /// What the transmitter does at the event due `current`.
    #[inline]
    pub fn service(&self, current: Due) -> Service {
        let (free, in_service) = (self.transmitter.free, self.transmitter.in_service());
        if self.is_idle(current) { Service::Idle(free.time()) } else { Service::Busy(in_service) }
    }

    /// Puts a packet into the queue, or not: what leaves it unserved goes to `removed`. Whether any waits then.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        packet: &Packet,
        service: Service,
        now: Time,
        removed: &mut Vec<(Packet, Removal)>,
    ) -> bool {
        let stats = &mut self.stats;
        each!(&mut self.queue, queue => {
            stats.integrate(queue.len(), now);
            queue.enqueue(*packet, service, now, removed);
            stats.queue_max = stats.queue_max.max(queue.len() as u64);
            !queue.is_empty()
        })
    }

    /// A packet finds this plain link busy: it waits, or is refused (`false`). The packet is stored last of all, so that
    /// little has to be kept beside it.
    #[inline(never)]
    pub fn wait(&mut self, packet: &Packet, now: Time, events: &mut EventQueue) -> bool {
        let Link { queue: AnyQueue::DropTail(queue), transmitter, stats, free_queued, .. } = self else { return true };
        stats.integrate(queue.len(), now);
        if !queue.admits(packet.size, Some(transmitter.in_service())) {
            return false;
        }
        stats.queue_max = stats.queue_max.max(queue.len() as u64 + 1);
        if !*free_queued {
            *free_queued = true;
            events.push_soon(transmitter.free);
        }
        queue.push(*packet);
        true
    }

    /// The next packet to serve; whether others wait behind it.
    #[inline(always)]
    pub fn dequeue(&mut self, now: Time) -> Option<(Packet, bool)> {
        let stats = &mut self.stats;
        each!(&mut self.queue, queue => {
            stats.integrate(queue.len(), now);
            let packet = queue.dequeue(now)?;
            Some((packet, !queue.is_empty()))
        })
    }

    /// Waiting packets averaged over time, from 0 to `end`, when `waiting` wait now.
    pub fn mean_queue(&self, waiting: usize, end: Time) -> f64 {
        let mut stats = self.stats;
        stats.integrate(waiting, end);
        if end > Time::ZERO { stats.queue_integral / end.secs() } else { 0.0 }
    }
}
