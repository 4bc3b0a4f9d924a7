//! What ACKs show of spurious retransmissions and of reordering, as Linux concludes (net/ipv4/tcp_input.c).

use acklab_packet::{Ack, Seq, Time};

use super::super::undo::Evidence;
use super::{Rack, Sends};
use crate::rules::{LossSearch, UndoEvidence};
use crate::sender::Core;
use crate::sender::congestion::CaState;

impl Rack {
    /// Informs `undo` of what may still be reported as a duplicate.
    pub(super) fn expect_reports(&self, core: &mut Core) {
        let flight = core.flight();
        let (again, first) = (flight.on_their_way_again(), flight.first().is_some_and(|sent| sent.resent));
        if let Some(undo) = core.extras.undo.as_mut().filter(|undo| undo.evidence == UndoEvidence::Segments) {
            undo.on_their_way(again, again > 0 || first);
        }
    }

    /// A DSACK that counts (`tcp_dsack_seen`). Returns the units that it adds to what was delivered, and the lowest reported segment
    /// that the DSACK shows to have arrived before its own retransmission.
    pub(super) fn note_duplicate(&mut self, core: &mut Core, (start, end): (Seq, Seq)) -> (u64, Option<Seq>) {
        let mss = u64::from(core.seq.mss);
        let segments = (end - start).div_ceil(mss);
        if segments > 1 || !self.tlp.resent_to(end) {
            self.reordering.expect_wider();
        }
        let forgotten = end <= core.seq.una;
        let (units, low) = if forgotten { (segments * mss, None) } else { core.flight().resent_within(start, end) };
        if let Some(undo) = core.extras.undo.as_mut().filter(|undo| undo.evidence == UndoEvidence::Segments) {
            undo.on_report(end, units);
        }
        (segments * mss, low)
    }

    /// Weighs what the ACK shows of the last reduction. If it was spurious, what was believed lost is not.
    pub(super) fn weigh(&mut self, core: &mut Core, ack: &Ack) -> Evidence {
        let state = core.cc.state_at(core.seq.una);
        let echo = core.rules.recovery.stamp(ack.ts_ecr);
        let undo = core.extras.undo.as_ref().filter(|undo| undo.evidence == UndoEvidence::Segments);
        let evidence = undo.map_or(Evidence::None, |undo| undo.weigh(ack, echo, core.seq.una, state));
        if evidence == Evidence::Needless {
            if ack.ack < core.cc.recover || state == CaState::Open {
                self.reordering.on_undo();
            }
            self.reduced_needlessly(core, state == CaState::Loss);
        }
        evidence
    }

    /// The last reduction was spurious; `all`: what was believed lost is not.
    fn reduced_needlessly(&mut self, core: &mut Core, all: bool) {
        self.frto.forget();
        self.detection.advanced = true;
        if all {
            core.flight_mut().forgive(true);
        }
    }

    /// The last reduction was spurious, and so nothing is lost. `was` is the state before: a hole that was late in a recovery was
    /// overtaken, so the path reorders.
    pub(super) fn forget_losses(&mut self, core: &mut Core, was: CaState) {
        self.reordering.seen |= was == CaState::Recovery;
        self.frto.forget();
        let for_good = core.rules.recovery.search() == LossSearch::Linux;
        core.flight_mut().forgive(for_good);
    }

    /// Measures reordering by the lowest segment sent once that something overtook, and by the segment delivered that left last.
    pub(super) fn measure(&mut self, core: &Core, ack: &Ack, low: Option<Seq>, newest: Option<Time>, now: Time) {
        let highest = self.board.runs().last().map_or(ack.ack.max(core.seq.una), |run| run.1);
        if let Some(low) = low.filter(|low| *low < highest) {
            self.reordering.overtaken(highest - low, core.seq.mss, core.rules.dup_thresh);
        }
        if let Some(newest) = newest {
            self.reordering.on_delivery(newest, now);
        }
    }

    /// A late segment has filled a hole of a recovery. The reduction was spurious if no retransmission is in flight. Until then nothing
    /// else is sent again (`tcp_try_undo_partial`).
    pub(super) fn filled_late(&mut self, core: &mut Core) -> bool {
        let waits = core.flight().on_their_way_again() > 0;
        if waits {
            self.sends = Sends::New;
        } else {
            self.reduced_needlessly(core, true);
        }
        !waits
    }
}
