//! BBR's model of the path: its bandwidth, its round trip, whether start-up has filled it.

use super::super::windowed_max::WindowedMax;
use crate::sender::flight::rate::{Rate, RateSample};

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

    /// True if start-up has found all there is to have; asked once a round.
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

    /// Starts the search for the full pipe again, if it has not been found.
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

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_packet::Time;

    /// An ACK at `now`, of segments that left when all before them had been delivered.
    fn ack(now: f64, delivered: u64, rtt: f64) -> RateSample {
        let (now, rate) =
            (Time::from_secs(now), Some(Rate { prior_delivered: delivered, delivered: 1, interval: 1.0 }));
        let counts = RateSample { now, delivered, delivered_at: now, acked: 1, rate, rtt: Some(rtt), ..EMPTY };
        RateSample { delivered: delivered + 1, ..counts }
    }

    const EMPTY: RateSample = RateSample {
        now: Time::ZERO,
        delivered: 0,
        delivered_at: Time::ZERO,
        acked: 0,
        rate: None,
        newest: None,
        app_limited: false,
        rtt: None,
        held: false,
        prior_in_flight: 0,
        in_flight: 0,
        lost: 0,
        lost_ever: 0,
        wait: 0.0,
    };

    fn rate(segments: u64) -> Rate {
        Rate { prior_delivered: 0, delivered: segments, interval: 1.0 }
    }

    #[test]
    fn the_largest_rate_counts_for_ten_rounds_and_the_applications_only_if_larger() {
        let (mut model, mut limited) = (Model::default(), Model::default());
        for round in 0..12 {
            for model in [&mut model, &mut limited] {
                model.on_rate(&ack(0.0, 10 * round, 0.1));
                assert!(model.round_start);
            }
            model.on_bandwidth(&rate(if round == 0 { 100 } else { 50 }), false);
            limited.on_bandwidth(&rate(if round == 0 { 100 } else { 50 }), round > 0);
            let expected = if round <= 10 { 100.0 } else { 50.0 };
            assert_eq!((model.bandwidth.get(), limited.bandwidth.get()), (expected, 100.0), "round {round}");
        }
        limited.on_bandwidth(&rate(120), true);
        assert_eq!(limited.bandwidth.get(), 120.0);
    }

    #[test]
    fn an_old_least_round_trip_gives_way_to_one_that_no_receiver_held() {
        let mut model = Model::default();
        assert!(!model.on_rtt(&ack(1.0, 0, 0.1)));
        assert!(!model.on_rtt(&ack(11.0, 0, 0.3)), "ten seconds are not over");
        assert!(model.on_rtt(&RateSample { held: true, ..ack(11.5, 0, 0.3) }));
        assert_eq!((model.min_rtt, model.min_rtt_at), (0.1, 1.0));
        assert!(model.on_rtt(&ack(11.6, 0, 0.2)));
        assert_eq!((model.min_rtt, model.min_rtt_at), (0.2, 11.6));
    }
}
