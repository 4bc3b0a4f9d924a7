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
        let random = matches!(table.size, Size::Uniform { .. }) || table.repeat.is_some_and(|r| r.think_to > r.think);
        random.then(|| Box::new(Workload { sizes: stream("size"), pauses: stream("think") }))
    }

    /// Payload bytes of the next transfer, `low` to `high`, both included.
    pub fn bytes(&mut self, low: u64, high: u64) -> u64 {
        let span = (high - low + 1) as f64;
        (low + (self.sizes.uniform() * span) as u64).min(high)
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
            counts[(workload.bytes(7, 10) - 7) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_700..10_300).contains(&count)), "{counts:?}");
        assert_eq!(workload.bytes(5, 5), 5);
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
