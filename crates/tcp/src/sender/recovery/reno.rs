//! Reno: fast recovery that ends with the first new ACK (RFC 2581; ledger allman1998.m.reno).

use acklab_packet::{Ack, Time};

use super::super::{Core, LastCut, SenderWire};
use super::LossRecovery;
use super::duplicates::{duplicate_ack, forget_duplicates};

/// Keeps nothing of its own: the window inflation says whether recovery is on.
#[derive(Clone, Debug)]
pub struct Reno;

impl LossRecovery for Reno {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.snd_una {
            let exiting = core.last_cut == LastCut::FastRetransmit;
            if exiting {
                core.last_cut = LastCut::Exited;
            }
            core.inflation = 0;
            core.new_ack(ack, !exiting || core.grows_on_exit(), now, wire);
        } else if ack.ack == core.snd_una {
            duplicate_ack(core, now, wire);
        }
        (core.dupacks == 0 || core.dupacks >= core.rules.dup_thresh).then_some(core.rules.max_burst)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        forget_duplicates(core);
    }
}
