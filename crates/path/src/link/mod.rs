//! One direction of a link: loss model, queue, server, propagation.
//!
//! A [`Link`] owns no clock and carries nothing: a driver offers packets, asks for the next one when a service has ended, and
//! carries what was served until it arrives. The simulator and the live mode drive the same type.
//!
//! Its fast case ([`Link::begin`]) decides on a packet's service when the packet arrives, and needs no queue.

mod ahead;
mod sizes;
mod spec;

pub use ahead::{Begin, Bookings, Moment};
pub use sizes::{Load, Size, Sizes};
pub use spec::LinkSpec;

use acklab_packet::{Rate, Time};

use crate::Carried;
use crate::loss::{Loss, LossPlace};
use crate::queue::{AnyQueue, Backlog, FlowClass, Limit, Line, Queue, Removal, Service, Stamped};
pub use crate::queue::{Counts, Totals};
use crate::random::Random;
use crate::server::{Server, server};
use crate::stage::Compression;

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
/// the service ends at `now + service`. So a packet of no bytes can arrive one rounding before the packet it follows.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Link<P> {
    /// The size below which a packet's service may be booked; 0 where none may be, not even of a packet of no bytes.
    books_below: u32,
    /// When the last service decided on ends, and when it begins.
    until: Time,
    since: Time,
    /// The sizes served.
    pub sizes: Sizes,
    /// What it counts besides them.
    pub counts: Counts,
    bookings: Bookings,
    delay: Time,
    /// The server's rate, if it never varies.
    constant: Option<Rate>,
    /// Packets wait for the server's grants.
    grants: bool,
    server: Box<dyn Server>,
    /// What waits; of the packet in front the server has reserved a part.
    line: Line<P>,
    loss: Option<Box<Loss>>,
    /// Both ends of header compression, if the wire carries compressed ACKs.
    compression: Option<Box<Compression>>,
    /// When the last service ends that was not booked; `until` may be later.
    ended: Time,
    /// Bytes of the last part of the packet that enters service.
    last_part: u32,
}

/// Before the beginning.
const BEFORE: Time = Time::from_secs(-1.0);

impl<P: Carried> Link<P> {
    /// The direction `spec` describes; `random` gives its component of that name a stream. Stages at its far end are the
    /// driver's.
    pub fn new(spec: &LinkSpec, random: impl Fn(&str) -> Random) -> Link<P> {
        let queue = AnyQueue::new(&spec.queue, spec.rate, || random("queue"));
        let server = server(spec.rate, spec.varying.as_ref(), || random("server"));
        let (constant, grants) = (server.constant(), server.grants());
        let plain = constant.is_some() && spec.loss.is_none() && spec.stages.is_empty();
        let (limit, books_below) = queue.books().filter(|_| plain).unwrap_or((Limit::Packets(0), 0));
        Link {
            books_below,
            until: BEFORE,
            since: BEFORE,
            sizes: Sizes::default(),
            counts: Counts::default(),
            bookings: Bookings::new(limit),
            delay: spec.delay,
            constant,
            grants,
            server,
            line: Line::new(queue),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, || random("loss")))),
            compression: Compression::of(&spec.stages, spec.delay + spec.delay).map(Box::new),
            ended: BEFORE,
            last_part: u32::MAX,
        }
    }

    /// The size below which a packet's service may be booked ([`Link::begin`]); 0 where none may be. A sender without a header
    /// sends ACKs of no bytes, so the largest size would not do.
    #[inline(always)]
    pub fn books_below(&self) -> u32 {
        self.books_below
    }

    /// Whether services are booked at all.
    #[inline]
    pub fn books(&self) -> bool {
        self.books_below > 0
    }

    /// No service is booked: every packet is offered.
    pub fn never_book(&mut self) {
        self.books_below = 0;
    }

    /// When the last service decided on ends; before 0 if there was none.
    #[inline(always)]
    pub fn until(&self) -> Time {
        self.until
    }

    /// The queue. Where services are booked it is empty, and [`Link::bookings`] has what waits.
    #[inline]
    pub fn queue(&self) -> &AnyQueue<Stamped<P>> {
        self.line.queue()
    }

    /// One more flow comes, whose packets bear the next number.
    pub fn learn(&mut self, class: FlowClass) {
        self.line.learn(class);
    }

    /// The server's rate, if it never varies.
    #[inline]
    pub fn constant(&self) -> Option<Rate> {
        self.constant
    }

    /// Packets that wait, with the one that is partly sent.
    pub fn waiting(&self) -> usize {
        if self.books() { self.bookings.len() } else { self.held().packets as usize }
    }

    /// Where no service is booked: what waits, less what is sent of the first.
    #[inline]
    pub fn held(&self) -> Backlog {
        self.line.held()
    }

    /// A packet arrives `now`: the packet to serve at once, if one is. `idle`: the last service has ended; at equal times
    /// the driver knows whether it has. What leaves unserved goes to `removed`.
    #[inline]
    pub fn offer(&mut self, packet: P, idle: bool, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        if self.loses(&packet, LossPlace::BeforeQueue, now) {
            removed.push((packet, Removal::Lost));
            return None;
        }
        if self.grants {
            return self.await_grant(Stamped { packet, came: now }, idle, now, removed);
        }
        let packet = Stamped { packet, came: now };
        if idle && self.queue().lets_pass(&packet) {
            return Some(packet.packet);
        }
        let service =
            if idle { Service::Idle(self.until.max(Time::ZERO)) } else { Service::Busy(self.sizes.in_service()) };
        self.enqueue(packet, service, now, removed);
        if idle { self.next_packet(now, removed) } else { None }
    }

    #[inline]
    fn enqueue(&mut self, packet: Stamped<P>, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        self.counts.integrate(self.held().packets as usize, now);
        let counts = &mut self.counts;
        self.line.enqueue(packet, service, now, |packet, reason, waited| {
            counts.removed(reason, waited);
            removed.push((packet, reason));
        });
        self.counts.reached(self.held().packets as usize);
    }

    /// The packet to serve next at `now`, when the last service has ended. `None` if none waits; or if none may be served
    /// before [`Link::until`], which is later than `now` then.
    #[inline]
    pub fn next_packet(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        if self.grants {
            return self.next_granted(now, removed);
        }
        match self.dequeue(now, removed) {
            Some((next, _)) => Some(self.enters_service(next, now)),
            None => self.wait_for_queue(now),
        }
    }

    #[inline]
    fn dequeue(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<(Stamped<P>, u32)> {
        let counts = &mut self.counts;
        counts.integrate(self.line.held().packets as usize, now);
        self.line.dequeue(now, |packet, reason, waited| {
            counts.removed(reason, waited);
            removed.push((packet, reason));
        })
    }

    /// A packet has waited until `now`, and is transmitted.
    #[inline]
    fn enters_service(&mut self, next: Stamped<P>, now: Time) -> P {
        self.counts.sent_wait += next.waited(now).secs();
        next.packet
    }

    /// The queue has handed out nothing.
    #[inline]
    fn wait_for_queue(&mut self, now: Time) -> Option<P> {
        if !self.queue().is_empty() {
            self.until = self.until.max(self.queue().ready_at(now));
        }
        None
    }

    /// A packet comes to a server that grants: it waits in the queue at least until a grant.
    #[inline(never)]
    fn await_grant(&mut self, packet: Stamped<P>, idle: bool, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        let held = self.held();
        self.server.ready(held, now);
        // A packet that is sent in parts is in service. If packets wait for a grant alone, none is.
        let service = match self.line.first() {
            Some(packet) => Service::Busy(packet.wire_bytes()),
            None if self.ended > now => Service::Busy(self.sizes.in_service()),
            None if held.packets > 0 => Service::Busy(0),
            None => Service::Idle(self.ended.max(Time::ZERO)),
        };
        self.enqueue(packet, service, now, removed);
        self.server.arrived(self.held(), now);
        if idle { self.next_packet(now, removed) } else { None }
    }

    /// The packet whose last part the server takes now; or `None`, with [`Link::until`] when to ask again.
    #[inline(never)]
    fn next_granted(&mut self, now: Time, removed: &mut Vec<(P, Removal)>) -> Option<P> {
        self.counts.integrate(self.held().packets as usize, now);
        loop {
            let ready = self.server.ready(self.held(), now)?;
            if ready > now {
                self.until = ready;
                return None;
            }
            let Some((packet, rest)) = self.dequeue(now, removed) else { return self.wait_for_queue(now) };
            let part = self.server.reserve(rest, now);
            if part == rest {
                self.last_part = part;
                return Some(self.enters_service(packet, now));
            }
            self.line.keep(packet, rest - part);
        }
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
        if self.constant().is_none() {
            let taken = self.server.take(bytes.min(self.last_part), now);
            lasts = taken.lasts;
            arrives = taken.arrives.map_or(now + (lasts + self.delay), |at| at + self.delay);
        }
        (self.ended, self.since) = (now + lasts, now);
        self.until = self.ended.max(self.queue().ready_at(now));
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
        let (rate, delay) = (self.constant(), self.delay);
        self.sizes.look_up(load, || {
            let lasts = rate.map_or(Time::ZERO, |rate| rate.transmission(load.bytes()));
            (lasts, lasts + delay)
        });
    }

    /// Share of the time up to `end` during which it served, when it has served `bytes` bytes, and the last service ends at
    /// `free`.
    pub fn utilisation(&self, bytes: u64, free: Time, end: Time) -> f64 {
        let free = match self.grants {
            // What it grants is counted as it is sent.
            true => Time::ZERO,
            // While a shaper holds packets back, nothing is served.
            false if !self.books() => free.min(self.ended),
            false => free,
        };
        let unserved = (free.secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.server.busy(bytes) - unserved) / end.secs()).clamp(0.0, 1.0) } else { 0.0 }
    }
}
