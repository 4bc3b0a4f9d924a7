//! Which outstanding segments are lost: by time (RFC 8985), by number (RFC 9002), or at a timeout.

use acklab_packet::{Seq, Time};

use super::{Flight, Sent};

impl Flight {
    fn mark(&mut self, index: usize) {
        let sent = &mut self.segments[index];
        sent.lost = true;
        self.lost += sent.end - sent.start;
        if !std::mem::replace(&mut sent.marked, true) {
            self.marked += sent.end - sent.start;
        }
        self.lost_ever += sent.end - sent.start;
        self.lost_from = self.lost_from.min(sent.start);
        if let Some(losses) = self.rate.as_mut().and_then(|rate| rate.losses.as_mut()) {
            losses.note(sent, self.lost_ever);
        }
    }

    /// `RACK_detect_loss` (RFC 8985 section 6.2 step 5): what was sent before the newest segment delivered, and is due
    /// after `wait`, is lost. Within `clock` of an instant is at it. Returns when to look again.
    pub fn detect(&mut self, newest: (Time, Seq), wait: Time, now: Time, clock: f64) -> Option<Time> {
        let (mut again, mut place) = (None::<Time>, 0);
        while let Some(&(at, start, end, _)) = self.order.get(place)
            && at <= newest.0
        {
            let mut alive = false;
            for index in self.index(start)..self.segments.len() {
                let sent = self.segments[index];
                if sent.start >= end {
                    break;
                }
                if sent.at != at || sent.sacked || sent.lost || sent.found {
                    continue;
                }
                let due = at + wait;
                if at == newest.0 && sent.end >= newest.1 {
                    alive = true;
                } else if due.secs() <= now.secs() + clock {
                    self.mark(index);
                    self.segments[index].found = true;
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

    /// RFC 9002 section 6.1: what lies `threshold` numbers below `largest`, which has arrived, or left `delay` before now, is
    /// lost; lowest number first. Within `clock` of an instant is at it. Returns when to look again.
    pub fn overtaken(
        &mut self,
        (largest, threshold): (u64, u64),
        (delay, now, clock): (Time, Time, f64),
        mut note: impl FnMut(Sent),
    ) -> Option<Time> {
        while let Some(&(at, start, end, number)) = self.order.front()
            && number < largest
        {
            let due = at + delay;
            let lost = number + threshold <= largest || due.secs() <= now.secs() + clock;
            for index in self.index(start)..self.segments.len() {
                let sent = self.segments[index];
                if sent.start >= end {
                    break;
                }
                if sent.number != number || sent.sacked || sent.lost {
                    continue;
                }
                if !lost {
                    return Some(due);
                }
                self.mark(index);
                note(sent);
            }
            self.order.pop_front();
        }
        None
    }

    /// `RACK_mark_losses_on_RTO` (section 6.3): the first segment, and what is due after `wait`.
    pub fn mark_on_timeout(&mut self, wait: Time, now: Time) {
        for index in 0..self.segments.len() {
            let sent = self.segments[index];
            if !sent.sacked && !sent.lost && (index == 0 || sent.at + wait <= now) {
                self.mark(index);
            }
        }
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
        (self.lost, self.lost_from, self.marked) = (0, Seq::MAX, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, ten};
    use super::*;

    #[test]
    fn lost_is_what_left_before_what_arrived_and_is_due() {
        let mut flight = ten();
        flight.report(50, 60, at(0.0), |_| {});
        // Segment 5 left at 5; after a round trip of 4 and a margin of 1, at 9.5, those of 4 and before are due.
        assert_eq!((flight.detect((at(5.0), 60), at(5.0), at(9.0), 0.0), flight.lost()), (None, 50));
        assert_eq!(flight.next_lost().map(|sent| sent.start), Some(0));
        flight.sent(0, 10, false, at(9.0));
        assert_eq!((flight.lost(), flight.next_lost().map(|sent| sent.start)), (40, Some(10)));
        // Sent again, it is lost again when something sent later has arrived.
        flight.sent(100, 110, false, at(9.5));
        flight.report(100, 110, at(0.0), |_| {});
        let again = flight.detect((at(9.5), 110), at(5.0), at(13.5), 0.0);
        assert_eq!((again, flight.lost()), (Some(at(14.0)), 70), "6, 7 and 8 are due, 9 and 0 are not yet");
        flight.detect((at(9.5), 110), at(5.0), at(14.0), 0.0);
        assert_eq!((flight.lost(), flight.next_lost().map(|sent| sent.start)), (90, Some(0)));
    }

    #[test]
    fn by_number_three_or_a_delay_is_lost() {
        let mut flight = ten();
        flight.report(50, 60, at(0.0), |_| {});
        let mut told = Vec::new();
        let again = flight.overtaken((5, 3), (at(4.0), at(6.5), 0.0), |sent| told.push(sent.number));
        assert_eq!((told.as_slice(), again), (&[0, 1, 2][..], Some(at(7.0))), "3 left at 3");
        assert_eq!(flight.overtaken((5, 3), (at(4.0), at(7.0), 0.0), |_| {}), Some(at(8.0)));
        assert_eq!((flight.lost(), flight.oldest().map(|sent| sent.number)), (40, Some(4)));
        // Sent again it has another number.
        flight.sent(0, 10, false, at(7.5));
        flight.report(0, 10, at(0.0), |sent| told.push(sent.number));
        assert_eq!(told.last(), Some(&10));
        assert_eq!(flight.overtaken((10, 3), (at(4.0), at(7.5), 0.0), |sent| told.push(sent.number)), Some(at(12.0)));
        assert_eq!((told[4..].to_vec(), flight.oldest().map(|sent| sent.number)), (vec![4, 6, 7], Some(8)));
    }

    #[test]
    fn a_timeout_marks_the_first_and_what_is_due() {
        let mut flight = ten();
        flight.report(10, 20, at(0.0), |_| {});
        flight.mark_on_timeout(at(5.0), at(8.0));
        assert_eq!(flight.lost(), 30, "0, 2 and 3");
        let mut fresh = Flight::default();
        fresh.sent(0, 10, false, at(7.9));
        fresh.mark_on_timeout(at(5.0), at(8.0));
        assert_eq!(fresh.lost(), 10, "the first whatever its age");
    }
}
