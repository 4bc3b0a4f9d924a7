//! Vegas as Linux computes it (net/ipv4/tcp_vegas.c).

use super::super::vegas::VegasRules;
use super::super::{AckEvent, CongestionControl, Departure, Needs, Reduced, Signal, Window};
use super::{Counted, RoundTrips, slow_start, whole};

/// The state (`struct vegas`), in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Vegas {
    rules: VegasRules,
    on: bool,
    end: u64,
    rtts: RoundTrips,
    snd_max: u64,
    ack: u64,
    counted: Counted,
}

impl Vegas {
    /// Before any round trip.
    pub fn new(rules: VegasRules) -> Vegas {
        Vegas { rules, on: true, end: 1, rtts: RoundTrips::NONE, snd_max: 1, ack: 0, counted: Counted::default() }
    }

    /// `vegas_enable`.
    fn begin(&mut self) {
        (self.on, self.end) = (true, self.snd_max);
        (self.rtts.count, self.rtts.least) = (0, i64::MAX);
    }

    /// The window after a round trip.
    fn adjust(&mut self, acked: u64, window: &mut Window) {
        let cwnd = whole(window.cwnd, window);
        let RoundTrips { base, least, .. } = self.rtts;
        let target = cwnd * base as u64 / least as u64;
        let diff = (cwnd * (least - base) as u64 / base as u64) as f64;
        let below = |window: &Window| window.ssthresh.min(window.cwnd);
        if diff > self.rules.gamma && window.in_slow_start() {
            window.cwnd = cwnd.min(target + 1) as f64 * window.mss;
            window.ssthresh = below(window);
        } else if window.in_slow_start() {
            slow_start(acked, window);
        } else if diff > self.rules.beta {
            window.cwnd -= window.mss;
            window.ssthresh = below(window);
        } else if diff < self.rules.alpha {
            window.cwnd += window.mss;
        }
        window.cwnd = window.cwnd.max(2.0 * window.mss);
        let cwnd = whole(window.cwnd, window);
        window.ssthresh = window.ssthresh.max(((cwnd >> 1) + (cwnd >> 2)) as f64 * window.mss);
    }
}

impl CongestionControl for Vegas {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    /// `tcp_vegas_pkts_acked`.
    fn on_ack(&mut self, ack: &AckEvent, _: &mut Window) {
        (self.ack, self.snd_max) = (ack.ack, ack.snd_max);
        self.rtts.note(ack.rtt);
    }

    /// `tcp_vegas_cong_avoid`.
    fn grow(&mut self, credit: f64, window: &mut Window) {
        let acked = whole(credit, window);
        if !self.on {
            return self.counted.reno(acked, window);
        }
        if self.ack <= self.end {
            slow_start(acked, window);
            return;
        }
        if self.rtts.too_few() {
            self.counted.reno(acked, window);
        } else {
            self.adjust(acked, window);
        }
        self.begin();
    }

    /// `tcp_vegas_state`.
    fn on_open(&mut self, open: bool) {
        if open {
            self.begin();
        } else {
            self.on = false;
        }
    }

    /// `tcp_vegas_cwnd_event`.
    fn on_sent(&mut self, departure: &Departure, _: &mut Window) {
        if departure.idle {
            self.rtts.base = i64::MAX;
            self.begin();
        }
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        if signal != Signal::Idle {
            self.on = false;
            self.counted = Counted::default();
        }
        Reduced::to((whole(in_use, window) / 2).max(2) as f64 * window.mss)
    }
}
