//! Reno: fast recovery that ends with the first new ACK (RFC 2581; ledger allman1998.m.reno).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::duplicates::{begins_recovery, duplicate_ack, forget_duplicates};
use super::{LossRecovery, Report};

/// Keeps nothing of its own: the window inflation says whether recovery is on.
#[derive(Clone, Debug, Default)]
pub struct Reno;

impl LossRecovery for Reno {
    /// Nothing: no reduction is undone.
    #[inline(always)]
    fn judge(&mut self, _: &mut Core, _: &Ack, _: Time) -> bool {
        false
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        let ends = ack.ack > core.seq.una && report.state == CaState::Recovery;
        Report { state: if ends { CaState::Open } else { report.state }, ..report }
    }

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.seq.una {
            let exiting = core.cc.state == CaState::Recovery;
            if exiting {
                core.leave_recovery();
            }
            core.end_inflation();
            core.new_ack(ack, !exiting || core.grows_on_exit(), now, wire);
        } else if ack.ack == core.seq.una {
            duplicate_ack(core, now, wire);
        }
        (core.cc.dupacks == 0 || core.cc.dupacks >= core.rules.dup_thresh).then_some(core.rules.max_burst)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        forget_duplicates(core);
    }
}
