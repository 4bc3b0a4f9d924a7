//! Flight record: each outstanding segment, when it last left, and its fate. Loss detection by time (RFC 8985) or by number
//! (RFC 9002), the round trips of controls and the delivery rate all read this one list.

pub mod found;
mod intake;
mod losses;
pub mod rate;

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

use super::control::Needs;
use super::scoreboard::Scoreboard;
use crate::rules::SenderRules;
use rate::{DeliveryRate, Stamp};

/// A segment, or what a block's edge has left of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sent {
    /// Its first unit, and one past its last.
    pub start: Seq,
    pub end: Seq,
    /// First send time, from which a control's round trip counts.
    pub first: Time,
    /// Last send time (`Segment.xmit_ts`).
    pub at: Time,
    /// Which transmission of the connection that was, from 0: a packet number (RFC 9000 section 12.3).
    pub number: u64,
    /// State of the flow's deliveries at the last send time.
    pub stamp: Stamp,
    /// Units of the whole segment.
    pub size: u32,
    /// True if the record after it holds more of the same segment.
    pub more: bool,
    /// True if it was sent more than once.
    pub resent: bool,
    /// True if it is believed lost, and not sent again since.
    pub lost: bool,
    /// True if it was believed lost, whether it has been sent again since or not.
    pub marked: bool,
    pub sacked: bool,
    /// True if it was found lost by time since it was last sent.
    pub found: bool,
}

/// Everything from the cumulative ACK to the highest unit sent, but for what the rule `skip` leaves out.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    segments: VecDeque<Sent>,
    /// Units sent, and the transmission's number, in the order of time; what was sent again, or arrived, since is stale.
    order: VecDeque<(Time, Seq, Seq, u64)>,
    /// Transmissions so far.
    count: u64,
    /// Units believed lost, and a number below which none is.
    lost: u64,
    lost_from: Seq,
    /// Units ever marked lost.
    lost_ever: u64,
    /// Segments sent again of which nothing has arrived.
    resent: usize,
    /// Units marked lost of which nothing has arrived, sent again or not.
    marked: u64,
    /// Segments reported above the cumulative ACK, and their units.
    sacked: u32,
    reported: u64,
    /// The runs of these units, for a recovery that judges each segment.
    board: Scoreboard,
    /// What ends here or below gives a control no round trip.
    untimed: Seq,
    /// The round trip for a control, until it is taken.
    round_trip: Option<f64>,
    /// For controls that need deliveries.
    pub rate: Option<DeliveryRate>,
}

impl Flight {
    /// The record that a recovery or a control with these `needs` reads, where `mss` units are a full segment.
    pub fn new(rules: &SenderRules, needs: Needs, mss: u32) -> Option<Box<Flight>> {
        let judged = rules.recovery.judges_segments();
        let rate = (needs >= Needs::Deliveries).then(|| DeliveryRate::new(mss, needs == Needs::Losses));
        // A SYN is shorter than a segment, and so is its round trip.
        let untimed = u64::from(rules.syn);
        (judged || needs != Needs::Credit).then(|| Box::new(Flight { untimed, rate, ..Flight::default() }))
    }

    /// Units believed lost that wait to be sent again.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Units believed lost at some time of which nothing has arrived since (Linux's `lost_out`).
    pub fn marked(&self) -> u64 {
        self.marked
    }

    /// True if something is on its way again, or was, and has not arrived.
    pub fn any_resent(&self) -> bool {
        self.resent > 0
    }

    /// Units ever believed lost, each as often as it was.
    pub fn lost_ever(&self) -> u64 {
        self.lost_ever
    }

    /// Units between the two that have been reported, or sent more than once.
    pub fn reported_or_resent(&self, from: Seq, to: Seq) -> u64 {
        let some = self.segments.iter().filter(|sent| sent.sacked || sent.resent);
        some.map(|sent| sent.end.min(to).saturating_sub(sent.start.max(from))).sum()
    }

    /// Units sent again, as lost, of which nothing has arrived (Linux's `retrans_out`).
    pub fn on_their_way_again(&self) -> u64 {
        self.marked - self.lost
    }

    /// Units of `from .. to` that were sent more than once, and the first of them that has been reported.
    pub fn resent_within(&self, from: Seq, to: Seq) -> (u64, Option<Seq>) {
        let resent =
            self.segments.range(self.index(from)..).take_while(|sent| sent.start < to).filter(|sent| sent.resent);
        let reported = resent.clone().find(|sent| sent.sacked).map(|sent| sent.start);
        (resent.map(|sent| sent.end.min(to) - sent.start.max(from)).sum(), reported)
    }

    /// Units outstanding that are neither reported nor believed lost.
    pub fn in_flight(&self) -> u64 {
        let span = |first: &Sent, last: &Sent| last.end - first.start;
        let outstanding = self.segments.front().zip(self.segments.back()).map_or(0, |(first, last)| span(first, last));
        outstanding - self.reported - self.lost
    }

    /// Units reported above the cumulative ACK.
    pub fn reported(&self) -> u64 {
        self.reported
    }

    /// One past the highest unit reported, if any is, for a recovery that judges each segment.
    pub fn highest_reported(&self) -> Option<Seq> {
        self.board.runs().last().map(|run| run.1)
    }

    /// Segments reported above the cumulative ACK.
    pub fn sacked(&self) -> u32 {
        self.sacked
    }

    /// The lowest segment.
    pub fn first(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The highest segment.
    pub fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// Transmissions so far: the next one's number.
    pub fn count(&self) -> u64 {
        self.count
    }

    fn index(&self, seq: Seq) -> usize {
        self.segments.partition_point(|sent| sent.end <= seq)
    }

    /// Makes `at` an edge between two records.
    fn split(&mut self, at: Seq) {
        let index = self.index(at);
        let Some(whole) = self.segments.get_mut(index).filter(|sent| sent.start < at) else { return };
        let below = Sent { end: at, more: true, ..*whole };
        whole.start = at;
        self.sacked += u32::from(below.sacked);
        self.resent += usize::from(below.resent && !below.sacked);
        self.segments.insert(index, below);
    }

    /// Units `start .. end` leave in one segment, as new data or again; `idle`: nothing was outstanding.
    pub fn sent(&mut self, start: Seq, end: Seq, idle: bool, now: Time) {
        let number = self.count;
        self.count += 1;
        let stamp = self.rate.as_mut().map_or_else(Stamp::default, |rate| rate.stamp(idle, now));
        if self.segments.back().is_none_or(|last| last.end <= start) {
            let size = (end - start) as u32;
            self.segments.push_back(Sent { start, end, first: now, at: now, number, stamp, size, ..Sent::default() });
        } else {
            self.split(start);
            self.split(end);
            for index in self.index(start)..self.index(end) {
                let sent = &mut self.segments[index];
                if sent.lost {
                    sent.lost = false;
                    self.lost -= sent.end - sent.start;
                }
                self.resent += usize::from(!sent.resent && !sent.sacked);
                (sent.at, sent.number, sent.stamp) = (now, number, stamp);
                (sent.resent, sent.found) = (true, false);
            }
        }
        self.order.push_back((now, start, end, number));
        if self.rate.as_ref().is_some_and(|rate| rate.losses.is_some()) {
            self.stamp_flight(start, end);
        }
    }

    /// Notes in the stamp of what has just left how much is in flight with it, and how much was ever lost.
    fn stamp_flight(&mut self, start: Seq, end: Seq) {
        let (in_flight, lost) = (self.in_flight(), self.lost_ever);
        for index in self.index(start)..self.index(end) {
            let stamp = &mut self.segments[index].stamp;
            (stamp.in_flight, stamp.lost) = (in_flight.try_into().unwrap_or(u32::MAX), lost);
        }
    }

    /// What is outstanding gives a control no round trip: it may be acknowledged late, by an ACK that waited for a retransmission, or
    /// be sent again (Karn).
    pub fn stop_timing(&mut self) {
        self.untimed = self.segments.back().map_or(self.untimed, |last| last.end);
    }

    /// The round trip in seconds of the newest segment covered since the last call, if it is still timed.
    pub fn take_round_trip(&mut self) -> Option<f64> {
        self.round_trip.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    /// Ten segments of 10 units, sent at 0, 1, ... 9.
    pub(super) fn ten() -> Flight {
        let mut flight = Flight::default();
        (0..10).for_each(|n| flight.sent(10 * n, 10 * n + 10, n == 0, at(n as f64)));
        flight
    }
}
