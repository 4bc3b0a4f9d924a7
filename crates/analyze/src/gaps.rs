//! Sequence numbers that have not passed: ranges in order, none touching another.

use std::collections::BTreeMap;

/// Ranges by their first number, each with one past its last. Every call takes time that grows with the logarithm of their
/// number, and with how many it removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps(BTreeMap<u64, u64>);

impl Gaps {
    /// `from .. to` has not passed; it lies above all others.
    pub fn open(&mut self, from: u64, to: u64) {
        self.0.insert(from, to);
    }

    /// `from .. to` passes; how much of it was missing.
    pub fn fill(&mut self, from: u64, to: u64) -> u64 {
        let mut filled = 0;
        while let Some((&low, &high)) = self.0.range(..to).next_back().filter(|(_, high)| **high > from) {
            self.0.remove(&low);
            if to < high {
                self.0.insert(to, high);
            }
            if low < from {
                self.0.insert(low, from);
            }
            filled += high.min(to) - low.max(from);
        }
        filled
    }

    /// What lies below `end` is not waited for any more.
    pub fn forget_below(&mut self, end: u64) {
        self.fill(0, end);
    }

    /// The lowest range is not waited for any more.
    pub fn take_first(&mut self) -> Option<(u64, u64)> {
        self.0.pop_first()
    }

    /// The ranges, or what lies below `end` of them, from the lowest on.
    pub fn below(&self, end: u64) -> impl Iterator<Item = (u64, u64)> {
        self.0.range(..end).map(move |(&from, &to)| (from, to.min(end)))
    }

    /// The first missing number.
    pub fn first(&self) -> Option<u64> {
        self.0.first_key_value().map(|(&from, _)| from)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_cut_out_of_what_was_missing() {
        let mut gaps = Gaps::default();
        gaps.open(10, 20);
        gaps.open(30, 40);
        assert_eq!(gaps.fill(12, 15), 3);
        assert_eq!(gaps.fill(12, 15), 0, "again");
        assert_eq!(gaps.0, BTreeMap::from([(10, 12), (15, 20), (30, 40)]));
        assert_eq!(gaps.fill(18, 35), 7);
        assert_eq!((gaps.first(), gaps.len()), (Some(10), 3));
        gaps.forget_below(36);
        assert_eq!(gaps.0, BTreeMap::from([(36, 40)]));
        assert_eq!(gaps.fill(0, 99), 4);
        assert!(gaps.is_empty());
    }

    /// Beside a table of single numbers.
    #[test]
    fn it_agrees_with_a_table_of_numbers() {
        let mut state = 7_u64;
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let (mut gaps, mut missing, mut top) = (Gaps::default(), [false; 200], 0_u64);
            for _ in 0..60 {
                let (from, to) = (draw(180), draw(20));
                if draw(2) == 0 && top < 150 {
                    let (from, to) = (top + 1 + draw(5), top + 8 + draw(9));
                    gaps.open(from, to);
                    missing[from as usize..to as usize].fill(true);
                    top = to;
                } else {
                    let range = from as usize..(from + to) as usize;
                    let expected = missing[range.clone()].iter().filter(|it| **it).count() as u64;
                    assert_eq!(gaps.fill(from, from + to), expected);
                    missing[range].fill(false);
                }
                assert_eq!(gaps.first(), missing.iter().position(|it| *it).map(|at| at as u64));
            }
        }
    }
}
