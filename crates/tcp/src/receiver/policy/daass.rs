//! Delayed ACKs after slow start (Allman 1998 section 2.3; ledger allman1998.m.daass).
//!
//! While the sender is in slow start every segment is acknowledged, afterwards ACKs are delayed. How the receiver
//! knows is the scenario's choice: told by the driver, told by the segment, or guessed.

use acklab_packet::{Phase, Time};

use super::{AckPolicy, Arrival, Delayed, Emission};
use crate::rules::PhaseSource;

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Daass {
    delayed: Delayed,
    guess: Option<Guess>,
    slow_start: bool,
    held: u32,
}

impl Daass {
    /// Outside slow start delays by `timer` or `segments`; `window` and `silence` are the heuristic's, see [`Guess`].
    pub fn new(source: PhaseSource, timer: Time, segments: u32, window: u32, silence: Time) -> Daass {
        let guess = (source == PhaseSource::Heuristic).then(|| Guess::new(f64::from(window), silence));
        Daass { delayed: Delayed::new(timer, segments, false, Time::ZERO), guess, slow_start: true, held: 0 }
    }
}

impl AckPolicy for Daass {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.held += 1 + arrival.merged;
        self.slow_start = match &mut self.guess {
            Some(guess) => guess.on_segment(arrival),
            None => arrival.phase == Phase::SlowStart,
        };
        let delayed = self.delayed.on_segment(arrival);
        if !self.slow_start || !arrival.in_order {
            return delayed;
        }
        // A delay of zero: the ACK leaves at this instant, after what was already decided for it.
        if self.held == 1 { Emission::By(arrival.now) } else { Emission::Now }
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.held = 0;
        self.delayed.on_ack_sent(now);
        if let Some(guess) = &mut self.guess {
            guess.on_ack_sent();
        }
    }
}

/// A receiver's own estimate of the sender's window, in segments. ACKs that the receiver sends grow the estimate as they
/// grow the sender's window. A gap halves it. A gap that is still open after a silence means that the sender's timer ran
/// out.
///
/// Slow start is assumed until the window reaches half of what it was at the last gap, or the advertised window.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    cwnd: f64,
    ssthresh: f64,
    gap: bool,
    silence: Time,
    last_arrival: Time,
}

impl Guess {
    /// Assumes an initial window of one segment. Slow start ends at `window` segments at the latest.
    pub fn new(window: f64, silence: Time) -> Guess {
        Guess { cwnd: 1.0, ssthresh: window, gap: false, silence, last_arrival: Time::ZERO }
    }

    /// A segment arrived. Returns whether its sender is assumed to be in slow start.
    pub fn on_segment(&mut self, arrival: &Arrival) -> bool {
        let silent = arrival.now - self.last_arrival >= self.silence;
        if silent && (self.gap || arrival.duplicate) {
            self.cwnd = 1.0;
        } else if arrival.gap && !self.gap {
            self.ssthresh = (self.cwnd / 2.0).max(2.0);
            self.cwnd = self.ssthresh;
        }
        self.gap = arrival.gap;
        self.last_arrival = arrival.now;
        self.cwnd < self.ssthresh
    }

    /// An ACK left.
    pub fn on_ack_sent(&mut self) {
        if !self.gap {
            self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(secs: f64, phase: Phase) -> Arrival {
        Arrival { in_order: true, phase, now: Time::from_secs(secs), ..Arrival::default() }
    }

    #[test]
    fn every_segment_in_slow_start_and_delayed_after_it() {
        let mut policy = Daass::new(PhaseSource::Oracle, Time::from_secs(0.1), 2, u32::MAX, Time::from_secs(0.5));
        assert_eq!(policy.on_segment(&arrival(1.0, Phase::SlowStart)), Emission::By(Time::from_secs(1.0)));
        policy.on_ack_sent(Time::from_secs(1.0));
        let late = Phase::CongestionAvoidance;
        assert_eq!(policy.on_segment(&arrival(2.0, late)), Emission::By(Time::from_secs(2.1)));
        // The phase flips with one segment pending: the next arrival acknowledges both.
        assert_eq!(policy.on_segment(&arrival(2.01, Phase::SlowStart)), Emission::Now);
        policy.on_ack_sent(Time::from_secs(2.01));
        let gap = Arrival { in_order: false, gap: true, ..arrival(3.0, Phase::SlowStart) };
        assert_eq!(policy.on_segment(&gap), Emission::Now);
    }

    #[test]
    fn the_guess_follows_growth_gap_and_timeout() {
        let mut guess = Guess::new(40.0, Time::from_secs(0.5));
        let mut secs = 0.0;
        for _ in 0..20 {
            secs += 0.01;
            assert!(guess.on_segment(&arrival(secs, Phase::Unknown)));
            guess.on_ack_sent();
        }
        let gap = |secs| Arrival { in_order: false, gap: true, ..arrival(secs, Phase::Unknown) };
        assert!(!guess.on_segment(&gap(secs)), "21 segments halved: 10.5, and recovery at that window");
        assert!(
            guess.on_segment(&gap(secs + 1.0)),
            "a second of silence with the gap open: slow start from one segment"
        );
        for i in 0..12 {
            guess.on_segment(&arrival(secs + 1.0 + 0.01 * f64::from(i), Phase::Unknown));
            guess.on_ack_sent();
        }
        assert!(!guess.on_segment(&arrival(secs + 1.2, Phase::Unknown)), "up to ssthresh again");
    }
}
