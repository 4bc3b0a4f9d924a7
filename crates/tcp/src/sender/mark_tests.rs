//! A test whether a receiver hides marks: the sender marks some of its own segments, and expects them to be counted.
//!
//! A receiver cannot distinguish such a mark from a queue's (RFC 3168 section 20.2). The first ACK that covers the
//! segment must tell of a mark. If it does not, the receiver hides marks, or the path clears them.

use std::collections::VecDeque;

use acklab_packet::{Ack, Seq};

use super::rng::Rng;

/// Marks of the sender's own.
#[derive(Clone, Debug)]
pub(super) struct MarkTests {
    interval: u32,
    /// Segments until the next is marked.
    left: u32,
    rng: Rng,
    /// First units of marked segments that no ACK has covered.
    out: VecDeque<Seq>,
    /// The last ACK covered all that it counted: it had no block. One with blocks may count what no block had room for, and a later ACK,
    /// which covers that, counts nothing more.
    complete: bool,
}

impl MarkTests {
    /// Marks about one segment in `interval`; none if that is 0.
    pub fn new(interval: u32, seed: u64) -> Option<MarkTests> {
        (interval > 0).then(|| {
            let (rng, out) = (Rng::new(seed ^ 0x6d61_726b), VecDeque::new());
            let mut tests = MarkTests { interval, left: 0, rng, out, complete: true };
            tests.left = tests.draw();
            tests
        })
    }

    /// Uniform between half the interval and one and a half: no receiver may foresee it.
    fn draw(&mut self) -> u32 {
        self.interval / 2 + self.rng.below(u64::from(self.interval) + 1) as u32
    }

    /// A new segment from `seq` leaves; whether it is to be marked.
    pub fn marks(&mut self, seq: Seq) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.left = self.draw();
        self.out.push_back(seq);
        true
    }

    /// Units `start .. end` leave once more: of a mark among them nothing is known any more.
    pub fn resent(&mut self, start: Seq, end: Seq) {
        self.out.retain(|&seq| seq < start || seq >= end);
    }

    /// An ACK tells of `gained` marks more. Those that are not the sender's own; none if it covers one that it does not tell of.
    pub fn judge(&mut self, ack: &Ack, gained: u64) -> Option<u64> {
        let covers = |seq: Seq| seq < ack.ack || ack.sack.iter(ack.ack).any(|(start, end)| (start..end).contains(&seq));
        let before = self.out.len();
        self.out.retain(|&seq| !covers(seq));
        let covered = (before - self.out.len()) as u64;
        let proves = std::mem::replace(&mut self.complete, ack.sack.is_empty());
        (gained >= covered || !proves).then_some(gained.saturating_sub(covered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests of every segment, three of which have left.
    fn three() -> MarkTests {
        let mut tests = MarkTests::new(1, 7).unwrap();
        (0..3).for_each(|n| {
            tests.left = 0;
            assert!(tests.marks(n * 100));
        });
        tests
    }

    fn ack(ack: Seq) -> Ack {
        Ack { ack, ..Ack::default() }
    }

    #[test]
    fn own_marks_are_not_congestion() {
        let mut tests = three();
        assert_eq!(tests.judge(&ack(100), 1), Some(0));
        assert_eq!(tests.judge(&ack(300), 5), Some(3), "two are its own");
    }

    #[test]
    fn a_mark_that_is_not_told_shows() {
        assert_eq!(three().judge(&ack(200), 1), None);
        assert_eq!(three().judge(&ack(0), 0), Some(0), "nothing has arrived");
    }

    #[test]
    fn a_block_covers_a_segment_before_the_cumulative_number_does() {
        let mut tests = three();
        let mut above = ack(0);
        above.sack.push(0, 200, 300);
        assert_eq!(tests.judge(&above, 1), Some(0));
        assert_eq!(tests.judge(&ack(300), 2), Some(0));
        assert_eq!(three().judge(&above, 0), None);
    }

    /// The block of 0..100 had no room in an ACK that counts its mark with that of 200..300.
    #[test]
    fn a_mark_may_be_counted_before_its_segment_is_covered() {
        let mut tests = three();
        let mut above = ack(0);
        above.sack.push(0, 200, 300);
        assert_eq!(tests.judge(&above, 2), Some(1));
        assert_eq!(tests.judge(&ack(300), 0), Some(0));
        tests.left = 0;
        assert!(tests.marks(300));
        assert_eq!(tests.judge(&ack(400), 0), None, "all that came was covered before");
    }

    #[test]
    fn what_is_sent_again_proves_nothing() {
        let mut tests = three();
        tests.resent(100, 200);
        assert_eq!(tests.judge(&ack(300), 2), Some(0));
        assert!(MarkTests::new(0, 7).is_none());
    }
}
