//! Westwood+ as Linux computes it (net/ipv4/tcp_westwood.c): two filters, bytes a tick, and a window of at least two segments when a
//! reduction is complete.

use super::super::{AckEvent, CongestionControl, Departure, Needs, Reduced, Signal, Window};
use super::{Reno, Ticks, micros, whole};

/// The state (`struct westwood`); times in ticks, rates in units a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Westwood {
    ticks: Ticks,
    first: u64,
    rate: u64,
    since: Option<i64>,
    /// Units of this interval.
    units: u64,
    accounted: u64,
    rtt: i64,
    least_rtt: i64,
    /// The least round trip is taken again from the next ACK on.
    anew: bool,
    /// No ACK has come (`first_ack`).
    fresh: bool,
    reno: Reno,
}

impl Westwood {
    /// Before any ACK.
    pub fn new(ticks: Ticks) -> Westwood {
        let unknown = 20 * ticks.hz();
        Westwood {
            ticks,
            first: 0,
            rate: 0,
            since: None,
            units: 0,
            accounted: 0,
            rtt: unknown,
            least_rtt: unknown,
            anew: true,
            fresh: true,
            reno: Reno::default(),
        }
    }

    /// `tcp_westwood_bw_rttmin`.
    fn capacity(&self, window: &Window) -> f64 {
        let units = self.rate as f64 * self.least_rtt as f64;
        whole(units, window).max(2) as f64 * window.mss
    }

    /// `westwood_acked_count`: duplicates count a segment each, which the ACKs that cover them do not count again.
    fn count(&mut self, acked: u64, mss: u64) -> u64 {
        if acked == 0 {
            self.accounted += mss;
            mss
        } else if acked <= mss {
            acked
        } else if self.accounted >= acked {
            self.accounted -= acked;
            mss
        } else {
            acked - std::mem::take(&mut self.accounted)
        }
    }
}

impl CongestionControl for Westwood {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        if let Some(rtt) = ack.rtt.map(micros).filter(|&rtt| rtt > 0) {
            self.rtt = self.ticks.within(rtt);
        }
        let now = self.ticks.at(window.now);
        let (mut acked, span) = (ack.acked as u64, now - self.since.unwrap_or(now));
        if std::mem::take(&mut self.fresh) {
            // What the first ACK covers was sent before (`first_ack`). A duplicate still counts.
            acked = 0;
            self.since.get_or_insert(now);
        }
        if span > self.rtt.max(self.ticks.hz() / 20) {
            let sample = self.units / span as u64;
            if self.first == 0 && self.rate == 0 {
                (self.first, self.rate) = (sample, sample);
            } else {
                self.first = (7 * self.first + sample) >> 3;
                self.rate = (7 * self.rate + self.first) >> 3;
            }
            (self.units, self.since) = (0, Some(now));
        }
        self.units += self.count(acked, window.mss as u64);
        self.least_rtt = if std::mem::take(&mut self.anew) { self.rtt } else { self.least_rtt.min(self.rtt) };
    }

    /// The first interval begins with the handshake's end (`tcp_westwood_init`).
    fn on_sent(&mut self, _: &Departure, window: &mut Window) {
        let now = self.ticks.at(window.now);
        self.since.get_or_insert(now);
    }

    fn grow(&mut self, credit: f64, window: &mut Window) {
        self.reno.grow(credit, window);
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        let left = self.reno.on_congestion(signal, in_use, window);
        if signal == Signal::Timeout {
            self.anew = true;
            return Reduced::to(self.capacity(window));
        }
        left
    }

    /// `CA_EVENT_COMPLETE_CWR`.
    fn on_complete(&mut self, window: &mut Window) {
        window.ssthresh = self.capacity(window);
        window.cwnd = window.ssthresh;
    }
}
