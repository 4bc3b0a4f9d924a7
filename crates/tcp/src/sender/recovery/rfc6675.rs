//! SACK-based loss recovery with a computed pipe (RFC 6675).

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::prr::Delivered;
use super::super::scoreboard::Scoreboard;
use super::super::{Core, SenderWire};
use super::frto::{Frto, TimeoutSign};
use super::pipe::{ByPipe, Next};
use super::report::Before;
use super::{LossRecovery, Report};

/// State of RFC 6675 recovery.
#[derive(Clone, Debug, Default)]
pub struct Rfc6675 {
    board: Scoreboard,
    frto: Frto,
    /// One past the highest unit resent in this recovery ("HighRxt" + 1).
    high_rxt: Seq,
    /// True if this recovery has used its rescue retransmission ("RescueRxt").
    rescued: bool,
    /// [`Rfc6675::lost_edge`] when losses were last looked for.
    judged: Seq,
    /// What the ACK just judged means for a timeout, and how many units it reports for the first time.
    verdict: TimeoutSign,
    news: u64,
    /// For reports: the scoreboard before the ACK, an edge below which losses were reported, and all of them.
    before: Before,
    found_to: Seq,
    lost_ever: u64,
}

impl Rfc6675 {
    /// Takes in the ACK's blocks. Returns how many units they report for the first time.
    fn update(&mut self, core: &mut Core, ack: &Ack, now: Time) -> u64 {
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

    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivered, now: Time, wire: &mut W) {
        self.rescued = false;
        let window = core.cc.cwnd;
        core.begin_recovery(now, wire);
        self.high_rxt = core.seq.una;
        core.begin_prr(window, delivery);
        self.reduce(core, delivery);
        let gap = self.board.next_above(core.seq.una).map_or(u64::MAX, |start| start - core.seq.una);
        let len = u64::from(core.seq.len_at(core.seq.una)).min(gap);
        self.high_rxt = core.seq.una + len;
        core.transmit(core.seq.una, len as u32, now, wire);
        core.extras.prr.sent(len);
        self.send_out(core, now, wire);
    }

    /// Applies proportional rate reduction to an ACK in recovery.
    fn reduce(&mut self, core: &mut Core, delivery: Delivered) {
        if core.extras.prr.is_on() {
            let edge = self.lost_edge(core);
            let losses = self.unreported(self.judged.max(core.seq.una), edge) > 0;
            self.judged = edge.max(self.judged);
            core.follow_prr(delivery, self.set_pipe(core, edge), losses);
        }
    }

    fn duplicate<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivered, now: Time, wire: &mut W) {
        let lost = core.cc.count_duplicate() >= core.rules.dup_thresh || self.lost_edge(core) > core.seq.una;
        if Self::goes_back(core) {
            return;
        }
        if lost && Self::may_enter(core) {
            self.enter(core, delivery, now, wire);
        } else if core.rules.limited_transmit {
            self.high_rxt = core.seq.una;
            let pipe = self.set_pipe(core, core.seq.una);
            Sending { recovery: self, mode: Mode::Limited, pipe, edge: core.seq.una }.send(core, now, wire);
        }
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

    /// In recovery, sends by `pipe`; after a timeout in order from SND.NXT; else what the window allows.
    fn send_out<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        let (mode, pipe, edge) = if core.cc.state == CaState::Recovery {
            let edge = self.lost_edge(core);
            (Mode::Recovery, self.set_pipe(core, edge), edge)
        } else if Self::resends(core) {
            (Mode::GoBack, core.seq.nxt - core.seq.una - self.board.within(core.seq.una, core.seq.nxt), 0)
        } else {
            return core.send_window(core.rules.max_burst, now, wire);
        };
        Sending { recovery: self, mode, pipe, edge }.send(core, now, wire);
    }
}

/// Why segments leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// `NextSeg` (section 4).
    Recovery,
    /// Limited Transmit governed by pipe (section 5, step 3).
    Limited,
    /// In order after a timeout; what is reported is skipped, and does not count as outstanding.
    GoBack,
}

/// The departures that one event causes.
struct Sending<'a> {
    recovery: &'a mut Rfc6675,
    mode: Mode,
    /// Units outstanding.
    pipe: u64,
    /// [`Rfc6675::lost_edge`].
    edge: Seq,
}

impl Sending<'_> {
    /// `NextSeg`: lost holes, new data, other holes, the rescue.
    fn next_in_recovery(&self, core: &Core) -> Option<Next> {
        let recovery = &*self.recovery;
        let hole = recovery.hole_from(core, recovery.high_rxt).map(|(start, len)| Next::again(start, len));
        hole.filter(|hole| hole.seq < self.edge)
            .or_else(|| Next::new_data(core))
            .or(hole)
            .or_else(|| recovery.rescue(core))
    }

    fn next_in_order(&self, core: &mut Core) -> Option<Next> {
        let board = &self.recovery.board;
        let seq = &mut core.seq;
        if let Some(run) = board.at(seq.nxt).0.filter(|_| seq.nxt < seq.max) {
            seq.go_to(run.1);
        }
        if seq.nxt >= seq.limit {
            return None;
        }
        let gap = board.next_above(seq.nxt).map_or(u64::MAX, |start| start - seq.nxt);
        // The window's end, where reported runs do not count.
        let edge = seq.nxt + (core.cc.cwnd as u64).saturating_sub(self.pipe);
        let edge = edge.min(seq.window_end());
        let small = u64::from(seq.len_at(seq.nxt)) > gap && seq.nxt + gap <= edge;
        let len = if small { gap } else { seq.sendable(edge).map(u64::from)? };
        Some(Next::in_order(core, len))
    }
}

impl ByPipe for Sending<'_> {
    fn next(&mut self, core: &mut Core) -> Option<Next> {
        if self.mode == Mode::GoBack {
            return self.next_in_order(core);
        }
        if (core.cc.cwnd as u64) < self.pipe + u64::from(core.seq.mss) {
            return None;
        }
        if self.mode == Mode::Limited { Next::new_data(core) } else { self.next_in_recovery(core) }
    }

    fn sent<W: SenderWire>(&mut self, core: &mut Core, sent: &Next, _: Time, _: &mut W) {
        self.pipe += sent.len;
        match self.mode {
            Mode::Limited => core.cc.note_limited(sent.len),
            Mode::GoBack => {}
            Mode::Recovery => {
                core.extras.prr.sent(sent.len);
                if sent.in_order {
                } else if self.recovery.hole_from(core, self.recovery.high_rxt).is_some() {
                    self.recovery.high_rxt = self.recovery.high_rxt.max(sent.end());
                } else {
                    self.recovery.rescued = true;
                }
            }
        }
    }
}

impl LossRecovery for Rfc6675 {
    fn judge(&mut self, core: &mut Core, ack: &Ack, now: Time) -> bool {
        let duplicate = core.reported_duplicate(ack);
        let needless = core.shows_spurious(ack, duplicate);
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
            self.before = Before::of(&self.board, self.in_flight(core, core.seq.una, state), core, ack);
        }
        self.news = self.update(core, ack, now);
        spurious
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

    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        let (verdict, news) = (self.verdict, self.news);
        if verdict == TimeoutSign::Refuted {
            core.seq.go_back();
            self.frto.refuted(core);
        }
        let recovering = core.cc.state == CaState::Recovery;
        let before = if recovering { (core.seq.una, self.board.total() - news) } else { (0, 0) };
        if ack.ack > core.seq.una {
            let acked = core.accept_new_data(ack, now, wire);
            if acked > 0 {
                core.grow(acked, acked, now);
            }
            self.board.clear_below(core.seq.una);
        } else if ack.ack == core.seq.una && news > 0 && !recovering && verdict != TimeoutSign::Refuted {
            let delivery = Delivered { units: news, covered: 0, reported: self.board.total() };
            self.duplicate(core, delivery, now, wire);
            return None;
        }
        if verdict == TimeoutSign::Ask && self.frto.ask(core, now, wire) {
            return None;
        }
        if core.cc.state == CaState::Recovery {
            let delivery = Delivered::between(before, (core.seq.una, self.board.total()));
            self.reduce(core, delivery);
            self.send_out(core, now, wire);
        } else if core.cc.dupacks == 0 {
            if !Self::resends(core) {
                return Some(core.rules.max_burst);
            }
            self.send_out(core, now, wire);
        }
        None
    }

    fn note_reports(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        self.update(core, ack, now);
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        (core.cc.state == CaState::Recovery).then(|| self.set_pipe(core, self.lost_edge(core)))
    }

    fn before_timeout(&mut self, core: &mut Core) {
        if core.seq.una < core.seq.max {
            self.frto.suspect(core);
        }
        core.cc.forget_duplicates();
        self.found_to = core.seq.max;
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        let in_flight = self.in_flight(core, core.seq.una, core.cc.state_at(core.seq.una));
        (in_flight, self.unreported(core.seq.una, self.lost_edge(core)))
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        self.send_out(core, now, wire);
    }
}
