//! Vegas's window (Brakmo, O'Malley and Peterson 1994), as kernels have it. Once a round trip the window moves by one segment
//! toward a backlog between alpha and beta. The recovery repairs losses, and a loss halves the window.

use acklab_packet::Seq;

use crate::rules::VegasPace;

use super::{AckEvent, CongestionControl, Estimate, Needs, Reduced, Signal, Window};

/// A round trip with no more samples than this says too little: the window then moves as Reno's.
const TOO_FEW: u32 = 2;

/// Vegas's thresholds, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VegasRules {
    /// Backlog below which the window grows.
    pub alpha: f64,
    /// Backlog above which it shrinks.
    pub beta: f64,
    /// Backlog that ends slow start.
    pub gamma: f64,
    /// Pace at which the window moves.
    pub pace: VegasPace,
}

/// Vegas's state. Times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Vegas {
    rules: VegasRules,
    base_rtt: f64,
    backlog: f64,
    /// End of the present round trip.
    tag: Option<Seq>,
    /// Its least sample, and how many there were.
    least: f64,
    samples: u32,
    /// A round trip that has ended and not moved the window yet: its least sample.
    ended: Option<Option<f64>>,
    /// The windows as the present round trip began and as the one before did; 0 while unknown. A recovery leaves them as
    /// they were, as kernels do.
    began: [f64; 2],
}

impl Vegas {
    /// Before any round trip.
    pub fn new(rules: VegasRules) -> Vegas {
        let unknown = f64::INFINITY;
        Vegas {
            rules,
            base_rtt: unknown,
            backlog: 0.0,
            tag: None,
            least: unknown,
            samples: 0,
            ended: None,
            began: [0.0; 2],
        }
    }

    /// Its thresholds.
    pub fn rules(&self) -> VegasRules {
        self.rules
    }

    fn start_over(&mut self, tag: Option<Seq>) {
        (self.tag, self.least, self.samples) = (tag, f64::INFINITY, 0);
    }

    /// The window after a round trip whose least sample was `rtt`.
    fn adjust(&mut self, rtt: f64, credit: f64, window: &mut Window) {
        let VegasRules { alpha, beta, gamma, pace } = self.rules;
        let mss = window.mss;
        let target = window.cwnd * self.base_rtt / rtt;
        self.backlog = (window.cwnd - target) / mss;
        if window.in_slow_start() {
            if self.backlog <= gamma {
                return window.grow_by_standard(credit);
            }
            window.cwnd = window.cwnd.min(target + mss);
            window.ssthresh = window.ssthresh.min(window.cwnd - mss);
        } else {
            let from = match pace {
                VegasPace::EveryRtt => window.cwnd,
                VegasPace::SecondRtt if self.began[1] > 0.0 => self.began[1],
                VegasPace::SecondRtt => window.cwnd,
            };
            let step = match self.backlog {
                n if n > beta => -mss,
                n if n < alpha => mss,
                _ => 0.0,
            };
            window.cwnd += (from + step - window.cwnd).clamp(-mss, mss);
            if step < 0.0 {
                window.ssthresh = window.ssthresh.min(window.cwnd - mss);
            }
        }
        window.cwnd = window.cwnd.max(2.0 * mss);
        window.ssthresh = window.ssthresh.max(2.0 * mss);
    }
}

impl CongestionControl for Vegas {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        if let Some(rtt) = ack.rtt {
            self.base_rtt = self.base_rtt.min(rtt);
            self.least = self.least.min(rtt);
            self.samples += 1;
        }
        if ack.in_recovery() {
            (self.tag, self.ended) = (None, None);
            return;
        }
        if self.tag.is_some_and(|tag| ack.ack > tag) {
            self.ended = Some((self.samples > TOO_FEW).then_some(self.least));
            self.start_over(Some(ack.snd_max));
            self.began = [window.cwnd, self.began[0]];
        } else if self.tag.is_none() && ack.acked > 0.0 {
            self.start_over(Some(ack.snd_max));
        }
    }

    fn grow(&mut self, credit: f64, window: &mut Window) {
        match self.ended.take() {
            Some(Some(rtt)) => self.adjust(rtt, credit, window),
            // Few samples, as with a window of two segments and delayed ACKs: a whole round trip's growth at once.
            Some(None) if !window.in_slow_start() => window.cwnd += window.mss,
            _ if window.in_slow_start() => window.grow_by_standard(credit),
            _ => {}
        }
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, _: &Window) -> Reduced {
        if signal != Signal::Idle {
            self.start_over(None);
            self.ended = None;
        }
        Reduced::to(in_use / 2.0)
    }

    fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { backlog: self.backlog, base_rtt: self.base_rtt })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;

    fn vegas() -> Vegas {
        Vegas::new(VegasRules { alpha: 2.0, beta: 4.0, gamma: 1.0, pace: VegasPace::EveryRtt })
    }

    /// One round trip of `cwnd` ACKs, each `rtt` late, after the one that shows the path's own 0.1 s; the window then.
    fn round(cwnd: f64, ssthresh: f64, rtt: f64) -> Window {
        let (mut vegas, mut state) = (vegas(), window(cwnd, ssthresh));
        let mut on_ack = |ack, snd_max, rtt| {
            vegas.on_ack(&event(ack, snd_max, Some(rtt)), &mut state);
            vegas.grow(1.0, &mut state);
        };
        on_ack(1, 5, 0.1);
        (2..=6).for_each(|ack| on_ack(ack, 20, rtt));
        state
    }

    #[test]
    fn one_segment_a_round_trip_toward_the_band() {
        // Backlog: 20 (1 - 0.1 / RTT).
        for (rtt, cwnd) in [(0.1, 21.0), (0.105, 21.0), (0.118, 20.0), (0.13, 19.0)] {
            assert_eq!(round(20.0, 10.0, rtt).cwnd, cwnd, "RTT {rtt}");
        }
    }

    #[test]
    fn slow_start_ends_where_a_backlog_shows() {
        assert_eq!(round(20.0, 100.0, 0.1).cwnd, 26.0, "no backlog: each ACK counts");
        // The sixth ACK ends the round trip at 25 segments of which 25 (1 - 0.1 / 0.125) = 5 are backlogged.
        let ended = round(20.0, 100.0, 0.125);
        assert_eq!((ended.cwnd, ended.ssthresh), (21.0, 20.0));
        assert!(!ended.in_slow_start());
    }

    #[test]
    fn a_loss_halves_and_starts_a_new_round_trip() {
        let mut vegas = vegas();
        vegas.tag = Some(7);
        assert_eq!(vegas.on_congestion(Signal::Loss, 20.0, &window(20.0, 10.0)), Reduced::to(10.0));
        assert_eq!(vegas.tag, None);
    }
}
