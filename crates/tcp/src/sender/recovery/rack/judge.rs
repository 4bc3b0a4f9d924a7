//! Judgement of an ACK: what it takes from the network, and what it shows to be lost (RFC 8985 section 6.2). No window moves here.

use acklab_packet::{Ack, Time};

use super::super::super::congestion::prr::Delivered;
use super::super::frto::TimeoutSign;
use super::super::undo::{Evidence, dsack};
use super::{Rack, Sends};
use crate::rules::{LossCounts, LossSearch, Reordering, UndoEvidence};
use crate::sender::congestion::CaState;
use crate::sender::{CLOCK, Core};
use crate::wheel::expiry;

/// What the ACK just judged shows. In sequence units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Judged {
    /// Its meaning for a timeout.
    pub verdict: TimeoutSign,
    /// The probe of the tail has repaired a loss.
    pub probe_repaired: bool,
    /// The round trip for the timer, and in seconds that for the control, as Linux counts them.
    pub timed: Option<Time>,
    pub rtt: Option<f64>,
    /// For PRR, and for the control.
    pub delivery: Delivered,
    pub delivered: u64,
    pub sacked: u64,
    /// More is lost than before, and a recovery begins.
    pub more: bool,
    pub begins: bool,
    /// Before it: in flight, and ever found lost.
    pub in_flight: u64,
    pub lost_ever: u64,
}

impl Rack {
    /// Takes in an ACK, and finds what is lost; whether the last reduction was spurious.
    pub(super) fn judge_ack(&mut self, core: &mut Core, ack: &Ack, now: Time) -> bool {
        let recovery = core.rules.recovery;
        let (una, measures) = (core.seq.una, recovery.reordering() == Reordering::Linux);
        let duplicate = core.reported_duplicate(ack);
        let mut spurious = core.shows_spurious(ack, duplicate);
        if spurious {
            self.forget_losses(core, core.cc.state_at(una));
        }
        let verdict = self.frto.judge(core, ack, |core, from, to| core.flight().reported_or_resent(from, to));
        if verdict == TimeoutSign::Spurious {
            self.forget_losses(core, CaState::Loss);
            spurious = true;
        }
        let dsack = dsack(ack);
        let probe_repaired = self.tlp.on_ack(core, ack, dsack) && (spurious || !core.cc.repairs(una));
        if probe_repaired && !spurious {
            core.may_not_be_undone();
        }
        let notes = measures || recovery.undo_evidence() == UndoEvidence::Segments;
        let duplicate = duplicate.filter(|_| notes).map(|block| self.note_duplicate(core, block));
        let evidence = if spurious { Evidence::None } else { self.weigh(core, ack) };
        spurious |= evidence == Evidence::Needless;
        let (in_flight, lost_ever, reported) = (self.in_flight(core), core.flight().lost_ever(), self.board.total());
        let arrived = self.board.runs().last().map_or(una, |run| run.1);
        let samples = self.take_in(core, ack, now);
        let after = ack.ack.max(una);
        let mut delivery = Delivered::between((una, reported), (after, self.board.total()));
        if measures {
            delivery.units += duplicate.map_or(0, |(units, _)| units);
            let low = samples.lowest.into_iter().flatten().filter(|low| *low < arrived);
            let low = low.chain(duplicate.and_then(|(_, low)| low)).min();
            self.measure(core, ack, low, samples.newest, now);
            if evidence == Evidence::Late {
                // Others overtook it.
                self.measure(core, ack, Some(una), None, now);
            }
        }
        spurious |= evidence == Evidence::Late && self.filled_late(core);
        let repairs = !spurious && core.cc.repairs(una);
        if after > una && after >= core.cc.recover && repairs {
            self.reordering.on_exit();
        }
        if !measures {
            self.reordering.on_dsack(after, core.seq.max, dsack.is_some());
        }
        let srtt = core.smoothed_rtt_after(ack, samples.timer.map(Time::from_secs), now);
        let state = if spurious { CaState::Open } else { core.cc.state_at(after) };
        let (more, begins) = self.find_losses(core, (state, srtt), now);
        self.judged = Judged {
            verdict,
            probe_repaired,
            timed: samples.timer.map(Time::from_secs),
            delivery,
            delivered: samples.units[0] + samples.units[1],
            sacked: samples.units[1],
            more,
            begins,
            rtt: samples.control,
            in_flight,
            lost_ever,
        };
        spurious
    }

    /// Marks what is lost, and says when more may be (section 6.2 steps 4 and 5), in this state and with the round trip `srtt`. Whether
    /// that was more than before, and whether a recovery begins: also for what the last one found above its end and did not come to.
    pub(super) fn find_losses(
        &mut self,
        core: &mut Core,
        (state, srtt): (CaState, Option<f64>),
        now: Time,
    ) -> (bool, bool) {
        let wait = self.wait(core, state, srtt);
        let (lost, again) = (core.flight().lost(), core.flight().on_their_way_again());
        let each = core.rules.recovery.search() == LossSearch::EachAck;
        let looks = std::mem::take(&mut self.detection.advanced) || each;
        if self.sends == Sends::New {
            (self.reorder, self.detection.advanced) = (None, looks);
        } else if looks {
            let due = self.detection.newest.and_then(|newest| core.flight_mut().detect(newest, wait, now, CLOCK));
            let margin = core.rules.recovery.timer_margin();
            self.reorder = due.map(|due| expiry(core.rules.recovery.ticks(), now, (due - now).secs() + margin));
        }
        let flight = core.flight();
        let (found, lost_again) = match core.rules.recovery.loss_counts() {
            LossCounts::Unsent => (flight.lost(), false),
            LossCounts::Unreported => (flight.marked(), again > flight.on_their_way_again()),
        };
        let begins = found > 0 && (state < CaState::Recovery || (state == CaState::Loss && lost_again));
        (flight.lost() > lost, begins)
    }

    /// Time after its departure at which a segment that others have overtaken is lost.
    pub(super) fn wait(&self, core: &Core, state: CaState, srtt: Option<f64>) -> Time {
        let enough = self.reordering.degree(core.rules.dup_thresh);
        let impatient = state >= CaState::Recovery || core.flight().sacked() >= enough;
        let srtt = srtt.unwrap_or(f64::INFINITY);
        let window = self.reordering.window(impatient, self.detection.min_rtt, srtt);
        // Both infinite: no round trip is known, and nothing has been delivered.
        Time::from_secs(self.detection.rtt + if window.is_finite() { window } else { 0.0 })
    }
}
