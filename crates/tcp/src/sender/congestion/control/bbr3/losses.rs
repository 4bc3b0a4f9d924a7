//! What losses do to the model (section 5.5.10), and the undo of it (section 5.5.11).

use acklab_packet::Seq;

use super::{BETA, Bbr3, LOSS_THRESHOLD, LostSegment, Mode, Sample};
use crate::sender::congestion::CaState;

/// Signals of the last round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signals {
    /// `BBR.bw_latest` and `BBR.inflight_latest`.
    pub rate_latest: f64,
    pub inflight_latest: f64,
    /// `BBR.loss_round_delivered`, `BBR.loss_round_start` and `BBR.is_loss_in_round`.
    round_delivered: f64,
    pub round_start: bool,
    pub in_round: bool,
    /// Ranges of sequence numbers lost in this round, and one past the last lost unit.
    pub ranges: u32,
    last_end: Seq,
}

impl Signals {
    /// `UpdateLatestDeliverySignals`.
    pub fn update_latest(&mut self, sample: &Sample) {
        self.rate_latest = self.rate_latest.max(sample.rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        self.round_start = sample.prior_delivered.is_some_and(|prior| prior >= self.round_delivered);
        if self.round_start {
            self.round_delivered = sample.total;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub fn advance_latest(&mut self, sample: &Sample) {
        if self.round_start {
            (self.rate_latest, self.inflight_latest) = (sample.rate, sample.delivered);
            self.ranges = 0;
        }
    }

    /// `ResetCongestionSignals`.
    pub fn reset(&mut self) {
        (self.in_round, self.rate_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// A segment is lost: another range, unless it follows the last.
    fn count(&mut self, lost: &LostSegment) {
        self.ranges += u32::from(self.ranges == 0 || lost.start != self.last_end);
        self.last_end = lost.end;
    }
}

/// State before a loss (section 2.15).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Undo {
    /// An episode of losses is on: the state before it is here.
    pub episode: bool,
    /// `BBR.undo_state`: the state that losses have ended.
    pub mode: Option<Mode>,
    bandwidth_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

impl Bbr3 {
    /// `UpdateCongestionSignals` and `AdaptLowerBoundsFromCongestion`.
    pub(super) fn update_congestion_signals(&mut self, sample: &Sample) {
        self.model.update_max_bandwidth(sample);
        if !self.signals.round_start {
            return;
        }
        if !self.probes() && self.signals.in_round {
            self.adapt_lower_bounds();
        }
        // An episode that no recovery ends is over with a round without a loss.
        self.undo.episode &= self.signals.in_round || self.state >= CaState::Recovery;
        self.signals.in_round = false;
    }

    /// `InitLowerBounds` and `LossLowerBounds`.
    fn adapt_lower_bounds(&mut self) {
        let (signals, model) = (&self.signals, &mut self.model);
        let or = |bound: f64, first: f64| if bound == f64::INFINITY { first } else { bound };
        let rate = or(model.bandwidth_shortterm, model.max_bandwidth);
        let inflight = or(model.inflight_shortterm, self.cwnd);
        model.bandwidth_shortterm = signals.rate_latest.max(BETA * rate);
        model.inflight_shortterm = signals.inflight_latest.max(BETA * inflight);
    }

    /// `NoteLoss`, and `OnEnterFastRecovery`. The state is saved when an episode of losses starts (section 5.5.11.1). The pseudo-code
    /// saves it with the first loss of each round. But a probe that ends by a loss forgets that there was one. The next segment
    /// lost with it would then save the state after the probe.
    pub(super) fn note_loss(&mut self) {
        if !std::mem::replace(&mut self.signals.in_round, true) {
            self.signals.round_delivered = self.total;
        }
        if !self.undo.episode {
            self.save_state();
        }
    }

    /// `SaveStateUponLoss`.
    pub(super) fn save_state(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            episode: true,
            mode: None,
            bandwidth_shortterm: self.model.bandwidth_shortterm,
            inflight_shortterm: self.model.inflight_shortterm,
            inflight_longterm: self.model.inflight_longterm,
        };
    }

    /// `HandleLostPacket` (section 5.5.10.2).
    pub(super) fn handle_lost(&mut self, lost: &LostSegment, mss: f64, now: f64) {
        if !self.begun {
            return;
        }
        self.total = lost.delivered as f64;
        self.note_loss();
        self.signals.count(lost);
        if !self.cycle.probe_sample {
            return;
        }
        let (tx_in_flight, all) = (lost.tx_in_flight / mss, lost.lost / mss);
        if !(Sample { tx_in_flight, lost: all, ..Sample::default() }).too_high() {
            return;
        }
        // `InflightAtLoss`: what of the segment still fits.
        let size = (lost.end - lost.start) as f64 / mss;
        let (flight_before, lost_before) = (tx_in_flight - size, all - size);
        let prefix = (LOSS_THRESHOLD * flight_before - lost_before) / (1.0 - LOSS_THRESHOLD);
        self.handle_too_high(flight_before + prefix, lost.app_limited, now);
    }

    /// `HandleInflightTooHigh`, where so much was in flight when the losses crossed the threshold.
    fn handle_too_high(&mut self, tx_in_flight: f64, app_limited: bool, now: f64) {
        (self.cycle.prev_too_high, self.cycle.probe_sample) = (true, false);
        if !app_limited {
            self.model.inflight_longterm = tx_in_flight.max(self.target_inflight() * BETA);
        }
        if self.mode == Mode::ProbeUp {
            self.undo.mode = Some(Mode::ProbeUp);
            self.start_down(now);
        }
    }

    /// `HandleSpuriousLossDetection` (section 5.5.11.2).
    pub(super) fn handle_spurious(&mut self) {
        self.restore_cwnd();
        (self.signals.in_round, self.undo.episode) = (false, false);
        self.full.reset();
        let (model, undo) = (&mut self.model, &mut self.undo);
        model.bandwidth_shortterm = model.bandwidth_shortterm.max(undo.bandwidth_shortterm);
        model.inflight_shortterm = model.inflight_shortterm.max(undo.inflight_shortterm);
        model.inflight_longterm = model.inflight_longterm.max(undo.inflight_longterm);
        match undo.mode.take() {
            Some(Mode::Startup) if self.mode != Mode::Startup => {
                self.full.reached = false;
                if self.mode != Mode::ProbeRtt {
                    self.mode = Mode::Startup;
                }
            }
            Some(Mode::ProbeUp) if !matches!(self.mode, Mode::ProbeUp | Mode::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }
}
