//! Answer to an ACK that has been judged: reductions, growth, and what may leave.

use acklab_packet::{Ack, Time};

use super::super::frto::TimeoutSign;
use super::super::pipe::ByPipe;
use super::{Rack, Sends};
use crate::rules::{Controls, CreditKind, Reordering};
use crate::sender::congestion::CaState;
use crate::sender::congestion::control::Needs;
use crate::sender::congestion::prr::Delivered;
use crate::sender::{Core, SenderWire};

impl Rack {
    /// Answers the ACK just judged, except for the timers. Returns whether something was sent in order, and whether the ACK
    /// advances.
    pub(super) fn answer<W: SenderWire>(
        &mut self,
        core: &mut Core,
        ack: &Ack,
        now: Time,
        wire: &mut W,
    ) -> (bool, bool) {
        let judged = std::mem::take(&mut self.judged);
        if judged.probe_repaired {
            core.reduce_for_probe(now);
        }
        if judged.verdict == TimeoutSign::Refuted {
            self.frto.refuted(core);
        }
        let outstanding = core.seq.una < core.seq.max;
        let advances = ack.ack > core.seq.una;
        let mut acked = 0;
        if advances {
            let timed = judged.timed.map_or(*ack, |elapsed| Ack { ts_ecr: now - elapsed, ..*ack });
            acked = core.accept_new_data(&timed, now, wire);
        }
        // Where segments overtake each other far, reports grow the window, too (`tcp_may_raise_cwnd`).
        let measures = core.rules.recovery.reordering() == Reordering::Linux;
        let far = measures && self.reordering.degree(core.rules.dup_thresh) > core.rules.dup_thresh;
        let marked = ack.ece && core.rules.ecn;
        let raises = acked > 0 || (far && judged.sacked > 0 && core.in_use() && !marked);
        let mark = marked && outstanding && core.spreads_marks();
        self.reduce(core, (judged.delivery, judged.more, judged.begins), mark, now, wire);
        self.note_order(core, now);
        // An ACK that begins a recovery grows no window, and what counts is what was delivered: reported or covered for the first
        // time (`tcp_cong_control` in net/ipv4/tcp_input.c).
        if raises && core.cc.state_at(core.seq.una) != CaState::Recovery && !core.extras.prr.is_on() {
            let delivered = core.rules.credit == CreditKind::SegmentCounter {};
            core.grow(acked, if delivered { judged.delivery.units } else { acked }, now);
        }
        let sent = (judged.verdict == TimeoutSign::Ask && self.ask(core, now, wire)) || self.send_out(core, now, wire);
        self.sends = Sends::All;
        (sent, advances)
    }

    /// Answers losses, or a mark.
    pub(super) fn reduce<W: SenderWire>(
        &mut self,
        core: &mut Core,
        (delivery, more, begins): (Delivered, bool, bool),
        mark: bool,
        now: Time,
        wire: &mut W,
    ) {
        if begins {
            self.enter(core, delivery, now, wire);
            return;
        }
        if mark && core.cc.state_at(core.seq.una) == CaState::Open {
            core.spread_mark(now);
            self.tlp.reset();
        }
        if core.extras.prr.is_on() {
            core.follow_prr(delivery, self.in_flight(core), more);
        }
    }

    /// A loss was found: a recovery begins, and its first segment leaves whatever cwnd says (RFC 6675 section 5, step 4.3).
    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivered, now: Time, wire: &mut W) {
        self.tlp.reset();
        self.expect_reports(core);
        core.begin_recovery_with_prr(delivery, now, wire);
        self.expect_reports(core);
        core.follow_prr(delivery, self.in_flight(core), true);
        // A control that owns the window first says what may be in flight.
        if !core.control_owns_window()
            && let Some(lost) = Rack::next_lost(core)
        {
            self.send_one(core, &lost, now, wire);
        }
    }

    /// The signal for a control in Linux's form: whether all is in order (`tcp_set_ca_state`).
    fn note_order(&mut self, core: &mut Core, now: Time) {
        if core.rules.controls == Controls::Linux && core.needs == Needs::RoundTrips {
            let calm = core.cc.state_at(core.seq.una) == CaState::Open;
            let open = calm && self.board.is_empty() && !core.flight().any_resent();
            if std::mem::replace(&mut self.disordered, !open) == open {
                core.note_order(open, now);
            }
        }
    }

    /// F-RTO's question; whether there was new data to ask with.
    fn ask<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        self.frto.ask(core, now, wire)
    }
}
