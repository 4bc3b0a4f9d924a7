//! SACK with a `pipe` count (Fall and Floyd 1996; ledger allman1998.m.sack), as ns-2's Sack1 keeps it.
//!
//! `pipe` estimates the units in flight during recovery: minus one segment for every ACK, plus one for every segment
//! sent. It sends the next hole, or new data, while `pipe` is below `cwnd`.

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::undo::Sign;
use super::super::scoreboard::Scoreboard;
use super::super::{Core, View};
use super::duplicates::begins_recovery;
use super::{Answer, Counts, Data, Event, Finding, LossRecovery, Next, Report, Sends, Voids};
use crate::rules::SackPartial;

/// State of FF96 recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Ff96 {
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
    /// True if something was reported or timed out since the last ordinary ACK.
    noted: bool,
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
        self.noted = true;
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

    /// Answers an ACK in recovery, or the one that ends it.
    #[inline(always)]
    fn in_recovery(&mut self, core: &Core, ack: &Ack, data: Data) -> Answer {
        let mss = u64::from(core.seq.mss);
        self.left_network(mss);
        let mut answer = Answer::default();
        match (data, core.rules.recovery.sack_partial()) {
            (Data::Forgets, _) => self.settled(core),
            (Data::Moves, SackPartial::PipeTwice) => {
                self.left_network(mss);
                answer.restarts = true;
            }
            (Data::Moves, _) => {
                answer.first = self.two_segments(core);
                self.pipe += mss;
                answer.restarts = !std::mem::replace(&mut self.had_partial, true);
            }
            _ => answer.duplicate = ack.ack == core.seq.una && self.news && core.cc.dupacks > 0,
        }
        answer.sends = self.sends(core);
        answer
    }

    /// Everything up to SND.UNA is settled.
    fn settled(&mut self, core: &Core) {
        self.base = core.seq.una;
        self.timed_out = false;
        self.clear_board();
    }

    /// Two segments for a partial ACK, whatever `pipe` and the window say.
    fn two_segments(&mut self, core: &Core) -> [Option<Next>; 2] {
        self.next_partial = self.next_partial.max(core.seq.una);
        let mut two = [None; 2];
        for next in &mut two {
            if let (Some(run), _) = self.board.at(self.next_partial) {
                self.next_partial = self.next_partial.max(run.1);
            }
            if self.next_partial >= core.seq.limit && core.rules.recovery.sack_partial() == SackPartial::TwoSegments {
                break;
            }
            let again = Next::again(self.next_partial, core.seq.len_at(self.next_partial).into());
            self.next_partial = again.end();
            self.mark_resent(self.next_partial);
            *next = Some(again);
        }
        two
    }

    /// Returns the next segment: with nothing reported, as the window allows.
    fn sends(&self, core: &Core) -> Sends {
        if !recovering(core) && self.board.is_empty() {
            Sends::Window(core.rules.max_burst)
        } else {
            Sends::ByPipe { from_end: false, refills: false }
        }
    }
}

impl LossRecovery for Ff96 {
    /// Outside a recovery an ACK of new data reports nothing that counts.
    #[inline(always)]
    fn judge(&mut self, core: &mut View, ack: &Ack, _: Sign, _: Time) -> Finding {
        if recovering(core) || ack.ack <= self.base {
            self.judge_reports(core, ack);
        }
        Finding::default()
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let begins = !recovering(core) && ack.ack == self.base && self.news && begins_recovery(core, ack);
        Report::by_number(core, ack, begins)
    }

    #[inline(always)]
    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        if recovering(core) {
            let partial = if ack.ack > core.seq.una { Data::Moves } else { Data::None };
            return Counts::of(if ack.ack >= core.cc.recover { Data::Forgets } else { partial });
        }
        if ack.ack <= self.base {
            return Counts::of(Data::None);
        }
        self.base = ack.ack;
        if std::mem::take(&mut self.noted) {
            (self.had_partial, self.timed_out) = (false, false);
            self.clear_board();
        }
        Counts::Ordinary
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, data: Data, _: u64, _: Time) -> Answer {
        if data != Data::None || recovering(core) {
            return self.in_recovery(core, ack, data);
        }
        let mut answer = Answer::default();
        if ack.ack == self.base && self.news {
            let count = core.cc.dupacks + 1;
            answer.duplicate = true;
            answer.limited = count < core.rules.dup_thresh;
            if count == core.rules.dup_thresh && core.may_fast_retransmit() {
                let gone = u64::from(core.rules.dup_thresh) * u64::from(core.seq.mss);
                self.pipe = core.seq.flight_size().saturating_sub(gone);
                let first = Next::first(core);
                self.mark_resent(first.end());
                answer.event = Event::Begins { slow_start: false };
                answer.first[0] = Some(first);
            }
        } else if core.cc.dupacks == 0 {
            answer.sends = self.sends(core);
        }
        answer
    }

    fn note_reports(&mut self, core: &mut View, ack: &Ack, _: Time) {
        if ack.ack == core.seq.una && !self.timed_out {
            self.update(core, ack);
        }
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        recovering(core).then_some(self.pipe)
    }

    fn before_timeout(&mut self, core: &Core) -> Voids {
        (self.timed_out, self.noted) = (true, true);
        self.base = self.base.max(core.seq.una);
        self.clear_board();
        Voids { duplicates: true, recovery: true }
    }

    fn resume(&mut self, core: &mut View, _: Time) -> Answer {
        Answer::send(self.sends(core))
    }

    fn next(&mut self, core: &mut View) -> Option<Next> {
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
        let again = Next { passes: true, ..Next::again(hole, len) };
        (core.cc.recover > 1 && hole + len <= seq.window_end()).then_some(again)
    }

    fn sent(&mut self, core: &Core, sent: &Next) {
        if sent.seq < core.seq.nxt && !sent.in_order {
            self.mark_resent(sent.end());
        }
        self.pipe += u64::from(core.seq.mss);
    }
}
