//! SACK with a `pipe` count (Fall and Floyd 1996; ledger allman1998.m.sack), as ns-2's Sack1 keeps it.
//!
//! `pipe` estimates the units in flight during recovery: minus one segment for every ACK, plus one for every segment
//! sent. It sends the next hole, or new data, while `pipe` is below `cwnd`.

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::scoreboard::Scoreboard;
use super::super::{Core, SenderWire};
use super::duplicates::begins_recovery;
use super::pipe::{ByPipe, Next};
use super::{LossRecovery, Report};
use crate::rules::SackPartial;

/// State of FF96 recovery.
#[derive(Clone, Debug, Default)]
pub struct Ff96 {
    /// A timeout voids SACK information until the next new ACK.
    timed_out: bool,
    pipe: u64,
    board: Scoreboard,
    /// Highest unit known to be received in order; the left edge of the search for holes.
    left: Seq,
    /// Start of the search for the next hole: past the last hole resent.
    next_hole: Seq,
    /// `snd_una` as it was when recovery began (ns-2's `last_ack_`): new data is counted from it.
    base: Seq,
    /// For `two-segments`: the next segment a partial ACK sends.
    next_partial: Seq,
    had_partial: bool,
    /// True if the ACK just judged reports something new.
    news: bool,
}

fn recovering(core: &Core) -> bool {
    core.cc.state == CaState::Recovery
}

impl Ff96 {
    fn clear_board(&mut self) {
        self.board.clear();
        self.next_hole = 0;
    }

    /// Takes in the ACK's blocks. Returns whether they have news.
    fn update(&mut self, core: &Core, ack: &Ack) -> bool {
        let (before, una) = (self.board.total(), ack.ack.max(core.seq.una));
        let mut changed = false;
        if self.left < una {
            changed = !self.board.is_empty();
            self.board.clear_below(una);
            self.left = una;
        }
        for (start, end) in ack.sack.iter(ack.ack) {
            let exact = self.board.runs().binary_search(&(start, end)).is_ok();
            let run = self.board.add(start, end);
            // A stale block below the cumulative ACK pulls the left edge back to its end until the next update.
            if !exact && run.0 <= self.left {
                self.left = run.1;
            }
        }
        changed || before != self.board.total()
    }

    #[inline(never)]
    fn judge_reports(&mut self, core: &Core, ack: &Ack) {
        // An older ACK that was overtaken reports runs that may lie below `snd_una`: they are not taken in.
        let counts = if recovering(core) {
            (core.seq.una + 1..core.cc.recover).contains(&ack.ack) || (ack.ack == core.seq.una && !self.timed_out)
        } else {
            ack.ack == self.base && !self.timed_out
        };
        self.news = counts && self.update(core, ack);
    }

    /// The next unit to resend: at or above the last hole resent, with a reported run above it.
    fn next_retransmission(&mut self) -> Option<Seq> {
        self.next_hole = self.next_hole.max(self.left);
        let (seq, above) = match self.board.at(self.next_hole) {
            (Some(run), above) => (run.1, above),
            (None, above) => (self.next_hole, above),
        };
        if seq == 0 || above == 0 {
            return None;
        }
        self.next_hole = self.next_hole.max(seq);
        Some(seq)
    }

    /// A segment left the network. Duplicated or reordered packets make more ACKs than were counted in: never below 0.
    fn left_network(&mut self, mss: u64) {
        self.pipe = self.pipe.saturating_sub(mss);
    }

    fn mark_resent(&mut self, end: Seq) {
        self.next_hole = self.next_hole.max(end);
    }

    fn third_duplicate<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        if !core.may_fast_retransmit() {
            return;
        }
        let gone = u64::from(core.rules.dup_thresh) * u64::from(core.seq.mss);
        self.pipe = core.seq.flight_size().saturating_sub(gone);
        let len = core.seq.len_at(core.seq.una);
        self.mark_resent(core.seq.una + u64::from(len));
        core.begin_recovery(now, wire);
        core.transmit(core.seq.una, len, now, wire);
    }

    fn in_recovery<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) {
        let mss = u64::from(core.seq.mss);
        self.left_network(mss);
        if ack.ack >= core.cc.recover {
            core.forget_recovery();
            core.new_ack(ack, false, now, wire);
            self.base = core.seq.una;
            self.timed_out = false;
            self.clear_board();
        } else if ack.ack > core.seq.una {
            core.seq.advance(ack.ack);
            match core.rules.recovery.sack_partial() {
                SackPartial::TwoSegments | SackPartial::TwoSegmentsPastEnd => {
                    self.send_two(core, now, wire);
                    self.pipe += mss;
                    if !self.had_partial {
                        core.restart_timer(ack.ack, now, wire);
                        core.timer.rto.reset_backoff(&core.rules);
                        self.had_partial = true;
                    }
                }
                SackPartial::PipeTwice => {
                    self.left_network(mss);
                    core.restart_timer(ack.ack, now, wire);
                    core.timer.rto.reset_backoff(&core.rules);
                }
            }
        } else if ack.ack == core.seq.una && self.news && core.cc.dupacks > 0 {
            core.cc.count_duplicate();
        }
        self.send_out(core, now, wire);
    }

    /// Two segments for a partial ACK, whatever `pipe` and the window say.
    fn send_two<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        self.next_partial = self.next_partial.max(core.seq.una);
        for _ in 0..2 {
            if let (Some(run), _) = self.board.at(self.next_partial) {
                self.next_partial = self.next_partial.max(run.1);
            }
            if self.next_partial >= core.seq.limit && core.rules.recovery.sack_partial() == SackPartial::TwoSegments {
                return;
            }
            core.seq.go_to(core.seq.nxt.max(self.next_partial));
            let len = core.seq.len_at(self.next_partial);
            core.transmit(self.next_partial, len, now, wire);
            self.next_partial += u64::from(len);
            self.mark_resent(self.next_partial);
        }
    }

    /// Sends what may be sent: with nothing reported, what the window allows.
    fn send_out<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        if !recovering(core) && self.board.is_empty() {
            core.send_window(core.rules.max_burst, now, wire);
        } else {
            self.send(core, now, wire);
        }
    }
}

impl ByPipe for Ff96 {
    fn next(&mut self, core: &mut Core) -> Option<Next> {
        let seq = &core.seq;
        let (open, window) = if recovering(core) {
            (self.pipe + u64::from(seq.mss) <= core.cc.cwnd as u64, seq.wnd)
        } else {
            let window = core.cc.window(seq.wnd);
            (seq.sendable(self.base + window).is_some(), window)
        };
        if self.base >= seq.limit || !open {
            return None;
        }
        let Some(hole) = self.next_retransmission() else {
            let len = if seq.nxt < seq.limit { seq.sendable(seq.una + window)? } else { return None };
            return Some(Next::in_order(core, u64::from(len)));
        };
        let gap = self.board.next_above(hole).unwrap_or(Seq::MAX) - hole;
        let len = u64::from(seq.len_at(hole)).min(gap);
        (core.cc.recover > 1 && hole + len <= seq.window_end()).then(|| Next::again(hole, len))
    }

    fn sent<W: SenderWire>(&mut self, core: &mut Core, sent: &Next, _: Time, _: &mut W) {
        if sent.seq < core.seq.nxt && !sent.in_order {
            self.mark_resent(sent.end());
        }
        core.seq.go_to(core.seq.nxt.max(sent.end()));
        self.pipe += u64::from(core.seq.mss);
    }
}

impl LossRecovery for Ff96 {
    /// Outside a recovery an ACK of new data reports nothing that counts.
    #[inline(always)]
    fn judge(&mut self, core: &mut Core, ack: &Ack, _: Time) -> bool {
        if recovering(core) || ack.ack <= self.base {
            self.judge_reports(core, ack);
        }
        false
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let begins = !recovering(core) && ack.ack == self.base && self.news && begins_recovery(core, ack);
        Report::by_number(core, ack, begins)
    }

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if recovering(core) {
            self.in_recovery(core, ack, now, wire);
            return None;
        }
        if ack.ack > self.base {
            self.had_partial = false;
            core.new_ack(ack, true, now, wire);
            self.base = core.seq.una;
            self.timed_out = false;
            self.clear_board();
        } else if ack.ack == self.base && self.news {
            let count = core.cc.count_duplicate();
            if count == core.rules.dup_thresh {
                self.third_duplicate(core, now, wire);
            } else if count < core.rules.dup_thresh {
                core.send_limited(now, wire);
            }
        }
        if core.cc.dupacks > 0 {
            return None;
        }
        if !recovering(core) && self.board.is_empty() {
            return Some(core.rules.max_burst);
        }
        self.send(core, now, wire);
        None
    }

    fn note_reports(&mut self, core: &mut Core, ack: &Ack, _: Time) {
        if ack.ack == core.seq.una && !self.timed_out {
            self.update(core, ack);
        }
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        recovering(core).then_some(self.pipe)
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.cc.forget_duplicates();
        core.bar_recovery();
        self.timed_out = true;
        self.base = self.base.max(core.seq.una);
        self.clear_board();
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        self.send_out(core, now, wire);
    }
}
