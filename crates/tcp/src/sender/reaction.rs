//! Reactions to congestion and silence: reductions of the window, and their undo (RFC 5681 section 3, RFC 3168, RFC 6298).

use acklab_packet::{Ack, Seq, Time};

use super::congestion::CaState;
use super::congestion::control::{CongestionControl, Reduced, Signal};
use super::congestion::credit::WindowCredit;
use super::recovery::undo::dsack;
use super::{Core, SenderWire};
use crate::rules::{
    FirstLoss, Halving, IdleRestart, MarkForm, RecoveryExit, Reordering, SenderFault, TimeoutSsthresh, UndoEvidence,
};

impl Core {
    /// Reduces the window because of `signal`: both to what the control leaves of what was in use, or cwnd to one segment. The receiver is
    /// told of a reduction, so that it echoes no more marks (RFC 3168 section 6.1.2); in ns-2 also of that of an idle restart.
    pub(super) fn cut(&mut self, signal: Signal, now: Time) {
        let mss = f64::from(self.seq.mss);
        self.counters.window_cuts += 1;
        self.notices.cwr |= signal != Signal::Idle || self.rules.mark_form == MarkForm::Ns2;
        let window = self.cc.seen(&self.seq, self.timer.smoothed, now);
        let halving = self.rules.halving;
        let in_use = match halving {
            Halving::Precise => (self.cc.cwnd + self.cc.inflation as f64).min(window.advertised),
            Halving::Integer => self.cc.window(self.seq.wnd) as f64,
            Halving::FlightSize => self.seq.flight_size().saturating_sub(self.cc.limited) as f64,
            Halving::Cwnd => self.cc.cwnd,
        };
        let mut left = self.cc.control.on_congestion(signal, in_use, &window);
        // RFC 8511 section 3: in congestion avoidance a mark reduces less than a loss.
        if signal == Signal::Mark && self.rules.beta_ecn > 0.0 && !self.cc.in_slow_start() {
            left = Reduced::to(in_use * self.rules.beta_ecn);
        }
        match halving {
            Halving::Integer => left.cwnd = left.cwnd.floor(),
            Halving::Cwnd => {
                left.cwnd = (left.cwnd / mss).floor() * mss;
                left.ssthresh = (left.ssthresh / mss).floor() * mss;
            }
            Halving::Precise | Halving::FlightSize => {}
        }
        if signal != Signal::Idle && !self.keeps_ssthresh(signal) {
            self.cc.set_ssthresh(left.ssthresh.floor().max(2.0 * mss));
        }
        let cwnd = match (signal, halving.cwnd_is_ssthresh()) {
            (Signal::Loss | Signal::Mark, true) => left.cwnd.floor().max(2.0 * mss),
            (Signal::Loss | Signal::Mark, _) => left.cwnd,
            (Signal::Idle, _) if self.control_owns_window() => self.cc.cwnd,
            (Signal::Timeout | Signal::Idle, _) => mss,
        };
        self.cc.set_cwnd(cwnd);
        self.cc.enter(match signal {
            Signal::Loss => CaState::Recovery,
            Signal::Timeout => CaState::Loss,
            Signal::Mark => CaState::Cwr,
            Signal::Idle => CaState::Open,
        });
    }

    /// True if ssthresh stays as it is though `signal` reduces the window. cwnd and the state are those before it.
    fn keeps_ssthresh(&self, signal: Signal) -> bool {
        if signal == Signal::Timeout && self.rules.mark_form == MarkForm::Ns2 && self.cc.state == CaState::Cwr {
            return true;
        }
        let again = self.timer.rto.backed_off();
        let reduced = || matches!(self.cc.state_at(self.seq.una), CaState::Cwr | CaState::Recovery);
        signal == Signal::Timeout
            && match self.rules.timeout_ssthresh {
                TimeoutSsthresh::Each => false,
                TimeoutSsthresh::FirstOfSegment => again,
                TimeoutSsthresh::FirstOfWindow => again || reduced(),
            }
    }

    /// An ACK echoes a congestion mark: at most once a window, halve as for a loss (RFC 3168 section 6.1.2).
    ///
    /// With nothing outstanding the echo is a repeat; and no timer would open a window that ns-2's halving closes. To ns-2 a window has
    /// passed once what was sent since the reduction is acknowledged, or a timeout has come.
    pub(super) fn on_mark_echo(&mut self, ack: &Ack, now: Time) {
        let una = self.seq.una;
        let passed = match self.rules.mark_form {
            MarkForm::Rfc3168 => una >= self.cc.recover && self.cc.state != CaState::Recovery,
            MarkForm::Ns2 => ack.ack > self.cc.recover || self.cc.state == CaState::Loss,
        };
        if self.rules.ecn && passed && una < self.seq.max && !self.spreads_marks() {
            if self.rules.mark_form == MarkForm::Ns2 {
                self.back_off_for_mark();
            }
            self.answer_mark(now);
        }
    }

    /// Whether the recovery answers a mark, over a round trip.
    pub(super) fn spreads_marks(&self) -> bool {
        self.rules.recovery.spreads_marks() && !self.control_owns_window()
    }

    /// The second mark in a row that meets a window of one segment doubles the RTO, by which the next segment leaves (ns-2's
    /// `ecn_backoff_`).
    fn back_off_for_mark(&mut self) {
        let least = self.cc.cwnd <= f64::from(self.seq.mss);
        if least && self.extras.marked_at_least {
            self.timer.rto.back_off(&self.rules);
        }
        self.extras.marked_at_least = least;
    }

    /// Reduces the window for a mark, and tells the receiver.
    pub(super) fn answer_mark(&mut self, now: Time) {
        self.cc.recover_to(self.seq.max);
        self.may_not_be_undone();
        self.cut(Signal::Mark, now);
    }

    /// True if duplicate ACKs may start a recovery now.
    pub(super) fn may_fast_retransmit(&self) -> bool {
        self.cc.may_fast_retransmit(&self.seq, &self.rules)
    }

    /// Begins the recovery of a loss, QUIC's apart: notes the window's end, reduces the window, restarts the timer. The
    /// caller sends.
    pub(super) fn begin_recovery<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.repair_begins(now);
        self.counters.fast_retransmits += 1;
        self.cc.credit.on_reduction();
        // A window that a mark has just halved is not halved again for a loss (RFC 3168 section 6.1.2).
        let (una, recover) = (self.seq.una, self.cc.recover);
        let keeps = self.rules.mark_form == MarkForm::Ns2 && self.cc.state == CaState::Cwr && una <= recover;
        if keeps || self.cc.state_at(una) == CaState::Cwr {
            self.cc.enter(CaState::Recovery);
            self.may_not_be_undone();
        } else {
            self.may_be_undone(false);
            self.cut(Signal::Loss, now);
        }
        // In ns-2 the window that the mark began ends the recovery, too.
        self.cc.recover_to(if keeps { recover } else { self.seq.max });
        self.timer.arm(now, wire);
        self.stop_timing();
    }

    /// True if credit is due for the ACK that ends a recovery.
    pub(super) fn grows_on_exit(&self) -> bool {
        self.rules.recovery_exit != RecoveryExit::Rfc6582
    }

    /// A recovery that inflates the window ends: what was added goes.
    pub(super) fn end_inflation(&mut self) {
        if self.rules.fault == SenderFault::NoDeflation {
            self.cc.set_cwnd(self.cc.cwnd + self.cc.inflation as f64);
        }
        self.cc.deflate();
    }

    /// Grows the window as a faulty sender does (RFC 2525 sections 2.2 and 2.6).
    #[cold]
    pub(super) fn grow_with_fault(&mut self, acked: u64, counts: u64, now: Time) {
        let slow_start = self.cc.cwnd < self.cc.threshold();
        if self.rules.fault == SenderFault::NoSlowStartAfterTimeout && self.cc.state == CaState::Loss {
            return self.cc.set_cwnd(self.seq.wnd as f64);
        }
        self.cc.grow((acked, counts), &self.seq, self.timer.smoothed, now);
        if self.rules.fault == SenderFault::ExtraAdditiveConstant && !slow_start {
            self.cc.set_cwnd(self.cc.cwnd + f64::from(self.seq.mss) / 8.0);
        }
    }

    /// After an idle RTO, starts again from the initial window (RFC 5681 section 4.1), or nearer to it (RFC 2861).
    pub(super) fn restart_if_idle(&mut self, now: Time) {
        let (rto, mss) = (self.timer.rto.timeout(), f64::from(self.seq.mss));
        let mut pause = (now - self.timer.last_sent).secs();
        let idle = self.seq.una == self.seq.max && self.seq.max > 0 && pause > rto;
        if !idle || self.control_owns_window() {
            return;
        }
        let least = self.cc.cwnd.min(self.cc.initial(mss));
        match self.rules.idle_restart {
            IdleRestart::Rfc5681 => self.cc.set_cwnd(least),
            IdleRestart::Linux => {
                // `tcp_current_ssthresh`, in whole segments.
                let segments = self.cc.cwnd / mss;
                let most = ((segments / 2.0).floor() + (segments / 4.0).floor()) * mss;
                self.cc.set_ssthresh(self.cc.ssthresh.max(most));
                pause -= rto;
                while pause > 0.0 && self.cc.cwnd > least {
                    self.cc.set_cwnd((self.cc.cwnd / (2.0 * mss)).floor() * mss);
                    pause -= rto;
                }
                self.cc.raise_cwnd(least);
            }
            IdleRestart::Timer | IdleRestart::TimerKeepsWindow | IdleRestart::Off => {}
        }
    }

    /// Reduces the window after a timeout (or an idle period), backs off, and returns to SND.UNA.
    pub(super) fn time_out<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let idle = self.seq.una == self.seq.max;
        if !idle {
            self.repair_begins(now);
        }
        self.cc.raise_cwnd(f64::from(self.seq.mss));
        if self.seq.shaking_hands() && self.rules.first_loss == FirstLoss::Linux {
            self.extras.opened.get_or_insert(self.timer.last_sent);
            self.counters.timeouts += 1;
        } else if !(idle && self.rules.idle_restart == IdleRestart::TimerKeepsWindow) {
            if self.seq.una == 0 {
                match self.rules.first_loss {
                    FirstLoss::OneSegment => self.cc.lose_initial_window(1.0),
                    FirstLoss::TwoSegments => self.cc.lose_initial_window(2.0),
                    FirstLoss::Keep | FirstLoss::Linux => {}
                }
            }
            self.counters.timeouts += u32::from(!idle);
            if idle {
                self.may_not_be_undone();
                self.cut(Signal::Idle, now);
            } else {
                self.may_be_undone(true);
                self.cut(Signal::Timeout, now);
            }
            self.cc.recover_to(self.seq.max);
        }
        if !idle {
            // `tcp_retransmit_timer` of Linux: the first SYNs follow each other evenly.
            let linear = self.seq.shaking_hands() && self.counters.timeouts <= self.rules.linear_syn_timeouts;
            if !linear && self.rules.fault != SenderFault::NoBackoff {
                self.timer.rto.back_off(&self.rules);
            }
            self.cc.credit.on_timeout();
        }
        self.timer.arm(now, wire);
        self.seq.go_back();
        self.stop_timing();
    }

    /// A loss is about to reduce the window.
    fn may_be_undone(&mut self, timeout: bool) {
        if let Some(undo) = &mut self.extras.undo {
            undo.begin(&self.seq, &self.cc, timeout);
        }
    }

    /// The last reduction will not be undone, nor will a following one that has another cause than loss.
    pub(super) fn may_not_be_undone(&mut self) {
        if let Some(undo) = &mut self.extras.undo {
            undo.forget();
        }
    }

    /// The duplicate that this ACK reports, where the rules count it. If there are more duplicates than retransmissions, the path made
    /// some, and it is unknown which. Then no duplicate counts until there are as many retransmissions (Linux's `tcp_dsack_seen`).
    pub(super) fn reported_duplicate(&mut self, ack: &Ack) -> Option<(Seq, Seq)> {
        let undoes = self.extras.undo.as_ref().is_some_and(|undo| undo.by_dsack);
        if !undoes && self.rules.recovery.reordering() != Reordering::Linux {
            return None;
        }
        let (start, end) = dsack(ack)?;
        self.counters.duplicates += (end - start).div_ceil(u64::from(self.seq.mss));
        (self.counters.duplicates <= self.counters.retransmits).then_some((start, end))
    }

    /// True if this ACK, before it counts, shows that the last reduction was spurious, by what was sent again since. `duplicate`: the
    /// duplicate it reports.
    pub(super) fn shows_spurious(&mut self, ack: &Ack, duplicate: Option<(Seq, Seq)>) -> bool {
        let undo = self.extras.undo.as_mut().filter(|undo| undo.evidence == UndoEvidence::Reduction);
        let echo = self.rules.recovery.stamp(ack.ts_ecr);
        undo.is_some_and(|undo| undo.judge(ack, (echo, duplicate), &self.seq, self.cc.state))
    }

    /// Undoes the last reduction, except for the windows. The recovery itself has forgotten what it believed lost.
    pub(super) fn take_back(&mut self) {
        if self.extras.undo.as_mut().is_some_and(|undo| undo.take()) {
            self.cc.reopen(self.seq.una);
            // Linux's `tcp_ecn_withdraw_cwr`.
            self.notices.cwr = false;
            self.seq.go_to_end();
            self.counters.undone += 1;
        }
    }

    /// Returns to the windows before a reduction that the ACK just judged has undone.
    pub(super) fn restore_windows(&mut self, now: Time) {
        if let Some(before) = self.extras.undo.as_mut().and_then(|undo| undo.due()) {
            self.with_control(now, |control, window| control.undo(before, window));
        }
    }

    /// The receiver acknowledged what it cannot have. The window begins again with one segment, and slow start ends soon.
    pub(super) fn restart_for_false_ack(&mut self) {
        let mss = f64::from(self.seq.mss);
        self.counters.window_cuts += 1;
        self.counters.false_acks += 1;
        self.cc.restart(mss);
    }
}
