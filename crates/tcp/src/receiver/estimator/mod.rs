//! A receiver's estimates of its sender: the window, the round trip, the pace of arrivals (ledger
//! smartacking.m.estimate_cwnd, smartacking.m.rtt, smartacking.m.isat).
//!
//! An [`Observer`] needs only arriving segments, leaving ACKs and a round trip. So it can run inside a policy, beside any
//! other policy, or beside a connection of another TCP stack.
//!
//! ```
//! use acklab_packet::Time;
//! use acklab_tcp::receiver::estimator::Observer;
//! use acklab_tcp::rules::{LossNotice, WindowStart};
//!
//! let mut observer = Observer::new(1, 1, LossNotice::RoundTrip, WindowStart::Count);
//! for segment in 0..3_u64 {
//!     let now = Time::from_secs(0.1 * segment as f64);
//!     observer.on_segment(1000 * segment, 1000, 1000 * (segment + 1), now);
//!     observer.on_ack(1000 * (segment + 1));
//! }
//! assert_eq!(observer.cwnd(), 4); // an ACK each: slow start from one segment
//! ```

mod cwnd;
mod isat;
mod round_trip;

pub use cwnd::{CwndEstimator, EstimatorPhase};
pub use isat::Isat;
pub use round_trip::RoundTrip;

use acklab_packet::{Seq, Time};

use crate::rules::{LossNotice, WindowStart};

/// Kind of an ACK that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It acknowledged so many units for the first time.
    New(u64),
    /// It repeated the one before.
    Duplicate,
    /// It was the third in a row to do so.
    ThirdDuplicate,
}

/// Follows one connection from its receiver's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Observer {
    cwnd: CwndEstimator,
    told: Option<u32>,
    isat: Isat,
    start: WindowStart,
    /// Arrival of the first data; the clock of round trips runs from here.
    began: Option<Time>,
    round_trip: Option<f64>,
    next_tick: Time,
    /// Units of a full segment: the most that any carried.
    unit: u64,
    rcv_nxt: Seq,
    last_acked: Seq,
    /// One past the last unit of the present window, as estimated at its start.
    window_end: Seq,
    /// A round trip has ended since the last in-order arrival.
    ticked: bool,
}

impl Observer {
    /// An observer of a connection that begins with a window of `initial` segments, to which an ACK may add `limit` in slow start.
    pub fn new(initial: u32, limit: u32, notice: LossNotice, start: WindowStart) -> Observer {
        Observer {
            cwnd: CwndEstimator::new(initial, limit, notice),
            told: None,
            isat: Isat::default(),
            start,
            began: None,
            round_trip: None,
            next_tick: Time::ZERO,
            unit: 1,
            rcv_nxt: 0,
            last_acked: 0,
            window_end: 0,
            ticked: true,
        }
    }

    /// The sender's window in segments: what it told, or else the estimate.
    pub fn cwnd(&self) -> u32 {
        self.told.unwrap_or_else(|| self.cwnd.cwnd())
    }

    /// The sender says that its window is `segments`; from now on this counts.
    pub fn set_window(&mut self, segments: u32) {
        self.told = Some(segments);
    }

    /// The same at `now`, after round trips that have ended since.
    pub fn cwnd_at(&self, now: Time) -> f64 {
        let mut later = self.clone();
        later.advance(now);
        f64::from(later.cwnd())
    }

    /// The phase that the window's estimate is in.
    pub fn phase(&self) -> EstimatorPhase {
        self.cwnd.phase()
    }

    /// Seconds between segments within a window, once known.
    pub fn isat(&self) -> Option<f64> {
        self.isat.secs()
    }

    /// Segments received in order and not acknowledged.
    pub fn held(&self) -> u64 {
        self.rcv_nxt.saturating_sub(self.last_acked).div_ceil(self.unit)
    }

    /// The round trip is now taken for `secs`. The clock that counts round trips starts with the first data, or as
    /// soon as it knows their length.
    pub fn set_round_trip(&mut self, secs: f64, now: Time) {
        if self.round_trip.replace(secs).is_none()
            && let Some(began) = self.began
        {
            self.next_tick = Time::from_secs((began.secs() + secs).max(now.secs()));
        }
    }

    /// Ends the round trips that are over at `now`; how often the estimate was reduced for a loss.
    pub fn advance(&mut self, now: Time) -> u32 {
        let (Some(_), Some(secs)) = (self.began, self.round_trip.filter(|secs| *secs > 0.0)) else { return 0 };
        let mut reductions = 0;
        while self.next_tick <= now {
            reductions += u32::from(self.cwnd.on_round_trip());
            self.ticked = true;
            let tick = self.next_tick;
            self.next_tick = tick + Time::from_secs(secs);
            if self.next_tick <= tick {
                break; // a round trip too short for the clock
            }
            if self.cwnd.settled() && self.next_tick <= now {
                // More silence changes nothing: skip its round trips, however many.
                let over = ((now - self.next_tick).secs() / secs).floor();
                self.next_tick = self.next_tick + Time::from_secs(over * secs);
            }
        }
        reductions
    }

    /// A data segment of units `seq .. seq + len` arrives, after which `rcv_nxt` is expected next. [`Observer::advance`]
    /// comes first.
    pub fn on_segment(&mut self, seq: Seq, len: u32, rcv_nxt: Seq, now: Time) {
        if self.began.is_none() {
            self.began = Some(now);
            let base = seq.min(rcv_nxt);
            (self.rcv_nxt, self.last_acked, self.window_end) = (base, base, base);
            self.next_tick = Time::from_secs(now.secs() + self.round_trip.unwrap_or(0.0));
        }
        self.unit = self.unit.max(u64::from(len));
        let in_order = seq == self.rcv_nxt && rcv_nxt == seq + u64::from(len);
        if rcv_nxt > self.rcv_nxt {
            self.rcv_nxt = rcv_nxt;
            self.cwnd.on_segment();
        }
        if !in_order {
            return self.isat.pass(now);
        }
        let first = match self.start {
            WindowStart::Count => seq >= self.window_end,
            WindowStart::Tick => std::mem::take(&mut self.ticked),
        };
        if first {
            self.window_end = self.last_acked + u64::from(self.cwnd()) * self.unit;
            self.isat.pass(now);
        } else {
            self.isat.on_arrival(now);
        }
    }

    /// An ACK of everything below `ack` leaves. [`Observer::advance`] comes first.
    pub fn on_ack(&mut self, ack: Seq) -> Left {
        if self.began.is_none() {
            return Left::New(0); // it answers a SYN
        }
        if ack > self.last_acked {
            let units = ack - self.last_acked;
            self.last_acked = ack;
            let segments = units.div_ceil(self.unit);
            self.cwnd.on_ack(u32::try_from(segments).unwrap_or(u32::MAX));
            return Left::New(segments);
        }
        if self.cwnd.on_duplicate_ack() { Left::ThirdDuplicate } else { Left::Duplicate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    fn observer() -> Observer {
        Observer::new(1, 1, LossNotice::RoundTrip, WindowStart::Count)
    }

    /// Slow start over a bottleneck that takes 10 ms a segment, round trip 100 ms, an ACK each: windows of 1, 2, 4.
    #[test]
    fn gaps_between_windows_do_not_count_as_arrival_times() {
        let mut o = observer();
        let (mut seq, mut at) = (0, 0.0);
        for window in [1, 2, 4, 8] {
            for k in 0..window {
                let now = t(at + 0.01 * f64::from(k));
                o.advance(now);
                o.on_segment(seq, 1, seq + 1, now);
                assert_eq!(o.held(), 1);
                assert_eq!(o.on_ack(seq + 1), Left::New(1));
                seq += 1;
            }
            at += 0.1;
        }
        assert_eq!(o.cwnd(), 16);
        let isat = o.isat().unwrap();
        assert!((isat - 0.01).abs() < 1e-9, "{isat}");
    }

    #[test]
    fn a_gap_gives_no_sample_and_three_duplicates_a_loss() {
        let mut o = observer();
        o.set_round_trip(0.1, t(0.0));
        for (seq, at) in [(0_u64, 0.0), (1, 0.1), (2, 0.11)] {
            o.advance(t(at));
            o.on_segment(1000 * seq, 1000, 1000 * (seq + 1), t(at));
            o.on_ack(1000 * (seq + 1));
        }
        // Segment 3 is lost, 4 to 6 arrive.
        let left = [4_u64, 5, 6].map(|seq| {
            let at = t(0.2 + 0.01 * seq as f64);
            o.advance(at);
            o.on_segment(1000 * seq, 1000, 3000, at);
            o.on_ack(3000)
        });
        assert_eq!(left, [Left::Duplicate, Left::Duplicate, Left::ThirdDuplicate]);
        assert_eq!((o.cwnd(), o.isat().map(|x| (x * 1e6).round())), (4, Some(10_000.0)));
        // The hole is filled: four segments in order at once, counted as one arrival, acknowledged by one ACK.
        o.on_segment(3000, 1000, 7000, t(0.29));
        assert_eq!(o.on_ack(7000), Left::New(4));
        assert_eq!(o.advance(t(0.301)), 1, "the round trip ends");
        assert_eq!(o.phase(), EstimatorPhase::SlowStart);
    }

    #[test]
    fn long_silence_costs_no_time_and_ends_like_a_short_one() {
        let follow = |until: f64| {
            let mut o = observer();
            o.set_round_trip(0.001, t(0.0));
            for seq in 0..9 {
                o.on_segment(seq, 1, seq + 1, t(0.0001 * seq as f64));
                o.on_ack(seq + 1);
            }
            o.advance(t(until));
            o
        };
        let (short, long) = (follow(0.1), follow(1e9));
        assert_eq!(short.cwnd, long.cwnd);
        assert!(long.next_tick > t(1e9) && long.next_tick <= t(1e9 + 0.01));
    }

    #[test]
    fn a_window_may_also_begin_with_the_round_trip() {
        let mut o = Observer::new(1, 1, LossNotice::RoundTrip, WindowStart::Tick);
        o.set_round_trip(0.1, t(0.0));
        for (seq, at) in [(0, 0.0), (1, 0.02), (2, 0.04), (3, 0.15), (4, 0.17)] {
            o.advance(t(at));
            o.on_segment(seq, 1, seq + 1, t(at));
            o.on_ack(seq + 1);
        }
        assert!((o.isat().unwrap() - 0.02).abs() < 1e-9, "the 0.11 s between the round trips do not count");
    }
}
