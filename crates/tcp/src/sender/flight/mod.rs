//! Flight record: each outstanding segment, when it last left, and its fate. What is reported and what is lost stands in this one list;
//! loss detection by time (RFC 8985) or by number (RFC 9002), the round trips of controls and the delivery rate read it.

pub mod losses;
pub mod rate;

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::ops::Deref;

use acklab_packet::{Ack, Seq, Time};

use super::control::Needs;
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
    /// End of a block that began with it when it was last reported: all of that is reported.
    pub reported_to: Seq,
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

impl Sent {
    fn units(&self) -> u64 {
        self.end - self.start
    }
}

/// Sums over the list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// Units believed lost that wait to be sent again.
    pub lost: u64,
    /// Units believed lost at some time of which nothing has arrived since (Linux's `lost_out`).
    pub marked: u64,
    /// Segments sent again of which nothing has arrived.
    pub resent: usize,
    /// Segments reported above the cumulative ACK, and their units.
    pub sacked: u32,
    pub reported: u64,
    /// One past the highest unit ever reported.
    pub highest: Seq,
    /// Units ever believed lost, each as often as it was.
    pub lost_ever: u64,
    /// Transmissions so far: the next one's number.
    pub count: u64,
}

impl Sums {
    /// Takes off a record that has arrived.
    fn arrived(&mut self, sent: &Sent) {
        self.lost -= if sent.lost { sent.units() } else { 0 };
        self.marked -= if sent.marked { sent.units() } else { 0 };
        self.resent -= usize::from(sent.resent);
    }
}

/// Everything from the cumulative ACK to the highest unit sent, but for what the rule `skip` leaves out.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    segments: VecDeque<Sent>,
    /// Units sent, and the transmission's number, in the order of time; what was sent again, or arrived, since is stale.
    order: VecDeque<(Time, Seq, Seq, u64)>,
    sums: Sums,
    /// Units of a full segment.
    mss: NonZeroU64,
    /// A number below which nothing is lost.
    lost_from: Seq,
    /// What ends here or below gives a control no round trip.
    untimed: Seq,
    /// The round trip in seconds of the newest segment covered, if it was still timed, for a control that takes it.
    pub round_trip: Option<f64>,
    /// For controls that need deliveries.
    pub rate: Option<DeliveryRate>,
}

impl Deref for Flight {
    type Target = Sums;

    fn deref(&self) -> &Sums {
        &self.sums
    }
}

impl Flight {
    /// The record that a recovery or a control with these `needs` reads, where `mss` units are a full segment.
    pub fn new(rules: &SenderRules, needs: Needs, mss: u32) -> Option<Box<Flight>> {
        let judged = rules.recovery.judges_segments();
        let rate = (needs >= Needs::Deliveries).then(|| DeliveryRate::new(mss, needs == Needs::Losses));
        // A SYN is shorter than a segment, and so is its round trip.
        let untimed = u64::from(rules.syn);
        (judged || needs != Needs::Credit).then(|| Box::new(Flight { untimed, ..Flight::empty(mss, rate) }))
    }

    /// Nothing is outstanding.
    fn empty(mss: u32, rate: Option<DeliveryRate>) -> Flight {
        Flight {
            segments: VecDeque::new(),
            order: VecDeque::new(),
            sums: Sums::default(),
            mss: NonZeroU64::new(mss.into()).unwrap_or(NonZeroU64::MIN),
            lost_from: 0,
            untimed: 0,
            round_trip: None,
            rate,
        }
    }

    /// Units between the two that have been reported, or sent more than once.
    pub fn reported_or_resent(&self, from: Seq, to: Seq) -> u64 {
        let some = self.segments.iter().filter(|sent| sent.sacked || sent.resent);
        some.map(|sent| sent.end.min(to).saturating_sub(sent.start.max(from))).sum()
    }

    /// Units sent again, as lost, of which nothing has arrived (Linux's `retrans_out`).
    pub fn on_their_way_again(&self) -> u64 {
        self.sums.marked - self.sums.lost
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
        let outstanding = self.first().zip(self.last()).map_or(0, |(first, last)| last.end - first.start);
        outstanding - self.sums.reported - self.sums.lost
    }

    /// The lowest segment.
    pub fn first(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The highest segment.
    pub fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// Index of the lowest record that ends above `seq`.
    fn index(&self, seq: Seq) -> usize {
        let Some(first) = self.segments.front() else { return 0 };
        // Most segments are full.
        let guess = (seq.saturating_sub(first.start) / self.mss) as usize;
        match self.segments.get(guess) {
            Some(sent) if sent.start <= seq && seq < sent.end => guess,
            _ => self.segments.partition_point(|sent| sent.end <= seq),
        }
    }

    /// Makes `at` an edge between two records. Returns the index of the upper one.
    fn split(&mut self, at: Seq) -> usize {
        let index = self.index(at);
        self.split_record(index, at)
    }

    /// The same, if it lies within the record with this index.
    fn split_record(&mut self, index: usize, at: Seq) -> usize {
        let within = |sent: &&mut Sent| sent.start < at && at < sent.end;
        let Some(whole) = self.segments.get_mut(index).filter(within) else { return index };
        let below = Sent { end: at, more: true, ..*whole };
        whole.start = at;
        self.sums.sacked += u32::from(below.sacked);
        self.sums.resent += usize::from(below.resent && !below.sacked);
        self.segments.insert(index, below);
        index + 1
    }

    /// Units `start .. end` leave in one segment, as new data or again; `idle`: nothing was outstanding.
    pub fn sent(&mut self, start: Seq, end: Seq, idle: bool, now: Time) {
        let number = self.sums.count;
        self.sums.count += 1;
        let stamp = self.rate.as_mut().map_or_else(Stamp::default, |rate| rate.stamp(idle, now));
        if self.segments.back().is_none_or(|last| last.end <= start) {
            let size = (end - start) as u32;
            self.segments.push_back(Sent { start, end, first: now, at: now, number, stamp, size, ..Sent::default() });
        } else {
            for index in self.split(start)..self.split(end) {
                let sent = &mut self.segments[index];
                if sent.lost {
                    sent.lost = false;
                    self.sums.lost -= sent.units();
                }
                self.sums.resent += usize::from(!sent.resent && !sent.sacked);
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
        let (in_flight, lost) = (self.in_flight(), self.sums.lost_ever);
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
}

/// Intake of an ACK: what of the flight it covers, and what it reports above that.
impl Flight {
    /// Takes in what an ACK covers and reports for the first time, lowest first; `note` learns of each record, and whether the
    /// cumulative number covers it. `una`: SND.UNA before it. Returns whether some of what is covered was sent more than once.
    pub fn take_in(&mut self, ack: &Ack, una: Seq, now: Time, mut note: impl FnMut(&Sent, bool)) -> bool {
        let (low, max) = (ack.ack.max(una), self.last().map_or(una, |last| last.end));
        let resent = ack.ack > una && self.acknowledge(ack.ack, now, |sent| note(sent, true));
        if !ack.sack.is_empty() {
            let mut blocks = [(0, 0); 3];
            let mut count = 0;
            for (start, end) in ack.sack.iter(ack.ack).filter(|&(start, end)| start.max(low) < end && end <= max) {
                blocks[count] = (start.max(low), end);
                count += 1;
            }
            blocks[..count].sort_unstable();
            for &(start, end) in &blocks[..count] {
                self.report(start, end, now, |sent| note(sent, false));
            }
        }
        resent
    }

    /// Marks units `start .. end` as reported; `note` learns of each record reported for the first time.
    pub fn report(&mut self, start: Seq, end: Seq, now: Time, mut note: impl FnMut(&Sent)) {
        let mut lowest = self.index(start);
        if self.segments.get(lowest).is_some_and(|sent| !sent.sacked) {
            lowest = self.split_record(lowest, start);
        }
        let mut index = lowest;
        while let Some(sent) = self.segments.get(index).filter(|sent| sent.start < end) {
            if sent.sacked {
                // A block before has reported what follows, too.
                let to = sent.reported_to;
                if to >= end {
                    break;
                }
                index = self.index(to);
                continue;
            }
            self.split_record(index, end);
            let delivers = self.rate.is_some() && self.is_last_piece(index);
            let sent = &mut self.segments[index];
            if let Some(rate) = self.rate.as_mut().filter(|_| delivers) {
                rate.on_report(sent, now);
            }
            note(sent);
            self.sums.arrived(sent);
            self.sums.sacked += 1;
            self.sums.reported += sent.units();
            self.sums.highest = self.sums.highest.max(sent.end);
            (sent.lost, sent.marked, sent.sacked, sent.reported_to) = (false, false, true, sent.end);
            index += 1;
        }
        if let Some(sent) = self.segments.get_mut(lowest) {
            sent.reported_to = sent.reported_to.max(end);
        }
    }

    /// Removes everything below `ack`; `note` learns of what had not been reported. Returns whether some of it was sent
    /// more than once.
    pub fn acknowledge(&mut self, ack: Seq, now: Time, mut note: impl FnMut(&Sent)) -> bool {
        let mut resent = false;
        while let Some(sent) = self.segments.front().filter(|sent| sent.start < ack) {
            if sent.end > ack {
                self.split_record(0, ack);
                continue;
            }
            let delivers = self.rate.is_some() && !sent.sacked && self.is_last_piece(0);
            if let Some(rate) = &mut self.rate {
                rate.on_cover(sent, delivers, now);
            }
            resent |= sent.resent;
            if !sent.more {
                self.round_trip = (sent.end > self.untimed).then(|| (now - sent.first).secs());
            }
            if sent.sacked {
                self.sums.sacked -= 1;
                self.sums.reported -= sent.units();
            } else {
                self.sums.arrived(sent);
                note(sent);
            }
            self.segments.pop_front();
        }
        while self.order.front().is_some_and(|&(_, _, end, _)| end <= ack) {
            self.order.pop_front();
        }
        resent
    }

    /// True if nothing else of the segment of this record is outstanding: with it the whole segment is delivered.
    fn is_last_piece(&self, index: usize) -> bool {
        let below = self.segments.range(..index).rev().take_while(|sent| sent.more);
        let above = self.segments.range(index..).zip(self.segments.range(index + 1..));
        below.chain(above.take_while(|(sent, _)| sent.more).map(|(_, next)| next)).all(|sent| sent.sacked)
    }
}

/// Which outstanding segments are lost: by time (RFC 8985), by number (RFC 9002), or at a timeout.
impl Flight {
    fn mark(&mut self, index: usize) -> &mut Sent {
        let sent = &mut self.segments[index];
        sent.lost = true;
        self.sums.lost += sent.units();
        if !std::mem::replace(&mut sent.marked, true) {
            self.sums.marked += sent.units();
        }
        self.sums.lost_ever += sent.units();
        self.lost_from = self.lost_from.min(sent.start);
        if let Some(losses) = self.rate.as_mut().and_then(|rate| rate.losses.as_mut()) {
            losses.note(sent, self.sums.lost_ever);
        }
        sent
    }

    /// `RACK_detect_loss` (RFC 8985 section 6.2 step 5): what was sent before the newest segment delivered, and is due
    /// after `wait`, is lost. Within `clock` of an instant is at it. Returns when to look again.
    pub fn detect(&mut self, newest: (Time, Seq), wait: Time, now: Time, clock: f64) -> Option<Time> {
        let (mut again, mut place) = (None::<Time>, 0);
        while let Some(&(at, start, end, _)) = self.order.get(place)
            && at <= newest.0
        {
            let mut alive = false;
            for index in self.index(start)..self.index(end) {
                let sent = &self.segments[index];
                if sent.at != at || sent.sacked || sent.lost || sent.found {
                    continue;
                }
                let due = at + wait;
                if at == newest.0 && sent.end >= newest.1 {
                    alive = true;
                } else if due.secs() <= now.secs() + clock {
                    self.mark(index).found = true;
                } else {
                    alive = true;
                    again = Some(again.map_or(due, |again| again.max(due)));
                }
            }
            if alive || place > 0 {
                place += 1;
            } else {
                self.order.pop_front();
            }
        }
        again
    }

    /// RFC 9002 sections 6.1.1 and 6.1.2: what lies `threshold` numbers below `largest`, which has arrived, or left `delay` before now, is
    /// lost; lowest number first. Within `clock` of an instant is at it. Returns when to look again.
    pub fn overtaken(
        &mut self,
        (largest, threshold): (u64, u64),
        (delay, now, clock): (Time, Time, f64),
        mut note: impl FnMut(&Sent),
    ) -> Option<Time> {
        while let Some(&(at, start, end, number)) = self.order.front()
            && number < largest
        {
            let due = at + delay;
            let lost = number + threshold <= largest || due.secs() <= now.secs() + clock;
            for index in self.index(start)..self.index(end) {
                let sent = &self.segments[index];
                if sent.number != number || sent.sacked || sent.lost {
                    continue;
                }
                if !lost {
                    return Some(due);
                }
                note(self.mark(index));
            }
            self.order.pop_front();
        }
        None
    }

    /// `RACK_mark_losses_on_RTO` (section 6.3): the first segment, and what is due after `wait`.
    pub fn mark_on_timeout(&mut self, wait: Time, now: Time) {
        for index in 0..self.segments.len() {
            let sent = &self.segments[index];
            if !sent.sacked && !sent.lost && (index == 0 || sent.at + wait <= now) {
                self.mark(index);
            }
        }
    }

    /// The lowest segment believed lost.
    pub fn next_lost(&mut self) -> Option<Sent> {
        if self.sums.lost == 0 {
            self.lost_from = Seq::MAX;
            return None;
        }
        let from = self.index(self.lost_from);
        let sent = *self.segments.range(from..).find(|sent| sent.lost)?;
        self.lost_from = sent.start;
        Some(sent)
    }

    /// The transmission with the lowest number of which nothing is known yet.
    pub fn oldest(&mut self) -> Option<Sent> {
        while let Some(&(_, start, end, number)) = self.order.front() {
            let alive = |sent: &&Sent| sent.number == number && !sent.sacked && !sent.lost;
            let found = self.segments.range(self.index(start)..self.index(end)).find(alive);
            if found.is_some() {
                return found.copied();
            }
            self.order.pop_front();
        }
        None
    }

    /// Unmarks all lost segments: they are on their way since they were last sent. `for_good`: what was found lost by time is not
    /// found again until it is sent again, as in Linux, whose list by time has lost it (`tcp_rack_detect_loss`).
    pub fn unmark_lost(&mut self, for_good: bool) {
        for index in 0..self.segments.len() {
            let sent = &mut self.segments[index];
            sent.marked = false;
            sent.found &= for_good;
            if std::mem::take(&mut sent.lost) {
                let entry = (sent.at, sent.start, sent.end, sent.number);
                let place = self.order.partition_point(|other| other.0 <= entry.0);
                self.order.insert(place, entry);
            }
        }
        (self.sums.lost, self.lost_from, self.sums.marked) = (0, Seq::MAX, 0);
    }
}

#[cfg(test)]
mod tests;
