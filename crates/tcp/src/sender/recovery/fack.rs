//! SACK recovery by forward acknowledgment (Mathis and Mahdavi 1996), as Linux had it before RACK.
//!
//! The highest reported segment says what the network has delivered: what lies `dup_thresh` segments below it, unreported,
//! is lost. A retransmission has no place in that order. It is lost when a segment that was new when it left has been
//! reported, or when more than `dup_thresh` later retransmissions have arrived. RFC 6675 is silent on this: there a
//! retransmission that is lost waits for the timer. RFC 8985 has the same idea with times.
//!
//! In the network is what was sent and is neither reported nor lost; that is kept within the window, holes first.

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::prr::Delivered;
use super::super::congestion::undo::{Evidence, Sign};
use super::super::scoreboard::Scoreboard;
use super::super::{Core, View};
use super::report::News;
use super::{Answer, Begin, Counts, Data, Event, Finding, Follow, LossRecovery, Next, Report, Sends, Voids};
use crate::rules::{FackWindow, RecoveryKind};

/// A retransmission on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Resent {
    start: Seq,
    end: Seq,
    /// The first unit that had not been sent when it left.
    next: Seq,
    /// Its number among the retransmissions.
    number: u64,
}

/// State of forward acknowledgment.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Fack {
    board: Scoreboard,
    /// Units that are lost and not resent since.
    lost: Scoreboard,
    /// In the order of their leaving.
    resent: Vec<Resent>,
    /// Below it everything is reported, lost or resent.
    judged: Seq,
    /// Retransmissions so far, and one past the number of the latest that has arrived.
    count: u64,
    arrived: u64,
    /// Units that may be in the network even if the window says less: the first hole, and rate halving's share.
    allowance: u64,
    /// Of the ACK just judged: what was in flight and reported before it, its deliveries, and units found lost; all ever.
    before: News,
    delivery: Delivered,
    newly_lost: u64,
    lost_ever: u64,
    /// True if a recovery was on before it, and if losses were being repaired.
    recovers: bool,
    repairs: bool,
}

impl Fack {
    /// Units in the network: sent, not reported and not lost.
    fn in_flight(&self, core: &Core) -> u64 {
        core.seq.flight_size().saturating_sub(self.board.total() + self.lost.total())
    }

    /// Takes in what the ACK covers and reports.
    fn update(&mut self, core: &mut View, ack: &Ack, now: Time) {
        let una = ack.ack.max(core.seq.una);
        self.board.clear_below(una);
        self.lost.clear_below(una);
        let mut news = (Seq::MAX, 0);
        for (start, end) in ack.sack.iter(ack.ack) {
            if start >= una && start < end && end <= core.seq.max {
                self.board.report(start, end, |from, to| {
                    news = (from.min(news.0), to.max(news.1));
                    self.lost.remove(from, to);
                    core.note_reported(from, to, now);
                });
            }
        }
        let (board, arrived) = (&self.board, &mut self.arrived);
        self.resent.retain(|resent| {
            let (start, end) = (resent.start, resent.end);
            let touched = start < news.1 && news.0 < end;
            let there = end <= una || (touched && board.within(start, end) == end - start);
            if there {
                *arrived = (resent.number + 1).max(*arrived);
            }
            !there
        });
    }

    /// What was believed lost was not.
    fn forget_losses(&mut self, core: &Core) {
        self.allowance = 0;
        self.resent.clear();
        self.arrived = self.count;
        self.lost.clear();
        self.judged = core.seq.una;
    }

    /// Finds what is lost by now, with everything below `una` acknowledged. Returns whether that is more than before.
    fn find_losses(&mut self, core: &Core, una: Seq) -> bool {
        let Some(&(_, forward)) = self.board.runs().last() else { return false };
        let threshold = u64::from(core.rules.dup_thresh);
        let before = self.lost.total();
        // Holes, segment by segment, as they were sent.
        self.judged = self.judged.max(una);
        loop {
            let start = self.board.at(self.judged).0.map_or(self.judged, |run| run.1);
            let Some(next) = self.board.next_above(start) else { break };
            let end = next.min(start + u64::from(core.seq.len_at(start)));
            if end + threshold * u64::from(core.seq.mss) > forward {
                break;
            }
            self.lost.add(start, end);
            self.judged = end;
        }
        // Those that left first are lost first.
        let arrived = self.arrived;
        let gone = |resent: &&Resent| forward > resent.next || arrived > resent.number + threshold + 1;
        let count = self.resent.iter().take_while(gone).count();
        for resent in self.resent.drain(..count) {
            self.lost.add(resent.start, resent.end);
            if self.board.within(resent.start, resent.end) > 0 {
                self.board.runs().iter().for_each(|&(start, end)| self.lost.remove(start, end));
            }
        }
        self.newly_lost = self.lost.total().saturating_sub(before);
        self.lost_ever += self.newly_lost;
        self.newly_lost > 0
    }

    /// Returns the next segment: holes, then new data, while the window holds more than the network. What a timeout resends are holes, not
    /// what follows SND.NXT.
    fn sends(&mut self, core: &Core) -> Sends {
        self.allowance = self.allowance.min(self.in_flight(core) + u64::from(core.seq.mss));
        Sends::ByPipe { from_end: true, refills: false }
    }

    /// A loss shows: the window is reduced. The first hole goes out whatever that leaves.
    fn enter(&mut self, core: &Core, ends: bool) -> Event {
        let in_flight = self.in_flight(core);
        self.allowance = match core.rules.recovery.window() {
            _ if core.control_owns_window() => 0,
            FackWindow::AtOnce if self.lost.is_empty() => 0,
            FackWindow::AtOnce => in_flight + u64::from(core.seq.mss),
            FackWindow::RateHalving => core.cc.window(core.seq.wnd),
            _ => 0,
        };
        let begin = Begin { delivery: self.delivery, falls: true, continues: false };
        let follow = Some(Follow { delivery: self.delivery, pipe: in_flight, losses: true });
        Event::BeginsWith { ends, begin, follow }
    }
}

impl LossRecovery for Fack {
    fn judge(&mut self, core: &mut View, ack: &Ack, sign: Sign, now: Time) -> Finding {
        let spurious = sign.evidence == Evidence::Needless;
        if spurious {
            self.forget_losses(core);
        }
        let (before, una) = ((core.seq.una, self.board.total()), ack.ack.max(core.seq.una));
        if core.has_ack_events() {
            self.before = News::before(&self.board, self.in_flight(core), core, ack);
        }
        self.newly_lost = 0;
        if ack.ack >= core.seq.una {
            self.update(core, ack, now);
            self.find_losses(core, una);
            self.delivery = Delivered::between(before, (una, self.board.total()));
        }
        Finding { spurious, ..Finding::default() }
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let report = self.before.news(&self.board, core, ack);
        let una = ack.ack.max(core.seq.una);
        let again = core.cc.repairs(core.seq.una) && una >= core.cc.recover;
        let begins = if again { !self.lost.is_empty() || !self.resent.is_empty() } else { self.newly_lost > 0 };
        let state = if begins && core.cc.state != CaState::Recovery { CaState::Recovery } else { report.state };
        let state = if begins && again { CaState::Recovery } else { state };
        let in_flight = (core.seq.max - una).saturating_sub(self.board.total() + self.lost.total());
        Report { lost: self.newly_lost, lost_ever: self.lost_ever, in_flight, state, ..report }
    }

    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        (self.recovers, self.repairs) = (core.cc.state == CaState::Recovery, core.cc.repairs(core.seq.una));
        let restarts = matches!(core.rules.recovery, RecoveryKind::Fack { duplicates_restart_timer: true, .. });
        Counts::of(match ack.ack > core.seq.una {
            true if self.recovers => Data::Within,
            true => Data::New,
            false if restarts && ack.ack == core.seq.una && core.seq.una < core.seq.max => Data::Restarts,
            false => Data::None,
        })
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, _: Data, _: u64, _: Time) -> Answer {
        if ack.ack < core.seq.una {
            return Answer::default();
        }
        let losses = self.newly_lost > 0;
        // All that was outstanding at the reduction is acknowledged. What was lost since then calls for another.
        let ends = self.repairs && core.seq.una >= core.cc.recover;
        let again = ends && (!self.lost.is_empty() || !self.resent.is_empty());
        self.allowance = if ends { 0 } else { self.allowance };
        let event = if again || (losses && !self.recovers && !ends) {
            self.enter(core, ends)
        } else if ends {
            Event::Ends
        } else {
            Event::Follows(Follow { delivery: self.delivery, pipe: self.in_flight(core), losses })
        };
        Answer { event, ..Answer::send(self.sends(core)) }
    }

    fn note_reports(&mut self, core: &mut View, ack: &Ack, now: Time) {
        self.update(core, ack, now);
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (self.in_flight(core), self.lost.total())
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        (core.cc.state == CaState::Recovery).then(|| self.in_flight(core))
    }

    /// Everything that is not reported is to be sent again; reports stay.
    fn before_timeout(&mut self, core: &Core) -> Voids {
        self.allowance = 0;
        self.resent.clear();
        self.arrived = self.count;
        self.lost.clear();
        if core.seq.una < core.seq.max {
            self.lost.add(core.seq.una, core.seq.max);
        }
        for &(start, end) in self.board.runs() {
            self.lost.remove(start, end);
        }
        self.judged = core.seq.max;
        Voids { duplicates: true, recovery: false }
    }

    fn resume(&mut self, core: &mut View, _: Time) -> Answer {
        Answer::send(self.sends(core))
    }

    fn next(&mut self, core: &mut View) -> Option<Next> {
        let in_flight = self.in_flight(core);
        let window = (core.cc.cwnd as u64).max(self.allowance);
        if in_flight + u64::from(core.seq.mss) > window {
            return None;
        }
        if let Some(&(start, end)) = self.lost.runs().first() {
            return Some(Next::again(start, u64::from(core.seq.len_at(start)).min(end - start)));
        }
        let edge = (core.seq.nxt + window - in_flight).min(core.seq.window_end());
        let skip_within = (!core.cc.repairs(core.seq.una)).then_some(edge);
        // What early reports release is Limited Transmit's.
        let limited = core.cc.state != CaState::Recovery && !self.board.is_empty();
        Next::new_data(core).map(|next| Next { skip_within, limited, ..next })
    }

    fn sent(&mut self, core: &Core, sent: &Next) {
        if !sent.in_order {
            self.lost.remove(sent.seq, sent.end());
            self.resent.push(Resent { start: sent.seq, end: sent.end(), next: core.seq.max, number: self.count });
            self.count += 1;
        }
        let mss = u64::from(core.seq.mss);
        self.allowance = match core.rules.recovery.window() {
            FackWindow::RateHalving => self.allowance.min(self.in_flight(core).saturating_sub(mss).max(mss)),
            _ => 0,
        };
    }
}
