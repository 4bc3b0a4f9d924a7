//! Jitter: every packet takes longer by a random time.
//!
//! If packets are kept in order, each leaves no earlier than the one before it, as behind a queue of others' traffic.
//! Otherwise a packet with a short delay overtakes those with long ones.

use std::collections::BTreeMap;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::loss::LossTarget;
use crate::random::Random;
use crate::values::{Checked, is_default, some_time};

/// Every packet is delayed by a time of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("neutral" = { "by": "mean" }))]
pub struct JitterParams {
    /// How the times are distributed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub distribution: DelayDistribution,
    /// Their mean, before `most` cuts them.
    pub mean: Time,
    /// The longest; a longer one drawn is cut to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Time>,
    /// Whether packets may overtake each other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: DelayOrder,
    /// Which packets are delayed; all when left out. Others pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<LossTarget>,
}

/// A distribution of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayDistribution {
    /// From nothing to twice the mean.
    #[default]
    Uniform,
    /// Exponential.
    Exponential,
    /// With a heavy tail, of infinite variance: Pareto's of the second kind, shape 2. One in a hundred exceeds nine means.
    Pareto,
}

impl DelayDistribution {
    /// The value that corresponds to the uniform draw `u` in (0, 1), for a mean of 1.
    fn value(self, u: f64) -> f64 {
        match self {
            DelayDistribution::Uniform => 2.0 * u,
            // libm in Rust, not the system's: its last digit must be the same everywhere.
            DelayDistribution::Exponential => -libm::log(u),
            DelayDistribution::Pareto => 1.0 / u.sqrt() - 1.0,
        }
    }
}

/// In which order delayed packets leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayOrder {
    /// As they came.
    #[default]
    Kept,
    /// As their delays have it.
    Free,
}

impl StageParams for JitterParams {
    fn check(&mut self) -> Checked {
        some_time("mean", self.mean)?;
        self.most.map_or(Ok(()), |most| some_time("most", most))
    }
}

/// The stage of [`JitterParams`].
#[derive(Clone, Debug)]
pub struct Jitter<P> {
    params: JitterParams,
    random: Random,
    /// What waits, by the instant at which it leaves and the order in which it came.
    held: BTreeMap<(Time, u64), Passing<P>>,
    came: u64,
    /// When the latest to leave does.
    last: Time,
}

impl<P> Jitter<P> {
    /// A stage that has seen nothing; `random` is its stream.
    pub fn new(params: &JitterParams, random: impl FnOnce() -> Random) -> Jitter<P> {
        Jitter { params: params.clone(), random: random(), held: BTreeMap::new(), came: 0, last: Time::ZERO }
    }

    /// How much longer the next packet takes.
    fn delay(&mut self) -> Time {
        let JitterParams { distribution, mean, most, .. } = &self.params;
        let drawn = Time::from_secs(mean.secs() * distribution.value(self.random.uniform()));
        most.map_or(drawn, |most| drawn.min(most))
    }
}

impl<P: Reissue> Stage<P> for Jitter<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        self.wake(now, out);
        if !LossTarget::includes(self.params.only, &passing.packet) {
            return out.push(passing);
        }
        let mut due = now + self.delay();
        if self.params.order == DelayOrder::Kept {
            due = due.max(self.last);
        }
        self.last = due;
        self.held.insert((due, self.came), passing);
        self.came += 1;
        self.wake(now, out);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while let Some(first) = self.held.first_entry()
            && first.key().0 <= now
        {
            out.push(first.remove());
        }
    }

    fn held(&self) -> usize {
        self.held.len()
    }

    fn next(&self) -> Option<Time> {
        self.held.first_key_value().map(|(&(due, _), _)| due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of many values, and the share of them above `limit`.
    fn drawn(distribution: DelayDistribution, limit: f64) -> (f64, f64) {
        let mut random = Random::named(1, "jitter");
        let values: Vec<f64> = (0..400_000).map(|_| distribution.value(random.uniform())).collect();
        let above = values.iter().filter(|value| **value > limit).count();
        (values.iter().sum::<f64>() / 400_000.0, above as f64 / 400_000.0)
    }

    #[test]
    fn means_and_tails_are_the_distributions() {
        for (distribution, limit, share) in [
            (DelayDistribution::Uniform, 1.5, 0.25),
            (DelayDistribution::Exponential, 3.0, 0.049_787),
            (DelayDistribution::Pareto, 9.0, 0.01),
        ] {
            let (mean, above) = drawn(distribution, limit);
            assert!((mean - 1.0).abs() < 0.02, "{distribution:?}: mean {mean}");
            assert!((above / share - 1.0).abs() < 0.05, "{distribution:?}: {above} above {limit}");
        }
        assert!(drawn(DelayDistribution::Uniform, 2.0).1 == 0.0);
    }
}
