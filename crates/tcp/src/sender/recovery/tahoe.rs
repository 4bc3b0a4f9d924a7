//! Tahoe: fast retransmit, then slow start from `snd_una` (Jacobson 1988).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, View};
use super::duplicates::begins_recovery;
use super::{Answer, Counts, Data, Event, LossRecovery, Report, Sends, Voids};

/// Keeps nothing of its own.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Tahoe;

impl LossRecovery for Tahoe {
    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = Report::by_number(core, ack, begins_recovery(core, ack));
        // What follows the first segment is sent again in slow start.
        Report { state: if report.lost > 0 { CaState::Open } else { report.state }, ..report }
    }

    #[inline(always)]
    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        if ack.ack > core.seq.una { Counts::Ordinary } else { Counts::of(Data::None) }
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, _: Data, _: u64, _: Time) -> Answer {
        let duplicate = ack.ack == core.seq.una;
        let begins = begins_recovery(core, ack);
        Answer {
            duplicate,
            event: if begins { Event::Begins { slow_start: true } } else { Event::None },
            limited: duplicate && core.cc.dupacks + 1 < core.rules.dup_thresh,
            sends: Sends::Window(core.rules.max_burst),
            ..Answer::default()
        }
    }

    fn before_timeout(&mut self, _: &Core) -> Voids {
        Voids { duplicates: false, recovery: true }
    }
}
