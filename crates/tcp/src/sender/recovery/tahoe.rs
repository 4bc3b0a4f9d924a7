//! Tahoe: fast retransmit, then slow start from `snd_una` (Jacobson 1988).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::LossRecovery;

/// Keeps nothing of its own.
#[derive(Clone, Debug, Default)]
pub struct Tahoe;

impl LossRecovery for Tahoe {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.seq.una {
            core.new_ack(ack, true, now, wire);
        } else if ack.ack == core.seq.una {
            core.cc.dupacks += 1;
            if core.cc.dupacks < core.rules.dup_thresh {
                core.send_limited(now, wire);
            } else if core.cc.dupacks == core.rules.dup_thresh && core.may_fast_retransmit() {
                core.begin_recovery(now, wire);
                core.cc.state = CaState::Open;
                core.cc.cwnd = f64::from(core.seq.mss);
                core.seq.nxt = core.seq.una;
            }
        }
        Some(core.rules.max_burst)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.cc.recover = core.seq.max;
    }
}
