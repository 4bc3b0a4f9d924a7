//! A window that is not used says nothing about the path: it does not grow, and after a while shrinks towards what is used
//! (RFC 2861; RFC 7661), as Linux has it (`tcp_cwnd_validate` in net/ipv4/tcp_output.c, `tcp_is_cwnd_limited` in include/net/tcp.h).

use acklab_packet::{Seq, Time};

use super::{Core, LastCut};
use crate::rules::Validation;

/// How much of the window is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Usage {
    /// Whether the window stopped the sender in this round trip (`is_cwnd_limited`).
    limited: bool,
    /// Else the most units that were outstanding (`max_packets_out`).
    most: u64,
    /// `snd_max` when that was so: from there on another round trip counts (`cwnd_usage_seq`).
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

    /// Whether a window of `cwnd` is in use: it stopped the sender, or, in slow start, which doubles it, half of it was out.
    fn in_use(&self, slow_start: bool, cwnd: f64) -> bool {
        self.limited || (slow_start && cwnd < 2.0 * self.most as f64)
    }
}

impl Core {
    /// Whether the window is so much in use that ACKs may grow it.
    pub(super) fn in_use(&self) -> bool {
        self.rare.usage.as_ref().is_none_or(|usage| usage.in_use(self.in_slow_start(), self.cwnd))
    }

    /// A segment has left.
    pub(super) fn note_usage(&mut self, now: Time) {
        let (flight, slow_start) = (self.flight_size(), self.in_slow_start());
        let Some(usage) = &mut self.rare.usage else { return };
        let limited = (flight + u64::from(self.mss)) as f64 > self.cwnd;
        if self.snd_una >= usage.until || limited || (!usage.limited && flight > usage.most) {
            (usage.limited, usage.most, usage.until) = (limited, flight, self.snd_max);
        }
        if usage.in_use(slow_start, self.cwnd) {
            (usage.used, usage.since) = (0, now);
            return;
        }
        usage.used = usage.used.max(flight);
        // It is the application that sends no more, not the receiver's window that stops it.
        let idle =
            self.snd_max >= self.limit && self.last_cut != LastCut::FastRetransmit && self.rare.delivery.is_none();
        if idle && (now - usage.since).secs() >= self.rto.timeout() {
            let used = (usage.used as f64).max(self.initial_window * f64::from(self.mss));
            (usage.used, usage.since) = (0, now);
            if used < self.cwnd {
                self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
                self.cwnd = ((self.cwnd + used) / 2.0).floor();
                self.counters.window_cuts += 1;
            }
        }
    }
}
