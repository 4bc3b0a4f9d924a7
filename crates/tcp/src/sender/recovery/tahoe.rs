//! Tahoe: fast retransmit, then slow start from `snd_una` (Jacobson 1988).

use acklab_packet::{Ack, Time};

use super::super::{Core, LastCut, SenderWire};
use super::LossRecovery;

/// Keeps nothing of its own.
#[derive(Clone, Debug)]
pub struct Tahoe;

impl LossRecovery for Tahoe {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.snd_una {
            core.new_ack(ack, true, now, wire);
        } else if ack.ack == core.snd_una {
            core.dupacks += 1;
            if core.dupacks < core.rules.dup_thresh {
                core.send_limited(now, wire);
            } else if core.dupacks == core.rules.dup_thresh && core.may_fast_retransmit() {
                core.begin_recovery(now, wire);
                core.last_cut = LastCut::Exited;
                core.cwnd = f64::from(core.mss);
                core.snd_nxt = core.snd_una;
            }
        }
        Some(core.rules.max_burst)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.recover = core.snd_max;
    }
}
