//! The simulator's own estimator of a sender's window, fed by what passes.
//!
//! `Observer` and `RoundTrip` are those that smartacking's receiver runs (`acklab_tcp::receiver::estimator`). They need
//! arriving segments, leaving ACKs and the time, all of which pass here. Two things that a receiver knows are estimated.
//! The initial window is what passes within the first round trip, so the first events wait until it is over. The ACK that a
//! segment answers is found by the echoed timestamp.

use acklab_packet::Time;
use acklab_tcp::receiver::estimator::{Observer, RoundTrip};
use acklab_tcp::rules::{LossNotice, RttSource, WindowStart};

use crate::numbers::span_s;
use crate::thresholds::{FIRST_WINDOW_SHARE, MAX_PIECES};

/// Most events that wait; with more, the first round trip counts as over.
const WAITING: usize = 512;

#[derive(Clone, Copy, Debug)]
enum Event {
    Data { seq: u64, len: u32, edge: u64 },
    Ack(u64),
}

/// An observer of one direction.
#[derive(Clone, Debug, Default)]
pub struct Eyes {
    /// When time begins here, and when the first data passed.
    epoch: Option<i64>,
    origin: Option<i64>,
    observer: Option<Box<Observer>>,
    waiting: Vec<(Event, i64)>,
    to_sender: Option<Box<RoundTrip>>,
    last_stamp: Option<u32>,
    trips: u64,
    /// The least of them, and the payload of the packet that ended it.
    nearest: Option<(f64, u32)>,
    /// The whole round trip as the handshake showed it.
    handshake: Option<f64>,
    /// Least seconds from here to the receiver and back.
    pub to_receiver: Option<f64>,
}

impl Eyes {
    /// The handshake took this long, from a SYN's passing to that of the ACK which ends it.
    pub fn on_handshake(&mut self, secs: f64) {
        self.handshake = Some(secs);
    }

    /// Least and smoothed seconds from here to the sender and back, by echoed timestamps.
    pub fn to_sender(&self) -> Option<(f64, f64)> {
        let clock = self.to_sender.as_deref()?;
        Some((clock.least()?, clock.smoothed()?))
    }

    /// Bytes of payload of the packet that ended the least of these.
    pub fn nearest_payload(&self) -> u32 {
        self.nearest.map_or(0, |(_, payload)| payload)
    }

    /// How many of them echoed timestamps have told.
    pub fn trips(&self) -> u64 {
        self.trips
    }

    /// The window of the sender in segments, as its receiver could estimate it at `now`.
    pub fn cwnd(&self, now: i64) -> Option<f64> {
        Some(self.observer.as_deref()?.cwnd_at(self.time(now)))
    }

    /// How much waits for something.
    pub fn remembered(&self) -> usize {
        self.waiting.len() + self.to_sender.as_deref().map_or(0, RoundTrip::waiting)
    }

    /// Data pass; what is complete then ends at `edge`. Without `room` nothing is kept for later. Seconds from here to the
    /// sender and back, if they tell.
    #[allow(clippy::too_many_arguments)]
    pub fn on_data(
        &mut self,
        seq: u64,
        len: u32,
        edge: u64,
        echo: Option<u32>,
        unit: u32,
        room: bool,
        now: i64,
    ) -> Option<f64> {
        self.epoch.get_or_insert(now);
        self.origin.get_or_insert(now);
        let time = self.time(now);
        let trip = self.to_sender.as_mut().zip(echo).and_then(|(clock, echo)| clock.on_segment(echo, 0.0, time));
        if let Some(trip) = trip {
            self.trips += 1;
            if self.nearest.is_none_or(|(least, _)| trip < least) {
                self.nearest = Some((trip, len));
            }
        }
        // A packet that was put together from several segments counts as these.
        let unit = unit.max(len.div_ceil(MAX_PIECES)).max(1);
        let mut from = 0;
        while from < len {
            let piece = unit.min(len - from);
            let start = seq + u64::from(from);
            let rest = u64::from(len - from - piece);
            self.take(
                Event::Data { seq: start, len: piece, edge: edge.saturating_sub(rest).max(edge.min(start)) },
                room,
                now,
            );
            from += piece;
        }
        trip
    }

    /// An ACK passes, with the timestamp it bears. Without `room` nothing is kept for later.
    pub fn on_ack(&mut self, ack: u64, stamp: Option<u32>, room: bool, now: i64) {
        if let Some(stamp) = stamp.filter(|stamp| room && self.last_stamp != Some(*stamp)) {
            self.last_stamp = Some(stamp);
            self.epoch.get_or_insert(now);
            let time = self.time(now);
            let clock =
                self.to_sender.get_or_insert_with(|| Box::new(RoundTrip::new(RttSource::Timestamps, Time::ZERO)));
            clock.on_ack(stamp, time);
        }
        if self.origin.is_some() {
            self.take(Event::Ack(ack), room, now);
        }
    }

    fn round_trip(&self) -> Option<f64> {
        let stamped = self.to_sender.as_deref().and_then(RoundTrip::smoothed);
        stamped.map(|secs| secs + self.to_receiver.unwrap_or(0.0)).or(self.handshake)
    }

    fn take(&mut self, event: Event, room: bool, now: i64) {
        let Some(round_trip) = self.round_trip() else { return self.wait(event, room, now) };
        if self.observer.is_none() {
            let over = self.origin.map_or(0.0, |origin| span_s(origin, now)) > FIRST_WINDOW_SHARE * round_trip;
            if !over && room && self.waiting.len() < WAITING {
                return self.wait(event, room, now);
            }
            let is_data = |event: &&(Event, i64)| matches!(event.0, Event::Data { .. });
            let first = self.waiting.iter().filter(is_data).count().max(1) as u32;
            self.observer = Some(Box::new(Observer::new(first, 1, LossNotice::RoundTrip, WindowStart::Count)));
            for (event, at) in std::mem::take(&mut self.waiting) {
                self.feed(event, at, round_trip);
            }
        }
        self.feed(event, now, round_trip);
    }

    /// Without a round trip there is nothing to wait for, and no estimate.
    fn wait(&mut self, event: Event, room: bool, now: i64) {
        if room && self.waiting.len() < WAITING {
            self.waiting.push((event, now));
        }
    }

    fn feed(&mut self, event: Event, now: i64, round_trip: f64) {
        let time = self.time(now);
        let Some(observer) = self.observer.as_deref_mut() else { return };
        observer.set_round_trip(round_trip, time);
        observer.advance(time);
        match event {
            Event::Data { seq, len, edge } => observer.on_segment(seq, len, edge, time),
            Event::Ack(ack) => {
                observer.on_ack(ack);
            }
        }
    }

    fn time(&self, now: i64) -> Time {
        Time::from_secs(self.epoch.map_or(0.0, |epoch| span_s(epoch, now)))
    }
}
