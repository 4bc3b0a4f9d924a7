//! BBR, version 1, as in Linux (net/ipv4/tcp_bbr.c; Cardwell and others 2016, "BBR: congestion-based congestion control").
//! It reacts to a model of the path instead of losses. The model is the largest delivery rate of ten round trips and the
//! least round trip of ten seconds. It sends at that rate, and keeps about twice their product in flight.
//!
//! `model` holds its estimates, `mode` acts on them, `window` says what may be in flight. Counts are in segments, rates in
//! segments a second, times in seconds.

mod aggregation;
mod mode;
mod model;
mod policer;
#[cfg(test)]
mod sender_tests;
#[cfg(test)]
mod tests;
mod window;

use super::{
    AckEvent, CongestionControl, Departure, Estimate, Mode, ModelView, Needs, Reduced, Signal, Traits, Window,
};
use crate::sender::congestion::CaState;
use crate::sender::flight::rate::RateSample;
use crate::sender::rng::Rng;
use aggregation::Aggregation;
use mode::{Modes, State};
use model::Model;
use policer::{Finding, Policer};

/// 2/ln 2, in 256ths: the least gain with which pacing doubles the rate each round trip.
const HIGH_GAIN: f64 = 739.0 / 256.0;
/// Its inverse, in 256ths.
const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// Gain of the window, which must bear with ACKs that come late or together.
const CWND_GAIN: f64 = 2.0;
/// Share of the estimate that is paced, so that no queue grows from its error.
const MARGIN: f64 = 0.99;
/// Least window, and the one with which the least round trip is looked for.
const LEAST_WINDOW: u64 = 4;
/// The round trip taken for granted before the first sample.
const FIRST_RTT: f64 = 0.001;

/// The sender as an ACK finds it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Situation {
    /// Congestion window in segments.
    cwnd: u64,
    state: CaState,
    /// Smoothed round trip in seconds, if there is one.
    srtt: Option<f64>,
}

/// The windows after an ACK, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decision {
    cwnd: u64,
    /// Slow-start threshold, where it moves: it only says that start-up is over.
    ssthresh: Option<u64>,
}

/// BBR's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr {
    model: Model,
    modes: Modes,
    aggregation: Aggregation,
    policer: Policer,
    rng: Rng,
    /// Payload bytes of a full segment.
    payload: f64,
    begun: bool,
    seen_rtt: bool,
    /// Segments a second.
    pacing_rate: f64,
    pacing_gain: f64,
    cwnd_gain: f64,
    /// Window before a recovery, or before it was held down.
    prior_cwnd: u64,
    /// In the first round of a recovery, as much is sent as is delivered.
    conserving: bool,
    state: CaState,
    /// True if the window is held down, so that rates measured now do not show the path's.
    held_down: bool,
    /// The last sample, for what happens between two ACKs.
    last: Option<RateSample>,
}

impl Bbr {
    /// Before the connection, for segments of `payload` bytes; `seed` chooses the phase in which it begins to cycle.
    pub fn new(payload: u32, seed: u64) -> Bbr {
        Bbr {
            model: Model::default(),
            modes: Modes::default(),
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            rng: Rng::new(seed),
            payload: f64::from(payload.max(1)),
            begun: false,
            seen_rtt: false,
            pacing_rate: 0.0,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            prior_cwnd: 0,
            conserving: false,
            state: CaState::Open,
            held_down: false,
            last: None,
        }
    }

    /// The connection is there, and its first data leaves at `now`; what the handshake took is known, if there was one.
    fn begin(&mut self, now: f64, cwnd: u64, srtt: Option<f64>, min_rtt: f64) {
        if !self.begun {
            self.begun = true;
            (self.model.min_rtt, self.model.min_rtt_at) = (min_rtt, now);
            self.aggregation.restart(now);
            self.pace_by_round_trip(cwnd, srtt);
        }
    }

    fn pace_by_round_trip(&mut self, cwnd: u64, srtt: Option<f64>) {
        self.seen_rtt = srtt.is_some();
        self.pacing_rate = HIGH_GAIN * MARGIN * cwnd as f64 / srtt.unwrap_or(FIRST_RTT);
    }

    fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.model.bandwidth.get())
    }

    /// A connection that its application left idle sends again: as fast as before, and no faster.
    fn restart(&mut self, now: f64, cwnd: &mut u64) {
        self.model.idle_restart = true;
        self.aggregation.restart(now);
        match self.modes.state {
            State::ProbeBw => self.set_pacing_rate(1.0, *cwnd, None),
            State::ProbeRtt => self.end_probe_rtt(now, cwnd),
            State::Startup | State::Drain => {}
        }
    }

    /// An ACK, after what it covers and shows to be lost has been taken in, and before anything is sent.
    fn on_sample(&mut self, sample: &RateSample, situation: &Situation) -> Decision {
        let mut cwnd = situation.cwnd;
        self.model.on_rate(sample);
        if self.model.round_start {
            self.conserving = false;
        }
        if let Some(rate) = sample.rate {
            self.look_for_policer(sample);
            self.model.on_bandwidth(&rate, sample.app_limited);
            if sample.acked > 0 {
                let (now, bandwidth) = (sample.delivered_at.secs(), self.bandwidth());
                self.aggregation.on_ack(now, sample.acked, bandwidth, cwnd, self.model.round_start);
            }
        }
        self.cycle(sample);
        if self.model.round_start && !sample.app_limited {
            self.model.look_for_full_pipe();
        }
        let ssthresh = self.drain(sample);
        self.held_down = self.look_for_least_rtt(sample, &mut cwnd);
        self.set_gains();
        self.set_pacing_rate(self.pacing_gain, cwnd, situation.srtt);
        cwnd = self.next_window(sample, situation.state, cwnd);
        self.last = Some(*sample);
        Decision { cwnd, ssthresh }
    }

    fn look_for_policer(&mut self, sample: &RateSample) {
        let cycling = self.modes.state == State::ProbeBw;
        match self.policer.on_sample(sample, self.model.round_start, cycling, self.payload) {
            Finding::Nothing => {}
            Finding::Policed => self.pacing_gain = 1.0,
            Finding::Expired => self.cycle_from_anywhere(sample.delivered_at.secs()),
        }
    }

    fn set_pacing_rate(&mut self, gain: f64, cwnd: u64, srtt: Option<f64>) {
        let rate = gain * MARGIN * self.bandwidth();
        if !self.seen_rtt && srtt.is_some() {
            self.pace_by_round_trip(cwnd, srtt);
        }
        // While the pipe fills, a rate measured low says only how little was sent.
        if self.model.full_pipe || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }
}

fn in_segments(window: &Window) -> u64 {
    (window.cwnd / window.mss) as u64
}

fn srtt(window: &Window) -> Option<f64> {
    (window.srtt > 0.0).then_some(window.srtt)
}

/// Writes a window of `cwnd` segments, if it moves: a part of a segment stays until then.
fn set_window(window: &mut Window, cwnd: u64) {
    if cwnd != in_segments(window) {
        window.cwnd = cwnd as f64 * window.mss;
    }
}

impl CongestionControl for Bbr {
    fn needs(&self) -> Needs {
        Needs::Deliveries
    }

    fn traits(&self) -> Traits {
        Traits { draws: true, ..Traits::default() }
    }

    fn owns_window(&self) -> bool {
        true
    }

    fn on_sent(&mut self, departure: &Departure, window: &mut Window) {
        let (now, mut cwnd) = (window.now.secs(), in_segments(window));
        self.begin(now, cwnd, srtt(window), departure.min_rtt);
        if departure.idle && departure.app_limited {
            self.restart(now, &mut cwnd);
            set_window(window, cwnd);
        }
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate.filter(|_| self.begun) else { return };
        let (cwnd, state) = (in_segments(window), ack.next_state);
        if state == CaState::Recovery && self.state != CaState::Recovery {
            // The window before the recovery that this ACK begins.
            self.note_window(cwnd);
        }
        let situation = Situation { cwnd, state, srtt: srtt(window).or(sample.rtt) };
        let decision = self.on_sample(&sample, &situation);
        if let Some(ssthresh) = decision.ssthresh {
            window.ssthresh = ssthresh as f64 * window.mss;
        }
        set_window(window, decision.cwnd);
    }

    /// Losses reduce nothing by themselves; the window is noted, to return to.
    fn on_congestion(&mut self, signal: Signal, _in_use: f64, window: &Window) -> Reduced {
        let cwnd = in_segments(window);
        // At the ACK that begins a recovery it has been noted already.
        if signal != Signal::Idle && !(signal == Signal::Loss && self.state == CaState::Recovery) {
            self.note_window(cwnd);
        }
        if signal == Signal::Timeout {
            self.state = CaState::Loss;
            self.model.full_bandwidth = 0.0;
            self.model.round_start = true;
            if let Some(last) = self.last {
                self.look_for_policer(&RateSample { lost: 1, app_limited: false, ..last });
            }
        }
        Reduced { cwnd: window.cwnd, ssthresh: window.ssthresh }
    }

    /// The pipe may not have been full after all. The window comes back by itself.
    fn undo(&mut self, before: Reduced, window: &mut Window) {
        window.ssthresh = window.ssthresh.max(before.ssthresh);
        self.model.forget_full_pipe();
        if let Some(last) = &self.last {
            self.policer.reset(last);
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.begun.then_some(self.pacing_rate)
    }

    fn limits_itself(&self) -> bool {
        self.held_down
    }

    fn seed(&self) -> u64 {
        self.rng.state()
    }

    fn model(&self) -> Option<ModelView> {
        self.begun.then_some(ModelView {
            mode: match self.modes.state {
                State::Startup => Mode::Startup,
                State::Drain => Mode::Drain,
                State::ProbeBw => Mode::ProbeBw,
                State::ProbeRtt => Mode::ProbeRtt,
            },
            bandwidth: self.bandwidth(),
            max_bandwidth: self.model.bandwidth.get(),
            pacing: self.pacing_rate,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
        })
    }

    fn estimate(&self) -> Option<Estimate> {
        let known = self.model.min_rtt.is_finite().then_some(self.model.min_rtt)?;
        let flight = self.last.map_or(0, |sample| sample.in_flight) as f64;
        Some(Estimate { backlog: (flight - self.bandwidth() * known).max(0.0), base_rtt: known })
    }
}
