//! Log of outstanding segments: the last send time of each, and its fate.

mod losses;

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

/// A segment, or what a block's edge has left of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sent {
    /// Its first unit, and one past its last.
    pub start: Seq,
    pub end: Seq,
    /// Last send time (`Segment.xmit_ts`).
    pub at: Time,
    /// True if that was not the first time.
    pub resent: bool,
    /// True if it is believed lost, and not sent again since.
    pub lost: bool,
    /// True if it was believed lost, whether it has been sent again since or not.
    pub marked: bool,
    pub sacked: bool,
    /// True if it was found lost by time since it was last sent.
    pub found: bool,
    /// Which transmission of the connection that was, from 0: a packet number (RFC 9000 section 12.3).
    pub number: u64,
}

/// Everything from the cumulative ACK to the highest unit sent, without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct SendLog {
    segments: VecDeque<Sent>,
    /// Units sent, and the transmission's number, in the order of time; what was sent again, or arrived, since is stale.
    order: VecDeque<(Time, Seq, Seq, u64)>,
    /// Transmissions so far.
    count: u64,
    /// Units believed lost, and a number below which no unit is.
    lost: u64,
    lost_from: Seq,
    /// Units ever marked lost.
    lost_ever: u64,
    /// Segments sent again of which nothing has arrived.
    resent: usize,
    /// Units marked lost of which nothing has arrived, sent again or not.
    marked: u64,
    /// Segments reported above the cumulative ACK.
    sacked: u32,
}

impl SendLog {
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

    fn index(&self, seq: Seq) -> usize {
        self.segments.partition_point(|sent| sent.end <= seq)
    }

    /// Makes `at` an edge between two segments.
    fn split(&mut self, at: Seq) {
        let index = self.index(at);
        let Some(whole) = self.segments.get_mut(index).filter(|sent| sent.start < at) else { return };
        let below = Sent { end: at, ..*whole };
        whole.start = at;
        self.sacked += u32::from(below.sacked);
        self.resent += usize::from(below.resent && !below.sacked);
        self.segments.insert(index, below);
    }

    /// Units `start .. end` leave, as new data or again.
    pub fn sent(&mut self, start: Seq, end: Seq, now: Time) {
        let number = self.count;
        self.count += 1;
        if self.segments.back().is_none_or(|last| last.end <= start) {
            self.segments.push_back(Sent {
                start,
                end,
                at: now,
                resent: false,
                lost: false,
                marked: false,
                sacked: false,
                found: false,
                number,
            });
        } else {
            self.split(start);
            self.split(end);
            for index in self.index(start)..self.index(end) {
                let sent = &mut self.segments[index];
                if sent.lost {
                    sent.lost = false;
                    self.lost -= sent.end - sent.start;
                }
                self.resent += usize::from(!sent.resent);
                (sent.at, sent.resent, sent.number, sent.found) = (now, true, number, false);
            }
        }
        self.order.push_back((now, start, end, number));
    }

    /// Units `start .. end` are reported for the first time; tells what they were.
    pub fn report(&mut self, start: Seq, end: Seq, mut tell: impl FnMut(Sent)) {
        self.split(start);
        self.split(end);
        for index in self.index(start)..self.index(end) {
            let sent = &mut self.segments[index];
            tell(*sent);
            if sent.lost {
                sent.lost = false;
                self.lost -= sent.end - sent.start;
            }
            if std::mem::take(&mut sent.marked) {
                self.marked -= sent.end - sent.start;
            }
            self.resent -= usize::from(sent.resent);
            sent.sacked = true;
            self.sacked += 1;
        }
    }

    /// Everything below `ack` is acknowledged; tells what of it had not been reported. Whether some of it was sent more than once.
    pub fn acknowledge(&mut self, ack: Seq, mut tell: impl FnMut(Sent)) -> bool {
        self.split(ack);
        let mut resent = false;
        while let Some(&sent) = self.segments.front()
            && sent.end <= ack
        {
            self.segments.pop_front();
            resent |= sent.resent;
            if sent.sacked {
                self.sacked -= 1;
            } else {
                self.resent -= usize::from(sent.resent);
                tell(sent);
            }
            if sent.lost {
                self.lost -= sent.end - sent.start;
            }
            if sent.marked {
                self.marked -= sent.end - sent.start;
            }
        }
        resent
    }

    fn mark(&mut self, index: usize) {
        let sent = &mut self.segments[index];
        sent.lost = true;
        self.lost += sent.end - sent.start;
        if !std::mem::replace(&mut sent.marked, true) {
            self.marked += sent.end - sent.start;
        }
        self.lost_ever += sent.end - sent.start;
        self.lost_from = self.lost_from.min(sent.start);
    }

    /// The lowest segment believed lost.
    pub fn next_lost(&mut self) -> Option<Sent> {
        if self.lost == 0 {
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
            let from = self.index(start);
            let found = self.segments.range(from..).take_while(|sent| sent.start < end).find(alive);
            if found.is_some() {
                return found.copied();
            }
            self.order.pop_front();
        }
        None
    }

    /// Transmissions so far: the next one's number.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Nothing is lost after all: what was believed so is on its way since it was last sent. `for_good`: what was found so by time is
    /// not found again until it is sent again, as in Linux, whose list by time has lost it (`tcp_rack_detect_loss`).
    pub fn forgive(&mut self, for_good: bool) {
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
        (self.lost, self.lost_from, self.marked) = (0, Seq::MAX, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    /// Ten segments of 10 units, sent at 0, 1, ... 9.
    pub(super) fn log() -> SendLog {
        let mut log = SendLog::default();
        (0..10).for_each(|n| log.sent(10 * n, 10 * n + 10, at(n as f64)));
        log
    }

    #[test]
    fn edges_of_blocks_and_acks_split_segments() {
        let mut log = log();
        let mut told = Vec::new();
        log.report(25, 40, |sent| told.push((sent.start, sent.end)));
        assert_eq!((told.as_slice(), log.sacked()), (&[(25, 30), (30, 40)][..], 2));
        told.clear();
        log.acknowledge(28, |sent| told.push((sent.start, sent.end)));
        assert_eq!(
            (told.as_slice(), log.sacked()),
            (&[(0, 10), (10, 20), (20, 25)][..], 2),
            "28..30 and 30..40 remain"
        );
        log.acknowledge(100, |_| {});
        assert_eq!((log.sacked(), log.lost(), log.last()), (0, 0, None));
    }
}
