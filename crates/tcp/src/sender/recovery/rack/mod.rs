//! RACK-TLP (RFC 8985): a segment is lost when one sent later has arrived and its own time is up; a probe asks where no ACK
//! comes. So a retransmission that is lost is noticed like any other segment, and a lost tail without a timeout.
//!
//! What is reported is kept as `rfc6675` keeps it, and sending is governed by a pipe in the same way; only what is
//! lost is decided otherwise. Three timers share the wire's one ([`Rack::set_timer`]). What turns out to have
//! been needless is undone where the rule `undo` says so.

mod detection;
mod probe;

use acklab_packet::{Ack, Seq, Time};

use super::super::control::{Repair, Signal};
use super::super::frto::{ASK, Verdict};
use super::super::scoreboard::Scoreboard;
use super::super::undo::dsack;
use super::super::{CLOCK, Core, LastCut, SenderWire};
use super::log::{SendLog, take_in};
use super::prr::{Delivery, Prr};
use super::tap::Tap;
use super::{LossRecovery, take_new_data};
use detection::Detection;
use probe::Tlp;

/// State of RACK-TLP.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    board: Scoreboard,
    log: SendLog,
    detection: Detection,
    tlp: Tlp,
    prr: Prr,
    recovering: bool,
    /// A timeout happened, and `recover` is not yet acknowledged.
    going_back: bool,
    /// The timer has run out, and what that means for what is outstanding is not yet worked out.
    timed_out: bool,
    /// When the retransmission timer runs out, the reordering timer, and the probe timeout.
    rto: Option<Time>,
    reorder: Option<Time>,
    probe: Option<Time>,
}

impl Rack {
    /// Units believed to be in the network: neither reported nor lost.
    fn pipe(&self, core: &Core) -> u64 {
        core.flight_size() - self.board.total() - self.log.lost()
    }

    /// The same, while recovery is on.
    pub(super) fn pipe_in_recovery(&self, core: &Core) -> Option<u64> {
        self.recovering.then(|| self.pipe(core))
    }

    /// Takes in what the ACK covers and reports, lowest first (section 6.2 steps 1 to 3).
    fn take_in(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        let detection = &mut self.detection;
        let echo = core.rules.timestamps.then_some(ack.ts_ecr);
        take_in(&mut self.log, &mut self.board, core, ack, now, |sent, covered| {
            detection.delivered(&sent, echo.filter(|_| covered), now);
        });
    }

    /// Marks what is lost, and says when more may be (section 6.2 steps 4 and 5). A recovery begins, if none is on, also for
    /// what the last one found above its end and did not come to.
    fn detect<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        let (wait, lost) = (self.wait(core), self.log.lost());
        self.reorder = self.detection.newest.and_then(|newest| self.log.detect(newest, wait, now, CLOCK));
        if self.log.lost() > 0 && !self.recovering && !self.going_back {
            self.enter(core, delivery, now, wire);
        } else if self.prr.on() {
            self.prr.on_ack(core, delivery, self.pipe(core), self.log.lost() > lost);
        }
    }

    /// How long after it was sent a segment that others have overtaken is lost.
    fn wait(&self, core: &Core) -> Time {
        let impatient = self.recovering || self.going_back || self.log.sacked() >= core.rules.dup_thresh;
        let window = self.detection.window(impatient, core.smoothed_rtt().unwrap_or(f64::INFINITY));
        // Both infinite: no round trip is known, and nothing has been delivered.
        Time::from_secs(self.detection.rtt + if window.is_finite() { window } else { 0.0 })
    }

    /// A loss was found: a recovery begins, and its first segment leaves whatever cwnd says (RFC 6675 section 5, step 4.3).
    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        self.recovering = true;
        self.tlp.reset();
        core.begin_recovery(now, wire);
        self.prr.begin(core, delivery);
        self.prr.on_ack(core, delivery, self.pipe(core), true);
        // A control that goes by delivery rates first says what may be in flight.
        if core.rare.delivery.is_none()
            && let Some(lost) = self.log.next_lost()
        {
            self.resend(core, lost.start, lost.end, now, wire);
        }
    }

    /// Sends one segment of `start .. end` again.
    fn resend<W: SenderWire>(&mut self, core: &mut Core, start: Seq, end: Seq, now: Time, wire: &mut W) {
        let len = u64::from(core.len_at(start)).min(end - start);
        if start == core.snd_una {
            // The first outstanding segment has a whole RTO from now on, as Linux gives it: a lost retransmission of it is
            // RACK's to find.
            core.arm(now, wire);
        }
        core.transmit(start, len as u32, now, wire);
        self.log.sent(start, start + len, now);
        self.prr.sent(len);
    }

    /// Sends what is lost, then new data, while the pipe has room; whether new data went.
    fn send<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        core.snd_nxt = core.snd_max;
        let (mss, mut sent, mut new) = (u64::from(core.mss), 0, false);
        let repairing = self.recovering || self.going_back;
        let by_pipe = repairing || (core.rules.limited_transmit && !self.board.is_empty());
        loop {
            let room = self.pipe(core) + mss <= core.cwnd as u64;
            let lost = self.log.next_lost();
            if (lost.is_some() || by_pipe) && !room {
                break;
            }
            if let Some(lost) = lost {
                if !core.may_send_now(now, wire) {
                    break;
                }
                self.resend(core, lost.start, lost.end, now, wire);
            } else {
                let edge = core.snd_una + if by_pipe { core.wnd } else { core.window() };
                let Some(len) = (if core.snd_nxt < core.limit { core.sendable(edge) } else { None }) else { break };
                if !core.may_send_now(now, wire) {
                    break;
                }
                self.send_new(core, len, now, wire);
                core.limited += if by_pipe && !repairing { u64::from(len) } else { 0 };
                new = true;
            }
            sent += 1;
            if sent == core.rules.max_burst {
                break;
            }
        }
        new
    }

    fn send_new<W: SenderWire>(&mut self, core: &mut Core, len: u32, now: Time, wire: &mut W) {
        let (start, end) = (core.snd_nxt, core.snd_nxt + u64::from(len));
        core.transmit(start, len, now, wire);
        core.snd_nxt = end;
        self.log.sent(start, end, now);
        self.prr.sent(end - start);
    }

    /// `TLP_send_probe` (section 7.3): new data, if there is any and the receiver takes it, else the highest segment again;
    /// whatever cwnd says.
    fn send_probe<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        core.snd_nxt = core.snd_max;
        if self.tlp.may_send(core) {
            let new = if core.snd_nxt < core.limit { core.sendable(core.snd_una + core.wnd) } else { None };
            if let Some(len) = new {
                self.send_new(core, len, now, wire);
                self.tlp.sent(core, false);
            } else if let Some(last) = self.log.last().copied() {
                core.stop_timing();
                let start = last.start.max(last.end.saturating_sub(u64::from(core.mss)));
                core.transmit(start, (last.end - start) as u32, now, wire);
                self.log.sent(start, last.end, now);
                self.tlp.sent(core, true);
            }
        }
        core.arm(now, wire);
    }

    /// Schedules a probe (section 7.2), and sets the wire's timer to whatever is due first (section 8).
    fn set_timer<W: SenderWire>(&mut self, core: &Core, restart: bool, now: Time, tap: Tap<'_, W>) {
        self.rto = tap.rto;
        let handshake = core.rules.syn && core.snd_una == 0;
        let idle = core.snd_una == core.snd_max;
        if self.recovering || self.going_back || !self.board.is_empty() || idle || handshake {
            self.probe = None;
        } else if restart {
            let pto = now + probe::timeout(core);
            self.probe = Some(self.rto.map_or(pto, |rto| rto.min(pto)));
        }
        match [self.rto, self.reorder, self.probe].into_iter().flatten().reduce(Time::min) {
            Some(due) => tap.wire.arm(due),
            None => tap.wire.disarm(),
        }
    }

    /// How what was lost is being repaired.
    fn repair(&self) -> Repair {
        match (self.recovering, self.going_back) {
            (true, _) => Repair::Recovery,
            (_, true) => Repair::Loss,
            _ => Repair::Open,
        }
    }

    /// What an ACK does, but for the timers; whether a probe is to be scheduled anew.
    fn hear_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> bool {
        let verdict = core.judge_timeout(ack, |from, to| self.log.heard_or_resent(from, to));
        if verdict == Verdict::Spurious {
            self.undone(core);
        }
        let dsack = dsack(ack);
        if self.tlp.on_ack(core, ack, dsack) && !self.recovering && !self.going_back {
            core.may_not_be_undone();
            core.cut(Signal::Loss, now);
            core.last_cut = LastCut::Exited;
        }
        let before = (core.snd_una, self.board.total());
        let (flight, lost) = (self.pipe(core), self.log.lost_ever());
        self.take_in(core, ack, now);
        let advances = ack.ack > core.snd_una;
        if advances {
            if ack.ack >= core.recover && (self.recovering || self.going_back) {
                self.detection.on_exit();
            }
            take_new_data(core, ack, (&mut self.recovering, &mut self.going_back, &mut self.prr), now, wire);
        }
        self.detection.on_dsack(core.snd_una, core.snd_max, dsack.is_some());
        let delivery = Delivery::between(before, (core.snd_una, self.board.total()));
        self.detect(core, delivery, now, wire);
        if core.rare.delivery.is_some() {
            let ever = self.log.lost_ever();
            core.on_delivery(
                (flight, self.pipe(core)),
                (ever - lost, ever),
                self.repair(),
                now,
                advances.then_some(ack.ts_ecr),
            );
        }
        (verdict == Verdict::Ask && self.ask(core, now, wire)) || self.send(core, now, wire) || advances
    }

    /// F-RTO's question; whether there was new data to ask with.
    fn ask<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        core.snd_nxt = core.snd_max;
        for _ in 0..ASK {
            if let Some(len) = core.new_to_ask(now, wire) {
                self.send_new(core, len, now, wire);
            }
        }
        core.has_asked()
    }
}

impl LossRecovery for Rack {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        let mut tap = Tap { wire, rto: self.rto };
        let restart = self.hear_ack(core, ack, now, &mut tap);
        self.set_timer(core, restart, now, tap);
        None
    }

    fn on_early_timer<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let due = |timer: &mut Option<Time>| timer.take_if(|at| *at <= now).is_some();
        let mut tap = Tap { wire, rto: self.rto };
        if due(&mut self.reorder) {
            let delivery = Delivery { reported: self.board.total(), ..Delivery::default() };
            self.detect(core, delivery, now, &mut tap);
            self.send(core, now, &mut tap);
        } else if due(&mut self.probe) {
            self.send_probe(core, now, &mut tap);
        } else {
            return false;
        }
        self.set_timer(core, false, now, tap);
        true
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.dupacks = 0;
        self.recovering = false;
        self.going_back = core.snd_una < core.snd_max;
        self.timed_out = true;
        self.prr.forget();
        (self.reorder, self.probe) = (None, None);
        self.tlp.reset();
    }

    /// A hole that was late in a recovery was overtaken: the path reorders, as Linux concludes.
    fn undone(&mut self, core: &mut Core) {
        core.dupacks = 0;
        self.detection.reordering_seen |= self.recovering;
        (self.recovering, self.going_back) = (false, false);
        self.prr.forget();
        self.log.forgive();
    }

    fn before_write(&mut self, core: &mut Core) {
        if core.rare.delivery.is_some() && self.log.lost() == 0 {
            core.note_pause(self.pipe(core));
        }
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        if std::mem::take(&mut self.timed_out) {
            self.rto = Some(now + Time::from_secs(core.rto.timeout()));
            self.log.mark_on_timeout(self.wait(core), now);
            if core.rare.delivery.is_some() {
                // One segment beside what is not lost, as kernels have it (`tcp_enter_loss`).
                core.cwnd = (self.pipe(core) + u64::from(core.mss)) as f64;
            }
        }
        let mut tap = Tap { wire, rto: self.rto };
        let restart = self.send(core, now, &mut tap);
        self.set_timer(core, restart, now, tap);
    }
}
