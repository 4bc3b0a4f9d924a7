//! One direction of a link: loss model, queue, server, propagation.
//!
//! A [`Link`] owns no clock and carries nothing: a driver offers packets, asks for the next one when a service has ended, and
//! carries what was served until it arrives. The simulator and the live mode drive the same type.
//!
//! Its fast case ([`Link::begin`]) decides on a packet's service when the packet arrives, and needs no queue.

mod ahead;
mod counts;
mod sizes;

pub use ahead::{Begin, Bookings, Moment};
pub use counts::{Counts, Totals};
pub use sizes::{Load, Size, Sizes};

use acklab_packet::Time;

use crate::Carried;
use crate::loss::Loss;
use crate::queue::{AnyQueue, Limit, Queue, Removal, Service};
use crate::random::Random;
use crate::server::{AnyServer, Backlog, Constant, Cycle, Server, Turn};
use crate::spec::{LinkSpec, LossPlace};
use crate::stage::{Compression, StageSpec};

/// A packet's service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// When it ends.
    pub ends: Time,
    /// When the packet arrives.
    pub arrives: Time,
    /// Whether it is lost on the wire, and does not arrive.
    pub lost: bool,
}

/// A link direction. Laid out as declared: first what every packet touches whose service is booked.
///
/// All times follow one order of additions: a packet whose service begins `now` arrives at `now + (service + delay)`, and
/// the service ends at `now + service`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Link<P> {
    /// The largest packet whose service may be booked; 0 where none may.
    passes: u32,
    /// When the last service decided on ends, and when it begins.
    until: Time,
    since: Time,
    /// The sizes served.
    pub sizes: Sizes,
    /// What it counts besides them.
    pub counts: Counts,
    bookings: Bookings,
    delay: Time,
    server: AnyServer,
    queue: AnyQueue<P>,
    loss: Option<Box<Loss>>,
    /// Both ends of header compression, if the wire carries compressed ACKs.
    compression: Option<Box<Compression>>,
    granted: Granted<P>,
}

/// State that only a request-grant uplink has.
#[derive(Clone, Debug)]
struct Granted<P> {
    /// The packet of which a part is sent, and how many of its bytes are not.
    parts: Option<(P, u32)>,
    /// Bytes of the last part of the packet that enters service.
    last: u32,
    /// When the last service ends; [`Link::until`] may be later.
    ended: Time,
}

/// Before the beginning.
const BEFORE: Time = Time::from_secs(-1.0);

impl<P: Carried> Link<P> {
    /// The direction `spec` describes; `random` gives its component of that name a stream. Stages at its far end are the
    /// driver's.
    pub fn new(spec: &LinkSpec, random: impl Fn(&str) -> Random) -> Link<P> {
        let (queue, server) = (
            AnyQueue::new(&spec.queue, spec.rate, || random("queue")),
            AnyServer::new(spec.rate, spec.varying.as_ref(), || random("server")),
        );
        let (mut passes, mut limit) = (0, Limit::Packets(0));
        if let (AnyQueue::DropTail(queue), AnyServer::Constant(_)) = (&queue, &server)
            && spec.loss.is_none()
            && spec.stages.is_empty()
        {
            (passes, limit) = (queue.passes(), queue.limit());
        }
        Link {
            passes,
            until: BEFORE,
            since: BEFORE,
            sizes: Sizes::default(),
            counts: Counts::default(),
            bookings: Bookings::new(limit),
            delay: spec.delay,
            server,
            queue,
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, || random("loss")))),
            compression: compression(spec),
            granted: Granted { parts: None, last: 0, ended: BEFORE },
        }
    }

    /// The largest packet whose service may be booked ([`Link::begin`]); 0 where none may.
    #[inline(always)]
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// No service is booked: every packet is offered.
    pub fn never_book(&mut self) {
        self.passes = 0;
    }

    /// When the last service decided on ends; before 0 if there was none.
    #[inline(always)]
    pub fn until(&self) -> Time {
        self.until
    }

    /// The queue. Where services are booked it is empty, and [`Link::bookings`] has what waits.
    #[inline]
    pub fn queue(&self) -> &AnyQueue<P> {
        &self.queue
    }

    /// The server, if its rate is constant.
    #[inline]
    pub fn constant(&self) -> Option<Constant> {
        if let AnyServer::Constant(constant) = self.server { Some(constant) } else { None }
    }

    /// Packets that wait, with the one that is partly sent.
    pub fn waiting(&self) -> usize {
        if self.passes > 0 { self.bookings.len() } else { self.held().packets as usize }
    }

    /// Where no service is booked: what waits, less what is sent of the first.
    #[inline]
    pub fn held(&self) -> Backlog {
        let (packets, bytes) = self.granted.parts.as_ref().map_or((0, 0), |(_, rest)| (1, u64::from(*rest)));
        Backlog { packets: packets + self.queue.len() as u64, bytes: bytes + self.queue.bytes() }
    }

    /// The server, if it is a request-grant uplink.
    #[inline]
    fn cycle(&mut self) -> Option<&mut Cycle> {
        if let AnyServer::Granted(cycle) = &mut self.server { Some(cycle) } else { None }
    }

    /// A packet arrives `now`: the packet to serve at once, if one is. `idle`: the last service has ended; at equal times
    /// the driver knows whether it has. What leaves unserved goes to `removed`.
    #[inline]
    pub fn offer(&mut self, packet: P, idle: bool, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        if self.loses(&packet, LossPlace::BeforeQueue, now) {
            removed.push((packet, Removal::Lost));
            return None;
        }
        if let AnyServer::Granted(_) = self.server {
            return self.await_grant(packet, idle, now, removed);
        }
        if idle && self.queue.lets_pass(&packet) {
            return Some(packet);
        }
        let service =
            if idle { Service::Idle(self.until.max(Time::ZERO)) } else { Service::Busy(self.sizes.in_service()) };
        self.enqueue(packet, service, now, removed);
        if idle { self.next_packet(now, removed) } else { None }
    }

    #[inline]
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        let before = removed.len();
        self.counts.integrate(self.held().packets as usize, now);
        self.queue.enqueue(packet, service, now, removed);
        self.counts.reached(self.held().packets as usize);
        self.count_removed(&removed[before..]);
    }

    /// The packet to serve next at `now`, when the last service has ended. `None` if none waits; or if none may be served
    /// before [`Link::until`], which is later than `now` then.
    #[inline]
    pub fn next_packet(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        if let AnyServer::Granted(_) = self.server {
            return self.next_granted(now, removed);
        }
        self.dequeue(now, removed)
    }

    #[inline]
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let before = removed.len();
        self.counts.integrate(self.held().packets as usize, now);
        let next = self.queue.dequeue(now, removed);
        self.count_removed(&removed[before..]);
        next
    }

    /// A packet comes to a request-grant uplink: it waits in the queue at least until a grant.
    #[inline(never)]
    fn await_grant(&mut self, packet: P, idle: bool, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let held = self.held();
        self.cycle()?.turn(held, now);
        // A packet that is sent in parts is in service. Others wait for a grant behind nothing.
        let service = match &self.granted.parts {
            Some((packet, _)) => Service::Busy(packet.wire_bytes()),
            None if self.granted.ended > now => Service::Busy(self.sizes.in_service()),
            None if held.packets > 0 => Service::Busy(0),
            None => Service::Idle(self.granted.ended.max(Time::ZERO)),
        };
        self.enqueue(packet, service, now, removed);
        let held = self.held();
        self.cycle()?.arrived(held, now);
        if idle { self.next_packet(now, removed) } else { None }
    }

    /// The packet whose last part the open grant carries; or `None`, with [`Link::until`] when to ask again.
    #[inline(never)]
    fn next_granted(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        self.counts.integrate(self.held().packets as usize, now);
        loop {
            let held = self.held();
            match self.cycle()?.turn(held, now) {
                Turn::Send => {}
                Turn::Wait(at) => {
                    self.until = at;
                    return None;
                }
                Turn::Rest => return None,
            }
            let (packet, rest) = match self.granted.parts.take() {
                Some(parts) => parts,
                None => {
                    let Some(packet) = self.dequeue(now, removed) else {
                        if let AnyQueue::Cake(cake) = &self.queue {
                            self.until = self.until.max(cake.free_at());
                        }
                        return None;
                    };
                    let bytes = packet.wire_bytes();
                    (packet, bytes)
                }
            };
            let part = self.cycle()?.take(rest, now);
            if part == rest {
                self.granted.last = part;
                return Some(packet);
            }
            self.granted.parts = Some((packet, rest - part));
        }
    }

    #[inline]
    fn count_removed(&mut self, removed: &[(P, Removal)]) {
        removed.iter().for_each(|(_, reason)| self.counts.removed(*reason));
    }

    /// Takes a packet into service `now`.
    #[inline]
    pub fn serve(&mut self, packet: &P, now: Time) -> Served {
        let (mut bytes, mut lost) = (packet.wire_bytes(), false);
        if let Some(compression) = &mut self.compression {
            let crossing = compression.cross(packet, now);
            (bytes, lost) = (crossing.bytes, !crossing.readable);
        }
        let Size { mut lasts, span, .. } = self.take(Load::new(bytes, packet.is_ack()));
        let mut arrives = now + span;
        if let AnyServer::Granted(cycle) = &mut self.server {
            lasts = cycle.offer(bytes.min(self.granted.last), now);
            arrives = cycle.arrival(lasts, now) + self.delay;
            self.granted.ended = now + lasts;
        } else if self.constant().is_none() {
            lasts = self.server.offer(bytes, now);
            arrives = now + (lasts + self.delay);
        }
        (self.until, self.since) = (now + lasts, now);
        if let AnyQueue::Cake(cake) = &self.queue {
            self.until = self.until.max(cake.free_at());
        }
        if self.loses(packet, LossPlace::AfterQueue, now) {
            self.compression.iter_mut().for_each(|compression| compression.lose());
            lost = true;
        } else if lost {
            self.counts.lost += 1;
        }
        Served { ends: self.until, arrives, lost }
    }

    /// Whether the loss model, if it stands at `place`, removes a packet, which is counted then.
    #[inline]
    pub fn loses(&mut self, packet: &P, place: LossPlace, now: Time) -> bool {
        let lost = self.loss.as_mut().is_some_and(|loss| loss.takes(packet, place, now));
        self.counts.lost += u64::from(lost);
        lost
    }

    /// Counts a packet; what its size determines.
    #[inline(always)]
    fn take(&mut self, load: Load) -> Size {
        if !self.sizes.repeats(load) {
            self.look_up(load);
        }
        self.sizes.count_last()
    }

    #[inline(never)]
    fn look_up(&mut self, load: Load) {
        let (server, delay) = (&self.server, self.delay);
        self.sizes.look_up(load, || match server {
            AnyServer::Constant(constant) => (constant.service(load.bytes()), constant.service(load.bytes()) + delay),
            _ => (Time::ZERO, delay),
        });
    }

    /// Share of the time up to `end` during which it served, when it has served `bytes` bytes, and the last service ends at
    /// `free`.
    pub fn utilisation(&self, bytes: u64, free: Time, end: Time) -> f64 {
        // While a shaper or a scheduler holds packets back, nothing is served.
        let free = match (&self.queue, self.constant()) {
            _ if matches!(self.server, AnyServer::Granted(_)) => Time::ZERO,
            (AnyQueue::Cake(_), Some(server)) => free.min(self.since + server.service(self.sizes.in_service())),
            _ => free,
        };
        let unserved = (free.secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.server.busy(bytes) - unserved) / end.secs()).clamp(0.0, 1.0) } else { 0.0 }
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
