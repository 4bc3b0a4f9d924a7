//! BBR, version 1, as Linux has it (net/ipv4/tcp_bbr.c; Cardwell and others 2016, "BBR: congestion-based congestion control"):
//! a model of the path, which is the largest delivery rate of ten round trips and the least round trip of ten seconds,
//! instead of losses. It sends at that rate, and keeps about twice their product in flight.
//!
//! `model` is what it believes, `mode` what it does about it, `window` what may be in flight. Counts are in segments,
//! rates in segments a second, times in seconds.

mod aggregation;
mod filter;
mod mode;
mod model;
mod policer;
#[cfg(test)]
mod tests;
mod window;

use super::super::delivery::RateSample;
use super::super::luck::Luck;
use super::{CongestionControl, Estimate, Heard, Reduced, Signal, Window};
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
/// What is paced below the estimate, so that no queue grows from its error.
const MARGIN: f64 = 0.99;
/// Least window, and the one with which the least round trip is looked for.
const LEAST_WINDOW: u64 = 4;
/// The round trip taken for granted before the first sample.
const FIRST_RTT: f64 = 0.001;

/// How losses are being repaired, in the order of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// Not at all.
    #[default]
    Open,
    /// By a fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// The sender as an ACK finds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// Congestion window in segments.
    pub cwnd: u64,
    /// How losses are being repaired, by now.
    pub repair: Repair,
    /// Smoothed round trip in seconds, if there is one.
    pub srtt: Option<f64>,
    /// Seconds until pacing lets the next segment go.
    pub wait: f64,
}

/// What an ACK changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Congestion window in segments.
    pub cwnd: u64,
    /// Slow-start threshold in segments, where it moves: it only says that start-up is over.
    pub ssthresh: Option<u64>,
    /// Whether rates measured now say nothing of the path, because the window is held down.
    pub limits_itself: bool,
}

/// BBR's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr {
    model: Model,
    modes: Modes,
    aggregation: Aggregation,
    policer: Policer,
    luck: Luck,
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
    repaired_by: Repair,
    /// The last sample, for what happens between two ACKs.
    last: Option<RateSample>,
}

impl Bbr {
    /// Before the connection, for segments of `payload` bytes; `luck` chooses the phase in which it begins to cycle.
    pub fn new(payload: u32, luck: u64) -> Bbr {
        Bbr {
            model: Model::default(),
            modes: Modes::default(),
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            luck: Luck::new(luck),
            payload: f64::from(payload.max(1)),
            begun: false,
            seen_rtt: false,
            pacing_rate: 0.0,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            prior_cwnd: 0,
            conserving: false,
            repaired_by: Repair::Open,
            last: None,
        }
    }

    /// Where its random choices stand.
    pub fn luck(&self) -> u64 {
        self.luck.state()
    }

    /// Segments a second that may leave.
    pub fn pacing_rate(&self) -> f64 {
        self.pacing_rate
    }

    /// Whether data has left.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// The connection is there, and its first data leaves at `now`; what the handshake took is known, if there was one.
    pub fn begin(&mut self, now: f64, cwnd: u64, srtt: Option<f64>, min_rtt: f64) {
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

    /// A connection that its application left idle goes on: as fast as it was, and no faster.
    pub fn restart(&mut self, now: f64, cwnd: &mut u64) {
        self.model.idle_restart = true;
        self.aggregation.restart(now);
        match self.modes.state {
            State::ProbeBw => self.set_pacing_rate(1.0, *cwnd, None),
            State::ProbeRtt => self.end_probe_rtt(now, cwnd),
            State::Startup | State::Drain => {}
        }
    }

    /// An ACK, after what it covers and shows to be lost has been taken in, and before anything is sent.
    pub fn on_sample(&mut self, sample: &RateSample, situation: &Situation) -> Decision {
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
        self.cycle(sample, situation);
        if self.model.round_start && !sample.app_limited {
            self.model.look_for_full_pipe();
        }
        let ssthresh = self.drain(sample, situation);
        let limits_itself = self.look_for_least_rtt(sample, &mut cwnd);
        self.set_gains();
        self.set_pacing_rate(self.pacing_gain, cwnd, situation.srtt);
        cwnd = self.next_window(sample, situation.repair, cwnd);
        self.last = Some(*sample);
        Decision { cwnd, ssthresh, limits_itself }
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

    /// A reduction is taken back: what looked like a full pipe may have been none.
    pub fn undone(&mut self) {
        self.model.forget_full_pipe();
        if let Some(last) = &self.last {
            self.policer.reset(last);
        }
    }
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, _heard: &Heard, _window: &Window) {}

    fn grow(&mut self, _credit: f64, _window: &mut Window) {}

    /// Losses reduce nothing by themselves; the window is noted, to return to.
    fn reduced(&mut self, signal: Signal, _in_use: f64, window: &Window) -> Reduced {
        let cwnd = (window.cwnd / window.mss) as u64;
        if signal != Signal::Idle {
            self.note_window(cwnd);
        }
        if signal == Signal::Timeout {
            self.repaired_by = Repair::Loss;
            self.model.full_bandwidth = 0.0;
            self.model.round_start = true;
            if let Some(last) = self.last {
                self.look_for_policer(&RateSample { lost: 1, app_limited: false, ..last });
            }
        }
        Reduced { cwnd: window.cwnd, ssthresh: window.ssthresh }
    }

    fn estimate(&self) -> Option<Estimate> {
        let known = self.model.min_rtt.is_finite().then_some(self.model.min_rtt)?;
        let flight = self.last.map_or(0, |sample| sample.in_flight) as f64;
        Some(Estimate { backlog: (flight - self.bandwidth() * known).max(0.0), base_rtt: known })
    }
}
