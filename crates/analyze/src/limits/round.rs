//! A round trip of the sender: from the departure of a segment to its ACK, and what its growth and its queue show.

use super::Limit;
use super::delay::{Delays, Stands};
use crate::numbers::span_s;
use crate::thresholds::{FLAT_ROUNDS, GROWTH, MIN_GROWN};

/// The present round, and what is remembered of those before.
#[derive(Clone, Debug, Default)]
pub struct Round {
    start: i64,
    /// Nanoseconds that the first one took.
    first: i64,
    /// It ends where this is acknowledged.
    end: u64,
    acked: u64,
    /// Least delays in it.
    pub delays: Delays,
    /// Most in flight in it, and in the round before; bytes of a segment.
    most: u64,
    before: u64,
    unit: u64,
    /// Bytes a second acknowledged in the round before, and the most in a round without a loss.
    rate: f64,
    fastest: f64,
    /// A segment was resent: in the connection's life, since the last restart, in this round.
    ever: bool,
    pub lost: bool,
    /// Rounds since the beginning or a timeout, and rounds in a row with the same flight.
    rounds: u64,
    flat: u64,
    /// The cause of the round before, and whether it was cut short: nothing was outstanding where it ended.
    last: Limit,
    cut: bool,
}

impl Round {
    pub fn begin(&mut self, now: i64, next: u64) {
        (self.start, self.end) = (now, next);
    }

    pub fn start(&self) -> i64 {
        self.start
    }

    pub fn on_flight(&mut self, flight: u64, unit: u64) {
        self.most = self.most.max(flight);
        self.unit = unit;
    }

    /// Most in flight in this round and the one before.
    pub fn peak(&self) -> u64 {
        self.most.max(self.before)
    }

    /// So many bytes are acknowledged up to `ack`; whether the round ends. No later round is shorter than half of the first: the
    /// segments of the initial window leave at once, and their ACKs come at once.
    pub fn on_ack(&mut self, acked: u64, ack: u64, recovers: bool, now: i64) -> bool {
        self.acked += acked;
        self.lost |= recovers;
        let lasted = now.saturating_sub(self.start);
        let ends = ack >= self.end && lasted >= self.first / 2;
        if ends && self.first == 0 {
            self.first = lasted;
        }
        ends
    }

    /// A timeout: slow start begins again.
    pub fn restart(&mut self) {
        self.rounds = 0;
    }

    /// What the waits for the network in this round were. A round that the end of the data cuts short shows no growth: it is as the
    /// one before. If that was cut short, too, more data came, and the sender rests after each flight.
    pub fn verdict(&self, now: i64, whole: bool) -> Limit {
        if self.lost {
            return Limit::Recovery;
        }
        if !whole && !self.cut && self.rounds > 0 && self.last == Limit::SlowStart {
            return self.last;
        }
        let rate = self.rate_until(now);
        let grows = rate >= GROWTH * self.rate && self.most as f64 >= GROWTH * self.before as f64;
        // Beyond a few segments, congestion avoidance does not grow so fast.
        let fast = !self.ever || self.most >= MIN_GROWN * self.unit || self.rounds <= 1;
        if self.rounds == 0 || grows && fast {
            return Limit::SlowStart;
        }
        match self.delays.stands(self.spacing_s(now)) {
            Some(Stands::Data) => Limit::Path,
            Some(Stands::Acks) => Limit::AckPath,
            Some(Stands::Nowhere) if self.flat >= FLAT_ROUNDS => Limit::SenderWindow,
            Some(Stands::Nowhere) => Limit::Cwnd,
            None => Limit::Network,
        }
    }

    /// Bytes acknowledged in it.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// Most bytes a second of a round without a loss.
    pub fn fastest(&self) -> f64 {
        self.fastest
    }

    /// Mean seconds from one full segment to the next. A segment may wait for one that left with it, and no queue stands.
    fn spacing_s(&self, now: i64) -> f64 {
        self.unit as f64 / self.rate_until(now).max(1.0)
    }

    fn rate_until(&self, now: i64) -> f64 {
        self.acked as f64 / span_s(self.start, now).max(1e-9)
    }

    /// The next round begins at `now`, and ends where `next` is acknowledged; this one was `found`, and not cut short if `whole`.
    pub fn next(&mut self, now: i64, next: u64, found: Limit, whole: bool) {
        (self.last, self.cut) = (found, !whole);
        self.flat = match self.most.abs_diff(self.before) < self.unit && !self.lost {
            true => self.flat + 1,
            false => 0,
        };
        self.rate = self.rate_until(now);
        self.fastest = if self.lost { self.fastest } else { self.fastest.max(self.rate) };
        self.ever |= self.lost;
        self.rounds += 1;
        (self.before, self.most) = (self.most, 0);
        (self.start, self.end, self.acked, self.lost) = (now, next, 0, false);
        self.delays = Delays::default();
    }
}
