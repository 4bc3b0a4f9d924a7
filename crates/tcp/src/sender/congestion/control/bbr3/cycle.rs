//! The cycle of probing for bandwidth: down, cruise, refill, up (section 5.3.3).

use super::{Bbr3, Mode, Sample};

/// Seconds of wall clock between two probes, and as many more at random (section 5.3.3.5.3).
const WAIT: f64 = 2.0;
const MORE: f64 = 1.0;
/// Most rounds between two probes, so that Reno and CUBIC get along (section 5.3.3.5.3).
const MOST_ROUNDS: f64 = 63.0;
/// Most doublings of the growth of `inflight_longterm` (section 5.3.3.6).
const MOST_DOUBLINGS: u32 = 30;
/// Steps into which the unit interval is divided for a random number.
const STEPS: u64 = 1 << 53;

/// Meaning of ACKs for the probe (`BBR.ack_phase`, section 2.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// State of the cycle (section 2.14).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cycle {
    pub phase: AckPhase,
    /// `BBR.is_bw_probe_sample`.
    pub probe_sample: bool,
    /// `BBR.prev_probe_too_high` and `BBR.prev_probe_precautionary`.
    pub prev_too_high: bool,
    pub prev_precautionary: bool,
    /// `BBR.cycle_stamp` and `BBR.bw_probe_wait`.
    pub stamp: f64,
    pub wait: f64,
    /// `BBR.bw_probe_up_rounds`, `BBR.bw_probe_up_acked` and `BBR.probe_up_acked_per_inc`.
    up_rounds: u32,
    up_acked: f64,
    acked_per_step: f64,
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle {
            phase: AckPhase::Init,
            probe_sample: false,
            prev_too_high: false,
            prev_precautionary: false,
            stamp: 0.0,
            wait: 0.0,
            up_rounds: 0,
            up_acked: 0.0,
            acked_per_step: f64::INFINITY,
        }
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: f64) {
        self.signals.reset();
        self.cycle.acked_per_step = f64::INFINITY;
        // `PickProbeWait`.
        self.model.rounds_since_probe = self.rng.below(2);
        self.cycle.wait = WAIT + MORE * (self.rng.below(STEPS) as f64 / STEPS as f64);
        (self.cycle.stamp, self.cycle.phase) = (now, AckPhase::ProbeStopping);
        self.start_round();
        self.mode = Mode::ProbeDown;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.model.reset_shortterm();
        (self.cycle.up_rounds, self.cycle.up_acked) = (0, 0.0);
        self.cycle.prev_precautionary = false;
        self.cycle.phase = AckPhase::Refilling;
        self.start_round();
        self.mode = Mode::ProbeRefill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, sample: &Sample) {
        self.cycle.phase = AckPhase::ProbeStarting;
        self.start_round();
        self.full.reset();
        self.full.rate = sample.rate;
        self.mode = Mode::ProbeUp;
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn update_cycle(&mut self, sample: &Sample) {
        if !self.full.reached || self.adapt_long_term(sample) {
            return;
        }
        let too_long = self.mode == Mode::ProbeUp && self.is_time_to_go_down(sample);
        match self.mode {
            Mode::ProbeDown | Mode::ProbeCruise if self.is_time_to_probe(sample.now) => self.start_refill(),
            Mode::ProbeDown if self.is_time_to_cruise(sample) => self.mode = Mode::ProbeCruise,
            Mode::ProbeRefill if self.model.round_start => {
                self.cycle.probe_sample = true;
                self.start_up(sample);
            }
            Mode::ProbeUp if too_long => {
                self.cycle.prev_too_high = false;
                self.start_down(sample.now);
            }
            _ => {}
        }
    }

    /// `IsTimeToProbeBW` and `IsRenoCoexistenceProbeTime` (section 5.3.3.5.3).
    pub(super) fn is_time_to_probe(&self, now: f64) -> bool {
        let rounds = self.target_inflight().min(MOST_ROUNDS);
        now > self.cycle.stamp + self.cycle.wait || self.model.rounds_since_probe as f64 >= rounds
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        let target = self.inflight(self.model.max_bandwidth, 1.0);
        sample.in_flight <= self.model.with_headroom().min(target)
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        let bound = self.model.inflight_longterm;
        if self.cycle.prev_too_high && sample.in_flight >= bound {
            self.cycle.prev_precautionary = true;
            return true;
        }
        if sample.cwnd_limited && self.cwnd >= bound {
            self.full.reset();
            self.full.rate = sample.rate;
            return false;
        }
        self.full.now
    }

    /// `RaiseInflightLongtermSlope`.
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.cycle.up_rounds);
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(MOST_DOUBLINGS);
        self.cycle.acked_per_step = (self.cwnd / growth).max(1.0);
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_upward(&mut self, sample: &Sample) {
        if !sample.cwnd_limited || self.cwnd < self.model.inflight_longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acked += sample.newly_acked;
        if cycle.up_acked >= cycle.acked_per_step {
            let steps = (cycle.up_acked / cycle.acked_per_step).floor();
            cycle.up_acked -= steps * cycle.acked_per_step;
            self.model.inflight_longterm += steps;
        }
        if self.model.round_start {
            self.raise_slope();
        }
    }

    /// `AdaptLongTermModel`: whether it decided a transition.
    pub(super) fn adapt_long_term(&mut self, sample: &Sample) -> bool {
        let round_start = self.model.round_start;
        match self.cycle.phase {
            AckPhase::ProbeStarting if round_start => self.cycle.phase = AckPhase::ProbeFeedback,
            AckPhase::ProbeStopping if round_start => {
                (self.cycle.probe_sample, self.cycle.phase) = (false, AckPhase::Init);
                if self.cycles() && !sample.app_limited {
                    self.model.advance_cycle();
                }
                if self.cycles() && self.cycle.prev_precautionary && !self.cycle.prev_too_high {
                    self.start_refill();
                    return true;
                }
            }
            _ => {}
        }
        if !sample.too_high() && self.model.inflight_longterm < f64::INFINITY {
            self.model.inflight_longterm = self.model.inflight_longterm.max(sample.tx_in_flight);
            if self.mode == Mode::ProbeUp {
                self.probe_upward(sample);
            }
        }
        false
    }
}
