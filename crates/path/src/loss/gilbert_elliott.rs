//! Losses in bursts: a path that is now good, now bad (Gilbert 1960, Elliott 1963).

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LossModel;
use crate::PacketView;
use crate::random::Random;
use crate::values::{Checked, Wrong, must, number, probability, quoted};

/// A path that is now good, now bad, and loses with a probability of either state (Gilbert, Elliott). Its stays are
/// counted in packets, or in time: then the losses do not depend on the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Mean stay in the good state: a number of packets, or a time such as `"2s"`.
    pub good: Stay,
    /// Mean stay in the bad state, in the same unit.
    pub bad: Stay,
    /// Loss probability in the good state.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_good: f64,
    /// Loss probability in the bad state.
    #[serde(default = "number::<f64, 1>")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_bad: f64,
}

/// The mean length of a stay in a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Stay {
    /// That many packets, at least 1.
    Packets(f64),
    /// That long, written `"50ms"`.
    Time(Time),
}

impl Stay {
    /// In its own unit: packets or seconds.
    pub fn mean(&self) -> f64 {
        match self {
            Stay::Packets(packets) => *packets,
            Stay::Time(time) => time.secs(),
        }
    }
}

/// The two states and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Bursts {
    /// Loss probability in the good and in the bad state.
    loss: [f64; 2],
    change: Change,
    bad: bool,
    random: Random,
}

/// When the state changes.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// Before each packet, with the probability of the state it is in.
    ByPacket([f64; 2]),
    /// At an instant drawn when the state began, whatever passes: the mean stays in seconds, and the next change.
    ByTime { mean: [f64; 2], at: f64 },
}

impl Bursts {
    /// Stays in one unit, long enough, and probabilities that are some.
    pub(super) fn check(spec: &mut GilbertElliott) -> Checked {
        for (key, stay) in [("good", spec.good), ("bad", spec.bad)] {
            match stay {
                Stay::Packets(packets) => {
                    let most = (1.0..=1e15).contains(&packets);
                    must(most, key, "must be a number of packets, at least 1", packets)?;
                }
                Stay::Time(time) => must(time >= Time::from_secs(1e-4), key, "must be at least 0.1ms", quoted(time))?,
            }
        }
        if matches!(spec.good, Stay::Packets(_)) != matches!(spec.bad, Stay::Packets(_)) {
            return Err(Wrong::at("", "counts one state in packets, the other in time; count both alike"));
        }
        probability("loss_good", spec.loss_good)?;
        probability("loss_bad", spec.loss_bad)
    }

    /// The model `spec` describes; it begins in either state, as often as it is in it.
    pub fn new(spec: &GilbertElliott, random: impl FnOnce() -> Random) -> Bursts {
        let mut random = random();
        let mean = [&spec.good, &spec.bad].map(Stay::mean);
        let bad = random.uniform() < mean[1] / (mean[0] + mean[1]);
        let change = match (spec.good, spec.bad) {
            (Stay::Packets(_), _) | (_, Stay::Packets(_)) => Change::ByPacket(mean.map(|packets| 1.0 / packets)),
            (Stay::Time(_), Stay::Time(_)) => {
                // No stay remembers how long it has lasted.
                let at = stay(mean[usize::from(bad)], &mut random);
                Change::ByTime { mean, at }
            }
        };
        Bursts { loss: [spec.loss_good, spec.loss_bad], change, bad, random }
    }
}

impl LossModel for Bursts {
    fn takes(&mut self, _: &PacketView, now: Time) -> bool {
        match &mut self.change {
            Change::ByPacket(leaves) => self.bad ^= self.random.uniform() < leaves[usize::from(self.bad)],
            Change::ByTime { mean, at } => {
                while *at <= now.secs() {
                    self.bad = !self.bad;
                    *at += stay(mean[usize::from(self.bad)], &mut self.random);
                }
            }
        }
        match self.loss[usize::from(self.bad)] {
            0.0 => false,
            1.0 => true,
            rate => self.random.uniform() < rate,
        }
    }
}

/// An exponentially distributed stay.
fn stay(mean: f64, random: &mut Random) -> f64 {
    // libm in Rust, not the system's: its last digit must be the same everywhere.
    -mean * libm::log(random.uniform())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bare;

    fn spec(good: Stay, bad: Stay) -> GilbertElliott {
        GilbertElliott { good, bad, loss_good: 0.0, loss_bad: 1.0 }
    }

    /// Share lost of `packets` sent `gap` seconds apart, and the mean length of runs of losses.
    fn losses(spec: &GilbertElliott, gap: f64, packets: u32) -> (f64, f64) {
        let mut bursts = Bursts::new(spec, || Random::named(1, "bursts"));
        let (mut lost, mut runs, mut last) = (0, 0, false);
        for k in 0..packets {
            let packet = PacketView::new(k.into(), &Bare::of(1000));
            let hit = bursts.takes(&packet, Time::from_secs(gap * f64::from(k)));
            lost += u32::from(hit);
            runs += u32::from(hit && !last);
            last = hit;
        }
        (f64::from(lost) / f64::from(packets), f64::from(lost) / f64::from(runs))
    }

    #[test]
    fn by_packets_the_share_and_the_length_of_bursts_are_the_chains() {
        let (share, length) = losses(&spec(Stay::Packets(97.0), Stay::Packets(3.0)), 0.01, 400_000);
        assert!((share - 0.03).abs() < 0.001 && (length - 3.0).abs() < 0.06, "{share} {length}");
    }

    #[test]
    fn by_time_the_share_does_not_depend_on_the_load_and_the_length_does() {
        let time = |secs| Stay::Time(Time::from_secs(secs));
        let spec = spec(time(0.95), time(0.05));
        for (gap, expected) in [(0.001, 50.0), (0.01, 5.0)] {
            let (share, length) = losses(&spec, gap, 2_000_000);
            assert!((share - 0.05).abs() < 0.004, "{gap}: {share}");
            assert!((length / expected - 1.0).abs() < 0.15, "{gap}: runs of {length}");
        }
    }

    #[test]
    fn both_states_may_lose() {
        let mild = GilbertElliott { loss_good: 0.01, loss_bad: 0.5, ..spec(Stay::Packets(9.0), Stay::Packets(1.0)) };
        let (share, _) = losses(&mild, 0.01, 400_000);
        assert!((share - (0.9 * 0.01 + 0.1 * 0.5)).abs() < 0.002, "{share}");
    }
}
