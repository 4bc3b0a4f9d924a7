//! Window validation (RFC 2861; RFC 7661), as Linux has it (`tcp_cwnd_validate` in net/ipv4/tcp_output.c,
//! `tcp_is_cwnd_limited` in include/net/tcp.h). An unused window does not grow. After a while it shrinks towards what is used.

use acklab_packet::{Seq, Time};

use super::{CaState, Congestion};
use crate::rules::Validation;
use crate::sender::sequence::SequenceSpace;

/// Use of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Usage {
    /// True if the window stopped the sender in this round trip (`is_cwnd_limited`).
    limited: bool,
    /// Else the most units that were outstanding, in whole segments (`max_packets_out`).
    most: u64,
    /// `SND.MAX` when that was so: from there on another round trip counts (`cwnd_usage_seq`).
    until: Seq,
    /// The most outstanding since the window was last in use, or shrunk, and when that was (`snd_cwnd_used`, `snd_cwnd_stamp`).
    used: u64,
    since: Time,
}

impl Usage {
    /// For a sender with these rules.
    pub fn new(validation: Validation) -> Option<Box<Usage>> {
        (validation == Validation::Linux).then(Box::default)
    }

    /// True if the window is so much in use that ACKs may grow it: it stopped the sender, or, in slow start, which doubles
    /// it, half of it was out.
    pub fn in_use(&self, cc: &Congestion) -> bool {
        self.limited || (cc.in_slow_start() && cc.cwnd < 2.0 * self.most as f64)
    }

    /// The window stops the sender from a burst large enough (`tcp_tso_should_defer`).
    pub fn on_deferral(&mut self, seq: &SequenceSpace) {
        let flight = seq.segments(seq.flight_size()) * u64::from(seq.mss);
        (self.limited, self.most, self.until) = (true, flight, seq.max);
    }

    /// Notes a segment that has left. After a timeout's time of little use the window shrinks. Returns whether it did.
    pub fn on_sent(&mut self, seq: &SequenceSpace, cc: &mut Congestion, timeout: f64, now: Time) -> bool {
        // Linux counts packets: a small one like a full one.
        let flight = seq.segments(seq.flight_size()) * u64::from(seq.mss);
        let limited = (flight + u64::from(seq.mss)) as f64 > cc.cwnd;
        if seq.una >= self.until || limited || (!self.limited && flight > self.most) {
            (self.limited, self.most, self.until) = (limited, flight, seq.max);
        }
        if self.in_use(cc) {
            (self.used, self.since) = (0, now);
            return false;
        }
        self.used = self.used.max(flight);
        // It is the application that sends no more, not the receiver's window that stops it.
        let idle = seq.max >= seq.limit && cc.state != CaState::Recovery && !cc.owned;
        if !idle || (now - self.since).secs() < timeout {
            return false;
        }
        let used = (self.used as f64).max(cc.initial_window * f64::from(seq.mss));
        (self.used, self.since) = (0, now);
        if used >= cc.cwnd {
            return false;
        }
        cc.windows.ssthresh = cc.ssthresh.max(0.75 * cc.cwnd);
        cc.windows.cwnd = ((cc.cwnd + used) / 2.0).floor();
        true
    }
}
