//! What moves cwnd and ssthresh: credit, losses, congestion marks, idleness (RFC 5681 section 3, RFC 3168).

use acklab_packet::{Ack, Phase, Time};

use super::control::{CongestionControl, Control, Heard, Signal, Window};
use super::credit::{Covered, WindowCredit};
use super::{Core, LastCut, SenderWire};
use crate::rules::{Halving, IdleRestart, RecoveryExit, Sequence};

impl Core {
    /// The window as the control sees it.
    #[inline]
    fn seen(&self, now: Time) -> Window {
        Window {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            mss: f64::from(self.mss),
            advertised: self.wnd as f64,
            bytes: self.rules.sequence == Sequence::Bytes,
            now,
            srtt: self.smoothed,
        }
    }

    /// Lets a control that listens hear of an ACK, before the recovery does.
    #[inline]
    pub(super) fn tell_control(&mut self, ack: &Ack, now: Time) {
        if self.send_times.is_some() && ack.ack >= self.snd_una {
            self.tell(ack, now);
        }
    }

    fn tell(&mut self, ack: &Ack, now: Time) {
        let heard = Heard {
            ack: ack.ack,
            snd_max: self.snd_max,
            acked: (ack.ack - self.snd_una) as f64,
            rtt: self.send_times.as_mut().and_then(|times| times.acknowledged(ack.ack, now)),
            recovering: self.last_cut == LastCut::FastRetransmit && self.snd_una < self.recover,
        };
        let window = self.seen(now);
        self.control.on_ack(&heard, &window);
    }

    /// Grows the window for an ACK that newly covers `acked` units. Part of each ACK's path, whatever else calls it.
    #[inline(always)]
    pub(super) fn grow(&mut self, acked: u64, now: Time) {
        let mss = f64::from(self.mss);
        let slow_start = self.in_slow_start();
        self.grown_in = if slow_start { Phase::SlowStart } else { Phase::CongestionAvoidance };
        let worth = self.credit.worth(&Covered {
            // Signed, which the processor converts at once.
            acked: acked as i64 as f64,
            mss,
            cwnd: self.cwnd,
            slow_start,
            after_timeout: self.last_cut == LastCut::Timeout && self.snd_una - acked < self.recover,
        });
        self.grow_by(worth.first, now);
        for _ in 0..worth.times {
            self.grow_by(worth.then, now);
        }
    }

    #[inline]
    fn grow_by(&mut self, credit: f64, now: Time) {
        if credit > 0.0 {
            // Apart, so that of Reno's window only what it reads is put together.
            if let Control::Reno(mut control) = self.control {
                let mut window = self.seen(now);
                control.grow(credit, &mut window);
                self.cwnd = window.cwnd;
            } else {
                self.grow_otherwise(credit, now);
            }
        }
    }

    #[inline(never)]
    fn grow_otherwise(&mut self, credit: f64, now: Time) {
        let mut window = self.seen(now);
        self.control.grow(credit, &mut window);
        (self.cwnd, self.ssthresh) = (window.cwnd, window.ssthresh);
    }

    /// Whether `cwnd` is below `ssthresh`.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Sets the threshold. Where a window equal to it is to be in slow start, it is kept a hair above, so that whoever
    /// compares the two need not ask.
    fn set_ssthresh(&mut self, units: f64) {
        self.ssthresh = if self.rules.slow_start_at_ssthresh { units.next_up() } else { units };
    }

    /// The threshold as a window to return to.
    pub fn threshold(&self) -> f64 {
        if self.rules.slow_start_at_ssthresh { self.ssthresh.next_down() } else { self.ssthresh }
    }

    /// Whether three duplicate ACKs may start a recovery now.
    pub fn may_fast_retransmit(&self) -> bool {
        use crate::rules::SecondFastRetransmit::*;
        // With no FlightSize an ACK that repeats is no sign of loss (RFC 5681 section 2, DUPLICATE ACKNOWLEDGMENT). To
        // ns-2 it is, while there is data to send.
        let flightless = self.rules.halving.is_rfc() && self.snd_una == self.snd_max;
        if flightless || self.done() {
            return false;
        }
        // Nothing but a SYN was ever out at a reduction: `recover` is still the initial sequence number (RFC 6582 section
        // 3.2 step 1), and the first data is past it. ns-2 says so of the first segment whatever happened before.
        let first = if self.rules.halving.is_rfc() { self.recover <= 1 } else { self.snd_una == 1 };
        self.snd_una > self.recover
            || first
            || self.last_cut == LastCut::Mark
            || match self.rules.second_fast_retransmit {
                Always => true,
                Never => false,
                UnlessTimeout => self.last_cut != LastCut::Timeout,
            }
    }

    /// Reduces the window because of `signal`: both to what the control leaves of what was in use, or cwnd to one segment.
    pub fn cut(&mut self, signal: Signal, now: Time) {
        let mss = f64::from(self.mss);
        self.counters.window_cuts += 1;
        let in_use = match self.rules.halving {
            Halving::Precise => (self.cwnd + self.inflation as f64).min(self.wnd as f64),
            Halving::Integer => self.window() as f64,
            Halving::FlightSize => (self.flight_size() - self.limited.min(self.flight_size())) as f64,
            Halving::Cwnd => self.cwnd,
        };
        let window = self.seen(now);
        let mut left = self.control.reduced(signal, in_use, &window);
        match self.rules.halving {
            Halving::Integer => left.cwnd = left.cwnd.floor(),
            Halving::Cwnd => {
                left.cwnd = (left.cwnd / mss).floor() * mss;
                left.ssthresh = (left.ssthresh / mss).floor() * mss;
            }
            Halving::Precise | Halving::FlightSize => {}
        }
        // A segment that times out again leaves ssthresh alone (RFC 5681 section 3.1).
        let again = self.rules.halving.is_rfc() && signal == Signal::Timeout && self.rto.backed_off();
        if signal != Signal::Idle && !again {
            self.set_ssthresh(left.ssthresh.floor().max(2.0 * mss));
        }
        self.cwnd = match (signal, self.rules.halving.is_rfc()) {
            (Signal::Loss | Signal::Mark, true) => left.cwnd.floor().max(2.0 * mss),
            (Signal::Loss | Signal::Mark, _) => left.cwnd,
            (Signal::Idle, _) if self.rare.delivery.is_some() => self.cwnd,
            (Signal::Timeout | Signal::Idle, _) => mss,
        };
        self.last_cut = match signal {
            Signal::Loss => LastCut::FastRetransmit,
            Signal::Timeout => LastCut::Timeout,
            Signal::Mark => LastCut::Mark,
            Signal::Idle => LastCut::Idle,
        };
    }

    /// An ACK echoes a congestion mark: at most once a window, halve as for a loss (RFC 3168 section 6.1.2).
    ///
    /// With nothing outstanding the echo is a repeat; and no timer would open a window that ns-2's halving closes.
    pub fn on_mark_echo(&mut self, now: Time) {
        let due = self.snd_una >= self.recover && self.snd_una < self.snd_max;
        if self.rules.ecn && due && self.last_cut != LastCut::FastRetransmit {
            self.recover = self.snd_max;
            self.may_not_be_undone();
            self.cut(Signal::Mark, now);
            self.must_tell_cwr = true;
        }
    }

    /// What Reno, NewReno and both SACKs do first when duplicate ACKs signal a loss: note the window's end, halve,
    /// restart the timer. The caller sends.
    pub fn begin_recovery<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.counters.fast_retransmits += 1;
        self.credit.on_reduction();
        // A window that a mark has just halved is not halved again for a loss (RFC 3168 section 6.1.2).
        if self.last_cut == LastCut::Mark && self.snd_una < self.recover {
            self.last_cut = LastCut::FastRetransmit;
            self.may_not_be_undone();
        } else {
            self.may_be_undone();
            self.cut(Signal::Loss, now);
        }
        self.recover = self.snd_max;
        self.arm(now, wire);
        self.stop_timing();
    }

    /// Whether credit is due for the ACK that ends a recovery.
    pub fn grows_on_exit(&self) -> bool {
        self.rules.recovery_exit != RecoveryExit::Rfc6582
    }

    /// After an idle RTO, starts again from the initial window (RFC 5681 section 4.1).
    pub(super) fn restart_if_idle(&mut self, now: Time) {
        let idle = self.snd_una == self.snd_max && self.snd_max > 0;
        if idle && self.rules.idle_restart == IdleRestart::Rfc5681 && self.rare.delivery.is_none() {
            let rto = self.rto.timeout();
            if (now - self.last_sent).secs() > rto {
                self.cwnd = self.cwnd.min(self.initial_window * f64::from(self.mss));
            }
        }
    }
}
