//! RACK-TLP (RFC 8985): a segment is lost when one sent later has arrived and its own time is up; a probe asks where no ACK
//! comes. So a retransmission that is lost is noticed like any other segment, and a lost tail without a timeout.
//!
//! Reports are kept as `rfc6675` keeps them, and sending is governed by a pipe in the same way; only what is
//! lost is decided otherwise. Three timers share the wire's one ([`Rack::set_timer`]). What turns out to have
//! been needless is undone where the rule `undo` says so.

mod detection;
mod probe;
mod reordering;
mod samples;
mod spurious;
mod timers;
mod wheel;

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::congestion::control::{CongestionControl, Needs, Signal};
use super::super::{CLOCK, Core, Outstanding, SenderWire};
use super::frto::{Frto, Verdict};
use super::log::SendLog;
use super::pipe::{ByPipe, Next};
use super::prr::{Delivery, Prr};
use super::scoreboard::Scoreboard;
use super::tap::Tap;
use super::undo::dsack;
use super::{LossRecovery, accept_new_data};
use crate::rules::{Controls, CreditKind, FackWindow};
use detection::Detection;
use probe::Tlp;
use reordering::Reordering;
use wheel::expiry;

/// State of RACK-TLP.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    board: Scoreboard,
    log: SendLog,
    detection: Detection,
    reordering: Reordering,
    tlp: Tlp,
    prr: Prr,
    frto: Frto,
    /// What may be sent.
    sends: Sends,
    /// The timer has run out, and what that means for what is outstanding is not yet worked out.
    timed_out: bool,
    /// Something is missing or has been sent again: the state is not open.
    disordered: bool,
    /// Due times of the retransmission timer, the reordering timer and the probe timeout.
    rto: Option<Time>,
    reorder: Option<Time>,
    probe: Option<Time>,
}

/// What may be sent: an ACK that only shows reordering lets go nothing again, and the reordering timer nothing else
/// (`tcp_try_undo_partial`, `tcp_rack_reo_timeout`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sends {
    #[default]
    All,
    New,
    Lost,
}

impl Rack {
    /// Units believed to be in the network: neither reported nor lost.
    fn in_flight(&self, core: &Core) -> u64 {
        core.seq.flight_size() - self.board.total() - self.log.lost()
    }

    /// Marks what is lost, and says when more may be (section 6.2 steps 4 and 5). A recovery begins, if none is on, also for
    /// what the last one found above its end and did not come to.
    fn detect<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, mark: bool, now: Time, wire: &mut W) {
        let (wait, lost, again) = (self.wait(core), self.log.lost(), self.log.on_their_way_again());
        let looks = std::mem::take(&mut self.detection.advanced) || !core.rules.recovery.measures_reordering();
        if self.sends == Sends::New {
            (self.reorder, self.detection.advanced) = (None, looks);
        } else if looks {
            let due = self.detection.newest.and_then(|newest| self.log.detect(newest, wait, now, CLOCK));
            let spare = if core.rules.recovery.counts_ticks() { wheel::LEAST } else { 0.0 };
            self.reorder = due.map(|due| expiry(&core.rules, now, (due - now).secs() + spare));
        }
        // To Linux what was sent again since is still lost (`tcp_time_to_recover` in net/ipv4/tcp_input.c).
        let found = if core.rules.recovery.counts_ticks() { self.log.marked() } else { self.log.lost() };
        // After a timeout, a retransmission that is lost begins a recovery (`FLAG_LOST_RETRANS`).
        let lost_again = again > self.log.on_their_way_again() && core.rules.recovery.measures_reordering();
        let state = core.cc.state_at(core.seq.una);
        if found > 0 && (state < CaState::Recovery || (state == CaState::Loss && lost_again)) {
            self.enter(core, delivery, now, wire);
            return;
        }
        if mark && state == CaState::Open {
            self.answer_mark(core, now);
        }
        if self.prr.on() {
            self.prr.on_ack(core, delivery, self.in_flight(core), self.log.lost() > lost);
        }
    }

    /// A mark, while nothing is lost, reduces the window by shares until more than what is outstanding is acknowledged
    /// (`tcp_enter_cwr`).
    fn answer_mark(&mut self, core: &mut Core, now: Time) {
        let window = core.cc.cwnd;
        core.answer_mark(now);
        core.cc.cwnd = window;
        core.cc.recover += 1;
        self.tlp.reset();
        self.prr.begin(core, window, Delivery::default());
    }

    /// Time after its departure at which a segment that others have overtaken is lost.
    fn wait(&self, core: &Core) -> Time {
        let enough = self.reordering.degree(core.rules.dup_thresh);
        let impatient = core.cc.repairs(core.seq.una) || self.log.sacked() >= enough;
        let srtt = core.smoothed_rtt().unwrap_or(f64::INFINITY);
        let window = self.reordering.window(impatient, self.detection.min_rtt, srtt);
        // Both infinite: no round trip is known, and nothing has been delivered.
        Time::from_secs(self.detection.rtt + if window.is_finite() { window } else { 0.0 })
    }

    /// A loss was found: a recovery begins, and its first segment leaves whatever cwnd says (RFC 6675 section 5, step 4.3).
    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        self.tlp.reset();
        let (window, recover) = (core.cc.cwnd, core.cc.recover);
        self.expect_reports(core);
        core.begin_recovery(now, wire);
        self.expect_reports(core);
        if self.prr.on() {
            // That of a mark goes on.
            core.cc.recover = recover - 1;
        } else {
            self.prr.begin(core, window, delivery);
        }
        self.prr.on_ack(core, delivery, self.in_flight(core), true);
        // A control that owns the window first says what may be in flight.
        if !core.control_owns_window()
            && let Some(lost) = self.next_lost(core)
        {
            self.send_one(core, &lost, now, wire);
        }
    }

    /// The lowest segment that is lost.
    fn next_lost(&mut self, core: &Core) -> Option<Next> {
        let lost = self.log.next_lost()?;
        Some(Next::again(lost.start, u64::from(core.seq.len_at(lost.start)).min(lost.end - lost.start)))
    }

    /// Sends what is lost, then new data, while the pipe has room; whether new data went.
    fn send_out<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        core.seq.nxt = core.seq.max;
        self.send(core, now, wire)
    }

    /// True if new data, too, leaves only while the pipe has room.
    fn by_pipe(&self, core: &Core) -> bool {
        core.cc.repairs(core.seq.una) || (core.rules.limited_transmit && !self.board.is_empty())
    }

    /// Handles an ACK, but for the timers; whether something was sent in order, and whether the ACK advances.
    fn handle_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> (bool, bool) {
        let log = &self.log;
        let verdict = self.frto.judge(core, ack, now, |from, to| log.reported_or_resent(from, to));
        if verdict == Verdict::Spurious {
            self.undone(core, CaState::Loss);
        }
        let dsack = dsack(ack);
        if self.tlp.on_ack(core, ack, dsack) && !core.cc.repairs(core.seq.una) {
            core.may_not_be_undone();
            core.cut(Signal::Loss, now);
            core.cc.state = CaState::Open;
            core.with_control(now, |control, window| control.on_complete(window));
        }
        let measures = core.rules.recovery.measures_reordering();
        let duplicate = dsack.filter(|_| measures).and_then(|block| self.note_duplicate(core, block));
        let evidence = self.weigh(core, ack, now);
        let (before, reported) = (self.outstanding(core), self.board.total());
        let arrived = self.board.runs().last().map_or(core.seq.una, |run| run.1);
        let (samples, timed) = self.take_in(core, ack, now);
        let advances = ack.ack > core.seq.una;
        let mut delivery = Delivery::between((before.una, reported), (ack.ack.max(core.seq.una), self.board.total()));
        if measures {
            delivery.units += duplicate.map_or(0, |(units, _)| units);
            let low = samples.lowest.into_iter().flatten().filter(|low| *low < arrived);
            let low = low.chain(duplicate.and_then(|(_, low)| low)).min();
            self.measure(core, ack, low, samples.newest, now);
            self.partial(core, ack, evidence, now);
        }
        let mut acked = 0;
        if advances {
            if ack.ack >= core.cc.recover && core.cc.repairs(core.seq.una) {
                self.reordering.on_exit();
            }
            let timed = timed.map_or(*ack, |elapsed| Ack { ts_ecr: now - elapsed, ..*ack });
            acked = accept_new_data(core, &timed, &mut self.prr, now, wire);
        }
        if !measures {
            self.reordering.on_dsack(core.seq.una, core.seq.max, dsack.is_some());
        }
        // Where segments overtake each other far, reports grow the window, too (`tcp_may_raise_cwnd`).
        let far = measures && self.reordering.degree(core.rules.dup_thresh) > core.rules.dup_thresh;
        let raises = acked > 0 || (far && samples.reports && core.in_use() && !(ack.ece && core.rules.ecn));
        let mark = ack.ece && core.rules.ecn && before.una < core.seq.max;
        let mark = mark && core.rules.recovery.spreads_marks() && !core.control_owns_window();
        self.detect(core, delivery, mark, now, wire);
        self.tell_state(core, now);
        // An ACK that begins a recovery grows no window, and what counts is what was delivered: reported or covered for the first
        // time (`tcp_cong_control` in net/ipv4/tcp_input.c).
        if raises && core.cc.state_at(core.seq.una) != CaState::Recovery && !self.prr.on() {
            let delivered = core.rules.credit == CreditKind::SegmentCounter {};
            core.grow(acked, if delivered { delivery.units } else { acked }, now);
        }
        core.tell_judged(ack, &before, &self.outstanding(core), now);
        let sent = (verdict == Verdict::Ask && self.ask(core, now, wire)) || self.send_out(core, now, wire);
        self.sends = Sends::All;
        (sent, advances)
    }

    /// Tells a control that takes Linux's form whether all is in order (`tcp_set_ca_state`).
    fn tell_state(&mut self, core: &mut Core, now: Time) {
        if core.rules.controls == Controls::Linux && core.cc.control.needs() == Needs::RoundTrips {
            let calm = core.cc.state_at(core.seq.una) == CaState::Open;
            let open = calm && self.board.is_empty() && !self.log.any_resent();
            if std::mem::replace(&mut self.disordered, !open) == open {
                core.with_control(now, |control, _| control.on_open(open));
            }
        }
    }

    /// F-RTO's question; whether there was new data to ask with.
    fn ask<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let (log, prr) = (&mut self.log, &mut self.prr);
        self.frto.ask(core, now, wire, |start, end| {
            log.sent(start, end, now);
            prr.sent(end - start);
        })
    }
}

impl ByPipe for Rack {
    fn next(&mut self, core: &mut Core) -> Option<Next> {
        let room = self.in_flight(core) + u64::from(core.seq.mss) <= core.cc.cwnd as u64;
        if self.sends != Sends::New
            && let Some(lost) = self.next_lost(core)
        {
            return room.then_some(lost);
        }
        if self.sends == Sends::Lost {
            return None;
        }
        if self.by_pipe(core) {
            let fin = || core.seq.fin_alone().map(|len| Next::in_order(core, u64::from(len)));
            return if room { Next::new_data(core) } else { fin() };
        }
        let edge = core.seq.una + core.cc.window(core.seq.wnd);
        let len = if core.seq.nxt < core.seq.limit { core.seq.sendable(edge)? } else { return None };
        Some(Next::in_order(core, u64::from(len)))
    }

    fn sent<W: SenderWire>(&mut self, core: &mut Core, sent: &Next, now: Time, wire: &mut W) {
        if sent.in_order {
            let limited = self.by_pipe(core) && !core.cc.repairs(core.seq.una);
            core.cc.limited += if limited { sent.len } else { 0 };
        } else if sent.seq == core.seq.una {
            // The first outstanding segment has a whole RTO from now on, as Linux gives it: a lost retransmission of it is
            // RACK's to find.
            core.timer.arm(now, wire);
        }
        self.log.sent(sent.seq, sent.end(), now);
        self.prr.sent(sent.len);
    }
}

impl LossRecovery for Rack {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        let mut tap = Tap { wire, rto: self.rto };
        let moved = self.handle_ack(core, ack, now, &mut tap);
        self.set_timer(core, moved, now, tap);
        None
    }

    fn on_early_timer<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let due = |timer: &mut Option<Time>| timer.take_if(|at| *at <= now).is_some();
        let mut tap = Tap { wire, rto: self.rto };
        if due(&mut self.reorder) {
            // Linux counts a segment that nothing reports (`tcp_rack_reo_timeout` in net/ipv4/tcp_recovery.c).
            let linux = core.rules.recovery.window() == FackWindow::PrrLinux && !core.cc.repairs(core.seq.una);
            let units = if linux { u64::from(core.seq.mss) } else { 0 };
            let delivery = Delivery { units, covered: 0, reported: self.board.total() };
            self.detection.advanced = true;
            self.sends = if core.rules.recovery.measures_reordering() { Sends::Lost } else { Sends::All };
            self.detect(core, delivery, false, now, &mut tap);
            self.send_out(core, now, &mut tap);
            self.sends = Sends::All;
        } else if due(&mut self.probe) {
            self.send_probe(core, now, &mut tap);
        } else {
            return false;
        }
        self.set_timer(core, (false, false), now, tap);
        true
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        (core.cc.state == CaState::Recovery).then(|| self.in_flight(core))
    }

    fn before_timeout(&mut self, core: &mut Core) {
        if core.seq.una < core.seq.max {
            self.frto.suspect(core);
        }
        let calm = !core.cc.repairs(core.seq.una);
        if calm && self.log.sacked() >= core.rules.dup_thresh {
            self.reordering.overestimated();
        }
        core.cc.dupacks = 0;
        self.timed_out = true;
        self.prr.forget();
        (self.reorder, self.probe) = (None, None);
        self.tlp.reset();
    }

    /// A hole that was late in a recovery was overtaken: the path reorders, as Linux concludes.
    fn undone(&mut self, core: &mut Core, was: CaState) {
        core.cc.dupacks = 0;
        self.reordering.seen |= was == CaState::Recovery;
        self.frto.forget();
        self.prr.forget();
        self.log.forgive(core.rules.recovery.measures_reordering());
    }

    fn outstanding(&self, core: &Core) -> Outstanding {
        let (lost, lost_ever) = (self.log.lost(), self.log.lost_ever());
        Outstanding { una: core.seq.una, in_flight: self.in_flight(core), lost, lost_ever }
    }

    fn keeps_log(&self) -> bool {
        true
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        let timed_out = std::mem::take(&mut self.timed_out);
        if timed_out {
            self.rto = Some(expiry(&core.rules, now, core.timer.rto.timeout()));
            self.log.mark_on_timeout(self.wait(core), now);
            if core.control_owns_window() || core.rules.recovery.counts_ticks() {
                // One segment beside what is not lost, as kernels have it (`tcp_enter_loss`).
                core.cc.cwnd = (self.in_flight(core) + u64::from(core.seq.mss)) as f64;
            }
        }
        let mut tap = Tap { wire, rto: self.rto };
        // The first segment leaves whatever the others, not due yet, hold of the window (RFC 6298 (5.4)).
        if timed_out
            && self.in_flight(core) + u64::from(core.seq.mss) > core.cc.cwnd as u64
            && let Some(lost) = self.next_lost(core)
        {
            self.send_one(core, &lost, now, &mut tap);
        }
        let sent = self.send_out(core, now, &mut tap);
        self.set_timer(core, (sent, false), now, tap);
    }
}
