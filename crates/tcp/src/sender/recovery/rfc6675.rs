//! SACK-based loss recovery with a computed pipe (RFC 6675).

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::prr::Delivered;
use super::super::congestion::undo::{Evidence, Sign};
use super::super::scoreboard::Scoreboard;
use super::super::{Core, View};
use super::frto::{Frto, TimeoutSign};
use super::report::News;
use super::{Answer, Before, Begin, Counts, Data, Event, Finding, Follow, LossRecovery, Next, Report, Sends, Voids};
use crate::rules::FackWindow;

/// State of RFC 6675 recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Rfc6675 {
    board: Scoreboard,
    frto: Frto,
    /// One past the highest unit resent in this recovery ("HighRxt" + 1).
    high_rxt: Seq,
    /// True if this recovery has used its rescue retransmission ("RescueRxt").
    rescued: bool,
    /// [`Rfc6675::lost_edge`] when losses were last looked for.
    judged: Seq,
    /// Meaning of the ACK just judged for a timeout, how many units it reports for the first time, and what it delivers.
    verdict: TimeoutSign,
    news: u64,
    delivery: Delivered,
    /// Returns the next segment.
    sending: Sending,
    /// For reports: the scoreboard before the ACK, an edge below which losses were reported, and all of them.
    before: News,
    found_to: Seq,
    lost_ever: u64,
}

impl Rfc6675 {
    /// Takes in the ACK's blocks. Returns how many units they report for the first time.
    fn update(&mut self, core: &mut View, ack: &Ack, now: Time) -> u64 {
        let before = self.board.total();
        for (start, end) in ack.sack.iter(ack.ack) {
            if start >= core.seq.una && start < end && end <= core.seq.max {
                self.board.report(start, end, |from, to| core.note_reported(from.max(ack.ack), to, now));
            }
        }
        self.board.total() - before
    }

    /// What was believed lost was not.
    fn forget_losses(&mut self, core: &Core) {
        self.frto.forget();
        self.high_rxt = core.seq.una;
    }

    /// `IsLost`: everything unreported below this edge is lost (section 4). Above it lie `dup_thresh` reported runs, or more
    /// than `dup_thresh - 1` segments' worth of reported units.
    fn lost_edge(&self, core: &Core) -> Seq {
        self.lost_edge_above(core, core.seq.una)
    }

    /// The same with everything below `una` acknowledged.
    fn lost_edge_above(&self, core: &Core, una: Seq) -> Seq {
        let threshold = u64::from(core.rules.dup_thresh);
        let (mut runs, mut units) = (0, 0);
        for &(start, end) in self.board.runs().iter().rev().take_while(|run| run.1 > una) {
            let start = start.max(una);
            runs += 1;
            units += end - start;
            if runs >= threshold || units > (threshold - 1) * u64::from(core.seq.mss) {
                return start;
            }
        }
        una
    }

    fn unreported(&self, from: Seq, to: Seq) -> u64 {
        if from < to { to - from - self.board.within(from, to) } else { 0 }
    }

    /// `SetPipe` (section 4): what is neither reported nor lost, plus what was resent.
    fn set_pipe(&self, core: &Core, edge: Seq) -> u64 {
        self.unreported(edge.max(core.seq.una), core.seq.max)
            + self.unreported(core.seq.una, self.high_rxt.min(core.seq.max))
    }

    /// Units in the network with everything below `una` acknowledged: in a recovery the pipe, after a timeout what was sent again,
    /// else what is neither reported nor lost.
    fn in_flight(&self, core: &Core, una: Seq, state: CaState) -> u64 {
        let edge = self.lost_edge_above(core, una).max(una);
        match state {
            CaState::Loss => self.unreported(una, core.seq.nxt),
            CaState::Recovery => {
                self.unreported(edge, core.seq.max) + self.unreported(una, self.high_rxt.min(core.seq.max))
            }
            _ => self.unreported(edge, core.seq.max),
        }
    }

    /// First unreported run of at most one segment at or above `from`, below the highest reported unit.
    fn hole_from(&self, core: &Core, from: Seq) -> Option<(Seq, u64)> {
        let from = from.max(core.seq.una);
        let start = self.board.at(from).0.map_or(from, |run| run.1);
        let end = self.board.next_above(start)?;
        Some((start, u64::from(core.seq.len_at(start)).min(end - start)))
    }

    /// Rule 4: once a recovery, the segment that ends with the highest unreported unit. It is left out if this recovery itself
    /// has sent that unit, as a hole or as new data. The rule is for losses at the tail, and a second copy of what is in
    /// flight repairs no loss.
    fn rescue(&self, core: &Core) -> Option<Next> {
        let runs = self.board.runs();
        let end = runs.last().filter(|run| run.1 == core.seq.max).map_or(core.seq.max, |run| run.0);
        if self.rescued || end <= self.high_rxt.max(core.seq.una) || end > core.cc.recover {
            return None;
        }
        let floor = runs.iter().rev().find(|run| run.1 < end).map_or(core.seq.una, |run| run.1);
        // A FIN is a segment of its own here.
        let longest = if core.rules.fin && end == core.seq.limit { 1 } else { u64::from(core.seq.mss) };
        let start = floor.max(end.saturating_sub(longest));
        Some(Next::again(start, end - start))
    }

    fn enter(&mut self, core: &Core) -> Answer {
        self.rescued = false;
        self.high_rxt = core.seq.una;
        let follow = self.follow(core);
        let gap = self.board.next_above(core.seq.una).map_or(u64::MAX, |start| start - core.seq.una);
        let len = u64::from(core.seq.len_at(core.seq.una)).min(gap);
        self.high_rxt = core.seq.una + len;
        let begin = Begin { delivery: self.delivery, ..Begin::default() };
        Answer {
            event: Event::BeginsWith { ends: false, begin, follow },
            first: [Some(Next::again(core.seq.una, len)), None],
            sends: self.by_pipe(core, Mode::Recovery),
            ..Answer::default()
        }
    }

    /// Returns the ACK in recovery as proportional rate reduction reads it.
    fn follow(&mut self, core: &Core) -> Option<Follow> {
        if core.rules.recovery.window() == FackWindow::AtOnce {
            return None;
        }
        let edge = self.lost_edge(core);
        let losses = self.unreported(self.judged.max(core.seq.una), edge) > 0;
        self.judged = edge.max(self.judged);
        Some(Follow { delivery: self.delivery, pipe: self.set_pipe(core, edge), losses })
    }

    /// Answers an ACK that reports something new and covers nothing.
    fn duplicate(&mut self, core: &Core) -> Answer {
        let lost = core.cc.dupacks + 1 >= core.rules.dup_thresh || self.lost_edge(core) > core.seq.una;
        let answer = if Self::goes_back(core) {
            Answer::default()
        } else if lost && Self::may_enter(core) {
            self.enter(core)
        } else if core.rules.limited_transmit {
            self.high_rxt = core.seq.una;
            Answer::send(self.by_pipe(core, Mode::Limited))
        } else {
            Answer::default()
        };
        Answer { duplicate: true, ..answer }
    }

    /// A new recovery may begin once HighACK has reached RecoveryPoint (section 5.1). RFC 6582 section 3.2 step 2 requires one
    /// segment more. The reason is that without SACK, spurious retransmissions may cause duplicates at `recover`. An ACK that
    /// reports new data above it has another cause.
    fn may_enter(core: &Core) -> bool {
        (core.cc.recover..core.seq.max).contains(&core.seq.una) || core.may_fast_retransmit()
    }

    /// True if what was outstanding at a timeout is sent again in order, skipping what is reported (section 5.1).
    fn goes_back(core: &Core) -> bool {
        core.cc.state_at(core.seq.una) == CaState::Loss
    }

    /// True if what was sent before a timeout leaves again: new data that F-RTO sent beyond `recover` included.
    fn resends(core: &Core) -> bool {
        Self::goes_back(core) || core.seq.nxt < core.seq.max
    }

    /// Returns the next segment: in recovery by `pipe`; after a timeout in order from SND.NXT; else as the window allows.
    fn sends(&mut self, core: &Core) -> Sends {
        if core.cc.state == CaState::Recovery {
            self.by_pipe(core, Mode::Recovery)
        } else if Self::resends(core) {
            self.by_pipe(core, Mode::GoBack)
        } else {
            Sends::Window(core.rules.max_burst)
        }
    }

    fn by_pipe(&mut self, core: &Core, mode: Mode) -> Sends {
        let seq = &core.seq;
        let edge = if mode == Mode::Recovery { self.lost_edge(core) } else { seq.una };
        let pipe = match mode {
            Mode::GoBack => seq.nxt - seq.una - self.board.within(seq.una, seq.nxt),
            Mode::Recovery | Mode::Limited => self.set_pipe(core, edge),
        };
        self.sending = Sending { mode, pipe, edge };
        Sends::ByPipe { from_end: false, refills: false }
    }

    /// `NextSeg`: lost holes, new data, other holes, the rescue.
    fn next_in_recovery(&self, core: &Core) -> Option<Next> {
        let hole = self.hole_from(core, self.high_rxt).map(|(start, len)| Next::again(start, len));
        hole.filter(|hole| hole.seq < self.sending.edge)
            .or_else(|| Next::new_data(core))
            .or(hole)
            .or_else(|| self.rescue(core))
    }

    /// After a timeout: the next segment that is not reported.
    fn next_in_order(&self, core: &Core) -> Option<Next> {
        let (board, seq) = (&self.board, &core.seq);
        if let Some(run) = board.at(seq.nxt).0.filter(|run| run.1 > seq.nxt && seq.nxt < seq.max) {
            return Some(Next::skip_to(run.1));
        }
        if seq.nxt >= seq.limit {
            return None;
        }
        let gap = board.next_above(seq.nxt).map_or(u64::MAX, |start| start - seq.nxt);
        // The window's end, where reported runs do not count.
        let edge = seq.nxt + (core.cc.cwnd as u64).saturating_sub(self.sending.pipe);
        let edge = edge.min(seq.window_end());
        let small = u64::from(seq.len_at(seq.nxt)) > gap && seq.nxt + gap <= edge;
        let len = if small { gap } else { seq.sendable(edge).map(u64::from)? };
        Some(Next::in_order(core, len))
    }
}

/// Why segments leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// `NextSeg` (section 4).
    #[default]
    Recovery,
    /// Limited Transmit governed by pipe (section 5, step 3).
    Limited,
    /// In order after a timeout; what is reported is skipped, and does not count as outstanding.
    GoBack,
}

/// The departures that one event causes.
#[derive(Clone, Copy, Debug, Default)]
struct Sending {
    mode: Mode,
    /// Units outstanding.
    pipe: u64,
    /// [`Rfc6675::lost_edge`].
    edge: Seq,
}

impl LossRecovery for Rfc6675 {
    fn judge(&mut self, core: &mut View, ack: &Ack, sign: Sign, now: Time) -> Finding {
        let needless = sign.evidence == Evidence::Needless;
        if needless {
            self.forget_losses(core);
        }
        let board = &self.board;
        self.verdict = self.frto.judge(core, ack, |_, from, to| board.within(from, to));
        if self.verdict == TimeoutSign::Spurious {
            self.forget_losses(core);
        }
        let spurious = needless || self.verdict == TimeoutSign::Spurious;
        if core.has_ack_events() {
            let state = if spurious { CaState::Open } else { core.cc.state_at(core.seq.una) };
            self.before = News::before(&self.board, self.in_flight(core, core.seq.una, state), core, ack);
        }
        self.news = self.update(core, ack, now);
        Finding { spurious, ..Finding::default() }
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let una = ack.ack.max(core.seq.una);
        let edge = self.lost_edge_above(core, una);
        let lost = self.unreported(self.found_to.max(una), edge);
        self.found_to = self.found_to.max(edge);
        self.lost_ever += lost;
        let report = self.before.news(&self.board, core, ack);
        let repeats = core.cc.dupacks + 1 >= core.rules.dup_thresh || edge > una;
        let duplicate = ack.ack == core.seq.una && self.news > 0 && self.verdict != TimeoutSign::Refuted;
        let begins = duplicate && report.state < CaState::Recovery && repeats && Self::may_enter(core);
        let state = if begins { CaState::Recovery } else { report.state };
        let in_flight = self.in_flight(core, una, core.cc.state_at(una));
        Report { lost, lost_ever: self.lost_ever, in_flight, state, ..report }
    }

    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        let (una, before) = (core.seq.una, self.board.total() - self.news);
        let (after, calm) = (ack.ack.max(una), self.verdict == TimeoutSign::None);
        if after > una {
            self.board.clear_below(after);
            let resends = core.cc.state_at(after) == CaState::Loss || core.seq.nxt.max(after) < core.seq.max;
            if calm && !resends && matches!(core.cc.state, CaState::Open | CaState::Loss) {
                return Counts::Ordinary;
            }
        }
        self.delivery = Delivered::between((una, before), (after, self.board.total()));
        let refuted = self.verdict == TimeoutSign::Refuted;
        let limit = if refuted { Frto::limit(core) } else { None };
        let data = if after > una { Data::ByPipe { elapsed: None } } else { Data::None };
        Counts::As(Before { goes_back: refuted, limit, ..Before::default() }, data)
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, data: Data, acked: u64, _: Time) -> Answer {
        let recovering = core.cc.state == CaState::Recovery;
        let repeats = data == Data::None && ack.ack == core.seq.una && self.news > 0;
        if repeats && !recovering && self.verdict != TimeoutSign::Refuted {
            return self.duplicate(core);
        }
        let follow = if recovering { self.follow(core) } else { None };
        Answer {
            grows: (acked > 0).then_some((acked, acked)),
            asks: self.verdict == TimeoutSign::Ask,
            event: follow.map_or(Event::None, Event::Follows),
            sends: if recovering || core.cc.dupacks == 0 { self.sends(core) } else { Sends::Nothing },
            ..Answer::default()
        }
    }

    fn note_reports(&mut self, core: &mut View, ack: &Ack, now: Time) {
        self.update(core, ack, now);
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        (core.cc.state == CaState::Recovery).then(|| self.set_pipe(core, self.lost_edge(core)))
    }

    fn before_timeout(&mut self, core: &Core) -> Voids {
        if core.seq.una < core.seq.max {
            self.frto.suspect(core);
        }
        self.found_to = core.seq.max;
        Voids { duplicates: true, recovery: false }
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        let in_flight = self.in_flight(core, core.seq.una, core.cc.state_at(core.seq.una));
        (in_flight, self.unreported(core.seq.una, self.lost_edge(core)))
    }

    fn resume(&mut self, core: &mut View, _: Time) -> Answer {
        Answer::send(self.sends(core))
    }

    fn asked(&mut self, sent: bool) {
        self.frto.asked(sent);
    }

    fn next(&mut self, core: &mut View) -> Option<Next> {
        let Sending { mode, pipe, .. } = self.sending;
        if mode == Mode::GoBack {
            return self.next_in_order(core);
        }
        if (core.cc.cwnd as u64) < pipe + u64::from(core.seq.mss) {
            return None;
        }
        match mode {
            Mode::Limited => Next::new_data(core).map(|next| Next { limited: true, ..next }),
            _ => self.next_in_recovery(core),
        }
    }

    fn sent(&mut self, core: &Core, sent: &Next) {
        self.sending.pipe += sent.len;
        if self.sending.mode == Mode::Recovery && !sent.in_order {
            if self.hole_from(core, self.high_rxt).is_some() {
                self.high_rxt = self.high_rxt.max(sent.end());
            } else {
                self.rescued = true;
            }
        }
    }
}
