//! Congestion state of a sender (RFC 5681 section 3): windows, what last reduced them, and the rules that move them.
//!
//! [`credit`] says what an ACK is worth, and [`control`] turns that into `cwnd` and `ssthresh`; `slow_start` stands before a
//! control and ends its first slow start.

pub mod control;
pub mod credit;
mod event;
mod inflation;
mod notify;
pub(super) mod prr;
mod reaction;
pub(super) mod slow_start;
pub(super) mod undo;
pub(super) mod validation;

use std::ops::Deref;

use acklab_packet::{Phase, Seq, Time};

use super::Core;
use super::sequence::SequenceSpace;
use crate::rules::{DuplicateAcks, SecondFastRetransmit, SenderFault, SenderRules};
use control::{AckEvent, CongestionControl, Control, Needs, Window};
use credit::{Covered, Credit, WindowCredit};
use slow_start::SlowStart;

/// Congestion state, by the last reduction of the window; the names are Linux's (`tcp_ca_state`), and so is the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaState {
    /// Nothing was reduced, or its recovery is over, or the connection was idle.
    #[default]
    Open,
    /// A congestion mark reduced the window.
    Cwr,
    /// Fast retransmit reduced it, and its recovery is on.
    Recovery,
    /// A retransmission timeout reduced it.
    Loss,
}

/// Windows and the state that the last reduction left, in sequence units. Code that has a [`Congestion`] reads them. Only
/// this module and its files write them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Windows {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// Window inflation by duplicate ACKs (Reno and NewReno in recovery).
    pub inflation: u64,
    /// Units sent by Limited Transmit since the last new ACK; they do not count as FlightSize (RFC 5681 section 3.2).
    pub limited: u64,
    /// `SND.MAX` when the last reduction began (RFC 6582's "recover", plus one).
    pub recover: Seq,
    /// Duplicate ACKs in a row.
    pub dupacks: u32,
    /// Cause of the last reduction. It stays beyond `recover`, because the rules of 1997 read it; see [`Congestion::state_at`].
    pub state: CaState,
    /// The phase in which credit last grew the window.
    pub grown_in: Phase,
    slow_start_at_ssthresh: bool,
    /// The control alone moves `cwnd`.
    pub(super) owned: bool,
}

/// Windows and what moves them.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Congestion {
    windows: Windows,
    control: Control,
    credit: Credit,
    /// Initial window in segments.
    initial_window: f64,
    slow_start: Option<Box<SlowStart>>,
}

impl Deref for Congestion {
    type Target = Windows;

    #[inline(always)]
    fn deref(&self) -> &Windows {
        &self.windows
    }
}

impl Congestion {
    pub(super) fn new(
        rules: &SenderRules,
        seq: &SequenceSpace,
        control: Control,
        slow_start: Option<Box<SlowStart>>,
    ) -> Congestion {
        let in_units = |segments: f64| segments * f64::from(seq.mss);
        let before_syn = if rules.syn { rules.window_before_syn_ack } else { rules.initial_window };
        let windows = Windows {
            cwnd: in_units(before_syn),
            ssthresh: if rules.initial_ssthresh > 0.0 { in_units(rules.initial_ssthresh) } else { seq.wnd as f64 },
            inflation: 0,
            limited: 0,
            recover: 1,
            dupacks: 0,
            state: CaState::Open,
            grown_in: Phase::Unknown,
            slow_start_at_ssthresh: rules.slow_start_at_ssthresh,
            owned: control.owns_window(),
        };
        Congestion { windows, control, credit: Credit::new(rules), initial_window: rules.initial_window, slow_start }
    }

    /// Returns the inputs that the control and the slow start before it need.
    pub(super) fn needs(&self) -> Needs {
        let needs = self.control.needs();
        if self.slow_start.is_some() { needs.max(Needs::RoundTrips) } else { needs }
    }

    /// The algorithm that moves the windows.
    #[inline]
    pub(super) fn control(&self) -> &Control {
        &self.control
    }

    /// Units that may be outstanding: the congestion window with its inflation, within the advertised one.
    #[inline]
    pub fn window(&self, advertised: u64) -> u64 {
        // Signed, which the processor converts at once.
        (self.cwnd as i64 as u64 + self.inflation).min(advertised)
    }

    /// True if `cwnd` is below `ssthresh`.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The state with `una` acknowledged: open again once the reduction's data is.
    #[inline]
    pub fn state_at(&self, una: Seq) -> CaState {
        if una < self.recover { self.state } else { CaState::Open }
    }

    /// True if losses are being repaired with `una` acknowledged, after duplicates or a timeout.
    pub(super) fn repairs(&self, una: Seq) -> bool {
        self.state_at(una) >= CaState::Recovery
    }

    /// Sets the phase of the last growth, and returns what it was.
    #[inline]
    pub(super) fn swap_growth(&mut self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.windows.grown_in, phase)
    }

    /// Notes an ACK of new data: the count of duplicates starts again.
    #[inline(always)]
    pub(super) fn end_duplicates(&mut self) {
        (self.windows.dupacks, self.windows.limited) = (0, 0);
    }

    /// Counts a duplicate ACK, and returns how many there are in a row.
    pub(super) fn count_duplicate(&mut self) -> u32 {
        self.windows.dupacks += 1;
        self.windows.dupacks
    }

    /// Forgets the duplicates so far: they are no sign of loss.
    pub(super) fn forget_duplicates(&mut self) {
        self.windows.dupacks = 0;
    }

    /// Notes `units` sent by Limited Transmit.
    pub(super) fn note_limited(&mut self, units: u64) {
        self.windows.limited += units;
    }

    /// Sets the window to the initial one once the handshake is over, which is no growth (RFC 5681 section 3.1). `syn_lost`: the
    /// initial window is one segment.
    pub(super) fn open(&mut self, mss: u32, syn_lost: bool) {
        if syn_lost {
            self.limit_initial_window(1.0);
        }
        self.windows.cwnd = self.initial_window * f64::from(mss);
    }

    /// Limits the initial window to `segments`: the very first segment was lost (RFC 5681 section 3.1).
    fn limit_initial_window(&mut self, segments: f64) {
        self.initial_window = self.initial_window.min(segments);
    }

    /// Sets the threshold. If a window equal to the threshold is in slow start, the next larger number is kept. Then
    /// `cwnd < ssthresh` means slow start under either rule.
    fn set_ssthresh(&mut self, units: f64) {
        self.windows.ssthresh = if self.slow_start_at_ssthresh { units.next_up() } else { units };
    }

    /// The threshold as a window to return to.
    fn threshold(&self) -> f64 {
        if self.slow_start_at_ssthresh { self.ssthresh.next_down() } else { self.ssthresh }
    }

    /// Sets the window to the one that a control has moved.
    #[inline]
    fn take(&mut self, window: &Window) {
        (self.windows.cwnd, self.windows.ssthresh) = (window.cwnd, window.ssthresh);
    }

    /// The window as the control sees it.
    #[inline]
    fn seen(&self, seq: &SequenceSpace, srtt: f64, now: Time) -> Window {
        Window {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            mss: f64::from(seq.mss),
            advertised: seq.wnd as f64,
            bytes: seq.in_bytes(),
            now,
            srtt,
        }
    }

    /// Grows the window for an ACK that newly covers `acked` units. Part of each ACK's path, whatever else calls it.
    #[inline(always)]
    fn grow(&mut self, (acked, counts): (u64, u64), seq: &SequenceSpace, srtt: f64, now: Time) {
        let mss = f64::from(seq.mss);
        let slow_start = self.in_slow_start();
        self.windows.grown_in = if slow_start { Phase::SlowStart } else { Phase::CongestionAvoidance };
        let worth = self.credit.worth(&Covered {
            // Signed, which the processor converts at once.
            acked: counts as i64 as f64,
            mss,
            cwnd: self.cwnd,
            slow_start,
            after_timeout: self.state == CaState::Loss && seq.una - acked < self.recover,
            all: seq.una == seq.max,
        });
        self.grow_by(worth.first, seq, srtt, now);
        for _ in 0..worth.times {
            self.grow_by(worth.then, seq, srtt, now);
        }
    }

    #[inline]
    fn grow_by(&mut self, credit: f64, seq: &SequenceSpace, srtt: f64, now: Time) {
        if credit > 0.0 {
            // Apart, so that of Reno's window only what it reads is put together.
            if let (&Control::Reno(mut control), None) = (&self.control, &self.slow_start) {
                let mut window = self.seen(seq, srtt, now);
                control.grow(credit, &mut window);
                self.windows.cwnd = window.cwnd;
            } else {
                self.grow_otherwise(credit, seq, srtt, now);
            }
        }
    }

    #[inline(never)]
    fn grow_otherwise(&mut self, credit: f64, seq: &SequenceSpace, srtt: f64, now: Time) {
        if self.owned {
            return;
        }
        let mut window = self.seen(seq, srtt, now);
        match &mut self.slow_start {
            None => self.control.grow(credit, &mut window),
            Some(slow_start) => {
                slow_start.grow(credit, &mut window, |credit, window| self.control.grow(credit, window));
            }
        }
        self.take(&window);
    }

    /// Hands an ACK event to the slow start, and to the control.
    fn on_ack(&mut self, event: &AckEvent, seq: &SequenceSpace, srtt: f64, now: Time) {
        let mut window = self.seen(seq, srtt, now);
        if let Some(slow_start) = &mut self.slow_start {
            slow_start.on_ack(event, &window);
        }
        self.control.on_ack(event, &mut window);
        self.take(&window);
    }

    /// True if duplicate ACKs may start a recovery now.
    fn may_fast_retransmit(&self, seq: &SequenceSpace, rules: &SenderRules) -> bool {
        // With no FlightSize an ACK that repeats is no sign of loss (RFC 5681 section 2, DUPLICATE ACKNOWLEDGMENT). To
        // ns-2 it is, while there is data to send.
        let outstanding = rules.duplicate_acks == DuplicateAcks::Outstanding;
        if (outstanding && seq.una == seq.max) || seq.done() {
            return false;
        }
        // Nothing but a SYN was ever out at a reduction: `recover` is still the initial sequence number (RFC 6582 section
        // 3.2 step 1), and the first data is past it. ns-2 says so of the first segment whatever happened before.
        let first = if outstanding { self.recover <= 1 } else { seq.una == 1 };
        seq.una > self.recover
            || first
            || self.state == CaState::Cwr
            || match rules.second_fast_retransmit {
                SecondFastRetransmit::Always => true,
                SecondFastRetransmit::Never => false,
                SecondFastRetransmit::UnlessTimeout => self.state != CaState::Loss,
            }
    }
}

impl Core {
    /// Grows the window for an ACK that newly covers `acked` units; `counts`: units for credit.
    #[inline(always)]
    pub(super) fn grow(&mut self, acked: u64, counts: u64, now: Time) {
        if self.rules.fault != SenderFault::None {
            return self.grow_with_fault(acked, counts, now);
        }
        self.cc.grow((acked, counts), &self.seq, self.timer.smoothed, now);
    }

    /// Grows the window as a faulty sender does (RFC 2525 sections 2.2 and 2.6).
    #[cold]
    fn grow_with_fault(&mut self, acked: u64, counts: u64, now: Time) {
        let slow_start = self.cc.cwnd < self.cc.threshold();
        if self.rules.fault == SenderFault::NoSlowStartAfterTimeout && self.cc.state == CaState::Loss {
            self.cc.windows.cwnd = self.seq.wnd as f64;
            return;
        }
        self.cc.grow((acked, counts), &self.seq, self.timer.smoothed, now);
        if self.rules.fault == SenderFault::ExtraAdditiveConstant && !slow_start {
            self.cc.windows.cwnd += f64::from(self.seq.mss) / 8.0;
        }
    }

    /// True if the window is so much in use that ACKs may grow it.
    pub(super) fn in_use(&self) -> bool {
        self.extras.usage.as_ref().is_none_or(|usage| usage.in_use(&self.cc))
    }

    /// True if duplicate ACKs may start a recovery now.
    pub(super) fn may_fast_retransmit(&self) -> bool {
        self.cc.may_fast_retransmit(&self.seq, &self.rules)
    }
}
