//! HyStart++ (RFC 9406): slow start that looks for a queue by the round-trip time, and leaves before it overflows.
//!
//! It stands before a control, which does everything else. Sections and names are that document's. What an ACK is
//! worth (its N and L) is the sender's `credit`.

use acklab_packet::Seq;

use super::super::super::CLOCK;
use super::super::control::{AckEvent, Window};

/// Section 4.3, in seconds, samples and rounds.
const MIN_RTT_THRESH: f64 = 0.004;
const MAX_RTT_THRESH: f64 = 0.016;
const MIN_RTT_DIVISOR: f64 = 8.0;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;

/// Stage of the initial slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    SlowStart,
    /// Conservative Slow Start: the least round trip of the round that began it, and its rounds so far, the partial first
    /// one included.
    Conservative {
        baseline: f64,
        rounds: u32,
    },
    /// Later slow starts know `ssthresh` and are the standard's.
    Over,
}

/// State of HyStart++.
#[derive(Clone, Debug)]
pub(in crate::sender) struct HyStartPlusPlus {
    stage: Stage,
    /// `windowEnd`; none before the first ACK.
    window_end: Option<Seq>,
    /// `lastRoundMinRTT` and `currentRoundMinRTT`; infinite where invalid.
    last_min: f64,
    current_min: f64,
    /// `rttSampleCount`.
    samples: u32,
    /// True if the ACK that is being handled ends a round.
    round_ends: Option<Seq>,
}

/// By how much the round trip must have grown.
fn threshold(last_min: f64) -> f64 {
    (last_min / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH)
}

impl HyStartPlusPlus {
    /// Before the first segment of a connection.
    pub fn new() -> HyStartPlusPlus {
        HyStartPlusPlus {
            stage: Stage::SlowStart,
            window_end: None,
            last_min: f64::INFINITY,
            current_min: f64::INFINITY,
            samples: 0,
            round_ends: None,
        }
    }

    /// Changes the stage, if that is due, after the window has grown for an ACK (section 4.2 has this order). Our reading of
    /// rounds: the ACK of `windowEnd` still gives its sample to the round that it ends.
    fn judge(&mut self, window: &mut Window) {
        let ends = self.round_ends.take();
        let enough = self.samples >= N_RTT_SAMPLE;
        match &mut self.stage {
            Stage::SlowStart => {
                // Not in the first round: there is none to compare with.
                if enough && self.current_min + CLOCK >= self.last_min + threshold(self.last_min) {
                    // A round that ends just here leaves nothing for a partial one.
                    self.stage = Stage::Conservative { baseline: self.current_min, rounds: 0 };
                }
            }
            Stage::Conservative { baseline, rounds } => {
                if enough && self.current_min + CLOCK < *baseline {
                    self.stage = Stage::SlowStart;
                } else if ends.is_some() {
                    *rounds += 1;
                    if *rounds >= CSS_ROUNDS {
                        window.ssthresh = window.cwnd;
                        self.stage = Stage::Over;
                    }
                }
            }
            Stage::Over => {}
        }
        if ends.is_some() {
            self.window_end = ends;
            self.last_min = self.current_min;
            self.current_min = f64::INFINITY;
            self.samples = 0;
        }
    }

    /// Takes in an ACK.
    pub fn on_ack(&mut self, ack: &AckEvent) {
        if self.stage != Stage::Over && ack.acked > 0.0 {
            if let Some(rtt) = ack.rtt {
                self.current_min = self.current_min.min(rtt);
                self.samples += 1;
            }
            if ack.ack >= *self.window_end.get_or_insert(ack.snd_max) {
                self.round_ends = Some(ack.snd_max);
            }
        }
    }

    /// Lets `grow` grow the window by a share of the credit.
    pub fn grow(&mut self, credit: f64, window: &mut Window, grow: impl FnOnce(f64, &mut Window)) {
        if !window.in_slow_start() {
            self.stage = Stage::Over;
        }
        match self.stage {
            Stage::Over => return grow(credit, window),
            Stage::SlowStart => grow(credit, window),
            Stage::Conservative { .. } => grow(credit / CSS_GROWTH_DIVISOR, window),
        }
        self.judge(window);
    }

    /// Ends slow start for good at a loss or a mark.
    pub fn on_congestion(&mut self) {
        self.stage = Stage::Over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_an_eighth_of_the_round_trip_within_4_and_16_ms() {
        let near = |rtt: f64, expected: f64| (threshold(rtt) - expected).abs() < 1e-15;
        assert!(near(0.010, 0.004) && near(0.032, 0.004), "no less than 4 ms");
        assert!(near(0.080, 0.010) && near(0.128, 0.016));
        assert!(near(0.600, 0.016), "no more than 16 ms");
        assert!(0.6 < f64::INFINITY + threshold(f64::INFINITY), "the first round is compared with nothing");
    }
}
