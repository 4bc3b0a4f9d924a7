//! Startup and Drain (sections 5.3.1 and 5.3.2).

use super::{Bbr3, Mode, Sample};
use crate::sender::congestion::CaState;

/// A round that brings a quarter more shows that there is more to have; three that do not, that there is none (section 5.3.1.2).
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;
/// `BBRStartupFullLossCnt`: ranges lost in a round that end start-up (section 5.3.1.3).
const FULL_LOSSES: u32 = 6;
/// Rounds after which Drain ends whatever is in flight (section 5.3.2).
const DRAIN_ROUNDS: u64 = 3;

/// The estimator of a full pipe (section 2.13).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FullPipe {
    /// `BBR.full_bw_reached` and `BBR.full_bw_now`.
    pub reached: bool,
    pub now: bool,
    /// `BBR.full_bw` and `BBR.full_bw_count`.
    pub rate: f64,
    pub count: u32,
    /// `BBR.drain_start_round`.
    drain_from: u64,
}

impl FullPipe {
    /// `ResetFullBW`.
    pub fn reset(&mut self) {
        (self.rate, self.count, self.now) = (0.0, 0, false);
    }

    /// `CheckFullBWReached`. An ACK without a rate counts as no round.
    pub fn check(&mut self, sample: &Sample, round_start: bool) {
        if self.now || !round_start || sample.app_limited || sample.rate == 0.0 {
            return;
        }
        if sample.rate >= self.rate * GROWTH {
            self.reset();
            self.rate = sample.rate;
            return;
        }
        self.count += 1;
        self.now = self.count >= ROUNDS;
        self.reached |= self.now;
    }
}

impl Bbr3 {
    /// `CheckStartupDone` and `EnterDrain`.
    pub(super) fn check_startup_done(&mut self, sample: &Sample) {
        if self.mode != Mode::Startup {
            return;
        }
        self.check_high_loss(sample);
        if self.full.reached {
            self.mode = Mode::Drain;
            self.full.drain_from = self.model.rounds;
        }
    }

    /// `CheckStartupHighLoss` (section 5.3.1.3): a round of a recovery with too many losses in too many places. Appendix A also sets
    /// `BBR.full_bw_now`.
    fn check_high_loss(&mut self, sample: &Sample) {
        let round = self.signals.round_start && self.state == CaState::Recovery;
        if round && self.signals.ranges >= FULL_LOSSES && sample.too_high() {
            self.undo.mode = Some(Mode::Startup);
            (self.full.reached, self.full.now) = (true, true);
            let product = self.product(self.model.bandwidth, 1.0);
            self.model.inflight_longterm = product.max(self.signals.inflight_latest);
        }
    }

    /// `CheckDrainDone`.
    pub(super) fn check_drain_done(&mut self, sample: &Sample) {
        let late = || self.model.rounds > self.full.drain_from + DRAIN_ROUNDS;
        if self.mode == Mode::Drain && (sample.in_flight <= self.inflight(self.model.bandwidth, 1.0) || late()) {
            self.start_down(sample.now);
        }
    }
}
