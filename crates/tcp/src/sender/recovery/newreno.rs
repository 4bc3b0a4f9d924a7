//! NewReno: a partial ACK retransmits the next segment; recovery lasts until `recover` (RFC 6582).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, View};
use super::duplicates::{begins_recovery, duplicate_ack, leave_in_order};
use super::{Answer, Counts, Data, Deflation, LossRecovery, Next, Report, Voids};

/// Segments an ACK may release while duplicate ACKs are being counted (ns-2; RFC 6582 section 5 suggests a limit).
const BURST_IN_RECOVERY: u32 = 2;

/// Remembers whether this recovery has had a partial ACK.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct NewReno {
    had_partial: bool,
}

impl LossRecovery for NewReno {
    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        // A partial ACK shows the segment after it to be lost.
        let partial = ack.ack > core.seq.una && report.state == CaState::Recovery;
        let lost = if partial { u64::from(core.seq.len_at(ack.ack)) } else { report.lost };
        Report { lost, ..report }
    }

    #[inline(always)]
    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        if ack.ack <= core.seq.una {
            return Counts::of(Data::None);
        }
        if ack.ack < core.cc.recover && core.cc.state == CaState::Recovery {
            let (each_restarts, deflates) = core.rules.recovery.partial_ack();
            let restarts = each_restarts || !std::mem::replace(&mut self.had_partial, true);
            let deflation = if deflates { Deflation::Acked } else { Deflation::All };
            return Counts::of(Data::Partial { restarts, deflation });
        }
        self.had_partial = false;
        if core.cc.inflation == 0 { Counts::Ordinary } else { Counts::of(Data::EndsNewReno) }
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, data: Data, _: u64, _: Time) -> Answer {
        let mut answer = duplicate_ack(core, ack, data);
        if matches!(data, Data::Partial { .. }) {
            answer.first[0] = Some(Next::first(core));
        }
        leave_in_order(core, answer, BURST_IN_RECOVERY)
    }

    fn before_timeout(&mut self, _: &Core) -> Voids {
        Voids { duplicates: true, recovery: true }
    }
}
