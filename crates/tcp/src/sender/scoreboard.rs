//! Scoreboard of the units reported above the cumulative ACK (RFC 2018).

use acklab_packet::Seq;

/// Disjoint, sorted, non-touching runs of reported units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scoreboard {
    runs: Vec<(Seq, Seq)>,
    /// Units in them.
    total: u64,
}

/// Units in `runs`.
fn units(runs: &[(Seq, Seq)]) -> u64 {
    runs.iter().map(|(start, end)| end - start).sum()
}

impl Scoreboard {
    /// The runs as `(start, end)`, ascending.
    #[inline]
    pub fn runs(&self) -> &[(Seq, Seq)] {
        &self.runs
    }

    /// True if nothing is reported.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.runs.clear();
        self.total = 0;
    }

    /// Units reported.
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Adds `start .. end`, merging what it overlaps or touches; returns the run it became part of.
    pub fn add(&mut self, start: Seq, end: Seq) -> (Seq, Seq) {
        let first = self.runs.partition_point(|run| run.1 < start);
        let last = first + self.runs[first..].partition_point(|run| run.0 <= end);
        let mut run = (start, end);
        if first < last {
            run = (start.min(self.runs[first].0), end.max(self.runs[last - 1].1));
            self.total -= units(&self.runs[first..last]);
            self.runs[first] = run;
            self.runs.drain(first + 1..last);
        } else {
            self.runs.insert(first, run);
        }
        self.total += run.1 - run.0;
        run
    }

    /// Adds `start .. end`; `new` learns of each run of it that was not reported before.
    pub fn report(&mut self, start: Seq, end: Seq, mut new: impl FnMut(Seq, Seq)) {
        let mut from = start;
        while from < end {
            if let Some(run) = self.at(from).0.filter(|run| run.1 > from) {
                from = run.1;
                continue;
            }
            let to = self.next_above(from).map_or(end, |above| above.min(end));
            new(from, to);
            from = to;
        }
        self.add(start, end);
    }

    /// Forgets `start .. end`.
    pub fn remove(&mut self, start: Seq, end: Seq) {
        let first = self.runs.partition_point(|run| run.1 <= start);
        let last = first + self.runs[first..].partition_point(|run| run.0 < end);
        if first == last {
            return;
        }
        let (left, right) = ((self.runs[first].0, start), (end, self.runs[last - 1].1));
        self.total -= units(&self.runs[first..last]);
        let rest = [left, right].into_iter().filter(|run| run.0 < run.1);
        self.total += rest.clone().map(|run| run.1 - run.0).sum::<u64>();
        self.runs.splice(first..last, rest);
    }

    /// Forgets what lies below `seq`.
    pub fn clear_below(&mut self, seq: Seq) {
        let passed = self.runs.partition_point(|run| run.1 <= seq);
        self.total -= units(&self.runs[..passed]);
        self.runs.drain(..passed);
        if let Some(run) = self.runs.first_mut() {
            let start = run.0.max(seq);
            self.total -= start - run.0;
            run.0 = start;
        }
    }

    /// The run that contains or ends at `seq`, if any, and how many runs lie above it; else how many lie above `seq`.
    pub fn at(&self, seq: Seq) -> (Option<(Seq, Seq)>, usize) {
        let index = self.runs.partition_point(|run| run.1 < seq);
        match self.runs.get(index) {
            Some(&run) if run.0 <= seq => (Some(run), self.runs.len() - index - 1),
            _ => (None, self.runs.len() - index),
        }
    }

    /// Start of the first run above `seq`, if any.
    pub fn next_above(&self, seq: Seq) -> Option<Seq> {
        self.runs.get(self.runs.partition_point(|run| run.0 <= seq)).map(|run| run.0)
    }

    /// Units of `from .. to` that are reported.
    pub fn within(&self, from: Seq, to: Seq) -> u64 {
        self.runs
            .iter()
            .skip(self.runs.partition_point(|run| run.1 <= from))
            .take_while(|run| run.0 < to)
            .map(|run| run.1.min(to) - run.0.max(from))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_merge_when_they_touch_or_overlap() {
        let mut board = Scoreboard::default();
        assert_eq!(board.add(10, 12), (10, 12));
        assert_eq!(board.add(20, 22), (20, 22));
        assert_eq!(board.add(12, 14), (10, 14));
        assert_eq!(board.add(8, 10), (8, 14));
        assert_eq!(board.add(13, 21), (8, 22));
        assert_eq!(board.add(30, 31), (30, 31));
        assert_eq!(board.runs(), [(8, 22), (30, 31)]);
        assert_eq!((board.total(), board.within(0, 10), board.within(20, 31)), (15, 2, 3));
        board.clear_below(15);
        assert_eq!((board.runs(), board.total()), (&[(15, 22), (30, 31)][..], 8));
        assert_eq!(board.at(14), (None, 2));
        assert_eq!(board.at(22), (Some((15, 22)), 1));
        assert_eq!((board.next_above(15), board.next_above(30)), (Some(30), None));
    }
}
