//! Reno: fast recovery that ends with the first new ACK (RFC 2581; ledger allman1998.m.reno).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::LossRecovery;
use super::duplicates::{duplicate_ack, forget_duplicates};

/// Keeps nothing of its own: the window inflation says whether recovery is on.
#[derive(Clone, Debug, Default)]
pub struct Reno;

impl LossRecovery for Reno {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.seq.una {
            let exiting = core.cc.state == CaState::Recovery;
            if exiting {
                core.cc.state = CaState::Open;
            }
            core.cc.inflation = 0;
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
