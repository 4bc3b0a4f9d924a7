//! The fast case of a link: when a packet arrives at a drop-tail queue before a server of constant rate, it is known when its
//! service begins. Only that time is kept of a packet that waits.

use acklab_packet::Time;

use super::{Counts, Link, Load, Totals};
use crate::Carried;
use crate::queue::Limit;

/// When a driver calls, and what it knows of the order of events due at one time.
pub trait Moment {
    /// The time.
    fn time(&self) -> Time;
    /// When the driver's event was decided.
    fn decided(&self) -> Time;
    /// Whether it comes after the end of a service that ends at this very time and began at `since`.
    fn follows(&mut self, since: Time) -> bool;
}

/// How the service of a packet begins that was booked.
#[derive(Clone, Copy, Debug)]
pub struct Begin {
    /// When.
    pub start: Time,
    /// When the event was decided in which it does.
    pub root: Time,
    /// Whether that is yet to come: the packet waits.
    pub ahead: bool,
}

impl<P: Carried> Link<P> {
    /// The begin of a packet's service that arrives at `moment` and is smaller than [`Link::books_below`]; `None` if there
    /// is no room for it.
    #[inline(always)]
    pub fn begin(&mut self, load: Load, moment: &mut impl Moment) -> Option<Begin> {
        let (free, root, now) = (self.until, self.since, moment.time());
        // Those that waited before are removed from the account when one waits again.
        if now > free || now == free && follows(moment, root) {
            return Some(Begin { start: now, root: moment.decided(), ahead: false });
        }
        self.wait(load, moment).then_some(Begin { start: free, root, ahead: true })
    }

    /// Books the service of a packet from `start` on: the time from then to its arrival.
    #[inline(always)]
    pub fn book(&mut self, load: Load, start: Time) -> Time {
        let size = self.take(load);
        (self.until, self.since) = (start + size.lasts, start);
        size.span
    }

    /// A packet has to wait, or is no smaller than [`Link::books_below`]; whether there is room for it.
    #[inline(never)]
    pub fn wait(&mut self, load: Load, moment: &mut impl Moment) -> bool {
        let last = (self.since, self.sizes.in_service());
        let booked = Booked { came: moment.time(), start: self.until, load };
        self.bookings.book(booked, last, moment, &mut self.counts)
    }

    /// Updates the account of what waits to `moment`.
    #[inline(never)]
    pub fn catch_up(&mut self, moment: &mut impl Moment) {
        self.bookings.settle(moment, &mut self.counts);
    }

    /// What waits, as of the last [`Link::catch_up`].
    pub fn bookings(&self) -> &Bookings {
        &self.bookings
    }
}

#[cold]
fn follows(moment: &mut impl Moment, since: Time) -> bool {
    moment.follows(since)
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct Booked {
    /// When it came, and when its service begins.
    came: Time,
    start: Time,
    load: Load,
}

/// Places of a ring that has any.
const LEAST_PLACES: usize = 8;

/// What waits, in a ring that grows. The driver carries the packets already.
#[derive(Clone, Debug)]
pub struct Bookings {
    ring: Vec<Booked>,
    /// Counts of packets whose service has begun, and of all; modulo the ring's length, their places.
    begun: usize,
    booked: usize,
    /// Bytes that wait.
    bytes: u64,
    /// While any wait: when the service in progress began, and the size of what is served.
    since: Time,
    in_service: u32,
    limit: Limit,
}

impl Bookings {
    /// Nothing waits, and no more may than `limit` says.
    pub fn new(limit: Limit) -> Bookings {
        Bookings { ring: Vec::new(), begun: 0, booked: 0, bytes: 0, limit, since: Time::ZERO, in_service: 0 }
    }

    /// What waits.
    pub fn totals(&self) -> Totals {
        let mut all = Totals::default();
        for count in self.begun..self.booked {
            all += self.ring[self.place(count)].load.totals(1);
        }
        all
    }

    /// Packets that wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.booked - self.begun
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.begun == self.booked
    }

    /// Bytes of memory that they take.
    pub fn memory(&self) -> u64 {
        (self.ring.len() * size_of::<Booked>()) as u64
    }

    /// The end of the service in progress, if any wait.
    pub fn next_start(&self) -> Option<Time> {
        self.next().map(|next| next.start)
    }

    #[inline]
    fn place(&self, count: usize) -> usize {
        count & self.ring.len().wrapping_sub(1)
    }

    /// The one to serve next.
    #[inline(always)]
    fn next(&self) -> Option<Booked> {
        (!self.is_empty()).then(|| self.ring[self.place(self.begun)])
    }

    /// The next service begins.
    #[inline(always)]
    fn begin(&mut self, Booked { came, start, load }: Booked, counts: &mut Counts) {
        counts.integrate(self.len(), start);
        counts.sent_wait += (start - came).secs();
        self.begun += 1;
        self.bytes -= u64::from(load.bytes());
        (self.since, self.in_service) = (start, load.bytes());
    }

    /// Removes those whose service begins before `moment`.
    #[inline(always)]
    fn settle(&mut self, moment: &mut impl Moment, counts: &mut Counts) {
        let now = moment.time();
        while let Some(next) = self.next() {
            if next.start >= now {
                if next.start == now {
                    self.settle_now(moment, counts);
                }
                break;
            }
            self.begin(next, counts);
        }
    }

    /// The same when the next service begins at that time.
    #[cold]
    fn settle_now(&mut self, moment: &mut impl Moment, counts: &mut Counts) {
        if let Some(next) = self.next()
            && moment.follows(self.since)
        {
            self.begin(next, counts);
            self.settle(moment, counts);
        }
    }

    /// A packet comes while the link is busy: whether there is room. `last`: when the last service decided on begins, and
    /// what size it serves.
    #[inline]
    fn book(&mut self, new: Booked, last: (Time, u32), moment: &mut impl Moment, counts: &mut Counts) -> bool {
        if self.len() == self.ring.len() {
            self.grow();
        }
        self.settle(moment, counts);
        if self.is_empty() {
            (self.since, self.in_service) = last;
        }
        let (waiting, bytes) = (self.len(), u64::from(new.load.bytes()));
        counts.integrate(waiting, moment.time());
        if !self.limit.admits(bytes, waiting as u64, self.bytes, Some(self.in_service)) {
            counts.drops += 1;
            return false;
        }
        counts.reached(waiting + 1);
        self.bytes += bytes;
        let place = self.place(self.booked);
        self.ring[place] = new;
        self.booked += 1;
        true
    }

    /// Doubles the ring.
    #[cold]
    fn grow(&mut self) {
        let (first, held) = (self.place(self.begun), self.ring.len());
        self.ring.rotate_left(first);
        self.ring.resize(
            (2 * held).max(LEAST_PLACES),
            Booked { came: Time::ZERO, start: Time::ZERO, load: Load::new(0, false) },
        );
        (self.begun, self.booked) = (0, held);
    }
}
