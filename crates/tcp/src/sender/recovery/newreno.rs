//! NewReno: a partial ACK retransmits the next segment; recovery lasts until `recover` (RFC 6582).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::duplicates::{begins_recovery, duplicate_ack, forget_duplicates};
use super::{LossRecovery, Report};

/// Segments an ACK may release while duplicate ACKs are being counted (ns-2; RFC 6582 section 5 suggests a limit).
const BURST_IN_RECOVERY: u32 = 2;

/// Remembers whether this recovery has had a partial ACK.
#[derive(Clone, Debug, Default)]
pub struct NewReno {
    had_partial: bool,
}

impl NewReno {
    fn full_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let exiting = core.end_newreno(core.seq.max - ack.ack);
        self.had_partial = false;
        core.new_ack(ack, !exiting || core.grows_on_exit(), now, wire);
    }

    fn partial_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let (each_restarts, deflates) = core.rules.recovery.partial_ack();
        if each_restarts || !self.had_partial {
            self.had_partial = true;
            core.restart_timer(ack.ack, now, wire);
        }
        if deflates {
            core.deflate_by(ack.ack - core.seq.una);
        } else {
            core.deflate();
        }
        core.seq.advance(ack.ack);
        core.timer.drop_covered(ack.ack, &core.rules);
        core.transmit(core.seq.una, core.seq.len_at(core.seq.una), now, wire);
    }
}

impl LossRecovery for NewReno {
    /// Nothing: no reduction is undone.
    #[inline(always)]
    fn judge(&mut self, _: &mut Core, _: &Ack, _: Time) -> bool {
        false
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        // A partial ACK shows the segment after it to be lost.
        let partial = ack.ack > core.seq.una && report.state == CaState::Recovery;
        let lost = if partial { u64::from(core.seq.len_at(ack.ack)) } else { report.lost };
        Report { lost, ..report }
    }

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.seq.una {
            if ack.ack >= core.cc.recover || core.cc.state != CaState::Recovery {
                self.full_ack(core, ack, now, wire);
            } else {
                self.partial_ack(core, ack, now, wire);
            }
        } else if ack.ack == core.seq.una {
            duplicate_ack(core, now, wire);
        }
        if core.cc.dupacks == 0 {
            Some(core.rules.max_burst)
        } else {
            (core.cc.dupacks >= core.rules.dup_thresh).then_some(BURST_IN_RECOVERY)
        }
    }

    fn before_timeout(&mut self, core: &mut Core) {
        forget_duplicates(core);
    }
}
