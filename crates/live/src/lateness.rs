//! How late packets left: the instant of release less the instant computed.

use serde::Serialize;

/// Releases later than computed, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Lateness(Vec<u32>);

/// A run whose 99th percentile is above this is called invalid, unless it was asked for something else: a millisecond is what
/// a TCP timestamp resolves.
pub const LIMIT_S: f64 = 1e-3;

/// What the releases of a run were like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Summary {
    pub releases: u64,
    pub p50_s: f64,
    pub p99_s: f64,
    pub max_s: f64,
}

impl Summary {
    /// Why a run in which packets left so late is invalid, if it is: above `limit_s` in one packet of a hundred.
    pub fn too_late(&self, limit_s: f64) -> Option<String> {
        (self.p99_s > limit_s).then(|| {
            format!(
                "the run is invalid: one packet in a hundred left more than {:.1} ms late (at most {:.1} ms may be); the \
                 machine was busy, or the path is too fast for it; run it again, with less beside it, with --realtime, or with \
                 another --late",
                1e3 * self.p99_s,
                1e3 * limit_s
            )
        })
    }
}

/// Why a run is invalid in which the kernel refused packets.
pub fn refusal(refused: u64) -> Option<String> {
    (refused > 0)
        .then(|| format!("the run is invalid: the kernel refused {refused} packets that the path had delivered"))
}

impl Lateness {
    /// A packet due at `due_s` left at `left_s`.
    pub fn note(&mut self, due_s: f64, left_s: f64) {
        self.0.push(((left_s - due_s).max(0.0) * 1e9).min(f64::from(u32::MAX)) as u32);
    }

    /// Adds another thread's.
    pub fn join(&mut self, other: Lateness) {
        self.0.extend(other.0);
    }

    /// Percentiles by nearest rank.
    pub fn summary(mut self) -> Summary {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        let rank = |share: f64| {
            let index = (share * self.0.len() as f64).ceil() as usize;
            self.0.get(index.saturating_sub(1).min(last)).map_or(0.0, |&late| f64::from(late) * 1e-9)
        };
        Summary { releases: self.0.len() as u64, p50_s: rank(0.5), p99_s: rank(0.99), max_s: rank(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut lateness = Lateness::default();
        for k in (1..=100).rev() {
            lateness.note(1.0, 1.0 + f64::from(k) * 1e-6);
        }
        let Summary { releases, p50_s, p99_s, max_s } = lateness.summary();
        assert_eq!(releases, 100);
        for (got, micros) in [(p50_s, 50.0), (p99_s, 99.0), (max_s, 100.0)] {
            assert!((got - micros * 1e-6_f64).abs() < 2e-9, "{got} {micros}");
        }
        assert_eq!(Lateness::default().summary(), Summary::default());
    }
}
