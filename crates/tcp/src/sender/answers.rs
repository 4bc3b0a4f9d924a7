//! Application of a recovery's answers, in one order for all recoveries.

use acklab_packet::{Ack, Probe, Segment, Time};

use super::congestion::CaState;
use super::recovery::{Answer, Before, Begin, Data, Deflation, Event, Inflation, LossRecovery, Next, Sends, Timers};
use super::{Core, SenderWire};
use crate::rules::UndoEvidence;

/// New segments that ask whether a timeout was spurious (RFC 5682 section 3.1, step 2b).
const ASK: u32 = 2;

/// The wire. If the recovery has timers of its own, the wire's timer waits until it is known which is due first.
struct Tap<'a, W> {
    wire: &'a mut W,
    holds: bool,
    rto: Option<Option<Time>>,
}

impl<W: SenderWire> SenderWire for Tap<'_, W> {
    fn send(&mut self, segment: Segment, wire_bytes: u32) {
        self.wire.send(segment, wire_bytes);
    }
    fn answer(&mut self, reply: Probe, wire_bytes: u32) {
        self.wire.answer(reply, wire_bytes);
    }
    fn arm(&mut self, at: Time) {
        if self.holds {
            self.rto = Some(Some(at));
        } else {
            self.wire.arm(at);
        }
    }
    fn disarm(&mut self) {
        if self.holds {
            self.rto = Some(None);
        } else {
            self.wire.disarm();
        }
    }
    fn arm_pacer(&mut self, at: Time) {
        self.wire.arm_pacer(at);
    }
}

/// A recovery and the rest of its sender, for one event.
pub(super) struct Answers<'a, R> {
    pub core: &'a mut Core,
    pub recovery: &'a mut R,
}

impl<R: LossRecovery> Answers<'_, R> {
    /// Answers the ACK just judged, which is no ordinary one.
    #[inline(never)]
    pub fn ack<W: SenderWire>(mut self, ack: &Ack, counts: (Before, Data), now: Time, wire: &mut W) {
        let mut tap = Tap { wire, holds: self.recovery.has_timers(), rto: None };
        let advanced = ack.ack > self.core.seq.una;
        let acked = self.core.count(ack, counts, now, &mut tap);
        let answer = self.recovery.react(&mut self.core.view(), ack, counts.1, acked, now);
        let sent = self.apply(&answer, now, &mut tap);
        self.set_timers((sent, advanced), now, tap);
    }

    /// Answers the timer, if it is one of the recovery's own. Returns true if it was.
    pub fn timer<W: SenderWire>(mut self, now: Time, wire: &mut W) -> bool {
        let Some(answer) = self.recovery.on_early_timer(&mut self.core.view(), now) else { return false };
        let mut tap = Tap { wire, holds: self.recovery.has_timers(), rto: None };
        self.apply(&answer, now, &mut tap);
        self.set_timers((false, false), now, tap);
        true
    }

    /// Sends what may be sent: after a timeout (`snd_nxt` is back at `snd_una`), new data, or a pause of the pacer.
    pub fn resume<W: SenderWire>(mut self, now: Time, wire: &mut W) {
        let answer = self.recovery.resume(&mut self.core.view(), now);
        let mut tap = Tap { wire, holds: self.recovery.has_timers(), rto: None };
        let sent = self.apply(&answer, now, &mut tap);
        self.set_timers((sent, false), now, tap);
    }

    fn set_timers<W: SenderWire>(self, (sent, advanced): (bool, bool), now: Time, tap: Tap<'_, W>) {
        if tap.holds {
            match self.recovery.set_timers(self.core, Timers { rto: tap.rto, sent, advanced }, now) {
                Some(due) => tap.wire.arm(due),
                None => tap.wire.disarm(),
            }
        }
    }

    /// Applies an answer from top to bottom. Returns whether a segment left in order, as the recovery named it.
    #[inline(always)]
    fn apply<W: SenderWire>(&mut self, answer: &Answer, now: Time, wire: &mut W) -> bool {
        let core = &mut *self.core;
        if answer.duplicate {
            core.cc.count_duplicate();
        }
        core.reduce(answer.event, now, wire);
        for next in answer.first.iter().flatten() {
            core.seq.go_to(core.seq.nxt.max(next.seq));
            core.send_segment(next, now, wire);
        }
        if let Some(open) = answer.order {
            core.note_order(open, now);
        }
        if let Some((acked, counts)) = answer.grows
            && (!answer.in_use || core.in_use())
        {
            core.grow(acked, counts, now);
        }
        match answer.inflation {
            Some(Inflation::Threshold) => core.inflate_by_threshold(),
            Some(Inflation::By(units)) => core.inflate(units),
            None => {}
        }
        if answer.restarts {
            core.restart_timer(core.seq.una, now, wire);
            core.timer.rto.reset_backoff(&core.rules);
        }
        if answer.limited {
            core.send_limited(now, wire);
        }
        if answer.asks {
            let sent = core.ask(now, wire);
            self.recovery.asked(sent);
            if sent {
                return true;
            }
        }
        self.send(answer.sends, now, wire)
    }

    #[inline(always)]
    fn send<W: SenderWire>(&mut self, sends: Sends, now: Time, wire: &mut W) -> bool {
        match sends {
            Sends::Nothing => {}
            Sends::Window(most) => self.core.send_window(most, now, wire),
            Sends::ByPipe { from_end, refills } => {
                if from_end {
                    self.core.seq.go_to_end();
                }
                let mut sent = self.send_by_pipe(now, wire);
                while refills && self.core.writes_more() {
                    sent |= self.send_by_pipe(now, wire);
                }
                return sent;
            }
            Sends::TailProbe => {
                self.core.seq.go_to_end();
                if let Some(next) = self.recovery.probe(&mut self.core.view(), now) {
                    self.core.send_tail_probe(&next, now, wire);
                }
                self.core.timer.arm(now, wire);
            }
            Sends::Probes(most) => {
                self.core.counters.timeouts += 1;
                for _ in 0..most {
                    self.core.seq.go_to_end();
                    let Some(next) = self.recovery.probe(&mut self.core.view(), now) else { break };
                    self.core.send_segment(&next, now, wire);
                }
            }
        }
        false
    }

    /// Sends the segments that the recovery names, as many as window, pacer and the rule `max_burst` allow. Returns whether one was
    /// in order.
    fn send_by_pipe<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let core = &mut *self.core;
        let (mut count, mut in_order) = (0, false);
        while let Some(mut next) = self.recovery.next(&mut core.view()) {
            if next.len == 0 {
                core.seq.go_to(next.seq);
                continue;
            }
            if !core.may_send_now(next.in_order, now, wire) {
                break;
            }
            if next.in_order {
                next.len = core.within_burst(next.len);
            }
            if let (Some(edge), Some(skip)) = (next.skip_within, &mut core.extras.skip) {
                skip.leave_out(&mut core.seq, next.len as u32, edge);
                next.seq = core.seq.nxt;
            }
            core.send_segment(&next, now, wire);
            self.recovery.sent(core, &next);
            if next.passes {
                core.seq.go_to(core.seq.nxt.max(next.end()));
            }
            in_order |= next.in_order;
            count += 1;
            if count == core.rules.max_burst {
                break;
            }
        }
        in_order
    }
}

impl Core {
    /// Counts an ACK. Returns the units that may grow the window later.
    #[inline(always)]
    fn count<W: SenderWire>(&mut self, ack: &Ack, (before, data): (Before, Data), now: Time, wire: &mut W) -> u64 {
        if before.probe_repaired {
            self.reduce_for_probe(now);
        }
        if before.goes_back {
            self.seq.go_back();
        }
        if let Some(segments) = before.limit {
            self.limit_window(segments);
        }
        if let Some(segments) = before.keep {
            self.keep_window(segments);
        }
        match data {
            Data::None => {}
            Data::Restarts => self.timer.arm(now, wire),
            Data::New => self.new_ack(ack, true, now, wire),
            Data::EndsReno => {
                let exits = self.cc.state == CaState::Recovery;
                if exits {
                    self.leave_recovery();
                }
                self.end_inflation();
                self.new_ack(ack, !exits || self.grows_on_exit(), now, wire);
            }
            Data::EndsNewReno => {
                let exits = self.end_newreno(self.seq.max - ack.ack);
                self.new_ack(ack, !exits || self.grows_on_exit(), now, wire);
            }
            Data::Partial { restarts, deflation } => {
                if restarts {
                    self.restart_timer(ack.ack, now, wire);
                }
                match deflation {
                    Deflation::All => self.deflate(),
                    Deflation::Acked => self.deflate_by(ack.ack - self.seq.una),
                }
                self.seq.advance(ack.ack);
                self.timer.drop_covered(ack.ack, &self.rules);
            }
            Data::Within => self.advance(ack, now, wire),
            Data::Moves => self.seq.advance(ack.ack),
            Data::Forgets => {
                self.forget_recovery();
                self.new_ack(ack, false, now, wire);
            }
            Data::ByPipe { elapsed } => {
                let timed = elapsed.map_or(*ack, |elapsed| Ack { ts_ecr: now - elapsed, ..*ack });
                return self.accept_new_data(&timed, now, wire);
            }
            Data::Quic => {
                if ack.ack >= self.cc.recover && self.cc.state == CaState::Recovery {
                    self.leave_recovery();
                }
                self.timer.timed = None;
                self.new_ack(ack, false, now, wire);
            }
        }
        0
    }

    /// Reduces the window, or opens it, as an event says.
    #[inline(always)]
    fn reduce<W: SenderWire>(&mut self, event: Event, now: Time, wire: &mut W) {
        match event {
            Event::None => {}
            Event::Opens { beside } => self.open_beside(beside),
            Event::Ends => self.end_recovery(),
            Event::Begins { slow_start } => {
                self.begin_recovery(false, now, wire);
                if slow_start {
                    self.restart_slow_start();
                }
            }
            Event::BeginsWith { ends, begin, follow } => {
                if ends {
                    self.end_recovery();
                }
                self.begin(begin, now, wire);
                follow.into_iter().for_each(|follow| self.follow_prr(follow));
            }
            Event::Follows(follow) => self.follow_prr(follow),
            Event::SpreadsMark(follow) => {
                self.spread_mark(now);
                self.follow_prr(follow);
            }
            Event::Quic { period, persistent, least } => {
                if period {
                    self.begin_recovery_period(now);
                    self.keep_window(least);
                }
                if persistent {
                    self.limit_window(least);
                    self.keep_window(least);
                }
            }
        }
    }

    /// Begins a recovery, and its proportional rate reduction.
    fn begin<W: SenderWire>(&mut self, begin: Begin, now: Time, wire: &mut W) {
        let window = self.cc.cwnd;
        self.expect_reports();
        let continued = begin.continues && self.extras.prr.is_on();
        self.begin_recovery(continued, now, wire);
        self.expect_reports();
        if begin.falls {
            self.fall_to_ssthresh();
        }
        if !continued {
            self.begin_prr(window, begin.delivery);
        }
    }

    /// Sends a segment that the recovery names.
    fn send_segment<W: SenderWire>(&mut self, next: &Next, now: Time, wire: &mut W) {
        self.transmit(next.seq, next.len as u32, now, wire);
        if next.in_order {
            self.seq.go_to(next.end());
        }
        if next.limited {
            self.cc.note_limited(next.len);
        }
        if next.restarts {
            self.timer.arm(now, wire);
        }
        self.extras.prr.sent(next.len);
    }

    /// Sends a probe of the tail. To Linux it is no retransmission of a recovery (`tcp_send_loss_probe`).
    fn send_tail_probe<W: SenderWire>(&mut self, next: &Next, now: Time, wire: &mut W) {
        if next.in_order {
            return self.send_new(next.len as u32, now, wire);
        }
        self.stop_timing();
        let undo = self.extras.undo.take_if(|undo| undo.evidence == UndoEvidence::Segments);
        self.transmit(next.seq, next.len as u32, now, wire);
        self.extras.undo = undo.or(self.extras.undo.take());
    }

    /// Sends new data, as far as there is any and the receiver takes it, whatever cwnd says. Returns whether there was some.
    fn ask<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let next = self.seq.nxt;
        self.seq.go_to_end();
        let mut asked = false;
        for _ in 0..ASK {
            let Some(len) = self.seq.new_data().filter(|_| self.may_send_now(true, now, wire)) else { break };
            asked = true;
            self.send_new(len, now, wire);
            self.extras.prr.sent(u64::from(len));
        }
        if !asked {
            self.seq.go_to(next);
        }
        asked
    }
}
