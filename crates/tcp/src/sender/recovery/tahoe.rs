//! Tahoe: fast retransmit, then slow start from `snd_una` (Jacobson 1988).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};
use super::duplicates::begins_recovery;
use super::{LossRecovery, Report};

/// Keeps nothing of its own.
#[derive(Clone, Debug, Default)]
pub struct Tahoe;

impl LossRecovery for Tahoe {
    /// Nothing: no reduction is undone.
    #[inline(always)]
    fn judge(&mut self, _: &mut Core, _: &Ack, _: Time) -> bool {
        false
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        // What follows the first segment is sent again in slow start.
        Report { state: if report.lost > 0 { CaState::Open } else { report.state }, ..report }
    }

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack > core.seq.una {
            core.new_ack(ack, true, now, wire);
        } else if ack.ack == core.seq.una {
            let count = core.cc.count_duplicate();
            if count < core.rules.dup_thresh {
                core.send_limited(now, wire);
            } else if count == core.rules.dup_thresh && core.may_fast_retransmit() {
                core.begin_recovery(now, wire);
                core.restart_slow_start();
            }
        }
        Some(core.rules.max_burst)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.bar_recovery();
    }
}
