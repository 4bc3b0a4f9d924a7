//! Reactions to congestion and silence: reductions of the window, and their undo (RFC 5681 section 3, RFC 3168, RFC 6298).

use acklab_packet::{Ack, Seq, Time};

use super::super::recovery::Voids;
use super::super::{Core, SenderWire};
use super::CaState;
use super::control::{CongestionControl, Reduced, Signal};
use super::credit::WindowCredit;
use super::prr::Delivered;
use super::undo::{Evidence, Sign, dsack};
use crate::rules::{
    FirstLoss, Halving, IdleRestart, MarkForm, RecoveryExit, Reordering, SenderFault, TimeoutSsthresh, UndoEvidence,
};

impl Core {
    /// Reduces the window because of `signal`: both to what the control leaves of what was in use, or cwnd to one segment. The receiver is
    /// told of a reduction, so that it echoes no more marks (RFC 3168 section 6.1.2); in ns-2 also of that of an idle restart.
    fn cut(&mut self, signal: Signal, now: Time) {
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
        if let Some(slow_start) = &mut self.cc.slow_start {
            slow_start.on_congestion(signal);
        }
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
        self.cc.windows.cwnd = cwnd;
        self.cc.windows.state = match signal {
            Signal::Loss => CaState::Recovery,
            Signal::Timeout => CaState::Loss,
            Signal::Mark => CaState::Cwr,
            Signal::Idle => CaState::Open,
        };
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
    pub(in crate::sender) fn on_mark_echo(&mut self, ack: &Ack, now: Time) {
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

    /// Returns true if the recovery answers a mark, over a round trip.
    pub(in crate::sender) fn spreads_marks(&self) -> bool {
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
    fn answer_mark(&mut self, now: Time) {
        self.cc.windows.recover = self.seq.max;
        self.may_not_be_undone();
        self.cut(Signal::Mark, now);
    }

    /// Begins the recovery of a loss, QUIC's apart: notes the window's end, reduces the window, restarts the timer. `continued`: a
    /// reduction that a mark began goes on.
    pub(in crate::sender) fn begin_recovery<W: SenderWire>(&mut self, continued: bool, now: Time, wire: &mut W) {
        self.repair_begins(now);
        self.counters.fast_retransmits += 1;
        self.cc.credit.on_reduction();
        // A window that a mark has just halved is not halved again for a loss (RFC 3168 section 6.1.2).
        let (una, recover) = (self.seq.una, self.cc.recover);
        let keeps = self.rules.mark_form == MarkForm::Ns2 && self.cc.state == CaState::Cwr && una <= recover;
        if keeps || self.cc.state_at(una) == CaState::Cwr {
            self.cc.windows.state = CaState::Recovery;
            self.may_not_be_undone();
        } else {
            self.may_be_undone(false);
            self.cut(Signal::Loss, now);
        }
        // In ns-2 the window that the mark began ends the recovery, too.
        self.cc.windows.recover = match continued {
            true => recover - 1,
            false if keeps => recover,
            false => self.seq.max,
        };
        self.timer.arm(now, wire);
        self.stop_timing();
    }

    /// Handles an ACK of new data where sending is governed by what is outstanding. Within a recovery it moves SND.UNA. Outside
    /// one, or ending it, it is an ordinary ACK. Returns the units that may grow the window.
    pub(in crate::sender) fn accept_new_data<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) -> u64 {
        let recovering =
            self.cc.state == CaState::Recovery || (self.cc.state == CaState::Cwr && self.extras.prr.is_on());
        if recovering && ack.ack < self.cc.recover {
            self.advance(ack, now, wire);
            return 0;
        }
        if recovering {
            self.leave_recovery();
            if self.end_prr() {
                self.with_control(now, |control, window| control.on_complete(window));
            }
        }
        self.accept(ack, !recovering || self.grows_on_exit(), now, wire)
    }

    /// Ends a recovery.
    pub(in crate::sender) fn leave_recovery(&mut self) {
        self.cc.windows.state = CaState::Open;
    }

    /// Bars another recovery of what is outstanding now.
    pub(in crate::sender) fn bar_recovery(&mut self) {
        self.cc.windows.recover = self.seq.max;
    }

    /// Ends a recovery, and forgets what was outstanding at its reduction.
    pub(in crate::sender) fn forget_recovery(&mut self) {
        self.cc.windows.recover = 1;
        self.leave_recovery();
    }

    /// Begins slow start again from SND.UNA, after a fast retransmit (Tahoe).
    pub(in crate::sender) fn restart_slow_start(&mut self) {
        self.leave_recovery();
        self.cc.windows.cwnd = f64::from(self.seq.mss);
        self.notices.cwr = true;
        self.seq.go_back();
    }

    /// Reduces the window for a loss that a probe of the tail has found and repaired (RFC 8985 section 7.4.2).
    pub(in crate::sender) fn reduce_for_probe(&mut self, now: Time) {
        self.cut(Signal::Loss, now);
        self.leave_recovery();
        self.with_control(now, |control, window| control.on_complete(window));
    }

    /// Answers a mark, while nothing is lost: the window falls by shares until more than what is outstanding is acknowledged
    /// (`tcp_enter_cwr`).
    pub(in crate::sender) fn spread_mark(&mut self, now: Time) {
        let window = self.cc.cwnd;
        self.answer_mark(now);
        self.begin_prr(window, Delivered::default());
        (self.cc.windows.cwnd, self.cc.windows.recover) = (window, self.cc.recover + 1);
    }

    /// Begins a recovery period of QUIC (RFC 9002 section 7.3.2).
    pub(in crate::sender) fn begin_recovery_period(&mut self, now: Time) {
        self.repair_begins(now);
        self.counters.fast_retransmits += 1;
        self.cc.credit.on_reduction();
        self.may_not_be_undone();
        self.cut(Signal::Loss, now);
        self.bar_recovery();
    }

    /// Raises the window to `segments` at least, if recoveries move it.
    pub(in crate::sender) fn keep_window(&mut self, segments: f64) {
        if !self.control_owns_window() {
            self.cc.windows.cwnd = self.cc.cwnd.max(segments * f64::from(self.seq.mss));
        }
    }

    /// Limits the window to `segments` at most, if recoveries move it.
    pub(in crate::sender) fn limit_window(&mut self, segments: f64) {
        if !self.control_owns_window() {
            self.cc.windows.cwnd = self.cc.cwnd.min(segments * f64::from(self.seq.mss));
        }
    }

    /// Sets the window to ssthresh, if recoveries move it.
    pub(in crate::sender) fn fall_to_ssthresh(&mut self) {
        if !self.control_owns_window() {
            self.cc.windows.cwnd = self.cc.threshold();
        }
    }

    /// Sets the window after a timeout to one segment beside the `in_flight` units that are not lost (`tcp_enter_loss`).
    pub(in crate::sender) fn open_beside(&mut self, in_flight: u64) {
        self.cc.windows.cwnd = (in_flight + u64::from(self.seq.mss)) as f64;
    }

    /// True if credit is due for the ACK that ends a recovery.
    pub(in crate::sender) fn grows_on_exit(&self) -> bool {
        self.rules.recovery_exit != RecoveryExit::Rfc6582
    }

    /// After an idle RTO, starts again from the initial window (RFC 5681 section 4.1), or nearer to it (RFC 2861).
    pub(in crate::sender) fn restart_if_idle(&mut self, now: Time) {
        let (rto, mss) = (self.timer.rto.timeout(), f64::from(self.seq.mss));
        let mut pause = (now - self.timer.last_sent).secs();
        let idle = self.seq.una == self.seq.max && self.seq.max > 0 && pause > rto;
        if !idle || self.control_owns_window() {
            return;
        }
        let least = self.cc.cwnd.min(self.cc.initial_window * mss);
        match self.rules.idle_restart {
            IdleRestart::Rfc5681 => self.cc.windows.cwnd = least,
            IdleRestart::Linux => {
                // `tcp_current_ssthresh`, in whole segments.
                let segments = self.cc.cwnd / mss;
                let most = ((segments / 2.0).floor() + (segments / 4.0).floor()) * mss;
                self.cc.set_ssthresh(self.cc.ssthresh.max(most));
                pause -= rto;
                while pause > 0.0 && self.cc.cwnd > least {
                    self.cc.windows.cwnd = (self.cc.cwnd / (2.0 * mss)).floor() * mss;
                    pause -= rto;
                }
                self.cc.windows.cwnd = self.cc.cwnd.max(least);
            }
            IdleRestart::Timer | IdleRestart::TimerKeepsWindow | IdleRestart::Off => {}
        }
    }

    /// Reduces the window after a timeout (or an idle period), backs off, and returns to SND.UNA.
    pub(in crate::sender) fn time_out<W: SenderWire>(&mut self, voids: Voids, now: Time, wire: &mut W) {
        if voids.duplicates {
            self.deflate();
            self.cc.forget_duplicates();
        }
        if voids.recovery {
            self.bar_recovery();
        }
        let idle = self.seq.una == self.seq.max;
        if !idle {
            self.repair_begins(now);
        }
        self.cc.windows.cwnd = self.cc.cwnd.max(f64::from(self.seq.mss));
        if self.seq.shaking_hands() && self.rules.first_loss == FirstLoss::Linux {
            self.extras.opened.get_or_insert(self.timer.last_sent);
            self.counters.timeouts += 1;
        } else if !(idle && self.rules.idle_restart == IdleRestart::TimerKeepsWindow) {
            if self.seq.una == 0 {
                match self.rules.first_loss {
                    FirstLoss::OneSegment => self.cc.limit_initial_window(1.0),
                    FirstLoss::TwoSegments => self.cc.limit_initial_window(2.0),
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
            self.cc.windows.recover = self.seq.max;
        }
        if !idle {
            // `tcp_retransmit_timer` of Linux: the first SYNs follow each other evenly.
            let linear = self.seq.shaking_hands() && self.counters.timeouts <= self.rules.linear_syn_timeouts;
            if !linear && self.rules.fault != SenderFault::NoBackoff {
                self.timer.rto.back_off(&self.rules);
            }
            self.cc.credit.on_timeout();
        }
        self.extras.prr.forget();
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
    pub(in crate::sender) fn may_not_be_undone(&mut self) {
        if let Some(undo) = &mut self.extras.undo {
            undo.forget();
        }
    }

    /// The duplicate that this ACK reports, where the rules count it. If there are more duplicates than retransmissions, the path made
    /// some, and it is unknown which. Then no duplicate counts until there are as many retransmissions (Linux's `tcp_dsack_seen`).
    fn reported_duplicate(&mut self, ack: &Ack) -> Option<(Seq, Seq)> {
        let undoes = self.extras.undo.as_ref().is_some_and(|undo| undo.by_dsack);
        if !undoes && self.rules.recovery.reordering() != Reordering::Linux {
            return None;
        }
        let (start, end) = dsack(ack)?;
        self.extras.duplicates += (end - start).div_ceil(u64::from(self.seq.mss));
        (self.extras.duplicates <= self.counters.retransmits).then_some((start, end))
    }

    /// Weighs what this ACK, before it counts, shows of the last reduction, by what was sent again since.
    pub(in crate::sender) fn weigh(&mut self, ack: &Ack) -> Sign {
        let duplicate = self.reported_duplicate(ack);
        let (una, mss) = (self.seq.una, u64::from(self.seq.mss));
        let echo = self.rules.recovery.stamp(ack.ts_ecr);
        let Some(undo) = &mut self.extras.undo else { return Sign { duplicate, ..Sign::default() } };
        let evidence = if undo.evidence == UndoEvidence::Segments {
            if let Some((start, end)) = duplicate {
                // What is below SND.UNA is no longer in the record.
                let record = self.extras.flight.as_ref().filter(|_| end > una);
                let units =
                    record.map_or((end - start).div_ceil(mss) * mss, |flight| flight.resent_within(start, end).0);
                undo.on_report(end, units);
            }
            undo.weigh(ack, echo, una, self.cc.state_at(una))
        } else if undo.judge(ack, (echo, duplicate), &self.seq, self.cc.state) {
            Evidence::Needless
        } else {
            Evidence::None
        };
        Sign { evidence, duplicate }
    }

    /// Informs `undo` of what may still be reported as a duplicate when a recovery begins.
    pub(in crate::sender) fn expect_reports(&mut self) {
        let Some(undo) = self.extras.undo.as_mut().filter(|undo| undo.evidence == UndoEvidence::Segments) else {
            return;
        };
        if let Some(flight) = &self.extras.flight {
            let (again, first) = (flight.on_their_way_again(), flight.first().is_some_and(|sent| sent.resent));
            undo.on_their_way(again, again > 0 || first);
        }
    }

    /// Undoes the last reduction, except for the windows. The recovery itself has forgotten what it believed lost.
    pub(in crate::sender) fn undo_reduction(&mut self) {
        self.extras.prr.forget();
        if self.extras.undo.as_mut().is_some_and(|undo| undo.take()) {
            // A real loss from SND.UNA on may begin a recovery at once.
            let windows = &mut self.cc.windows;
            (windows.inflation, windows.dupacks) = (0, 0);
            (windows.state, windows.recover) = (CaState::Open, self.seq.una);
            // Linux's `tcp_ecn_withdraw_cwr`.
            self.notices.cwr = false;
            self.seq.go_to_end();
            self.counters.undone += 1;
        }
    }

    /// Returns to the windows before a reduction that the ACK just judged has undone.
    pub(in crate::sender) fn restore_windows(&mut self, now: Time) {
        if let Some(before) = self.extras.undo.as_mut().and_then(|undo| undo.due()) {
            self.with_control(now, |control, window| control.undo(before, window));
        }
    }

    /// Begins again with one segment, so that slow start ends soon: the receiver acknowledged what it cannot have.
    pub(in crate::sender) fn restart_for_false_ack(&mut self) {
        let mss = f64::from(self.seq.mss);
        self.counters.window_cuts += 1;
        self.counters.false_acks += 1;
        (self.cc.windows.cwnd, self.cc.windows.ssthresh) = (mss, 2.0 * mss);
        self.deflate();
    }
}
