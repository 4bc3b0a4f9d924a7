//! Only ACKs that complete a segment count, by the number of segments they complete: what Linux does, and the defence
//! against ACK division that Savage et al. (1999) call ACK granularity.

use super::{Covered, WindowCredit, Worth};

/// Pieces of a divided ACK are worth nothing but the last, which is worth the segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FullSegments {
    /// Units acknowledged of a segment that is not yet complete.
    part: f64,
}

impl WindowCredit for FullSegments {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        let units = self.part + ack.acked;
        let segments = units / ack.mss;
        let whole = if ack.all { segments.ceil() } else { segments.floor() } * ack.mss;
        self.part = (units - whole).max(0.0);
        Worth::whole(whole)
    }

    fn on_timeout(&mut self) {
        self.part = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_pieces_are_worth_one_segment_and_a_delayed_ack_two() {
        let ack =
            |acked| Covered { acked, mss: 1460.0, cwnd: 8000.0, slow_start: true, after_timeout: false, all: false };
        let mut rule = FullSegments::default();
        let worth: Vec<_> = (0..4).map(|_| rule.worth(&ack(365.0)).first).collect();
        assert_eq!(worth, [0.0, 0.0, 0.0, 1460.0]);
        assert_eq!(rule.worth(&ack(2920.0)).first, 2920.0);
        rule.worth(&ack(1000.0));
        rule.on_timeout();
        assert_eq!(rule.worth(&ack(1000.0)).first, 0.0, "a timeout forgets the part");
        assert_eq!(rule.worth(&Covered { all: true, ..ack(100.0) }).first, 1460.0, "a small segment is one, too");
    }
}
