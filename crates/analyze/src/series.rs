//! Two series of sequence numbers in one connection.
//!
//! A device that rewrites sequence numbers, with a capture on both of its sides, shows each packet twice under one pair of
//! addresses and ports, with two numbers. So does a proxy that keeps the addresses.

use crate::thresholds::MIN_APART;

/// The numbers that one end uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Series {
    /// The last number, and the last one before a jump.
    here: Option<u32>,
    there: Option<u32>,
    /// Jumps back to where the numbers were before a jump.
    pub returns: u64,
}

impl Series {
    /// A packet with this number passes; the other end's largest window has `window` bytes.
    pub fn on_packet(&mut self, seq: u32, window: u64) {
        let most = MIN_APART.max(2 * window);
        let near = |other: u32| u64::from((seq.wrapping_sub(other) as i32).unsigned_abs()) <= most;
        if self.here.is_none_or(near) {
            self.here = Some(seq);
            return;
        }
        self.returns += u64::from(self.there.is_some_and(near));
        (self.here, self.there) = (Some(seq), self.here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns(numbers: impl Iterator<Item = u32>) -> u64 {
        let mut series = Series::default();
        numbers.for_each(|seq| series.on_packet(seq, 1 << 20));
        series.returns
    }

    #[test]
    fn only_numbers_that_alternate_are_two_series() {
        assert_eq!(returns((0..40).flat_map(|k| [1000 * k, 3_000_000_000 + 1000 * k])), 78);
        assert_eq!(returns((0..40).map(|k| 1000 * k + if k < 20 { 0 } else { 1 << 30 })), 0, "the capture paused");
        assert_eq!(
            returns((0..40).map(|k| (u32::MAX - 9000).wrapping_add(1000 * (k ^ 1)))),
            0,
            "reordered, over the wrap"
        );
    }
}
