//! Payload over time, in a bounded number of bins: when they are full, each two become one.

use crate::thresholds::{BIN_NS, MAX_BINS};

/// Payload of a direction from an instant on.
#[derive(Clone, Debug, Default)]
pub struct Bins {
    start: Option<i64>,
    /// A bin's length is `BIN_NS` doubled so many times.
    doubled: u32,
    /// Payload that passed, and payload acknowledged, in each bin.
    bins: Vec<(u64, u64)>,
}

impl Bins {
    /// So many bytes pass, and so many are acknowledged, at `now`.
    pub fn add(&mut self, passed: u64, acked: u64, now: i64) {
        if passed + acked == 0 {
            return;
        }
        let start = *self.start.get_or_insert(now);
        let place = loop {
            let place = now.saturating_sub(start) / self.width();
            if place < MAX_BINS as i64 {
                break place as usize;
            }
            self.bins = self.bins.chunks(2).map(|two| two.iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))).collect();
            self.doubled += 1;
        };
        if self.bins.len() <= place {
            self.bins.resize(place + 1, (0, 0));
        }
        self.bins[place].0 += passed;
        self.bins[place].1 += acked;
    }

    fn width(&self) -> i64 {
        BIN_NS << self.doubled
    }

    /// Start of each bin and its end in nanoseconds, payload that passed, payload acknowledged.
    pub fn rows(&self) -> impl Iterator<Item = (i64, i64, u64, u64)> {
        let (start, width) = (self.start.unwrap_or(0), self.width());
        self.bins.iter().enumerate().map(move |(place, &(passed, acked))| {
            let from = start.saturating_add(place as i64 * width);
            (from, from.saturating_add(width), passed, acked)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_lose_nothing() {
        let mut bins = Bins::default();
        for ms in 0..3000_i64 {
            bins.add(10, u64::from(ms % 2 == 0), 7 + ms * 1_000_000);
        }
        let rows: Vec<_> = bins.rows().collect();
        assert!(rows.len() <= MAX_BINS && rows.len() > MAX_BINS / 2, "{}", rows.len());
        assert_eq!((rows[0].0, rows[1].0), (7, rows[0].1), "each begins where the one before ends");
        let sums = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.2, sum.1 + row.3));
        assert_eq!(sums, (30_000, 1_500));
        bins.add(1, 0, i64::MAX);
        assert!(bins.rows().count() <= MAX_BINS, "an instant of any distance");
    }
}
