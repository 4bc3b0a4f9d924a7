//! Window of BBR: the model's product times a gain, and an addition for ends that send and answer in bunches. In the first
//! round trip of a recovery no more is sent than is delivered.

use super::{Bbr, LEAST_WINDOW, State};
use crate::sender::congestion::CaState;
use crate::sender::flight::rate::RateSample;

/// Window before a round trip is known, and segments up to which start-up grows it without question.
const FIRST_WINDOW: u64 = 10;
/// Pacing rate in bytes a second from which on segments are handed to the network card in pairs at least.
const PAIRS_FROM: f64 = 150_000.0;
/// A card is handed what is sent in 1/1024 of a second, of at most so many bytes and segments.
const HANDED_SHARE: f64 = 1024.0;
const HANDED_BYTES: f64 = 65_215.0;
const HANDED_SEGMENTS: u64 = 127;
/// Part of a product that kernels lose by counting in whole parts; without it, sums that should be whole would be rounded up.
const ROUNDING: f64 = 1e-3;

impl Bbr {
    /// Segments that a kernel passes to a network card at once (`tso_segs_goal`). The window has room for them even though
    /// this sender sends them one by one.
    pub(super) fn burst(&self) -> u64 {
        let bytes = self.pacing_rate * self.payload;
        let least = if bytes < PAIRS_FROM { 1 } else { 2 };
        (((bytes / HANDED_SHARE).min(HANDED_BYTES) / self.payload) as u64).clamp(least, HANDED_SEGMENTS)
    }

    /// A sum: the product of `bandwidth` and the least round trip, times `gain`, then `more`, then room for three bursts. It is
    /// rounded up to an even number, so that no ACK is delayed because a second segment is missing.
    pub(super) fn target(&self, bandwidth: f64, gain: f64, more: u64) -> u64 {
        let product = if self.model.min_rtt.is_finite() {
            (bandwidth * self.model.min_rtt * gain - ROUNDING).ceil().max(0.0) as u64
        } else {
            FIRST_WINDOW
        };
        let even = (product + more + 3 * self.burst()).next_multiple_of(2);
        even + if self.modes.probes_up() { 2 } else { 0 }
    }

    /// Notes a window to return to after a recovery, or after it was held down.
    pub(super) fn note_window(&mut self, cwnd: u64) {
        let whole = self.state < CaState::Recovery && self.modes.state != State::ProbeRtt;
        self.prior_cwnd = if whole { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    /// The window as losses reduce it, and as it returns after them.
    fn through_losses(&mut self, sample: &RateSample, state: CaState, cwnd: u64) -> u64 {
        let mut cwnd = if sample.lost > 0 { cwnd.saturating_sub(sample.lost).max(1) } else { cwnd };
        let before = std::mem::replace(&mut self.state, state);
        if state == CaState::Recovery && before != CaState::Recovery {
            self.conserving = true;
            self.model.next_round = sample.delivered;
            cwnd = sample.in_flight + sample.acked;
        } else if before >= CaState::Recovery && state < CaState::Recovery {
            self.conserving = false;
            cwnd = cwnd.max(self.prior_cwnd);
        }
        cwnd
    }

    /// The window after an ACK.
    pub(super) fn next_window(&mut self, sample: &RateSample, state: CaState, cwnd: u64) -> u64 {
        let mut cwnd = cwnd;
        if sample.acked > 0 {
            cwnd = self.through_losses(sample, state, cwnd);
            if self.conserving {
                cwnd = cwnd.max(sample.in_flight + sample.acked);
            } else {
                let bandwidth = self.bandwidth();
                let bunches = if self.model.full_pipe { self.aggregation.window(bandwidth) } else { 0 };
                let target = self.target(bandwidth, self.cwnd_gain, bunches);
                // Down only once the pipe has been filled: before, the product is not known.
                if self.model.full_pipe {
                    cwnd = (cwnd + sample.acked).min(target);
                } else if cwnd < target || sample.delivered < FIRST_WINDOW {
                    cwnd += sample.acked;
                }
                cwnd = cwnd.max(LEAST_WINDOW);
            }
        }
        if self.modes.state == State::ProbeRtt { cwnd.min(LEAST_WINDOW) } else { cwnd }
    }
}
