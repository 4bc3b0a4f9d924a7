//! SACK recovery by forward acknowledgment (Mathis and Mahdavi 1996), as Linux had it before RACK.
//!
//! The highest reported segment says what the network has delivered: what lies `dup_thresh` segments below it, unreported,
//! is lost. A retransmission has no place in that order. It is lost when a segment that was new when it left has been
//! reported, or when more than `dup_thresh` later retransmissions have arrived. RFC 6675 is silent on this: there a
//! retransmission that is lost waits for the timer. RFC 8985 has the same idea with times.
//!
//! In the network is what was sent and is neither reported nor lost; that is kept within the window, holes first.

use acklab_packet::{Ack, Seq, Time};

use super::super::scoreboard::Scoreboard;
use super::super::{Core, LastCut, SenderWire};
use super::LossRecovery;
use super::prr::{Delivery, Prr};
use crate::rules::RecoveryWindow;

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
pub struct Fack {
    board: Scoreboard,
    /// What is lost and not resent since.
    lost: Scoreboard,
    /// In the order of their leaving.
    resent: Vec<Resent>,
    /// Below it everything is reported, lost or resent.
    judged: Seq,
    recovering: bool,
    /// The timer ran out, and what was outstanding then is not yet acknowledged.
    repairing: bool,
    /// Retransmissions so far, and one past the number of the latest that has arrived.
    count: u64,
    arrived: u64,
    /// What may be in the network even if the window says less: the first hole, and rate halving's share.
    allowance: u64,
    prr: Prr,
}

impl Fack {
    /// Units in the network: sent, not reported and not lost.
    fn in_flight(&self, core: &Core) -> u64 {
        core.flight_size().saturating_sub(self.board.total() + self.lost.total())
    }

    /// The same, while recovery is on.
    pub(super) fn pipe(&self, core: &Core) -> Option<u64> {
        self.recovering.then(|| self.in_flight(core))
    }

    /// Takes in what the ACK covers and reports.
    fn update(&mut self, core: &Core, ack: &Ack) {
        let una = core.snd_una;
        self.board.clear_below(una);
        self.lost.clear_below(una);
        for (start, end) in ack.sack.iter(ack.ack) {
            if start >= una && start < end && end <= core.snd_max {
                self.board.add(start, end);
                self.lost.remove(start, end);
            }
        }
        let (board, arrived) = (&self.board, &mut self.arrived);
        self.resent.retain(|resent| {
            let there = resent.end <= una || board.within(resent.start, resent.end) == resent.end - resent.start;
            if there {
                *arrived = (resent.number + 1).max(*arrived);
            }
            !there
        });
    }

    /// Judges what is lost by now; whether that is more than before.
    fn judge(&mut self, core: &Core) -> bool {
        let Some(&(_, forward)) = self.board.runs().last() else { return false };
        let threshold = u64::from(core.rules.dup_thresh);
        let before = self.lost.total();
        // Holes, segment by segment, as they were sent.
        self.judged = self.judged.max(core.snd_una);
        loop {
            let start = self.board.at(self.judged).0.map_or(self.judged, |run| run.1);
            let Some(next) = self.board.next_above(start) else { break };
            let end = next.min(start + u64::from(core.len_at(start)));
            if end + threshold * u64::from(core.mss) > forward {
                break;
            }
            self.lost.add(start, end);
            self.judged = end;
        }
        let (lost, board, arrived) = (&mut self.lost, &self.board, self.arrived);
        self.resent.retain(|resent| {
            let gone = forward > resent.next || arrived > resent.number + threshold + 1;
            if gone {
                lost.add(resent.start, resent.end);
                if board.within(resent.start, resent.end) > 0 {
                    board.runs().iter().for_each(|&(start, end)| lost.remove(start, end));
                }
            }
            !gone
        });
        self.lost.total() > before
    }

    /// Sends holes, then new data, while the window holds more than the network.
    fn send<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        let mss = u64::from(core.mss);
        let mut in_flight = self.in_flight(core);
        self.allowance = self.allowance.min(in_flight + mss);
        let mut sent = 0;
        // What a timeout resends are holes, not what follows `snd_nxt`.
        core.snd_nxt = core.snd_max;
        loop {
            let window = (core.cwnd as u64).max(self.allowance);
            if in_flight + mss > window {
                break;
            }
            let hole = self.lost.runs().first().map(|&(start, end)| (start, end - start));
            let new = if core.snd_nxt < core.limit { core.sendable(core.snd_una + core.wnd) } else { None };
            let (seq, len) = match (hole, new) {
                (Some((start, len)), _) => (start, u64::from(core.len_at(start)).min(len)),
                (None, Some(len)) => (core.snd_nxt, u64::from(len)),
                (None, None) => break,
            };
            if !core.may_send_now(now, wire) {
                break;
            }
            let seq = if hole.is_none() && core.rare.skip.is_some() && !self.recovering && !self.repairing {
                let edge = (seq + window - in_flight).min(core.snd_una + core.wnd);
                core.leave_out(len as u32, edge);
                in_flight += core.snd_nxt - seq;
                core.snd_nxt
            } else {
                seq
            };
            if hole.is_some() {
                self.lost.remove(seq, seq + len);
                self.resent.push(Resent { start: seq, end: seq + len, next: core.snd_max, number: self.count });
                self.count += 1;
            } else if !self.recovering && !self.board.is_empty() {
                // What early reports release is Limited Transmit's.
                core.limited += len;
            }
            core.transmit(seq, len as u32, now, wire);
            self.prr.sent(len);
            core.snd_nxt = core.snd_max;
            in_flight += len;
            self.allowance = match core.rules.recovery_window {
                RecoveryWindow::RateHalving => self.allowance.min(in_flight.saturating_sub(mss).max(mss)),
                _ => 0,
            };
            sent += 1;
            if sent == core.rules.max_burst {
                break;
            }
        }
    }

    /// A loss shows: reduces the window. The first hole goes out whatever that leaves.
    fn enter<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        (self.recovering, self.repairing) = (true, false);
        let (mss, before) = (u64::from(core.mss), core.window());
        core.begin_recovery(now, wire);
        core.cwnd = core.threshold();
        self.allowance = match core.rules.recovery_window {
            RecoveryWindow::AtOnce if self.lost.is_empty() => 0,
            RecoveryWindow::AtOnce => self.in_flight(core) + mss,
            RecoveryWindow::RateHalving => before,
            _ => 0,
        };
        self.prr.begin(core, delivery);
        self.prr.on_ack(core, delivery, self.in_flight(core), true);
    }

    /// All that was outstanding at the reduction is acknowledged. What was lost since then calls for another.
    fn leave<W: SenderWire>(&mut self, core: &mut Core, delivery: Delivery, now: Time, wire: &mut W) {
        if self.recovering {
            core.last_cut = LastCut::Exited;
        }
        self.prr.end(core);
        (self.recovering, self.repairing, self.allowance) = (false, false, 0);
        if !self.lost.is_empty() || !self.resent.is_empty() {
            self.enter(core, delivery, now, wire);
        }
    }
}

impl LossRecovery for Fack {
    fn on_ack<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        if ack.ack < core.snd_una {
            return None;
        }
        let before = (core.snd_una, self.board.total());
        if ack.ack == core.snd_una {
            if core.rules.duplicates_restart_timer && core.snd_una < core.snd_max {
                core.arm(now, wire);
            }
        } else if self.recovering {
            core.advance(ack, now, wire);
        } else {
            core.new_ack(ack, true, now, wire);
        }
        self.update(core, ack);
        let more = self.judge(core);
        let delivery = Delivery::between(before, (core.snd_una, self.board.total()));
        if (self.recovering || self.repairing) && core.snd_una >= core.recover {
            self.leave(core, delivery, now, wire);
        } else if more && !self.recovering {
            self.enter(core, delivery, now, wire);
        } else {
            self.prr.on_ack(core, delivery, self.in_flight(core), more);
        }
        self.send(core, now, wire);
        None
    }

    fn hear(&mut self, core: &Core, ack: &Ack) {
        self.update(core, ack);
    }

    /// Everything that is not reported is to be sent again; reports stay.
    fn before_timeout(&mut self, core: &mut Core) {
        core.dupacks = 0;
        self.recovering = false;
        self.repairing = core.snd_una < core.snd_max;
        self.allowance = 0;
        self.prr.forget();
        self.resent.clear();
        self.arrived = self.count;
        self.lost.clear();
        if self.repairing {
            self.lost.add(core.snd_una, core.snd_max);
        }
        for &(start, end) in self.board.runs() {
            self.lost.remove(start, end);
        }
        self.judged = core.snd_max;
    }

    fn undone(&mut self, core: &mut Core) {
        (self.recovering, self.repairing, self.allowance) = (false, false, 0);
        self.prr.forget();
        self.resent.clear();
        self.arrived = self.count;
        self.lost.clear();
        self.judged = core.snd_una;
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        self.send(core, now, wire);
    }
}
