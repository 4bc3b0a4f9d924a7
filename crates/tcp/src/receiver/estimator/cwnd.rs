//! `EstimateCwnd`: a NewReno sender's window as its receiver sees it (ledger smartacking.m.estimate_cwnd).
//!
//! Three phases follow the sender's: initial slow start, slow start after congestion, congestion avoidance. The inputs are
//! in-order segments that arrive, ACKs that leave, and the end of each round trip. Letters and digits in comments are the
//! ledger's names of its steps.
//!
//! A sender with SACK halves its window as NewReno does, and its receiver sends the same cumulative ACKs. So the same
//! steps hold. In recovery NewReno's window is inflated and a SACK sender's is not, so the estimate is closer for SACK.

use crate::rules::LossNotice;

/// Which of the three phases the estimator is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimatorPhase {
    /// Since the connection's start: every ACK grows the window by a segment.
    InitialSlowStart,
    /// After congestion: the window is what a round trip's segments and ACKs add up to.
    SlowStart,
    /// Every ACK grows the window by its inverse.
    CongestionAvoidance,
}

/// Counts of one round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Interval {
    segments: u32,
    acks: u32,
}

/// The estimator's state.
#[derive(Clone, Debug, PartialEq)]
pub struct CwndEstimator {
    notice: LossNotice,
    /// Segments that an ACK may be worth in slow start.
    limit: u32,
    /// StartingCwnd; `None` is the listing's -1.
    starting: Option<u32>,
    /// CwndEst: real, cut to a whole number only when asked for.
    estimate: f64,
    past_ssthresh: bool,
    ssthresh: u32,
    loss_this_interval: bool,
    loss_recently: bool,
    this: Interval,
    last: Interval,
    /// CwndIfSlowStart.
    if_slow_start: u32,
    duplicate_acks: u32,
}

impl CwndEstimator {
    /// An estimator of a connection that begins with a window of `initial` segments. In slow start an ACK adds at most `limit`
    /// segments to it: 1 is the listing.
    pub fn new(initial: u32, limit: u32, notice: LossNotice) -> CwndEstimator {
        CwndEstimator {
            notice,
            limit,
            starting: Some(initial),
            estimate: 0.0,
            past_ssthresh: false,
            ssthresh: u32::MAX,
            loss_this_interval: false,
            loss_recently: false,
            this: Interval::default(),
            last: Interval::default(),
            if_slow_start: 0,
            duplicate_acks: 0,
        }
    }

    /// EstimateCwnd(): the window in whole segments.
    pub fn cwnd(&self) -> u32 {
        if let Some(starting) = self.starting {
            return starting; // Q1
        }
        if self.past_ssthresh {
            return self.estimate as u32; // Q2
        }
        let total = self.last.segments + self.last.acks + self.this.acks; // Q3
        if total > self.ssthresh { self.ssthresh.max(self.last.segments) + 2 } else { total } // Q4
    }

    /// The phase it is in.
    pub fn phase(&self) -> EstimatorPhase {
        match (self.starting, self.past_ssthresh) {
            (Some(_), _) => EstimatorPhase::InitialSlowStart,
            (None, true) => EstimatorPhase::CongestionAvoidance,
            (None, false) => EstimatorPhase::SlowStart,
        }
    }

    /// SsthreshEst, once congestion was seen.
    pub fn ssthresh(&self) -> Option<u32> {
        (self.ssthresh < u32::MAX).then_some(self.ssthresh)
    }

    /// A segment arrived and moved the next expected number on; one that closes a gap counts once, however much it
    /// releases.
    pub fn on_segment(&mut self) {
        self.this.segments += 1; // S1
    }

    /// An ACK left that acknowledges so many segments more than the one before. Where ACKs count and not segments, it is worth one.
    pub fn on_ack(&mut self, segments: u32) {
        let covered = if self.limit > 1 { segments.max(1) } else { 1 };
        let worth = covered.min(self.limit);
        self.duplicate_acks = 0;
        self.this.acks += worth; // A1
        if let Some(starting) = &mut self.starting {
            *starting += worth; // A2
        }
        if self.estimate > 0.0 {
            self.estimate += f64::from(covered) / self.estimate; // A3
        }
    }

    /// An ACK left that repeats the one before; whether it was the third in a row, and so taken for a loss.
    ///
    /// The listing forgets this step, the text has it: the third duplicate ACK ends the initial phase. It raises the
    /// flag that the next round trip's end acts upon; with [`LossNotice::ThirdDuplicate`] it acts itself.
    pub fn on_duplicate_ack(&mut self) -> bool {
        self.duplicate_acks += 1;
        if self.duplicate_acks != 3 {
            return false;
        }
        self.loss_this_interval = true; // D1
        if self.notice == LossNotice::ThirdDuplicate && !self.loss_recently {
            self.take_loss();
            self.loss_recently = true;
        }
        true
    }

    /// A round trip has passed; whether it reduced the estimate for a loss.
    pub fn on_round_trip(&mut self) -> bool {
        let Interval { segments, acks } = self.this;
        let grew_less = self.if_slow_start > segments + 2 && self.last.acks > 2;
        if !self.past_ssthresh && grew_less && !self.loss_recently {
            self.past_ssthresh = true; // T1
            self.estimate = f64::from(segments + 1);
        }
        if segments == 0 && self.last.segments == 0 {
            self.loss_this_interval = true; // T2
        }
        let reduced = self.loss_this_interval && !self.loss_recently;
        if reduced {
            self.take_loss(); // T3
        }
        if segments > 1 {
            self.loss_recently = self.loss_this_interval; // T4
        }
        self.loss_this_interval = false; // T5
        self.if_slow_start = self.last.segments + self.last.acks + acks; // T6
        self.last = self.this; // T7
        self.this = Interval::default(); // T8
        reduced
    }

    fn take_loss(&mut self) {
        self.ssthresh = (self.cwnd() / 2).max(2);
        self.starting = None;
        self.past_ssthresh = false;
    }

    /// True if round trips without a segment change nothing any more, however many follow.
    pub fn settled(&self) -> bool {
        let silent = self.this == Interval::default() && self.last == Interval::default();
        silent
            && self.if_slow_start == 0
            && self.starting.is_none()
            && !self.past_ssthresh
            && (self.loss_recently || self.ssthresh == 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> CwndEstimator {
        CwndEstimator::new(1, 1, LossNotice::RoundTrip)
    }

    /// One round trip of `segments` in-order segments and `acks` ACKs of new data.
    fn round(est: &mut CwndEstimator, segments: u32, acks: u32) -> bool {
        (0..segments).for_each(|_| est.on_segment());
        (0..acks).for_each(|_| est.on_ack(1));
        est.on_round_trip()
    }

    fn third_duplicate(est: &mut CwndEstimator) {
        assert_eq!([(); 4].map(|()| est.on_duplicate_ack()), [false, false, true, false]);
    }

    /// Ledger smartacking.fig1.unit, to the letter.
    #[test]
    fn from_the_initial_phase_through_a_loss_to_slow_start() {
        let mut est = fresh();
        assert_eq!((est.cwnd(), est.phase()), (1, EstimatorPhase::InitialSlowStart));
        (0..7).for_each(|_| est.on_ack(1));
        assert_eq!(est.cwnd(), 8);
        third_duplicate(&mut est);
        assert_eq!(est.cwnd(), 8, "the flag is acted upon when the round trip ends");
        assert!(est.on_round_trip());
        assert_eq!((est.ssthresh(), est.phase()), (Some(4), EstimatorPhase::SlowStart));
        // Last interval: 4 segments, 2 ACKs; this one: 1 ACK. 7 > 4: max(4, 4) + 2.
        est.last = Interval { segments: 4, acks: 2 };
        est.this = Interval { segments: 0, acks: 1 };
        assert_eq!(est.cwnd(), 6);
        // Up to ssthresh it is the sum: 1 + 1 + 1.
        est.last = Interval { segments: 1, acks: 1 };
        assert_eq!(est.cwnd(), 3);
    }

    /// Ledger, corner case: 39 segments and 39 ACKs in the interval of the loss. The estimate is 40 before, 41 right
    /// after, and half a round trip later.
    #[test]
    fn the_estimate_falls_a_round_trip_after_the_loss() {
        let mut est = fresh();
        (0..39).for_each(|_| {
            est.on_segment();
            est.on_ack(1);
        });
        third_duplicate(&mut est);
        assert_eq!(est.cwnd(), 40);
        assert!(est.on_round_trip());
        assert_eq!((est.ssthresh(), est.cwnd()), (Some(20), 41));
        assert!(!round(&mut est, 15, 15), "one loss, one reduction");
        assert_eq!(est.cwnd(), 22, "15 + 15 exceed ssthresh: max(20, 15) + 2");
    }

    #[test]
    fn growth_that_falls_short_of_doubling_is_congestion_avoidance() {
        let mut est = fresh();
        round(&mut est, 39, 39);
        third_duplicate(&mut est);
        round(&mut est, 2, 1); // loss, with more than one segment: recently
        assert_eq!(est.phase(), EstimatorPhase::SlowStart);
        // 20 segments a round trip with an ACK each: slow start would have made 20 + 20 + 20 of it.
        round(&mut est, 20, 20); // clears "recently"; the prediction of the tick before was 39 + 39 + 1
        round(&mut est, 20, 20);
        assert_eq!((est.phase(), est.cwnd()), (EstimatorPhase::CongestionAvoidance, 21));
        // The window grows by its inverse with each ACK: 21 + 1/21 + ... reaches 22 with the 22nd.
        (0..21).for_each(|_| est.on_ack(1));
        assert_eq!(est.cwnd(), 21);
        est.on_ack(1);
        assert_eq!(est.cwnd(), 22);
    }

    #[test]
    fn a_loss_in_congestion_avoidance_halves_what_was_estimated() {
        let mut est = fresh();
        round(&mut est, 39, 39);
        third_duplicate(&mut est);
        round(&mut est, 2, 1);
        round(&mut est, 20, 20);
        round(&mut est, 20, 20);
        third_duplicate(&mut est);
        assert!(round(&mut est, 21, 21));
        assert_eq!(est.ssthresh(), Some(10), "21 and 21 times less than 1/21, cut to 21, halved");
        assert_eq!(est.phase(), EstimatorPhase::SlowStart);
    }

    /// Ledger, corner case: what silence does depends on how many segments the interval of the loss had.
    #[test]
    fn silence_is_a_timeout_and_collapses_ssthresh_unless_the_loss_is_fresh() {
        let mut est = fresh();
        round(&mut est, 39, 39);
        third_duplicate(&mut est);
        round(&mut est, 1, 0); // loss, one segment: it is not remembered
        assert_eq!(est.ssthresh(), Some(20));
        assert!(!round(&mut est, 0, 0), "one silent round trip after one with a segment is no timeout");
        assert!(round(&mut est, 0, 0));
        assert_eq!(est.ssthresh(), Some(2));
        assert_eq!(est.cwnd(), 0, "the next arrival is acknowledged at once");

        let mut est = fresh();
        round(&mut est, 39, 39);
        third_duplicate(&mut est);
        round(&mut est, 2, 1); // two segments: remembered all through the silence
        (0..9).for_each(|_| assert!(!round(&mut est, 0, 0)));
        assert_eq!(est.ssthresh(), Some(20));
        assert!(est.settled());
    }

    /// ABC with L = 2 and delayed ACKs: a window of 1, then one ACK for each two segments, and the window doubles all the same.
    #[test]
    fn an_ack_may_be_worth_the_segments_that_it_covers() {
        let mut est = CwndEstimator::new(1, 2, LossNotice::RoundTrip);
        let mut newreno = fresh();
        for segments in [1, 2, 2, 2, 5] {
            est.on_ack(segments);
            newreno.on_ack(segments);
        }
        assert_eq!((est.cwnd(), newreno.cwnd()), (1 + 1 + 2 + 2 + 2 + 2, 6));
        est.estimate = 10.0;
        est.on_ack(5);
        assert_eq!(est.estimate, 10.5, "in congestion avoidance the whole five count");
    }

    #[test]
    fn acting_on_the_third_duplicate_itself_is_the_other_reading() {
        let mut est = CwndEstimator::new(1, 1, LossNotice::ThirdDuplicate);
        (0..7).for_each(|_| est.on_ack(1));
        third_duplicate(&mut est);
        assert_eq!((est.ssthresh(), est.phase()), (Some(4), EstimatorPhase::SlowStart));
        assert!(!est.on_round_trip(), "not a second time");
    }
}
