//! Inflation of the window in the fast recoveries of Reno and NewReno: each duplicate ACK stands for a segment that has left the
//! network (RFC 5681 section 3.2; RFC 6582 section 3.2).

use super::super::Core;
use super::CaState;
use crate::rules::{RecoveryExit, SenderFault};

impl Core {
    /// Inflates the window by the duplicates that have begun a recovery.
    pub(in crate::sender) fn inflate_by_threshold(&mut self) {
        self.cc.windows.inflation = u64::from(self.rules.dup_thresh) * u64::from(self.seq.mss);
    }

    /// Inflates the window by `units` for one more duplicate.
    pub(in crate::sender) fn inflate(&mut self, units: u64) {
        self.cc.windows.inflation += units;
    }

    /// Takes off the whole inflation.
    pub(in crate::sender) fn deflate(&mut self) {
        self.cc.windows.inflation = 0;
    }

    /// Takes off what a partial ACK acknowledges, and adds back one segment if that much was acknowledged (RFC 6582 section 3.2
    /// step 3).
    pub(in crate::sender) fn deflate_by(&mut self, acked: u64) {
        let mss = u64::from(self.seq.mss);
        let added = if acked < mss { 0 } else { mss };
        let windows = &mut self.cc.windows;
        if windows.inflation > acked {
            windows.inflation = windows.inflation - acked + added;
            windows.cwnd = windows.cwnd.max(mss as f64);
        } else {
            windows.cwnd = (windows.cwnd - (acked - windows.inflation) as f64).max(mss as f64);
            // Never 0: inflation marks the recovery.
            windows.inflation = added.max(1);
        }
    }

    /// Takes off the whole inflation at the end of a recovery, except with a fault of RFC 2525 (section 2.7).
    pub(in crate::sender) fn end_inflation(&mut self) {
        if self.rules.fault == SenderFault::NoDeflation {
            self.cc.windows.cwnd += self.cc.inflation as f64;
        }
        self.deflate();
    }

    /// Ends NewReno's recovery, with `flight` units outstanding (RFC 6582 section 3.2 step 3). Returns whether one was on.
    pub(in crate::sender) fn end_newreno(&mut self, flight: u64) -> bool {
        let mss = u64::from(self.seq.mss);
        let exits = self.cc.inflation > 0 && self.cc.state == CaState::Recovery;
        if self.cc.inflation > 0 {
            self.end_inflation();
            if exits {
                self.leave_recovery();
            }
            let bound = match self.rules.recovery_exit {
                _ if self.rules.fault == SenderFault::NoDeflation => None,
                RecoveryExit::MinFlight => Some(flight + mss),
                RecoveryExit::Rfc6582 if exits => Some(flight.max(mss) + mss),
                RecoveryExit::Rfc6582 | RecoveryExit::Keep => None,
            };
            if let Some(units) = bound {
                self.cc.windows.cwnd = self.cc.threshold().min(units as f64);
            }
        }
        exits
    }
}
