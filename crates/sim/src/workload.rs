//! What is drawn for each of a flow's transfers: its size, and the pause before it (ledger ackfilter.m.sources).
//!
//! Sizes and pauses have a stream each, named after the flow. So the k-th transfer of a flow is the same whatever the
//! network does to it, and runs that differ in their network alone can be compared pairwise.

use acklab_packet::Time;
use acklab_path::random::Random;

use acklab_scenario::spec::{FlowSpec, Repeat, Size};

/// The draws of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    sizes: Random,
    pauses: Random,
}

impl Workload {
    /// The draws of a flow; none where nothing of it is random. `stream` names a stream.
    pub fn new(table: &FlowSpec, stream: impl Fn(&str) -> Random) -> Option<Box<Workload>> {
        let random = table.size.drawn().is_some() || table.repeat.is_some_and(|r| r.think_to > r.think);
        random.then(|| Box::new(Workload { sizes: stream("size"), pauses: stream("think") }))
    }

    /// Payload bytes of the next transfer, both ends included; `None` where the size is not drawn.
    pub fn bytes(&mut self, size: Size) -> Option<u64> {
        let (low, high) = size.drawn()?;
        let bytes = match size {
            // The inverse of the distribution function, cut at `high`. libm in Rust: its last digit is the same everywhere.
            Size::Pareto { shape, .. } => {
                let within = 1.0 - libm::pow(low as f64 / high as f64, shape);
                (low as f64 * libm::pow(1.0 - self.sizes.uniform() * within, -1.0 / shape)) as u64
            }
            _ => low + (self.sizes.uniform() * (high - low + 1) as f64) as u64,
        };
        Some(bytes.clamp(low, high))
    }

    /// The pause before the next transfer.
    pub fn pause(&mut self, repeat: &Repeat) -> Time {
        let (low, high) = (repeat.think.secs(), repeat.think_to.secs());
        Time::from_secs(low + self.pauses.uniform() * (high - low).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload() -> Workload {
        Workload { sizes: Random::named(1, "size"), pauses: Random::named(1, "think") }
    }

    #[test]
    fn sizes_are_uniform_and_reach_both_ends() {
        let mut workload = workload();
        let mut counts = [0_u32; 4];
        for _ in 0..40_000 {
            counts[(workload.bytes(Size::Uniform { low: 7, high: 10 }).unwrap() - 7) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_700..10_300).contains(&count)), "{counts:?}");
        assert_eq!(workload.bytes(Size::Uniform { low: 5, high: 5 }), Some(5));
        assert_eq!(workload.bytes(Size::Unlimited), None);
    }

    /// The share above `x` is `(low / x)^shape`, less what the cut takes, and the mean is that of the closed form.
    #[test]
    fn pareto_sizes_have_their_tail_and_mean() {
        let (low, high, shape) = (800.0, 1e6, 1.2);
        let size = Size::Pareto { low: 800, high: 1_000_000, shape };
        let mut workload = workload();
        let sizes: Vec<f64> = (0..200_000).map(|_| workload.bytes(size).unwrap() as f64).collect();
        assert!(sizes.iter().all(|bytes| (low..=high).contains(bytes)));
        let cut = f64::powf(low / high, shape);
        for x in [1_000.0, 1_600.0, 8_000.0, 80_000.0] {
            let share = sizes.iter().filter(|&&bytes| bytes > x).count() as f64 / sizes.len() as f64;
            let expected = (f64::powf(low / x, shape) - cut) / (1.0 - cut);
            assert!((share - expected).abs() < 4.0 * (expected / 200_000.0).sqrt(), "{x}: {share} for {expected}");
        }
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        let expected = shape * f64::powf(low, shape) / (1.0 - cut)
            * (f64::powf(high, 1.0 - shape) - f64::powf(low, 1.0 - shape))
            / (1.0 - shape);
        assert!((mean / expected - 1.0).abs() < 0.03, "{mean} for {expected}");
        assert_eq!(workload.bytes(Size::Pareto { low: 9, high: 9, shape }), Some(9));
    }

    #[test]
    fn pauses_lie_between_their_ends() {
        let mut workload = workload();
        let repeat = Repeat { times: 2, think: Time::from_secs(1.0), think_to: Time::from_secs(3.0) };
        let pauses: Vec<f64> = (0..10_000).map(|_| workload.pause(&repeat).secs()).collect();
        assert!(pauses.iter().all(|pause| (1.0..3.0).contains(pause)));
        let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
        assert!((mean - 2.0).abs() < 0.02, "{mean}");
    }
}
