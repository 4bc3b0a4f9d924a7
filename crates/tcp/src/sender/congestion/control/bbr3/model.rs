//! The model of the path: rounds, bandwidth, bounds of what may be in flight, and aggregation (section 5.5).

use super::super::windowed_max::WindowedMax;
use super::{Bbr3, HEADROOM, MIN_PIPE_CWND, Sample};

/// `BBR.ExtraAckedFilterLen` (section 2.12), in rounds; one in start-up (section 5.5.9).
const EXTRA_ROUNDS: u64 = 10;

/// The model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Model {
    /// `BBR.round_count`, `BBR.next_round_delivered`, `BBR.round_start` and `BBR.rounds_since_probe_up`.
    pub rounds: u64,
    pub next_round: f64,
    pub round_start: bool,
    pub rounds_since_probe: u64,
    /// `BBR.max_bw`, and the largest rates of the previous cycle and of the present one.
    pub max_bandwidth: f64,
    of_cycles: [f64; 2],
    /// `BBR.bw`.
    pub bandwidth: f64,
    /// Bounds: `BBR.bw_shortterm`, `BBR.inflight_shortterm` and `BBR.inflight_longterm`.
    pub bandwidth_shortterm: f64,
    pub inflight_shortterm: f64,
    pub inflight_longterm: f64,
    /// `BBR.min_rtt` and its stamp.
    pub min_rtt: f64,
    pub min_rtt_stamp: f64,
    /// `BBR.extra_acked`, its interval's start, and what was delivered since.
    extra: WindowedMax,
    pub extra_since: f64,
    extra_delivered: f64,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            rounds: 0,
            next_round: 0.0,
            round_start: false,
            rounds_since_probe: 0,
            max_bandwidth: 0.0,
            of_cycles: [0.0; 2],
            bandwidth: 0.0,
            bandwidth_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            min_rtt: f64::INFINITY,
            min_rtt_stamp: 0.0,
            extra: WindowedMax::default(),
            extra_since: 0.0,
            extra_delivered: 0.0,
        }
    }
}

impl Model {
    /// `UpdateRound` (section 5.5.1).
    fn update_round(&mut self, sample: &Sample) {
        self.round_start = sample.prior_delivered.is_some_and(|prior| prior >= self.next_round);
        if self.round_start {
            self.next_round = sample.total;
            self.rounds += 1;
            self.rounds_since_probe += 1;
        }
    }

    /// `UpdateMaxBw` (section 5.5.5). Of the two cycles of `BBR.MaxBwFilterLen` (section 2.11) each keeps its maximum.
    pub fn update_max_bandwidth(&mut self, sample: &Sample) {
        self.update_round(sample);
        if sample.rate > 0.0 && (sample.rate >= self.max_bandwidth || !sample.app_limited) {
            self.of_cycles[1] = self.of_cycles[1].max(sample.rate);
            self.max_bandwidth = self.of_cycles[0].max(self.of_cycles[1]);
        }
    }

    /// `AdvanceMaxBwFilter` (section 5.5.6). A cycle without a rate forgets nothing: the draft's maximum changes with samples only.
    pub fn advance_cycle(&mut self) {
        if self.of_cycles[1] > 0.0 {
            self.of_cycles = [self.of_cycles[1], 0.0];
        }
    }

    /// `BoundBWForModel` (section 5.5.10.3).
    pub fn bound_bandwidth(&mut self) {
        self.bandwidth = self.max_bandwidth.min(self.bandwidth_shortterm);
    }

    /// `ResetShortTermModel` (section 5.5.10.3).
    pub fn reset_shortterm(&mut self) {
        (self.bandwidth_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// `UpdateACKAggregation` (section 5.5.9).
    pub fn update_aggregation(&mut self, sample: &Sample, cwnd: f64, full: bool) {
        if sample.newly_acked == 0.0 {
            return;
        }
        let mut expected = self.bandwidth * (sample.now - self.extra_since);
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since, expected) = (0.0, sample.now, 0.0);
        }
        self.extra_delivered += sample.newly_acked;
        let extra = (self.extra_delivered - expected).min(cwnd);
        self.extra.update(if full { EXTRA_ROUNDS } else { 1 }, self.rounds, extra);
    }

    /// `BBR.extra_acked`.
    pub fn extra_acked(&self) -> f64 {
        self.extra.get()
    }

    /// `InflightWithHeadroom` (section 5.3.3.6).
    pub fn with_headroom(&self) -> f64 {
        let bound = self.inflight_longterm;
        if bound == f64::INFINITY { bound } else { (bound - (HEADROOM * bound).max(1.0)).max(MIN_PIPE_CWND) }
    }
}

impl Bbr3 {
    /// `StartRound` (section 5.5.1).
    pub(super) fn start_round(&mut self) {
        self.model.next_round = self.total;
    }

    /// `BDPMultiple` (section 5.6.4.2), at that bandwidth.
    pub(super) fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.model.min_rtt.is_finite() { gain * bandwidth * self.model.min_rtt } else { self.initial_cwnd }
    }

    /// `TargetInflight` (section 5.3.3.5.3).
    pub(super) fn target_inflight(&self) -> f64 {
        self.product(self.model.bandwidth, 1.0).min(self.cwnd)
    }
}
