//! What BBR believes about the path: its bandwidth, its round trip, whether start-up has filled it.

use super::super::super::delivery::{Rate, RateSample};
use super::filter::WindowedMax;

/// Round trips over which the largest rate counts: a cycle of eight phases and two more.
const BANDWIDTH_ROUNDS: u64 = 10;
/// Seconds for which the least round trip counts.
const MIN_RTT_SECS: f64 = 10.0;
/// A round that brings a quarter more shows that there is more to have; three that do not, that there is none.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;

/// The model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Model {
    /// Segments a second.
    pub bandwidth: WindowedMax,
    /// Round trips so far: one ends when something that left after its beginning is delivered.
    rounds: u64,
    /// Segments delivered when the present one began; and whether this ACK began it.
    pub next_round: u64,
    pub round_start: bool,
    /// Seconds; infinite before the first.
    pub min_rtt: f64,
    pub min_rtt_at: f64,
    /// The bandwidth when it last grew by a quarter, and rounds since.
    pub full_bandwidth: f64,
    full_rounds: u32,
    pub full_pipe: bool,
    /// Sending goes on after a pause, and nothing of it is delivered yet.
    pub idle_restart: bool,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            bandwidth: WindowedMax::default(),
            rounds: 0,
            next_round: 0,
            round_start: false,
            min_rtt: f64::INFINITY,
            min_rtt_at: 0.0,
            full_bandwidth: 0.0,
            full_rounds: 0,
            full_pipe: false,
            idle_restart: false,
        }
    }
}

impl Model {
    /// Counts round trips.
    pub fn on_rate(&mut self, sample: &RateSample) {
        self.round_start = sample.rate.is_some_and(|rate| rate.prior_delivered >= self.next_round);
        if self.round_start {
            self.next_round = sample.delivered;
            self.rounds += 1;
        }
    }

    /// A rate. One that the application limited counts only if it is above what is known.
    pub fn on_bandwidth(&mut self, rate: &Rate, app_limited: bool) {
        let bandwidth = rate.delivered as f64 / rate.interval;
        if !app_limited || bandwidth >= self.bandwidth.get() {
            self.bandwidth.update(BANDWIDTH_ROUNDS, self.rounds, bandwidth);
        }
    }

    /// Whether start-up has found all there is to have; asked once a round.
    pub fn look_for_full_pipe(&mut self) {
        if self.full_pipe {
            return;
        }
        if self.bandwidth.get() >= FULL_GROWTH * self.full_bandwidth {
            (self.full_bandwidth, self.full_rounds) = (self.bandwidth.get(), 0);
            return;
        }
        self.full_rounds += 1;
        self.full_pipe = self.full_rounds >= FULL_ROUNDS;
    }

    /// Starts to look for it anew, if it has not been found.
    pub fn forget_full_pipe(&mut self) {
        (self.full_bandwidth, self.full_rounds) = (0.0, 0);
    }

    /// Takes in a round trip; whether the last that counted was too long ago.
    pub fn on_rtt(&mut self, sample: &RateSample) -> bool {
        let now = sample.now.secs();
        let expired = now > self.min_rtt_at + MIN_RTT_SECS;
        if let Some(rtt) = sample.rtt.filter(|&rtt| rtt <= self.min_rtt || (expired && !sample.held)) {
            (self.min_rtt, self.min_rtt_at) = (rtt, now);
        }
        expired
    }
}
