//! The retransmission timer and the round-trip clock (RFC 6298); their arithmetic is in [`super::rto`].

use acklab_packet::{Seq, Time};

use super::control::Signal;
use super::credit::WindowCredit;
use super::{Core, SenderWire};
use crate::rules::IdleRestart;

impl Core {
    /// Sets the timer to a full RTO from now.
    #[inline]
    pub fn arm<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.timer_on = true;
        wire.arm(now + Time::from_secs(self.rto.timeout()));
    }

    /// Restarts the timer for an ACK of new data, or stops it when nothing is left to time (RFC 6298 (5.2), (5.3)).
    ///
    /// ns-2 leaves it on even then, and later restarts an idle connection by it.
    #[inline]
    pub fn restart_timer<W: SenderWire>(&mut self, ack: Seq, now: Time, wire: &mut W) {
        let keep = match self.rules.idle_restart {
            IdleRestart::Timer | IdleRestart::TimerKeepsWindow => {
                self.snd_nxt >= ack || ack < self.snd_max || self.cwnd < f64::from(self.mss)
            }
            // A window that ns-2's halving left below one segment opens again by timeout only.
            IdleRestart::Rfc5681 | IdleRestart::Off => ack < self.snd_max || self.cwnd < f64::from(self.mss),
        };
        if keep {
            self.arm(now, wire);
        } else if self.timer_on {
            self.timer_on = false;
            wire.disarm();
        }
    }

    /// Abandons what is being timed: it may be retransmitted (Karn; RFC 6298 section 3).
    pub fn stop_timing(&mut self) {
        self.timed = None;
        if let Some(times) = &mut self.send_times {
            times.forget();
        }
    }

    /// A partial ACK that gives no sample ends the timing of what it covers, and backoff with it.
    pub fn drop_covered_timing(&mut self, ack: Seq) {
        if self.timed.is_some_and(|(end, _)| ack >= end) {
            self.timed = None;
            self.rto.reset_backoff(&self.rules);
        }
    }

    #[inline(never)]
    pub(super) fn sample(&mut self, elapsed: Time, now: Time, flight: u64) {
        let counters = &mut self.counters;
        let weight = if counters.rtt_samples == 0 { 1.0 } else { 0.125 };
        self.smoothed += weight * (elapsed.secs() - self.smoothed);
        counters.rtt_samples += 1;
        counters.rtt_sum += elapsed.secs();
        counters.rtt_last = elapsed.secs();
        counters.rtt_min = counters.rtt_min.min(elapsed.secs());
        // RFC 7323 appendix G: a sample an ACK must not shorten the filter's memory.
        let expected = if self.rules.timestamps { flight.div_ceil(2 * u64::from(self.mss)).max(1) } else { 1 };
        self.rto.sample(elapsed.secs(), now.secs(), expected, (self.snd_una, self.snd_max), &self.rules);
    }

    pub(super) fn smoothed_rtt(&self) -> Option<f64> {
        (self.counters.rtt_samples > 0).then_some(self.smoothed)
    }

    /// Reduces the window after a timeout (or an idle period), backs off, and returns to `snd_una`.
    pub(super) fn time_out<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let idle = self.snd_una == self.snd_max;
        self.timer_on = false;
        self.cwnd = self.cwnd.max(f64::from(self.mss));
        if !(idle && self.rules.idle_restart == IdleRestart::TimerKeepsWindow) {
            if !idle {
                self.suspect();
            }
            self.recover = self.snd_max;
            if self.snd_una == 0 && self.rules.first_loss_resets_initial_window {
                self.initial_window = self.initial_window.min(1.0);
            }
            self.counters.timeouts += u32::from(!idle);
            if idle {
                self.may_not_be_undone();
            } else {
                self.may_be_undone();
            }
            self.cut(if idle { Signal::Idle } else { Signal::Timeout }, now);
        }
        if !idle {
            self.rto.back_off(&self.rules);
            self.credit.on_timeout();
        }
        self.arm(now, wire);
        self.snd_nxt = self.snd_una;
        self.stop_timing();
    }
}
