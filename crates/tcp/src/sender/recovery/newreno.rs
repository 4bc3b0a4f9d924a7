//! NewReno: a partial ACK retransmits the next segment; recovery lasts until `recover` (RFC 6582).

use acklab_packet::{Ack, Time};

use super::super::{Core, LastCut, SenderWire};
use super::LossRecovery;
use super::duplicates::{duplicate_ack, forget_duplicates};
use crate::rules::{PartialAckTimer, RecoveryExit};

/// Segments an ACK may release while duplicate ACKs are being counted (ns-2; RFC 6582 section 5 suggests a limit).
const BURST_IN_RECOVERY: u32 = 2;

/// Remembers whether this recovery has had a partial ACK.
#[derive(Clone, Debug, Default)]
pub struct NewReno {
    had_partial: bool,
}

impl NewReno {
    fn full_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let mss = u64::from(core.mss);
        let exiting = core.inflation > 0 && core.last_cut == LastCut::FastRetransmit;
        if core.inflation > 0 {
            core.inflation = 0;
            if exiting {
                core.last_cut = LastCut::Exited;
            }
            let flight = core.snd_max - ack.ack;
            match core.rules.recovery_exit {
                RecoveryExit::Keep => {}
                RecoveryExit::MinFlight => core.cwnd = core.threshold().min((flight + mss) as f64),
                RecoveryExit::Rfc6582 if exiting => {
                    core.cwnd = core.threshold().min((flight.max(mss) + mss) as f64);
                }
                RecoveryExit::Rfc6582 => {}
            }
        }
        self.had_partial = false;
        core.new_ack(ack, !exiting || core.grows_on_exit(), now, wire);
    }

    fn partial_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        if core.rules.partial_ack_timer == PartialAckTimer::Each || !self.had_partial {
            self.had_partial = true;
            core.restart_timer(ack.ack, now, wire);
        }
        let mss = u64::from(core.mss);
        let acked = ack.ack - core.snd_una;
        // Take off what was acknowledged, add back one segment if that much was (RFC 6582 section 3.2 step 3).
        let added = if acked < mss { 0 } else { mss };
        if !core.rules.partial_deflation {
            core.inflation = 0;
        } else if core.inflation > acked {
            core.inflation = core.inflation - acked + added;
            core.cwnd = core.cwnd.max(mss as f64);
        } else {
            core.cwnd = (core.cwnd - (acked - core.inflation) as f64).max(mss as f64);
            // Never 0: inflation marks the recovery.
            core.inflation = added.max(1);
        }
        core.snd_una = ack.ack;
        core.snd_nxt = core.snd_nxt.max(ack.ack);
        core.drop_covered_timing(ack.ack);
        core.transmit(core.snd_una, core.len_at(core.snd_una), now, wire);
    }
}

impl LossRecovery for NewReno {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.snd_una {
            if ack.ack >= core.recover || core.last_cut != LastCut::FastRetransmit {
                self.full_ack(core, ack, now, wire);
            } else {
                self.partial_ack(core, ack, now, wire);
            }
        } else if ack.ack == core.snd_una {
            duplicate_ack(core, now, wire);
        }
        if core.dupacks == 0 {
            Some(core.rules.max_burst)
        } else {
            (core.dupacks >= core.rules.dup_thresh).then_some(BURST_IN_RECOVERY)
        }
    }

    fn before_timeout(&mut self, core: &mut Core) {
        forget_duplicates(core);
    }
}
