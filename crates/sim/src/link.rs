//! One direction of a link: loss model, queue, transmitter, propagation.

use acklab_packet::{Packet, Rate, Time};
use acklab_path::loss::Loss;
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;
use acklab_path::stage::Compression;

use crate::event::Due;
use crate::medium::Port;
use crate::stages;

/// A link direction and everything on it.
#[derive(Clone, Debug)]
pub struct Link {
    rate: Rate,
    delay: Time,
    pub(crate) queue: AnyQueue<Packet>,
    pub(crate) loss: Option<Box<Loss>>,
    /// The largest packet that goes straight into service when the link is idle, seen by nobody: no loss model, no queue
    /// that would keep a trace of it, no recorder.
    pub(crate) passes: u32,
    /// The end of service; in the past when idle.
    pub(crate) free: Due,
    /// Size of the packet in service, or of the last one.
    in_service: u32,
    /// Whether the heap holds this link's [`crate::event::Event::Free`].
    pub(crate) free_queued: bool,
    /// The last two packet sizes served: mostly those of full segments and of ACKs.
    sizes: [Size; 2],
    pub(crate) stats: LinkStats,
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

/// What a packet's size determines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    bytes: u32,
    /// The [lane](crate::lane) on which it arrives.
    pub lane: u32,
    /// Time on the wire.
    pub serialisation: Time,
    /// Serialisation and propagation.
    pub span: Time,
}

/// What a link direction counts. Times and integrals are in seconds and packet-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LinkStats {
    pub packets: u64,
    pub bytes: u64,
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    pub busy: f64,
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
    /// are recorded. `way`: what else its packets meet.
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
            rate: spec.rate,
            delay: spec.delay,
            queue,
            passes,
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, || random("loss")))),
            free: Due::START,
            in_service: 0,
            free_queued: false,
            sizes: [Size { bytes: u32::MAX, ..Size::default() }; 2],
            stats: LinkStats::default(),
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
        !current.before(self.free)
    }

    /// What the transmitter does at the event due `current`.
    #[inline]
    pub fn service(&self, current: Due) -> Service {
        if self.is_idle(current) { Service::Idle(self.free.time()) } else { Service::Busy(self.in_service) }
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

    /// Takes a packet of `bytes` into service; `lane` finds the lane for what this link delivers after a span.
    #[inline]
    pub fn serve(&mut self, bytes: u32, lane: impl FnOnce(Time) -> u32) -> Size {
        let size = match self.sizes {
            [size, _] if size.bytes == bytes => size,
            [_, size] if size.bytes == bytes => size,
            _ => self.learn(bytes, lane),
        };
        self.in_service = bytes;
        self.stats.packets += 1;
        self.stats.bytes += u64::from(bytes);
        self.stats.busy += size.serialisation.secs();
        size
    }

    #[cold]
    fn learn(&mut self, bytes: u32, lane: impl FnOnce(Time) -> u32) -> Size {
        let serialisation = self.rate.transmission(bytes);
        let span = serialisation + self.delay;
        let size = Size { bytes, lane: lane(span), serialisation, span };
        self.sizes = [size, self.sizes[0]];
        size
    }

    /// Waiting packets averaged over time, from 0 to `end`, when `waiting` wait now.
    pub fn mean_queue(&self, waiting: usize, end: Time) -> f64 {
        let mut stats = self.stats;
        stats.integrate(waiting, end);
        if end > Time::ZERO { stats.queue_integral / end.secs() } else { 0.0 }
    }

    /// Share of the time up to `end` during which the transmitter was busy.
    pub fn utilisation(&self, end: Time) -> f64 {
        // A packet still in service has been counted whole.
        let unserved = (self.free.time().secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.stats.busy - unserved) / end.secs()).max(0.0) } else { 0.0 }
    }
}
