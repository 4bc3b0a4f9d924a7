//! What ACKs show of spurious retransmissions and of reordering, as Linux concludes (net/ipv4/tcp_input.c).

use acklab_packet::{Ack, Seq, Time};

use super::super::undo::Evidence;
use super::{Rack, Sends};
use crate::sender::Core;
use crate::sender::congestion::CaState;

impl Rack {
    /// Informs `undo` of what may still be reported as a duplicate.
    pub(super) fn expect_reports(&self, core: &mut Core) {
        let flight = core.flight();
        let (again, first) = (flight.on_their_way_again(), flight.first().is_some_and(|sent| sent.resent));
        if let Some(undo) = core.extras.undo.as_mut().filter(|undo| undo.weighed) {
            undo.on_their_way(again, again > 0 || first);
        }
    }

    /// A DSACK counts while no more was reported than was sent again (`tcp_dsack_seen`). Returns the units that it adds to what
    /// was delivered, and the lowest reported segment that the DSACK shows to have arrived before its own retransmission.
    pub(super) fn note_duplicate(&mut self, core: &mut Core, (start, end): (Seq, Seq)) -> Option<(u64, Option<Seq>)> {
        let mss = u64::from(core.seq.mss);
        let segments = (end - start).div_ceil(mss);
        core.counters.duplicates += segments;
        if core.counters.duplicates > core.counters.retransmits {
            return None;
        }
        if segments > 1 || !self.tlp.resent_to(end) {
            self.reordering.expect_wider();
        }
        let forgotten = end <= core.seq.una;
        let (units, low) = if forgotten { (segments * mss, None) } else { core.flight().resent_within(start, end) };
        if let Some(undo) = &mut core.extras.undo {
            undo.on_report(end, units);
        }
        Some((segments * mss, low))
    }

    /// Weighs what the ACK shows of the last reduction, which is undone if it was spurious.
    pub(super) fn weigh(&mut self, core: &mut Core, ack: &Ack) -> Evidence {
        let state = core.cc.state_at(core.seq.una);
        let echo = core.rules.recovery.stamp(ack.ts_ecr);
        let undo = core.extras.undo.as_ref().filter(|undo| undo.weighed);
        let evidence = undo.map_or(Evidence::None, |undo| undo.weigh(ack, echo, core.seq.una, state));
        if evidence == Evidence::Needless {
            if ack.ack < core.cc.recover || state == CaState::Open {
                self.reordering.on_undo();
            }
            self.take_back(core, state == CaState::Loss);
        }
        evidence
    }

    /// Undoes the last reduction; `all`: what was believed lost is not.
    pub(super) fn take_back(&mut self, core: &mut Core, all: bool) {
        core.take_back();
        self.frto.forget();
        self.prr.forget();
        self.detection.advanced = true;
        if all {
            core.flight_mut().forgive(true);
        }
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

    /// A late segment has filled a hole of a recovery, so others overtook it. The reduction is undone if no retransmission is in
    /// flight. Until then nothing else is sent again (`tcp_try_undo_partial`).
    pub(super) fn partial(&mut self, core: &mut Core, ack: &Ack, evidence: Evidence, now: Time) {
        if evidence == Evidence::Late {
            self.measure(core, ack, Some(core.seq.una), None, now);
            if core.flight().on_their_way_again() > 0 {
                self.sends = Sends::New;
            } else {
                self.take_back(core, true);
            }
        }
    }
}
