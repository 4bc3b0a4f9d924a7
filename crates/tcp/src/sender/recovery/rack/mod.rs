//! RACK-TLP (RFC 8985): a segment is lost when one sent later has arrived and its own time is up. If no ACK comes, a probe
//! asks for one. So a lost retransmission is noticed like any other segment, and a lost tail is noticed without a timeout.
//!
//! Reports are kept as in `rfc6675`, and a pipe governs sending in the same way. Only the decision what is lost differs. Three
//! timers share the wire's one ([`Rack::set_timer`]). A spurious reduction is undone if the rule `undo` says so.

mod answer;
mod detection;
mod judge;
mod probe;
mod reordering;
mod samples;
mod spurious;
mod timers;

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::congestion::prr::Delivered;
use super::super::{Core, SenderWire};
use super::frto::Frto;
use super::pipe::{ByPipe, Next};
use super::scoreboard::Scoreboard;
use super::tap::Tap;
use super::{LossRecovery, Report};
use crate::rules::{LossSearch, TimeoutCwnd};
use crate::wheel::expiry;
use detection::Detection;
use judge::Judged;
use probe::Tlp;
use reordering::Reordering;

/// State of RACK-TLP.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    board: Scoreboard,
    detection: Detection,
    reordering: Reordering,
    tlp: Tlp,
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
    judged: Judged,
    /// Units ever found lost when last reported.
    reported_lost: u64,
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
        core.seq.flight_size() - self.board.total() - core.flight().lost()
    }

    /// The lowest segment that is lost.
    fn next_lost(core: &mut Core) -> Option<Next> {
        let lost = core.flight_mut().next_lost()?;
        Some(Next::again(lost.start, u64::from(core.seq.len_at(lost.start)).min(lost.end - lost.start)))
    }

    /// Sends what is lost, then new data, while the pipe has room; whether new data went.
    fn send_out<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        core.seq.go_to_end();
        let mut sent = self.send(core, now, wire);
        while core.writes_more() {
            sent |= self.send(core, now, wire);
        }
        sent
    }

    /// True if new data, too, leaves only while the pipe has room.
    fn by_pipe(&self, core: &Core) -> bool {
        core.cc.repairs(core.seq.una) || (core.rules.limited_transmit && !self.board.is_empty())
    }
}

impl ByPipe for Rack {
    fn next(&mut self, core: &mut Core) -> Option<Next> {
        let room = self.in_flight(core) + u64::from(core.seq.mss) <= core.cc.cwnd as u64;
        if self.sends != Sends::New
            && let Some(lost) = Rack::next_lost(core)
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
        if core.seq.nxt >= core.seq.limit {
            return None;
        }
        let len = core.seq.sendable(edge).or_else(|| core.rest_of_burst())?;
        Some(Next::in_order(core, u64::from(len)))
    }

    fn sent<W: SenderWire>(&mut self, core: &mut Core, sent: &Next, now: Time, wire: &mut W) {
        if sent.in_order {
            let limited = self.by_pipe(core) && !core.cc.repairs(core.seq.una);
            core.cc.note_limited(if limited { sent.len } else { 0 });
        } else if sent.seq == core.seq.una {
            // The first outstanding segment has a whole RTO from now on, as Linux gives it: a lost retransmission of it is
            // RACK's to find.
            core.timer.arm(now, wire);
        }
        core.extras.prr.sent(sent.len);
    }
}

impl LossRecovery for Rack {
    fn judge(&mut self, core: &mut Core, ack: &Ack, now: Time) -> bool {
        self.judge_ack(core, ack, now)
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let (judged, una) = (&self.judged, ack.ack.max(core.seq.una));
        let lost_ever = core.flight().lost_ever();
        Report {
            delivered: judged.delivered,
            sacked: judged.sacked,
            lost: lost_ever - judged.lost_ever,
            lost_between: judged.lost_ever - std::mem::replace(&mut self.reported_lost, lost_ever),
            lost_ever,
            prior_in_flight: judged.in_flight,
            in_flight: core.seq.max - una - self.board.total() - core.flight().lost(),
            state: if judged.begins { CaState::Recovery } else { core.cc.state_at(una) },
            rtt: judged.rtt,
        }
    }

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        let mut tap = Tap { wire, rto: self.rto };
        let moved = self.answer(core, ack, now, &mut tap);
        self.set_timer(core, moved, now, tap);
        None
    }

    fn on_early_timer<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let due = |timer: &mut Option<Time>| timer.take_if(|at| *at <= now).is_some();
        let mut tap = Tap { wire, rto: self.rto };
        if due(&mut self.reorder) {
            // Linux counts a segment that nothing reports (`tcp_rack_reo_timeout` in net/ipv4/tcp_recovery.c).
            let linux = core.rules.recovery.search() == LossSearch::Linux;
            let units = if linux && !core.cc.repairs(core.seq.una) { u64::from(core.seq.mss) } else { 0 };
            let delivery = Delivered { units, covered: 0, reported: self.board.total() };
            self.detection.advanced = true;
            self.sends = if linux { Sends::Lost } else { Sends::All };
            let (una, srtt) = (core.seq.una, core.smoothed_rtt());
            let (more, begins) = self.find_losses(core, (core.cc.state_at(una), srtt), now);
            self.reduce(core, (delivery, more, begins), false, now, &mut tap);
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
        if calm && core.flight().sacked() >= core.rules.dup_thresh {
            self.reordering.overestimated();
        }
        core.cc.forget_duplicates();
        self.timed_out = true;
        (self.reorder, self.probe) = (None, None);
        self.tlp.reset();
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (self.in_flight(core), core.flight().lost())
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        let timed_out = std::mem::take(&mut self.timed_out);
        if timed_out {
            self.rto = Some(expiry(core.rules.recovery.ticks(), now, core.timer.rto.timeout()));
            let wait = self.wait(core, core.cc.state_at(core.seq.una), core.smoothed_rtt());
            core.flight_mut().mark_on_timeout(wait, now);
            self.reported_lost = core.flight().lost_ever();
            if core.control_owns_window() || core.rules.recovery.timeout_cwnd() == TimeoutCwnd::InFlight {
                core.open_beside(self.in_flight(core));
            }
        }
        let mut tap = Tap { wire, rto: self.rto };
        // The first segment leaves whatever the others, not due yet, hold of the window (RFC 6298 (5.4)).
        if timed_out
            && self.in_flight(core) + u64::from(core.seq.mss) > core.cc.cwnd as u64
            && let Some(lost) = Rack::next_lost(core)
        {
            self.send_one(core, &lost, now, &mut tap);
        }
        let sent = self.send_out(core, now, &mut tap);
        self.set_timer(core, (sent, false), now, tap);
    }
}
