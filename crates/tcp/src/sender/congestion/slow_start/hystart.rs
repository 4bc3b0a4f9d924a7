//! HyStart, hybrid slow start (Ha and Rhee 2011), with the constants and the special cases of Linux's CUBIC.
//!
//! It stands before a control, and ends slow start at the window it has reached. There are two causes: a round's ACKs
//! come as one train for longer than half a round trip, or its round trips have grown by an eighth. Unlike HyStart++
//! ([`super::HyStartPlusPlus`]) it also watches the slow start after a timeout, and never returns to slow start.

use acklab_packet::Seq;

use super::super::control::{AckEvent, Signal, Window};

/// The least window at which it looks, in segments; it counts rounds before.
const LOW_WINDOW: f64 = 16.0;
/// ACKs of a train are at most so far apart, in seconds.
const ACK_DELTA: f64 = 0.002;
/// A round's samples before its least one is judged.
const MIN_SAMPLES: u32 = 8;
/// By how much the round trip grows: an eighth, within these, in seconds.
const DELAY_MIN: f64 = 0.004;
const DELAY_MAX: f64 = 0.016;
/// Room for segments that leave as one burst: four of 64 kB, in segments, at the rate of pacing; at most `BURST_MAX` seconds.
const BURST: f64 = 4.0 * 65536.0 / 1460.0;
const BURST_MAX: f64 = 0.001;

/// A round: the ACKs from one window's end to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Round {
    /// It is over with the first ACK past this.
    end: Seq,
    start: f64,
    /// The last ACK of the train with which it began.
    last_ack: f64,
    /// The least round trip so far, and the samples, counted up to the least that are needed.
    least: f64,
    samples: u32,
}

/// State of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Watching,
    /// Slow start ends with the ACK that is being handled.
    Found,
    Over,
}

/// State of HyStart.
#[derive(Clone, Debug)]
pub(in crate::sender) struct HyStart {
    /// True if it looks at trains of ACKs.
    trains: bool,
    stage: Stage,
    /// Least round trip in seconds; infinite before the first.
    delay_min: f64,
    round: Option<Round>,
}

impl HyStart {
    /// Before the first segment of a connection; `trains`: it looks at trains of ACKs. Without, it is that of quic-go
    /// (`HybridSlowStart`, internal/congestion/hybrid_slow_start.go) and of s2n-quic (`HybridSlowStart`, recovery/hybrid_slow_start.rs).
    pub fn new(trains: bool) -> HyStart {
        HyStart { trains, stage: Stage::Watching, delay_min: f64::INFINITY, round: None }
    }

    /// True if the ACK that brought `rtt` shows a queue.
    fn finds(&mut self, rtt: f64, ack: &AckEvent, window: &Window) -> bool {
        let now = window.now.secs();
        let begun = Round { end: ack.snd_max, start: now, last_ack: now, least: f64::INFINITY, samples: 0 };
        let round = match &mut self.round {
            Some(round) if ack.ack <= round.end => round,
            over => over.insert(begun),
        };
        if window.cwnd < LOW_WINDOW * window.mss {
            return false;
        }
        let mut found = false;
        if self.trains && now - round.last_ack <= ACK_DELTA {
            round.last_ack = now;
            // At twice the window a round trip, as slow start is paced where it is.
            let rate = 2.0 * window.cwnd / window.mss / window.srtt;
            // Half, for a sender that does not pace.
            found = now - round.start > (self.delay_min + (BURST / rate).min(BURST_MAX)) / 2.0;
        }
        round.least = round.least.min(rtt);
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
            return found;
        }
        found || round.least > self.delay_min + (self.delay_min / 8.0).clamp(DELAY_MIN, DELAY_MAX)
    }

    /// Takes in an ACK.
    pub fn on_ack(&mut self, ack: &AckEvent, window: &Window) {
        if let Some(rtt) = ack.rtt.filter(|_| ack.acked > 0.0 && self.stage == Stage::Watching) {
            self.delay_min = self.delay_min.min(rtt);
            if window.in_slow_start() && self.finds(rtt, ack, window) {
                self.stage = Stage::Found;
            }
        }
    }

    /// Ends slow start, if that is due, before `grow` grows the window.
    pub fn grow(&mut self, credit: f64, window: &mut Window, grow: impl FnOnce(f64, &mut Window)) {
        if self.stage == Stage::Found {
            self.stage = Stage::Over;
            if window.in_slow_start() {
                window.ssthresh = window.cwnd;
            }
        }
        grow(credit, window);
    }

    /// Begins again after a timeout, and forgets the least round trip.
    pub fn on_congestion(&mut self, signal: Signal) {
        if signal == Signal::Timeout {
            (self.stage, self.delay_min, self.round) = (Stage::Watching, f64::INFINITY, None);
        }
    }
}
