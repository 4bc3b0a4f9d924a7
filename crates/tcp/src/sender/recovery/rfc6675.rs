//! SACK-based loss recovery with a computed pipe (RFC 6675).

use acklab_packet::{Ack, Seq, Time};

use super::super::frto::Verdict;
use super::super::scoreboard::Scoreboard;
use super::super::{Core, SenderWire};
use super::prr::{Delivery, Prr};
use super::{LossRecovery, take_new_data};

/// State of RFC 6675 recovery.
#[derive(Clone, Debug, Default)]
pub struct Rfc6675 {
    board: Scoreboard,
    recovering: bool,
    /// A timeout happened, and `recover` is not yet acknowledged: go back, skipping what is reported (section 5.1).
    going_back: bool,
    /// One past the highest unit resent in this recovery ("HighRxt" + 1).
    high_rxt: Seq,
    /// Whether this recovery has used its rescue retransmission ("RescueRxt").
    rescued: bool,
    prr: Prr,
    /// [`Rfc6675::lost_edge`] when losses were last looked for.
    judged: Seq,
}

impl Rfc6675 {
    /// Takes in the ACK's blocks; how many units they report for the first time.
    fn update(&mut self, core: &Core, ack: &Ack) -> u64 {
        let before = self.board.total();
        for (start, end) in ack.sack.iter(ack.ack) {
            if start >= core.snd_una && start < end && end <= core.snd_max {
                self.board.add(start, end);
            }
        }
        self.board.total() - before
    }

    /// `IsLost`: everything unreported below this edge is lost (section 4): above it lie `dup_thresh` reported runs,
    /// or more than `dup_thresh - 1` segments' worth of reported units.
    fn lost_edge(&self, core: &Core) -> Seq {
        let threshold = u64::from(core.rules.dup_thresh);
        let (mut runs, mut units) = (0, 0);
        for &(start, end) in self.board.runs().iter().rev() {
            runs += 1;
            units += end - start;
            if runs >= threshold || units > (threshold - 1) * u64::from(core.mss) {
                return start;
            }
        }
        core.snd_una
    }

    fn unreported(&self, from: Seq, to: Seq) -> u64 {
        if from < to { to - from - self.board.within(from, to) } else { 0 }
    }

    /// `SetPipe` (section 4): what is neither reported nor lost, plus what was resent.
    fn pipe(&self, core: &Core, edge: Seq) -> u64 {
        self.unreported(edge.max(core.snd_una), core.snd_max)
            + self.unreported(core.snd_una, self.high_rxt.min(core.snd_max))
    }

    /// [`Rfc6675::pipe`] as it stands, while recovery is on.
    pub(super) fn pipe_in_recovery(&self, core: &Core) -> Option<u64> {
        self.recovering.then(|| self.pipe(core, self.lost_edge(core)))
    }

    /// First unreported run of at most one segment at or above `from`, below the highest reported unit.
    fn hole_from(&self, core: &Core, from: Seq) -> Option<(Seq, u64)> {
        let from = from.max(core.snd_una);
        let start = self.board.at(from).0.map_or(from, |run| run.1);
        let end = self.board.next_above(start)?;
        Some((start, u64::from(core.len_at(start)).min(end - start)))
    }

    /// `NextSeg` (section 4): what to send next in recovery, and whether it is new data.
    fn next_segment(&mut self, core: &Core, edge: Seq) -> Option<(Seq, u64, bool)> {
        let hole = self.hole_from(core, self.high_rxt);
        if let Some((start, len)) = hole.filter(|&(start, _)| start < edge) {
            return Some((start, len, false));
        }
        if core.snd_nxt < core.limit
            && let Some(len) = core.sendable(core.snd_una + core.wnd)
        {
            return Some((core.snd_nxt, u64::from(len), true));
        }
        if let Some((start, len)) = hole {
            return Some((start, len, false));
        }
        self.rescue(core).map(|(start, len)| (start, len, false))
    }

    /// Rule 4: once a recovery, the segment that ends with the highest unreported unit, unless this recovery itself has
    /// sent that one, as a hole or as new data: the rule is for losses at the tail, and repeating what is on its way
    /// rescues nothing.
    fn rescue(&mut self, core: &Core) -> Option<(Seq, u64)> {
        let runs = self.board.runs();
        let end = runs.last().filter(|run| run.1 == core.snd_max).map_or(core.snd_max, |run| run.0);
        if self.rescued || end <= self.high_rxt.max(core.snd_una) || end > core.recover {
            return None;
        }
        self.rescued = true;
        let floor = runs.iter().rev().find(|run| run.1 < end).map_or(core.snd_una, |run| run.1);
        // A FIN is a segment of its own here.
        let longest = if core.rules.fin && end == core.limit { 1 } else { u64::from(core.mss) };
        let start = floor.max(end.saturating_sub(longest));
        Some((start, end - start))
    }

    fn send_in_recovery<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        let edge = self.lost_edge(core);
        let mut sent = 0;
        let mut pipe = self.pipe(core, edge);
        while core.cwnd as u64 >= pipe + u64::from(core.mss) {
            let rescued = self.rescued;
            if !core.may_send_now(now, wire) {
                break;
            }
            let Some((seq, len, new)) = self.next_segment(core, edge) else { break };
            core.transmit(seq, len as u32, now, wire);
            self.prr.sent(len);
            if new {
                core.snd_nxt += len;
            } else if self.rescued == rescued {
                self.high_rxt = self.high_rxt.max(seq + len);
            }
            pipe += len;
            sent += 1;
            if sent == core.rules.max_burst {
                break;
            }
        }
    }

    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        self.recovering = true;
        self.rescued = false;
        core.begin_recovery(now, wire);
        self.high_rxt = core.snd_una;
        self.prr.begin(core, delivery);
        self.reduce(core, delivery);
        let gap = self.board.next_above(core.snd_una).map_or(u64::MAX, |start| start - core.snd_una);
        let len = u64::from(core.len_at(core.snd_una)).min(gap);
        self.high_rxt = core.snd_una + len;
        core.transmit(core.snd_una, len as u32, now, wire);
        self.prr.sent(len);
        self.send_in_recovery(core, now, wire);
    }

    /// What proportional rate reduction makes of an ACK in recovery.
    fn reduce(&mut self, core: &mut Core, delivery: Delivery) {
        if self.prr.on() {
            let edge = self.lost_edge(core);
            let losses = self.unreported(self.judged.max(core.snd_una), edge) > 0;
            self.judged = edge.max(self.judged);
            self.prr.on_ack(core, delivery, self.pipe(core, edge), losses);
        }
    }

    fn duplicate<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        core.dupacks += 1;
        let lost = core.dupacks >= core.rules.dup_thresh || self.lost_edge(core) > core.snd_una;
        if lost && Self::may_enter(core) && !self.going_back {
            self.enter(core, delivery, now, wire);
        } else if core.rules.limited_transmit && !self.going_back {
            self.limited_transmit(core, now, wire);
        }
    }

    /// A new recovery may begin once HighACK has reached RecoveryPoint (section 5.1). RFC 6582 section 3.2 step 2 wants one
    /// segment more, for without SACK duplicates at `recover` may be echoes of what was sent again for nothing; an ACK
    /// that reports something new above it is none.
    fn may_enter(core: &Core) -> bool {
        (core.recover..core.snd_max).contains(&core.snd_una) || core.may_fast_retransmit()
    }

    /// Limited Transmit governed by pipe (section 5, step 3).
    fn limited_transmit<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        self.high_rxt = core.snd_una;
        while core.snd_nxt < core.limit {
            let Some(len) = core.sendable(core.snd_una + core.wnd) else { break };
            let pipe = self.pipe(core, core.snd_una);
            if (core.cwnd as u64) < pipe + u64::from(core.mss) {
                break;
            }
            core.transmit(core.snd_nxt, len, now, wire);
            core.snd_nxt += u64::from(len);
            core.limited += u64::from(len);
        }
    }

    /// Sends in order from `snd_nxt`; after a timeout, skips what is reported and does not count it as in flight.
    fn send_in_order<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        if !self.going_back {
            return core.send_window(core.rules.max_burst, now, wire);
        }
        let mut sent = 0;
        while core.snd_nxt < core.limit {
            let resending = core.snd_nxt < core.snd_max;
            if let Some(run) = self.board.at(core.snd_nxt).0.filter(|_| resending) {
                core.snd_nxt = run.1;
                if core.snd_nxt >= core.limit {
                    break;
                }
            }
            let gap = self.board.next_above(core.snd_nxt).map_or(u64::MAX, |start| start - core.snd_nxt);
            let out = core.snd_nxt - core.snd_una - self.board.within(core.snd_una, core.snd_nxt);
            // The window's end, where reported runs do not count.
            let edge = core.snd_nxt + (core.cwnd as u64).saturating_sub(out);
            let edge = edge.min(core.snd_una + core.wnd);
            let small = u64::from(core.len_at(core.snd_nxt)) > gap && core.snd_nxt + gap <= edge;
            let Some(len) = (if small { Some(gap) } else { core.sendable(edge).map(u64::from) }) else { break };
            if !core.may_send_now(now, wire) {
                break;
            }
            core.transmit(core.snd_nxt, len as u32, now, wire);
            core.snd_nxt += len;
            sent += 1;
            if sent == core.rules.max_burst {
                break;
            }
        }
    }
}

impl LossRecovery for Rfc6675 {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        let verdict = core.judge_timeout(ack, |from, to| self.board.within(from, to));
        match verdict {
            Verdict::Spurious => self.undone(core),
            Verdict::Refuted => core.snd_nxt = core.snd_una,
            _ => {}
        }
        let news = self.update(core, ack);
        let before = if self.recovering { (core.snd_una, self.board.total() - news) } else { (0, 0) };
        if ack.ack > core.snd_una {
            let state = (&mut self.recovering, &mut self.going_back, &mut self.prr);
            take_new_data(core, ack, state, now, wire);
            self.board.clear_below(core.snd_una);
        } else if ack.ack == core.snd_una && news > 0 && !self.recovering && verdict != Verdict::Refuted {
            let delivery = Delivery { units: news, covered: 0, reported: self.board.total() };
            self.duplicate(core, delivery, now, wire);
            return None;
        }
        if verdict == Verdict::Ask && core.ask(now, wire) {
            return None;
        }
        if self.recovering {
            let delivery = Delivery::between(before, (core.snd_una, self.board.total()));
            self.reduce(core, delivery);
            self.send_in_recovery(core, now, wire);
        } else if core.dupacks == 0 {
            if !self.going_back {
                return Some(core.rules.max_burst);
            }
            self.send_in_order(core, now, wire);
        }
        None
    }

    fn hear(&mut self, core: &Core, ack: &Ack) {
        self.update(core, ack);
    }

    fn before_timeout(&mut self, core: &mut Core) {
        core.dupacks = 0;
        self.recovering = false;
        self.prr.forget();
        self.going_back = core.snd_una < core.snd_max;
    }

    fn undone(&mut self, core: &mut Core) {
        (self.recovering, self.going_back) = (false, false);
        self.prr.forget();
        core.dupacks = 0;
        self.high_rxt = core.snd_una;
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        if self.recovering {
            self.send_in_recovery(core, now, wire);
        } else {
            self.send_in_order(core, now, wire);
        }
    }
}
