//! What moves the congestion state. Each write of it has a name here; nothing else writes it.

use std::ops::Deref;

use acklab_packet::{Phase, Seq};

use super::control::Window;
use super::{CaState, Congestion, Windows};

impl Deref for Congestion {
    type Target = Windows;

    #[inline(always)]
    fn deref(&self) -> &Windows {
        &self.windows
    }
}

impl Congestion {
    /// The window as a control has moved it.
    #[inline]
    pub(in crate::sender) fn take(&mut self, window: &Window) {
        (self.windows.cwnd, self.windows.ssthresh) = (window.cwnd, window.ssthresh);
    }

    /// Sets the phase of the last growth, and returns what it was.
    #[inline]
    pub(in crate::sender) fn swap_growth(&mut self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.windows.grown_in, phase)
    }

    /// Sets the congestion window.
    pub(in crate::sender) fn set_cwnd(&mut self, units: f64) {
        self.windows.cwnd = units;
    }

    /// The congestion window is that at least.
    pub(in crate::sender) fn raise_cwnd(&mut self, least: f64) {
        self.windows.cwnd = self.cwnd.max(least);
    }

    /// The congestion window is that at most.
    pub(in crate::sender) fn limit_cwnd(&mut self, most: f64) {
        self.windows.cwnd = self.cwnd.min(most);
    }

    /// The handshake is over: the initial window, not growth (RFC 5681 section 3.1).
    pub(in crate::sender) fn begin(&mut self, mss: u32) {
        self.windows.cwnd = self.initial_window * f64::from(mss);
    }

    /// The initial window in units of segments of `mss`.
    pub(in crate::sender) fn initial(&self, mss: f64) -> f64 {
        self.initial_window * mss
    }

    /// The very first segment was lost: the initial window is one segment (RFC 5681 section 3.1), or `most`.
    pub(in crate::sender) fn lose_initial_window(&mut self, most: f64) {
        self.initial_window = self.initial_window.min(most);
    }

    /// The window begins again with one segment, and slow start ends soon.
    pub(in crate::sender) fn restart(&mut self, mss: f64) {
        (self.windows.cwnd, self.windows.ssthresh) = (mss, 2.0 * mss);
        self.windows.inflation = 0;
    }

    /// A reduction leaves this state.
    pub(in crate::sender) fn enter(&mut self, state: CaState) {
        self.windows.state = state;
    }

    /// The recovery is over.
    pub(in crate::sender) fn leave(&mut self) {
        self.windows.state = CaState::Open;
    }

    /// What was outstanding at the last reduction ends at `seq`.
    pub(in crate::sender) fn recover_to(&mut self, seq: Seq) {
        self.windows.recover = seq;
    }

    /// The last reduction is undone with `una` acknowledged. A real loss from `una` on may begin a recovery at once.
    pub(in crate::sender) fn reopen(&mut self, una: Seq) {
        self.windows.inflation = 0;
        self.windows.state = CaState::Open;
        self.windows.recover = una;
        self.windows.dupacks = 0;
    }

    /// An ACK of new data: the count of duplicates starts again.
    #[inline(always)]
    pub(in crate::sender) fn advance(&mut self) {
        (self.windows.dupacks, self.windows.limited) = (0, 0);
    }

    /// One more duplicate ACK; how many there are in a row.
    pub(in crate::sender) fn count_duplicate(&mut self) -> u32 {
        self.windows.dupacks += 1;
        self.windows.dupacks
    }

    /// Duplicates so far are no sign of loss.
    pub(in crate::sender) fn forget_duplicates(&mut self) {
        self.windows.dupacks = 0;
    }

    /// Limited Transmit has sent `units`.
    pub(in crate::sender) fn note_limited(&mut self, units: u64) {
        self.windows.limited += units;
    }

    /// Sets the inflation of the window, which marks a recovery of Reno and NewReno.
    pub(in crate::sender) fn inflate_to(&mut self, units: u64) {
        self.windows.inflation = units;
    }

    /// A duplicate ACK in a recovery: `units` more have left the network.
    pub(in crate::sender) fn inflate(&mut self, units: u64) {
        self.windows.inflation += units;
    }

    /// Ends the inflation of the window.
    #[inline(always)]
    pub(in crate::sender) fn deflate(&mut self) {
        self.windows.inflation = 0;
    }

    /// A partial ACK takes off what it acknowledges, and adds back one segment if that much was acknowledged (RFC 6582 section
    /// 3.2 step 3).
    pub(in crate::sender) fn deflate_by(&mut self, acked: u64, mss: u64) {
        let added = if acked < mss { 0 } else { mss };
        let windows = &mut self.windows;
        if windows.inflation > acked {
            windows.inflation = windows.inflation - acked + added;
            windows.cwnd = windows.cwnd.max(mss as f64);
        } else {
            windows.cwnd = (windows.cwnd - (acked - windows.inflation) as f64).max(mss as f64);
            // Never 0: inflation marks the recovery.
            windows.inflation = added.max(1);
        }
    }
}
