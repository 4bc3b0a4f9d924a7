//! Reassembly: what has arrived, in order and beyond the first gap.

use acklab_packet::{Segment, Seq};

/// Place of an arriving segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The segment's last unit is now the last one received in order: it arrived in order and no gap closed behind it.
    pub in_order: bool,
    /// Later units had arrived before it.
    pub fills_gap: bool,
    /// Nothing in it was new.
    pub duplicate: bool,
}

impl Placement {
    /// Place of the next segment in order, with nothing beyond it.
    pub const NEXT: Placement = Placement { in_order: true, fills_gap: false, duplicate: false };
}

/// The receiver's sequence space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reassembly {
    /// Next unit expected in order.
    pub rcv_nxt: Seq,
    /// One past the highest unit received.
    pub highest: Seq,
    /// Disjoint, sorted runs above `rcv_nxt`.
    runs: Vec<(Seq, Seq)>,
}

impl Reassembly {
    /// Takes in a segment that is the next in order, with nothing beyond it; whether it is.
    #[inline]
    pub fn extend(&mut self, segment: &Segment) -> bool {
        let next = segment.seq == self.rcv_nxt && self.runs.is_empty();
        if next {
            self.rcv_nxt = segment.end();
            self.highest = self.rcv_nxt;
        }
        next
    }

    /// Takes in a segment.
    pub fn insert(&mut self, segment: &Segment) -> Placement {
        let (start, end) = (segment.seq, segment.end());
        let fills_gap = end < self.highest;
        let duplicate = end <= self.rcv_nxt || self.run_of(start).is_some_and(|run| end <= run.1);
        self.highest = self.highest.max(end);
        if !duplicate {
            let first = self.runs.partition_point(|run| run.1 < start);
            let last = first + self.runs[first..].partition_point(|run| run.0 <= end);
            if first < last {
                self.runs[first] = (start.min(self.runs[first].0), end.max(self.runs[last - 1].1));
                self.runs.drain(first + 1..last);
            } else {
                self.runs.insert(first, (start, end));
            }
            if self.runs[0].0 <= self.rcv_nxt {
                self.rcv_nxt = self.rcv_nxt.max(self.runs[0].1);
                self.runs.remove(0);
            }
        }
        Placement { in_order: end == self.rcv_nxt, fills_gap, duplicate }
    }

    /// The run above `rcv_nxt` that holds `seq`, if any.
    pub fn run_of(&self, seq: Seq) -> Option<(Seq, Seq)> {
        let index = self.runs.partition_point(|run| run.1 <= seq);
        self.runs.get(index).copied().filter(|run| run.0 <= seq)
    }

    /// The first part of a segment that has come before, if any.
    pub fn repeated(&self, segment: &Segment) -> Option<(Seq, Seq)> {
        let (start, end) = (segment.seq, segment.end());
        let above = self.runs[self.runs.partition_point(|run| run.1 <= start)..].iter().copied();
        let runs = std::iter::once((0, self.rcv_nxt)).chain(above);
        runs.map(|run| (run.0.max(start), run.1.min(end))).find(|part| part.0 < part.1)
    }

    /// True if something above a gap is waiting.
    #[inline]
    pub fn has_gap(&self) -> bool {
        !self.runs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(seq: Seq, len: u32) -> Segment {
        Segment { seq, len, ..Segment::default() }
    }

    #[test]
    fn gaps_open_and_close() {
        let mut r = Reassembly::default();
        let mut next = r.clone();
        assert!(next.extend(&segment(0, 10)));
        assert_eq!(r.insert(&segment(0, 10)), Placement::NEXT, "whichever of the two takes it in");
        assert_eq!(next, r);
        let p = r.insert(&segment(20, 10));
        assert!(!p.in_order && !p.fills_gap && !p.duplicate);
        assert_eq!((r.rcv_nxt, r.run_of(25), r.run_of(30), r.has_gap()), (10, Some((20, 30)), None, true));
        assert!(!r.extend(&segment(10, 10)), "something waits beyond it");
        let p = r.insert(&segment(10, 5));
        assert!(p.in_order && p.fills_gap);
        let p = r.insert(&segment(15, 5));
        assert!(!p.in_order && p.fills_gap && !p.duplicate, "the gap closed behind it");
        assert_eq!((r.rcv_nxt, r.highest, r.has_gap()), (30, 30, false));
        assert!(r.insert(&segment(20, 5)).duplicate);
        let p = r.insert(&segment(25, 5));
        assert!(p.duplicate && p.in_order, "ns-2 takes a repeat of the last segment for in order");
    }
}
