//! Departures decided on arrival: what waits for a plain link, as the times at which it will be served.

use acklab_packet::Time;
use acklab_path::queue::Limit;

use crate::event::{Due, Event};
use crate::link_stats::LinkStats;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
struct Booked {
    /// When its service begins.
    start: Time,
    /// In bytes.
    size: u32,
}

/// Places of a ring that has any.
const LEAST_PLACES: usize = 8;

/// What waits for a plain link, in a ring that grows. The packets themselves are on the wire already.
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

    /// Whether nobody waits, as far as [`Bookings::settle`] has looked.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.begun == self.booked
    }

    /// How many wait, and their bytes, as far as [`Bookings::settle`] has looked.
    pub fn waiting(&self) -> (usize, u64) {
        (self.booked - self.begun, self.bytes)
    }

    /// Bytes of memory that they take.
    pub fn bytes(&self) -> u64 {
        (self.ring.len() * size_of::<Booked>()) as u64
    }

    /// When the service in progress ends if any wait, as far as [`Bookings::settle`] has looked.
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
    fn begin(&mut self, Booked { start, size }: Booked, stats: &mut LinkStats) {
        stats.integrate(self.booked - self.begun, start);
        self.begun += 1;
        self.bytes -= u64::from(size);
        (self.since, self.in_service) = (start, size);
    }

    /// Strikes out those whose service begins before the event due `current`.
    #[inline(always)]
    pub fn settle(&mut self, current: &Due, stats: &mut LinkStats, tied: &mut bool) {
        while let Some(next) = self.next() {
            if next.start >= current.time() {
                if next.start == current.time() {
                    self.settle_now(current, stats, tied);
                }
                break;
            }
            self.begin(next, stats);
        }
    }

    /// The same when the next service begins at the time of that event.
    #[cold]
    fn settle_now(&mut self, current: &Due, stats: &mut LinkStats, tied: &mut bool) {
        let begins = Due::ahead(current.time(), self.since, Event::Stop);
        if let Some(next) = self.next()
            && current.follows(begins, tied)
        {
            self.begin(next, stats);
            self.settle(current, stats, tied);
        }
    }

    /// The event due `current` brings a packet of `size` bytes while the link is busy until `free`: whether there is room.
    /// `last`: when the last service decided on begins, and what size it serves.
    #[inline]
    pub fn book(
        &mut self,
        size: u32,
        free: Time,
        last: (Time, u32),
        current: &Due,
        stats: &mut LinkStats,
        tied: &mut bool,
    ) -> bool {
        if self.booked - self.begun == self.ring.len() {
            self.grow();
        }
        self.settle(current, stats, tied);
        if self.is_empty() {
            (self.since, self.in_service) = last;
        }
        let waiting = self.booked - self.begun;
        stats.integrate(waiting, current.time());
        if !self.limit.admits(u64::from(size), waiting as u64, self.bytes, Some(self.in_service)) {
            return false;
        }
        stats.queue_max = stats.queue_max.max(waiting as u64 + 1);
        self.bytes += u64::from(size);
        let place = self.place(self.booked);
        self.ring[place] = Booked { start: free, size };
        self.booked += 1;
        true
    }

    /// Doubles the ring.
    #[cold]
    fn grow(&mut self) {
        let (first, held) = (self.place(self.begun), self.ring.len());
        self.ring.rotate_left(first);
        self.ring.resize((2 * held).max(LEAST_PLACES), Booked { start: Time::ZERO, size: 0 });
        (self.begun, self.booked) = (0, held);
    }
}
