//! Intake of an ACK: what of the flight it covers, and what it reports above that.

use acklab_packet::{Ack, Seq, Time};

use super::{Flight, Sent};

impl Flight {
    /// Takes in what an ACK covers and reports for the first time, lowest first; `note` learns of each record, and whether the
    /// cumulative number covers it. `una`: SND.UNA before it. Returns whether some of what is covered was sent more than once.
    pub fn take_in(&mut self, ack: &Ack, una: Seq, now: Time, mut note: impl FnMut(Sent, bool)) -> bool {
        let (low, max) = (ack.ack.max(una), self.last().map_or(una, |last| last.end));
        let mut board = std::mem::take(&mut self.board);
        let mut resent = false;
        if ack.ack > una {
            resent = self.acknowledge(ack.ack, now, |sent| note(sent, true));
            board.clear_below(ack.ack);
        }
        if !ack.sack.is_empty() {
            let mut blocks = [(0, 0); 3];
            let mut count = 0;
            for (start, end) in ack.sack.iter(ack.ack) {
                if start.max(low) < end && end <= max {
                    blocks[count] = (start.max(low), end);
                    count += 1;
                }
            }
            blocks[..count].sort_unstable();
            for &(start, end) in &blocks[..count] {
                board.report(start, end, |from, to| self.report(from, to, now, |sent| note(sent, false)));
            }
        }
        self.board = board;
        resent
    }

    /// Marks units `start .. end` as reported; `note` learns of each record reported for the first time.
    pub fn report(&mut self, start: Seq, end: Seq, now: Time, mut note: impl FnMut(Sent)) {
        self.split(start);
        self.split(end);
        for index in self.index(start)..self.index(end) {
            let sent = self.segments[index];
            if sent.sacked {
                continue;
            }
            self.forget_fate(&sent);
            self.segments[index] = Sent { lost: false, marked: false, sacked: true, ..sent };
            self.sacked += 1;
            self.reported += sent.end - sent.start;
            let delivers = self.rate.is_some() && self.is_last_piece(index);
            if let Some(rate) = self.rate.as_mut().filter(|_| delivers) {
                rate.on_report(&sent, now);
            }
            note(sent);
        }
    }

    /// Removes everything below `ack`; `note` learns of what had not been reported. Returns whether some of it was sent
    /// more than once.
    pub fn acknowledge(&mut self, ack: Seq, now: Time, mut note: impl FnMut(Sent)) -> bool {
        self.split(ack);
        let mut resent = false;
        while let Some(&sent) = self.segments.front()
            && sent.end <= ack
        {
            let delivers = self.rate.is_some() && !sent.sacked && self.is_last_piece(0);
            if let Some(rate) = &mut self.rate {
                rate.on_cover(&sent, delivers, now);
            }
            self.segments.pop_front();
            resent |= sent.resent;
            if !sent.more {
                self.round_trip = (sent.end > self.untimed).then(|| (now - sent.first).secs());
            }
            if sent.sacked {
                self.sacked -= 1;
                self.reported -= sent.end - sent.start;
            } else {
                self.forget_fate(&sent);
                note(sent);
            }
        }
        while self.order.front().is_some_and(|&(_, _, end, _)| end <= ack) {
            self.order.pop_front();
        }
        resent
    }

    /// A record that has arrived counts no more as lost or sent again.
    fn forget_fate(&mut self, sent: &Sent) {
        let units = sent.end - sent.start;
        self.lost -= if sent.lost { units } else { 0 };
        self.marked -= if sent.marked { units } else { 0 };
        self.resent -= usize::from(sent.resent);
    }

    /// True if nothing else of the segment of this record is outstanding: with it the whole segment is delivered.
    fn is_last_piece(&self, index: usize) -> bool {
        let below = self.segments.range(..index).rev().take_while(|sent| sent.more);
        let above = self.segments.range(index..).zip(self.segments.range(index + 1..));
        below.chain(above.take_while(|(sent, _)| sent.more).map(|(_, next)| next)).all(|sent| sent.sacked)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, ten};

    #[test]
    fn edges_of_blocks_and_acks_split_segments() {
        let mut flight = ten();
        let mut told = Vec::new();
        flight.report(25, 40, at(9.0), |sent| told.push((sent.start, sent.end)));
        assert_eq!((told.as_slice(), flight.sacked()), (&[(25, 30), (30, 40)][..], 2));
        told.clear();
        flight.acknowledge(28, at(9.0), |sent| told.push((sent.start, sent.end)));
        assert_eq!(
            (told.as_slice(), flight.sacked()),
            (&[(0, 10), (10, 20), (20, 25)][..], 2),
            "28..30 and 30..40 remain"
        );
        flight.acknowledge(100, at(9.0), |_| {});
        assert_eq!((flight.sacked(), flight.lost(), flight.last()), (0, 0, None));
    }

    #[test]
    fn the_newest_whole_segment_that_an_ack_covers_gives_the_round_trip() {
        let mut flight = ten();
        flight.acknowledge(25, at(10.0), |_| {});
        assert_eq!(flight.take_round_trip(), Some(9.0), "a piece of the third gives none");
        flight.acknowledge(25, at(10.5), |_| {});
        assert_eq!(flight.take_round_trip(), None, "nor does a duplicate");
        flight.stop_timing();
        flight.sent(100, 110, false, at(11.0));
        flight.acknowledge(100, at(12.0), |_| {});
        assert_eq!(flight.take_round_trip(), None, "nor does what was out at a loss");
        flight.acknowledge(110, at(13.0), |_| {});
        assert_eq!(flight.take_round_trip(), Some(2.0));
    }
}
