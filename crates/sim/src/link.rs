//! One direction of a link: loss model, queue, transmitter, propagation.

use acklab_packet::{Packet, Time};
use acklab_path::loss::Loss;
use acklab_path::queue::{AnyQueue, Limit, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;
use acklab_path::stage::{Compression, StageSpec};

use crate::booking::Bookings;
use crate::event::Due;
use crate::link_stats::LinkStats;
use crate::medium::Port;
use crate::transmitter::Transmitter;

/// A link direction and everything on it. Laid out as declared, from the beginning of a cache line: first what every packet
/// touches that passes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Link {
    /// The largest packet whose departure is decided when it arrives, as long as nothing stands in its way; see
    /// [`Link::plain`]. 0 in a run that decides event by event.
    pub(crate) passes: u32,
    /// Whether a link follows on some route that gets packets from this one alone.
    pub(crate) leads: bool,
    /// Whether it gets packets from one plain link alone, which decides on its hops ahead.
    pub(crate) led: bool,
    /// When the last packet reached it whose hop was decided ahead.
    pub(crate) led_until: Time,
    pub(crate) transmitter: Transmitter,
    pub(crate) stats: LinkStats,
    /// What waits for it if it is plain; else [`Link::queue`] holds it.
    pub(crate) bookings: Bookings,
    /// The largest packet that is handled as on a plain link: a drop-tail queue, a transmitter, a wire, and no loss model,
    /// stage or recorder that would see it. At least 1 where the link is plain.
    pub(crate) plain: u32,
    /// Whether the events hold this link's [`crate::event::Event::Free`].
    pub(crate) free_queued: bool,
    /// When the event was decided in which the service in progress began.
    pub(crate) free_root: Time,
    /// The lane of that event, once there has been one.
    pub(crate) freed: Option<u32>,
    pub(crate) queue: AnyQueue<Packet>,
    pub(crate) loss: Option<Box<Loss>>,
    /// Where its packets go other ways than from a queue over a wire.
    pub(crate) way: Way,
    /// Both ends of header compression, if its wire carries compressed ACKs.
    pub(crate) compression: Option<Box<Compression>>,
}

/// How the service of a packet begins on a plain link.
#[derive(Clone, Copy, Debug)]
pub struct Begin {
    /// When.
    pub start: Time,
    /// When the event was decided in which it does.
    pub root: Time,
    /// Whether that is yet to come: the packet waits.
    pub ahead: bool,
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
        let mut limit = Limit::Packets(0);
        let queue = AnyQueue::new(&spec.queue, spec.rate, || random("queue"));
        let plain = match &queue {
            AnyQueue::DropTail(queue)
                if spec.loss.is_none() && !watched && way == Way::Wire && spec.stages.is_empty() =>
            {
                limit = queue.limit();
                queue.passes()
            }
            _ => 0,
        };
        Link {
            plain,
            passes: plain,
            leads: false,
            led: false,
            led_until: Time::from_secs(-1.0),
            free_queued: false,
            free_root: Time::ZERO,
            freed: None,
            bookings: Bookings::new(limit),
            transmitter: Transmitter::new(spec.rate, spec.delay),
            queue,
            stats: LinkStats::default(),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, || random("loss")))),
            way,
            compression: compression(spec),
        }
    }

    /// The shared medium it stands on, if it does.
    pub fn port(&self) -> Option<Port> {
        if let Way::Medium(port) = self.way { Some(port) } else { None }
    }

    /// Whether nothing is in service at the event due `current`; what drop-tail queues keep waits for service.
    #[inline]
    pub fn is_idle(&self, current: Due, tied: &mut bool) -> bool {
        let free = self.transmitter.free;
        if current.bits() == free.bits() { current.follows(free, tied) } else { current.bits() > free.bits() }
    }

    /// What the transmitter does at the event due `current`.
    #[inline]
    pub fn service(&self, current: Due, tied: &mut bool) -> Service {
        let (free, in_service) = (self.transmitter.free, self.transmitter.in_service());
        if self.is_idle(current, tied) { Service::Idle(free.time()) } else { Service::Busy(in_service) }
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

    /// The service of a packet of `size` bytes that reaches this plain link at the event due `current`; `None` if there is no
    /// room for it.
    #[inline(always)]
    pub fn begin(&mut self, size: u32, current: &Due, tied: &mut bool) -> Option<Begin> {
        let (free, root) = (self.transmitter.busy_until, self.transmitter.last_start);
        let (now, decided) = (current.time(), current.decided());
        // Who waited before is struck out when somebody waits again.
        if now > free || now == free && self.is_free(current, tied) {
            return Some(Begin { start: now, root: decided, ahead: false });
        }
        self.wait(size, current, tied).then_some(Begin { start: free, root, ahead: true })
    }

    /// Whether the end of the last service decided on, at the time of the event due `current`, comes before that.
    #[cold]
    fn is_free(&self, current: &Due, tied: &mut bool) -> bool {
        current.follows(self.transmitter.freed(), tied)
    }

    /// A packet has to wait; whether there is room for it.
    #[inline(never)]
    fn wait(&mut self, size: u32, current: &Due, tied: &mut bool) -> bool {
        let Link { transmitter, bookings, stats, .. } = self;
        let last = (transmitter.last_start, transmitter.in_service());
        bookings.book(size, transmitter.busy_until, last, current, stats, tied)
    }

    /// Brings the account of what waits to the event due `current`.
    #[inline(never)]
    pub fn catch_up(&mut self, current: &Due, tied: &mut bool) {
        self.bookings.settle(current, &mut self.stats, tied);
    }

    /// A packet finds this plain link busy, or is larger than all that it may hold: it waits, or is refused (`false`).
    pub fn queue_up(&mut self, packet: &Packet, current: &Due, tied: &mut bool) -> bool {
        if self.passes > 0 {
            return self.wait(packet.size, current, tied);
        }
        let Link { queue: AnyQueue::DropTail(queue), transmitter, stats, .. } = self else { return true };
        stats.integrate(queue.len(), current.time());
        if !queue.admits(packet.size, Some(transmitter.in_service())) {
            return false;
        }
        stats.queue_max = stats.queue_max.max(queue.len() as u64 + 1);
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

    /// How many packets wait.
    pub fn waiting(&self) -> usize {
        if self.passes > 0 { self.bookings.waiting().0 } else { self.queue.len() }
    }

    /// Waiting packets averaged over time, from 0 to `end`, when `waiting` wait now.
    pub fn mean_queue(&self, waiting: usize, end: Time) -> f64 {
        let mut stats = self.stats;
        stats.integrate(waiting, end);
        if end > Time::ZERO { stats.queue_integral / end.secs() } else { 0.0 }
    }
}

/// The header compression of a direction's wire, if it has any.
fn compression(spec: &LinkSpec) -> Option<Box<Compression>> {
    let round_trip = spec.delay + spec.delay;
    spec.stages.iter().find_map(|stage| match stage {
        StageSpec::HeaderCompression(params) => Some(Box::new(Compression::new(params, round_trip))),
        _ => None,
    })
}
