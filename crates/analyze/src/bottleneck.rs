//! Rate of a path's bottleneck, from trains of packets that stood in its queue.
//!
//! While a queue stands, the bottleneck sends without a pause, so what passes behind it has its rate. These are the packet bunches of
//! Paxson, "Measurements and Analysis of End-to-End Internet Dynamics", 1997, chapter 14, with a test for the queue. A queue
//! shows in round trips that exceed the least. The trains are of data, or of the bytes that ACKs acknowledge.

use crate::numbers::span_s;
use crate::thresholds::{
    MAX_TRAINS, MIN_TRAINS, QUEUE_S, QUEUE_SEGMENTS, RATE_RANGE, TRAIN_END_SHARE, TRAIN_S, TRAIN_SEGMENTS, TRIPS_SHARE,
    TRIPS_SPREAD,
};

/// A rate in bits a second, with the middle four fifths of the trains that show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub trains: u64,
}

/// Packets that are one train so far.
#[derive(Clone, Copy, Debug)]
struct Train {
    start: i64,
    last: i64,
    bytes: u64,
    segments: u64,
    packets: u32,
    /// Least round trip that ended in it.
    trip: Option<f64>,
}

/// The trains of one direction, at one place.
#[derive(Clone, Debug, Default)]
pub struct Trains {
    /// Least round trip so far.
    base: Option<f64>,
    now: Option<Train>,
    /// Rates and round trips of trains that met a queue, every `stride`-th of them.
    kept: Vec<(f64, f64)>,
    met: u64,
    stride: u64,
}

impl Trains {
    /// A round trip through the queue took so many seconds.
    pub fn on_trip(&mut self, secs: f64) {
        self.base = Some(self.base.map_or(secs, |base| base.min(secs)));
        if let Some(train) = &mut self.now {
            train.trip = Some(train.trip.map_or(secs, |trip| trip.min(secs)));
        }
    }

    /// `bytes` of IP packets pass, which hold `segments`.
    pub fn on_bytes(&mut self, bytes: u64, segments: u64, now: i64) {
        let fresh = |start| Train { start, last: start, bytes: 0, segments: 0, packets: 0, trip: None };
        let Some(mut train) = self.now else {
            self.now = Some(fresh(now));
            return;
        };
        // It ends where packets of a batch end, so that it has whole batches.
        let span = span_s(train.start, train.last);
        let enough = train.segments >= TRAIN_SEGMENTS && span >= TRAIN_S;
        if enough && span_s(train.last, now) >= TRAIN_END_SHARE * span / f64::from(train.packets) {
            self.settle(&train, span);
            train = fresh(train.last);
        }
        train.last = now;
        train.bytes += bytes;
        train.segments += segments;
        train.packets = train.packets.saturating_add(1);
        self.now = Some(train);
    }

    /// Packets may be missing here: the next one begins a new train.
    pub fn on_break(&mut self) {
        self.now = None;
    }

    fn settle(&mut self, train: &Train, span: f64) {
        let (Some(base), Some(trip)) = (self.base, train.trip) else { return };
        if trip - base <= QUEUE_S + QUEUE_SEGMENTS * span / train.segments as f64 {
            return;
        }
        self.met += 1;
        if self.met.is_multiple_of(self.stride.max(1)) {
            self.kept.push((8.0 * train.bytes as f64 / span, trip));
        }
        if self.kept.len() == MAX_TRAINS {
            self.kept = self.kept.iter().skip(1).step_by(2).copied().collect();
            self.stride = 2 * self.stride.max(1);
        }
    }

    /// The bottleneck's rate; none where few trains met a queue, or their rates differ, or their round trips do not. A
    /// window of constant size, in a queue that others fill, would give one rate, too.
    pub fn rate(&self) -> Option<Rate> {
        let sorted = |of: fn(&(f64, f64)) -> f64| {
            let mut values: Vec<f64> = self.kept.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let (rates, trips) = (sorted(|train| train.0), sorted(|train| train.1));
        let tenth = rates.len() / 10;
        let (low, high) = (*rates.get(tenth)?, rates[rates.len() - 1 - tenth]);
        let wide = trips[trips.len() - 1 - tenth] / trips[tenth] - 1.0;
        let differ = wide >= TRIPS_SPREAD.max(TRIPS_SHARE * (high / low - 1.0));
        (rates.len() >= MIN_TRAINS && high <= RATE_RANGE * low && differ).then(|| Rate {
            median: rates[rates.len() / 2],
            low,
            high,
            trains: self.met,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// Trains of packets each millisecond, 12 Mbit/s; the round trip in milliseconds is `trip` of the packet's number.
    fn found(packets: i64, trip: fn(i64) -> i64, gap: fn(i64) -> i64) -> Option<Rate> {
        let (mut trains, mut now) = (Trains::default(), 0);
        trains.on_trip(0.020);
        for number in 0..packets {
            now += gap(number);
            trains.on_bytes(1500, 1, now);
            trains.on_trip(1e-3 * trip(number) as f64);
        }
        trains.rate()
    }

    #[test]
    fn trains_in_a_queue_show_its_rate() {
        let sawtooth = |number: i64| 30 + number % 400 / 10;
        let rate = found(4000, sawtooth, |_| MS).unwrap();
        assert!((rate.median - 12e6).abs() < 1.0 && rate.low == rate.high, "{rate:?}");
        assert!(rate.trains >= 200, "{rate:?}");
        let batches = found(4000, sawtooth, |number| if number % 8 == 0 { 8 * MS } else { 0 }).unwrap();
        assert!((batches.median - 12e6).abs() < 1.0, "whole batches: {batches:?}");
    }

    #[test]
    fn thin_evidence_names_no_rate() {
        let sawtooth = |number: i64| 30 + number % 400 / 10;
        assert_eq!(found(4000, |_| 21, |_| MS), None, "no queue");
        assert_eq!(found(4000, |_| 50, |_| MS), None, "a constant window in a constant queue");
        assert_eq!(found(110, sawtooth, |_| MS), None, "few trains");
        assert_eq!(found(4000, sawtooth, |number| MS * (1 + number / 400 % 2)), None, "two rates");
    }
}
