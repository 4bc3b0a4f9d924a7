//! NewReno: a partial ACK retransmits the next segment; recovery lasts until `recover` (RFC 6582).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::LossRecovery;
use super::duplicates::{duplicate_ack, forget_duplicates};
use crate::rules::RecoveryExit;

/// Segments an ACK may release while duplicate ACKs are being counted (ns-2; RFC 6582 section 5 suggests a limit).
const BURST_IN_RECOVERY: u32 = 2;

/// Remembers whether this recovery has had a partial ACK.
#[derive(Clone, Debug, Default)]
pub struct NewReno {
    had_partial: bool,
}

impl NewReno {
    fn full_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let mss = u64::from(core.seq.mss);
        let exiting = core.cc.inflation > 0 && core.cc.state == CaState::Recovery;
        if core.cc.inflation > 0 {
            core.cc.inflation = 0;
            if exiting {
                core.cc.state = CaState::Open;
            }
            let flight = core.seq.max - ack.ack;
            match core.rules.recovery_exit {
                RecoveryExit::Keep => {}
                RecoveryExit::MinFlight => core.cc.cwnd = core.cc.threshold().min((flight + mss) as f64),
                RecoveryExit::Rfc6582 if exiting => {
                    core.cc.cwnd = core.cc.threshold().min((flight.max(mss) + mss) as f64);
                }
                RecoveryExit::Rfc6582 => {}
            }
        }
        self.had_partial = false;
        core.new_ack(ack, !exiting || core.grows_on_exit(), now, wire);
    }

    fn partial_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let (each_restarts, deflates) = core.rules.recovery.partial_ack();
        if each_restarts || !self.had_partial {
            self.had_partial = true;
            core.restart_timer(ack.ack, now, wire);
        }
        let mss = u64::from(core.seq.mss);
        let acked = ack.ack - core.seq.una;
        // Take off what was acknowledged, add back one segment if that much was (RFC 6582 section 3.2 step 3).
        let added = if acked < mss { 0 } else { mss };
        if !deflates {
            core.cc.inflation = 0;
        } else if core.cc.inflation > acked {
            core.cc.inflation = core.cc.inflation - acked + added;
            core.cc.cwnd = core.cc.cwnd.max(mss as f64);
        } else {
            core.cc.cwnd = (core.cc.cwnd - (acked - core.cc.inflation) as f64).max(mss as f64);
            // Never 0: inflation marks the recovery.
            core.cc.inflation = added.max(1);
        }
        core.seq.una = ack.ack;
        core.seq.nxt = core.seq.nxt.max(ack.ack);
        core.timer.drop_covered(ack.ack, &core.rules);
        core.transmit(core.seq.una, core.seq.len_at(core.seq.una), now, wire);
    }
}

impl LossRecovery for NewReno {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
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
