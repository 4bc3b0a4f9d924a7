//! Veno as Linux computes it (net/ipv4/tcp_veno.c): the backlog of every ACK, in half segments.

use super::super::{AckEvent, CongestionControl, Departure, Needs, Reduced, Signal, Window};
use super::{Counted, RoundTrips, slow_start, whole};

/// The state (`struct veno`), in microseconds; `backlog` in half segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Veno {
    /// Backlog in segments from which a loss is congestion.
    beta: f64,
    on: bool,
    rtts: RoundTrips,
    may_grow: bool,
    backlog: u64,
    counted: Counted,
}

impl Veno {
    /// Before any round trip.
    pub fn new(beta: f64) -> Veno {
        Veno { beta, on: true, rtts: RoundTrips::NONE, may_grow: true, backlog: 0, counted: Counted::default() }
    }

    fn congested(&self) -> bool {
        self.backlog as f64 >= 2.0 * self.beta
    }

    fn avoid(&mut self, acked: u64, window: &mut Window) {
        let cwnd = whole(window.cwnd, window);
        let RoundTrips { base, least, .. } = self.rtts;
        // Before a round trip both are the largest number, so the product needs more than 64 bits.
        let sent = u128::from(2 * cwnd) * base as u128 / least.max(base) as u128;
        self.backlog = (2 * cwnd).saturating_sub(sent as u64);
        let acked = slow_start(acked, window);
        let cwnd = whole(window.cwnd, window);
        if acked == 0 {
        } else if !self.congested() {
            window.cwnd += self.counted.add(acked, cwnd) as f64 * window.mss;
        } else if self.counted.0 >= cwnd {
            self.counted = Counted::default();
            if self.may_grow {
                window.cwnd += window.mss;
            }
            self.may_grow = !self.may_grow;
        } else {
            self.counted.0 += acked;
        }
        window.cwnd = window.cwnd.max(2.0 * window.mss);
    }
}

impl CongestionControl for Veno {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    /// `tcp_veno_pkts_acked`.
    fn on_ack(&mut self, ack: &AckEvent, _: &mut Window) {
        self.rtts.note(ack.rtt);
    }

    /// `tcp_veno_cong_avoid`.
    fn grow(&mut self, credit: f64, window: &mut Window) {
        let acked = whole(credit, window);
        if !self.on {
            return self.counted.reno(acked, window);
        }
        if self.rtts.too_few() {
            self.counted.reno(acked, window);
        } else {
            self.avoid(acked, window);
        }
        self.rtts.least = i64::MAX;
    }

    /// `tcp_veno_state`.
    fn on_open(&mut self, open: bool) {
        self.on = open;
        if open {
            self.rtts.least = i64::MAX;
        }
    }

    /// `tcp_veno_cwnd_event`.
    fn on_sent(&mut self, departure: &Departure, _: &mut Window) {
        if departure.idle {
            (self.rtts.base, self.may_grow) = (i64::MAX, true);
            self.on_open(true);
        }
    }

    /// `tcp_veno_ssthresh`.
    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        let cwnd = whole(in_use, window);
        if signal != Signal::Idle {
            (self.on, self.counted) = (false, Counted::default());
        }
        let left = if self.congested() { cwnd / 2 } else { cwnd * 4 / 5 };
        Reduced::to(left.max(2) as f64 * window.mss)
    }
}
