//! Losses that no queue causes: with a probability, in bursts, or from a list. None of them depends on how much passes,
//! but for bursts counted in packets.

mod gilbert_elliott;
mod spec;

pub use gilbert_elliott::Bursts;
pub use spec::{GilbertElliott, LossPlace, LossSpec, LossTarget, Stay};

use acklab_packet::Time;

use crate::Carried;
use crate::random::Random;

/// A loss model of one link direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    place: LossPlace,
    only: Option<LossTarget>,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Rate {
        rate: f64,
        random: Random,
    },
    Bursts(Box<Bursts>),
    /// Ascending indices still to come, latest last, and the index of the next packet.
    List {
        ahead: Vec<u64>,
        next: u64,
    },
}

impl Loss {
    /// The model that `spec` describes; `random` is its stream unless the spec asks for ns-2's seeding.
    pub fn new(spec: &LossSpec, random: impl FnOnce() -> Random) -> Loss {
        let rule = match (&spec.list, &spec.gilbert_elliott, spec.rate) {
            (_, Some(bursts), _) => Rule::Bursts(Box::new(Bursts::new(bursts, random()))),
            (Some(list), ..) => {
                let mut ahead = list.clone();
                ahead.sort_unstable_by(|a, b| b.cmp(a));
                ahead.dedup();
                Rule::List { ahead, next: 0 }
            }
            (None, None, rate) => {
                let random = spec.seed.map_or_else(random, Random::ns2);
                Rule::Rate { rate: rate.unwrap_or(0.0), random }
            }
        };
        Loss { place: spec.r#where, only: spec.only, rule }
    }

    /// Whether the model, if it stands at `place`, takes this packet, which comes to the link (or to its transmitter) `now`.
    #[inline]
    pub fn takes<P: Carried>(&mut self, packet: &P, place: LossPlace, now: Time) -> bool {
        if place != self.place {
            return false;
        }
        LossTarget::includes(self.only, packet)
            && match &mut self.rule {
                Rule::Rate { rate, random } => random.uniform() < *rate,
                Rule::Bursts(bursts) => bursts.takes(now),
                Rule::List { ahead, next } => {
                    let hit = ahead.last() == Some(next);
                    *next += 1;
                    if hit {
                        ahead.pop();
                    }
                    hit
                }
            }
    }
}
