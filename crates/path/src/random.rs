//! MRG32k3a (L'Ecuyer 1999): the field's generator, with streams 2^127 draws apart.
//!
//! Each component that draws has a stream of its own, named from the run's seed and the component. So a flow that is
//! added does not change the random numbers of another. The constants are L'Ecuyer's; ns-2 and ns-3 use the same
//! generator.

use crate::values::{Checked, within};

const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
const A12: u64 = 1_403_580;
const A13N: u64 = 810_728;
const A21: u64 = 527_612;
const A23N: u64 = 1_370_589;
const NORM: f64 = 2.328306549295728e-10;
/// The package's default seed, for named streams.
const ORIGIN: [u64; 6] = [12345; 6];

/// Checks a seed of ns-2's: the six words take this value, which may not be 0 and is below both moduli.
pub(crate) fn check_seed(seed: Option<u32>) -> Checked {
    seed.map_or(Ok(()), |seed| within(1, M2 - 1, "seed", seed))
}

type Matrix = [[u64; 3]; 3];

/// One stream of uniform draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: [u64; 6],
    /// Whether draws are cut to ns-2's 31 bits.
    ns2: bool,
}

impl Random {
    /// The stream of `component` in a run with `seed`.
    pub fn named(seed: u64, component: &str) -> Random {
        // FNV-1a, so that the mapping from names to streams is written down here and nowhere else.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in seed.to_le_bytes().into_iter().chain(component.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random::stream(hash)
    }

    /// The `index`-th stream: its start lies `index` times 2^127 draws after the first's.
    pub fn stream(index: u64) -> Random {
        let one = [[0, 1, 0], [0, 0, 1], [M1 - A13N, A12, 0]];
        let two = [[0, 1, 0], [0, 0, 1], [M2 - A23N, 0, A21]];
        let mut state = [0; 6];
        for (part, (step, modulus)) in [(one, M1), (two, M2)].into_iter().enumerate() {
            let stride = (0..127).fold(step, |m, _| product(&m, &m, modulus));
            let jump = power(stride, index, modulus);
            for row in 0..3 {
                let sum = (0..3).map(|k| jump[row][k] as u128 * ORIGIN[3 * part + k] as u128).sum::<u128>();
                state[3 * part + row] = (sum % u128::from(modulus)) as u64;
            }
        }
        Random { state, ns2: false }
    }

    /// As ns-2 does after `seed N`: all six words equal `seed` (at least 1), and each draw is the quotient of a 31-bit
    /// integer and 2^31 - 1.
    pub fn ns2(seed: u32) -> Random {
        Random { state: [u64::from(seed.max(1)); 6], ns2: true }
    }

    /// The next draw, in (0, 1); after [`Random::ns2`], in \[0, 1\].
    pub fn uniform(&mut self) -> f64 {
        let s = &mut self.state;
        let step = |plus: u64, minus: u64, modulus: u64| (plus as i64 - minus as i64).rem_euclid(modulus as i64) as u64;
        let p1 = step(A12 * s[1], A13N * s[0], M1);
        let p2 = step(A21 * s[5], A23N * s[3], M2);
        *s = [s[1], s[2], p1, s[4], s[5], p2];
        let difference = if p1 > p2 { p1 - p2 } else { p1 + M1 - p2 };
        let draw = difference as f64 * NORM;
        if self.ns2 { (draw * 2_147_483_648.0).floor() / 2_147_483_647.0 } else { draw }
    }
}

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let cell = |i: usize, j: usize| (0..3).map(|k| a[i][k] as u128 * b[k][j] as u128).sum::<u128>() % modulus as u128;
    std::array::from_fn(|i| std::array::from_fn(|j| cell(i, j) as u64))
}

fn power(mut base: Matrix, mut exponent: u64, modulus: u64) -> Matrix {
    let mut result = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(&result, &base, modulus);
        }
        base = product(&base, &base, modulus);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ns2s_default_generator_after_seed_1() {
        let mut random = Random::ns2(1);
        let expected = [0.0003395769746692744, 0.5558807158637237, 0.014204660437165137];
        assert_eq!([random.uniform(), random.uniform(), random.uniform()], expected);
        // Every product of the recurrence fits: the sum over many draws is that of an exact implementation.
        let mut random = Random::stream(0);
        let states: Vec<u64> = (0..10_000).map(|_| (random.uniform(), random.state[2]).1).collect();
        for window in states.windows(4) {
            let exact =
                (1_403_580 * u128::from(window[1]) + u128::from(M1 - A13N) * u128::from(window[0])) % u128::from(M1);
            assert_eq!(u128::from(window[3]), exact);
        }
    }

    #[test]
    fn stream_zero_is_the_packages_first_and_streams_differ() {
        // First draw of RngStreams' default seed, as its documentation's example prints (0.127011).
        assert!((Random::stream(0).uniform() - 0.127011).abs() < 1e-6);
        // Second stream's first state, from L'Ecuyer's package: 3692455944 ...
        assert_eq!(Random::stream(1).state[0], 3_692_455_944);
        assert_ne!(Random::named(1, "a").uniform(), Random::named(1, "b").uniform());
        assert_eq!(Random::named(7, "loss 0").uniform(), Random::named(7, "loss 0").uniform());
        // python/acklab/scenario/draws.py names the same streams.
        let mut named = Random::named(1, "starts");
        assert_eq!([named.uniform(), named.uniform()], [0.11644190578253857, 0.11875091416300046]);
    }
}
