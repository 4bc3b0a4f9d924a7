//! Sequence numbers without their wrap, and distributions in bounded memory.

/// Widens 32-bit numbers: each is taken for the one nearest to the highest so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwrap {
    last: Option<u64>,
}

/// Seconds from one instant in nanoseconds to a later one; instants may be any.
pub fn span_s(from: i64, to: i64) -> f64 {
    to.saturating_sub(from).max(0) as f64 * 1e-9
}

/// Whether `a` comes after `b`. Both are timestamps (RFC 7323 section 5.2) or sequence numbers, and may have wrapped.
pub fn after(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 > 0
}

/// Where counting begins, so that numbers below the first still have room.
pub const ORIGIN: u64 = 1 << 40;

impl Unwrap {
    /// `number` in 64 bits; the first fixes the origin. What follows is taken for near the highest so far.
    pub fn widen(&mut self, number: u32) -> u64 {
        let wide = self.peek(number);
        self.last = Some(self.last.map_or(wide, |last| last.max(wide)));
        wide
    }

    /// The same, without remembering it.
    pub fn peek(&self, number: u32) -> u64 {
        match self.last {
            None => ORIGIN | u64::from(number),
            Some(last) => last.wrapping_add_signed(i64::from(number.wrapping_sub(last as u32) as i32)),
        }
    }
}

/// Counts of values by magnitude, from a nanosecond up, in bins 4.4 % wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// Bins that have a value, in order, each with its number: a connection of few packets takes little.
    bins: Vec<(u16, u32)>,
    count: u64,
    sum: f64,
    least: f64,
    most: f64,
}

/// Bins an octave; the width of one is a factor of 2^(1/16), 4.4 %.
const BINS: usize = 16;
/// The least value distinguished from 0, in seconds.
const FINEST: f64 = 1e-9;

impl Spread {
    /// Counts a value; negative ones count as 0.
    pub fn add(&mut self, value: f64) {
        let value = value.max(0.0);
        let bin = bin_of(value);
        match self.bins.binary_search_by_key(&bin, |bin| bin.0) {
            Ok(place) => self.bins[place].1 = self.bins[place].1.saturating_add(1),
            Err(place) => self.bins.insert(place, (bin, 1)),
        }
        self.least = if self.count == 0 { value } else { self.least.min(value) };
        self.most = self.most.max(value);
        self.count += 1;
        self.sum += value;
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The least.
    pub fn least(&self) -> Option<f64> {
        (self.count > 0).then_some(self.least)
    }

    /// The greatest.
    pub fn most(&self) -> Option<f64> {
        (self.count > 0).then_some(self.most)
    }

    /// The value below which a share of them lies, to a bin's width.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        for &(bin, count) in &self.bins {
            below += u64::from(count);
            if below >= rank {
                return Some(middle(bin).clamp(self.least, self.most));
            }
        }
        None
    }

    /// How many lie between two values, to a bin's width.
    pub fn between(&self, low: f64, high: f64) -> u64 {
        let (low, high) = (bin_of(low), bin_of(high));
        self.bins.iter().filter(|bin| (low..=high).contains(&bin.0)).map(|bin| u64::from(bin.1)).sum()
    }

    /// The value about which most lie, among those above `floor`: the middle of the fullest three bins in a row.
    pub fn mode_above(&self, floor: f64) -> Option<f64> {
        let from = bin_of(floor) + 1;
        let count = |bin: u16| match self.bins.binary_search_by_key(&bin, |bin| bin.0) {
            Ok(place) if bin >= from => u64::from(self.bins[place].1),
            _ => 0,
        };
        let around = |bin: u16| count(bin.saturating_sub(1)) + 2 * count(bin) + count(bin + 1);
        let bins = self.bins.iter().map(|bin| bin.0).filter(|bin| *bin >= from);
        let best = bins.max_by_key(|&bin| (around(bin), std::cmp::Reverse(bin)))?;
        Some(middle(best).clamp(self.least, self.most))
    }
}

fn bin_of(value: f64) -> u16 {
    if value <= FINEST {
        return 0;
    }
    // The exponent, and the mantissa's place among 16 powers of 2^(1/16): only comparisons, no logarithm.
    let ratio = value / FINEST;
    let exponent = (ratio.to_bits() >> 52) as usize - 1023;
    let mantissa = f64::from_bits((ratio.to_bits() & ((1 << 52) - 1)) | (1023 << 52));
    (1 + exponent.min(60) * BINS + STEPS.iter().rposition(|&step| mantissa >= step).unwrap_or(0)) as u16
}

fn middle(bin: u16) -> f64 {
    let Some(place) = usize::from(bin).checked_sub(1) else { return 0.0 };
    let scale = FINEST * (1_u64 << (place / BINS)) as f64;
    scale * 0.5 * (STEPS[place % BINS] + STEPS.get(place % BINS + 1).copied().unwrap_or(2.0))
}

/// 2^(k/16).
const STEPS: [f64; BINS] = [
    1.0,
    1.044_273_782_427_414,
    1.090_507_732_665_257_7,
    1.138_788_634_756_691_6,
    1.189_207_115_002_721,
    1.241_857_812_073_484,
    1.296_839_554_651_009_6,
    1.354_255_546_936_892_7,
    std::f64::consts::SQRT_2,
    1.476_826_145_939_499_3,
    1.542_210_825_407_940_7,
    1.610_490_331_949_254_3,
    1.681_792_830_507_429,
    1.756_252_160_373_299_5,
    1.834_008_086_409_342_4,
    1.915_206_561_397_147_3,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_across_the_wrap_and_back() {
        let mut numbers = Unwrap::default();
        let first = numbers.widen(u32::MAX - 9);
        assert_eq!(numbers.widen(5), first + 15);
        assert_eq!(numbers.widen(u32::MAX - 4), first + 5, "a retransmission");
        assert_eq!(numbers.widen(20), first + 30);
    }

    #[test]
    fn quantiles_and_modes_are_right_to_a_bin() {
        let mut spread = Spread::default();
        assert_eq!((spread.quantile(0.5), spread.least(), spread.mode_above(0.0)), (None, None, None));
        (0..70).for_each(|_| spread.add(0.0001));
        (0..20).for_each(|_| spread.add(0.040));
        (0..10).for_each(|_| spread.add(0.2));
        let near = |found: Option<f64>, value: f64| assert!((found.unwrap() / value - 1.0).abs() < 0.045, "{found:?}");
        near(spread.quantile(0.5), 0.0001);
        near(spread.quantile(0.8), 0.040);
        near(spread.mode_above(0.005), 0.040);
        assert_eq!(spread.most(), Some(0.2));
    }

    #[test]
    fn nothing_is_too_small_or_too_large() {
        let mut spread = Spread::default();
        for value in [-1.0, 0.0, 1e-12, 1.0, 1e300] {
            spread.add(value);
        }
        assert_eq!(spread.count(), 5);
        assert!(spread.quantile(1.0).unwrap() <= 1e300);
    }
}
