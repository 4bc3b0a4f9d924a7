//! Intake of an ACK: what of the flight it covers, and what it reports above that.

use acklab_packet::{Seq, Time};

use super::{Flight, Sent};

impl Flight {
    /// Units `start .. end` are reported; `tell` learns of each record reported for the first time.
    pub fn report(&mut self, start: Seq, end: Seq, now: Time, mut tell: impl FnMut(Sent)) {
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
            let delivers = self.rate.is_some() && self.is_last_piece(index);
            if let Some(rate) = self.rate.as_mut().filter(|_| delivers) {
                rate.on_report(&sent, now);
            }
            tell(sent);
        }
    }

    /// Everything below `ack` is acknowledged; `tell` learns of what had not been reported. Whether some of it was sent more than
    /// once.
    pub fn acknowledge(&mut self, ack: Seq, now: Time, mut tell: impl FnMut(Sent)) -> bool {
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
            } else {
                self.forget_fate(&sent);
                tell(sent);
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
