//! Reno: fast recovery that ends with the first new ACK (RFC 2581; ledger allman1998.m.reno).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, View};
use super::duplicates::{begins_recovery, duplicate_ack, leave_in_order};
use super::{Answer, Counts, Data, LossRecovery, Report, Voids};

/// Keeps nothing of its own: the window inflation says whether recovery is on.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Reno;

impl LossRecovery for Reno {
    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        let ends = ack.ack > core.seq.una && report.state == CaState::Recovery;
        Report { state: if ends { CaState::Open } else { report.state }, ..report }
    }

    #[inline(always)]
    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        if ack.ack <= core.seq.una {
            Counts::of(Data::None)
        } else if core.cc.state != CaState::Recovery && core.cc.inflation == 0 {
            Counts::Ordinary
        } else {
            Counts::of(Data::EndsReno)
        }
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, data: Data, _: u64, _: Time) -> Answer {
        let answer = duplicate_ack(core, ack, data);
        leave_in_order(core, answer, core.rules.max_burst)
    }

    fn before_timeout(&mut self, _: &Core) -> Voids {
        Voids { duplicates: true, recovery: true }
    }
}
