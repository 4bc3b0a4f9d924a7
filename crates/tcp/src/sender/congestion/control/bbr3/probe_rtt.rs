//! The least round trip, and ProbeRTT, which looks for it (sections 5.3.4 and 5.4).

use super::cycle::AckPhase;
use super::{Bbr3, MIN_PIPE_CWND, Mode, PROBE_RTT_CWND_GAIN, Sample};

/// `BBR.MinRTTFilterLen` (section 2.16.1), `BBR.ProbeRTTInterval` and `BBR.ProbeRTTDuration` (section 2.16.2), in seconds.
const MIN_RTT_SECS: f64 = 10.0;
const INTERVAL: f64 = 5.0;
const DURATION: f64 = 0.2;

/// When the round trip is looked for (section 2.16.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProbeRtt {
    /// `BBR.probe_rtt_min_delay`, its stamp, and `BBR.probe_rtt_expired`.
    pub min_delay: f64,
    pub min_stamp: f64,
    expired: bool,
    /// `BBR.probe_rtt_done_stamp`; none while more is in flight than should be. Then `BBR.probe_rtt_round_done`.
    done: Option<f64>,
    round_done: bool,
}

impl Default for ProbeRtt {
    fn default() -> ProbeRtt {
        ProbeRtt { min_delay: f64::INFINITY, min_stamp: 0.0, expired: false, done: None, round_done: false }
    }
}

impl Bbr3 {
    /// `UpdateMinRTT`.
    pub(super) fn update_min_rtt(&mut self, sample: &Sample) {
        let (now, probe, model) = (sample.now, &mut self.probe_rtt, &mut self.model);
        probe.expired = now > probe.min_stamp + INTERVAL;
        if let Some(rtt) = sample.rtt.filter(|&rtt| rtt < probe.min_delay || probe.expired) {
            (probe.min_delay, probe.min_stamp) = (rtt, now);
        }
        if probe.min_delay < model.min_rtt || now > model.min_rtt_stamp + MIN_RTT_SECS {
            (model.min_rtt, model.min_rtt_stamp) = (probe.min_delay, probe.min_stamp);
        }
    }

    /// `CheckProbeRTT` and `EnterProbeRTT`.
    pub(super) fn check_probe_rtt(&mut self, sample: &Sample) {
        if self.mode != Mode::ProbeRtt && self.probe_rtt.expired && !self.idle_restart {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt.done = None;
            self.cycle.phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        self.held_down = self.mode == Mode::ProbeRtt;
        if self.held_down {
            self.handle_probe_rtt(sample);
        }
        if sample.delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`. That rates are limited by the application is said by [`Bbr3::held_down`].
    fn handle_probe_rtt(&mut self, sample: &Sample) {
        if self.probe_rtt.done.is_some() {
            self.probe_rtt.round_done |= self.model.round_start;
            if self.probe_rtt.round_done {
                self.check_probe_rtt_done(sample.now);
            }
        } else if sample.in_flight <= self.probe_rtt_cwnd() {
            self.probe_rtt.done = Some(sample.now + DURATION);
            self.probe_rtt.round_done = false;
            self.start_round();
        }
    }

    /// `ProbeRTTCwnd` (section 5.6.4.5).
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.product(self.model.bandwidth, PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    /// `CheckProbeRTTDone` and `ExitProbeRTT`.
    fn check_probe_rtt_done(&mut self, now: f64) {
        if self.probe_rtt.done.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt.min_stamp = now;
        self.restore_cwnd();
        self.model.reset_shortterm();
        if self.full.reached {
            self.start_down(now);
            self.mode = Mode::ProbeCruise;
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// `HandleRestartFromIdle` (section 5.4.1).
    pub(super) fn restart_from_idle(&mut self, now: f64) {
        self.idle_restart = true;
        self.model.extra_since = now;
        if self.cycles() {
            self.set_pacing_rate(1.0);
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }
}
