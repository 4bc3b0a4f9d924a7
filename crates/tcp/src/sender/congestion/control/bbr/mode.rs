//! Modes of BBR: start-up, drain, and then cycles of probing for bandwidth, every ten seconds for the
//! round trip.

use super::{Bbr, CWND_GAIN, DRAIN_GAIN, HIGH_GAIN, LEAST_WINDOW};
use crate::sender::flight::rate::RateSample;

/// Gains of the cycle. The first is a quarter more, to see whether data arrives faster. The second is a quarter less, to
/// drain the queue that the first built. Then follow six phases at the path's rate.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Seconds for which the window is held down to find the least round trip.
const PROBE_RTT_SECS: f64 = 0.2;

/// The mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Fills the pipe.
    #[default]
    Startup,
    /// Lets go what start-up queued.
    Drain,
    /// Cycles through gains.
    ProbeBw,
    /// Keeps four segments in flight, so that the queue empties.
    ProbeRtt,
}

/// The mode and its progress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Modes {
    pub state: State,
    /// The phase of the cycle, and when it began.
    phase: usize,
    phase_began: f64,
    /// Time at which the window may rise again, once it has sunk, and whether a round trip has passed since.
    probe_rtt_until: Option<f64>,
    probe_rtt_round: bool,
}

impl Modes {
    #[cfg(test)]
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// True if it is probing for more bandwidth.
    pub fn probes_up(&self) -> bool {
        self.state == State::ProbeBw && self.phase == 0
    }
}

impl Bbr {
    /// Begins to cycle, in any phase but that of draining.
    pub(super) fn cycle_from_anywhere(&mut self, now: f64) {
        self.modes.state = State::ProbeBw;
        let last = CYCLE.len() - 1 - self.rng.below(CYCLE.len() as u64 - 1) as usize;
        self.modes.phase = (last + 1) % CYCLE.len();
        self.modes.phase_began = now;
    }

    /// Enters the next phase when the present one is over.
    pub(super) fn cycle(&mut self, sample: &RateSample) {
        if self.modes.state == State::ProbeBw && self.phase_is_over(sample) {
            self.modes.phase = (self.modes.phase + 1) % CYCLE.len();
            self.modes.phase_began = sample.delivered_at.secs();
        }
    }

    fn phase_is_over(&self, sample: &RateSample) -> bool {
        let long = sample.delivered_at.secs() - self.modes.phase_began > self.model.min_rtt;
        let gain = self.pacing_gain;
        if gain == 1.0 {
            return long;
        }
        let (flight, bandwidth) = (self.in_network(sample.prior_in_flight, sample.wait), self.model.bandwidth.get());
        if gain > 1.0 {
            // Long enough, and so much is in flight as was meant to be; but losses say that it does not fit.
            long && (sample.lost > 0 || flight >= self.target(bandwidth, gain, 0))
        } else {
            long || flight <= self.target(bandwidth, 1.0, 0)
        }
    }

    /// Of `flight` segments those that will still be in the network when pacing lets the next one go.
    fn in_network(&self, flight: u64, wait: f64) -> u64 {
        let then = if self.pacing_gain > 1.0 { flight + self.burst() } else { flight };
        then.saturating_sub((self.bandwidth() * wait) as u64)
    }

    /// Ends start-up when the pipe is full, and drain when the queue is gone; the bandwidth-delay product then.
    pub(super) fn drain(&mut self, sample: &RateSample) -> Option<u64> {
        let mut full = None;
        if self.modes.state == State::Startup && self.model.full_pipe {
            self.modes.state = State::Drain;
            full = Some(self.target(self.model.bandwidth.get(), 1.0, 0));
        }
        if self.modes.state == State::Drain
            && self.in_network(sample.in_flight, sample.wait) <= self.target(self.model.bandwidth.get(), 1.0, 0)
        {
            self.cycle_from_anywhere(sample.delivered_at.secs());
        }
        full
    }

    /// Takes in a round trip; after ten seconds without one as short as the least, holds the window down to find one.
    /// True if it is held down.
    pub(super) fn look_for_least_rtt(&mut self, sample: &RateSample, cwnd: &mut u64) -> bool {
        let now = sample.now.secs();
        let expired = self.model.on_rtt(sample);
        if expired && !self.model.idle_restart && self.modes.state != State::ProbeRtt {
            self.modes.state = State::ProbeRtt;
            self.note_window(*cwnd);
            self.modes.probe_rtt_until = None;
        }
        let held_down = self.modes.state == State::ProbeRtt;
        if held_down {
            if self.modes.probe_rtt_until.is_some() {
                self.modes.probe_rtt_round |= self.model.round_start;
                if self.modes.probe_rtt_round {
                    self.end_probe_rtt(now, cwnd);
                }
            } else if sample.in_flight <= LEAST_WINDOW {
                self.modes.probe_rtt_until = Some(now + PROBE_RTT_SECS);
                self.modes.probe_rtt_round = false;
                self.model.next_round = sample.delivered;
            }
        }
        if sample.acked > 0 {
            self.model.idle_restart = false;
        }
        held_down
    }

    /// Lets the window up again, if it has been down for long enough.
    pub(super) fn end_probe_rtt(&mut self, now: f64, cwnd: &mut u64) {
        if self.modes.probe_rtt_until.is_none_or(|until| now <= until) {
            return;
        }
        self.model.min_rtt_at = now;
        *cwnd = (*cwnd).max(self.prior_cwnd);
        if self.model.full_pipe {
            self.cycle_from_anywhere(now);
        } else {
            self.modes.state = State::Startup;
        }
    }

    pub(super) fn set_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.modes.state {
            State::Startup => (HIGH_GAIN, HIGH_GAIN),
            State::Drain => (DRAIN_GAIN, HIGH_GAIN),
            State::ProbeBw => (if self.policer.rate().is_some() { 1.0 } else { CYCLE[self.modes.phase] }, CWND_GAIN),
            State::ProbeRtt => (1.0, 1.0),
        };
    }
}
