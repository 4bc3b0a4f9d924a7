//! Acknowledged numbers that have not passed: what the capture lacks.

use crate::gaps::Gaps;

/// Ranges that may still pass late: an ACK may be ahead of its data, and captures swap packets that are close.
const LATE: usize = 64;

/// Acknowledged numbers of one direction that have not passed.
#[derive(Clone, Debug, Default)]
pub struct Lacking {
    /// How many there are.
    pub bytes: u64,
    recent: Gaps,
}

impl Lacking {
    /// `from .. to` is acknowledged and has not passed; it lies above all others.
    pub fn add(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        self.bytes += to - from;
        self.recent.open(from, to);
        if self.recent.len() > LATE {
            self.recent.take_first();
        }
    }

    /// `from .. to` passes; how much of it was lacking.
    pub fn fill(&mut self, from: u64, to: u64) -> u64 {
        if self.recent.is_empty() {
            return 0;
        }
        let filled = self.recent.fill(from, to);
        self.bytes -= filled;
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_late_is_not_lacking() {
        let mut lacking = Lacking::default();
        lacking.add(10, 20);
        lacking.add(30, 30);
        lacking.add(40, 45);
        assert_eq!((lacking.bytes, lacking.fill(15, 42), lacking.bytes), (15, 7, 8));
        (0..100).for_each(|k| lacking.add(100 + 10 * k, 105 + 10 * k));
        assert_eq!(lacking.fill(0, 105), 0, "forgotten as late, and counted");
        assert_eq!(lacking.bytes, 508);
    }
}
