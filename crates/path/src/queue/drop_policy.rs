//! Drop policies: which packet goes when the buffer is full after filtering (ledger ackfilter.m.drop_policies).
//!
//! To add one: a variant of [`DropPolicy`], and an arm in each of its functions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::random::Random;
use crate::waiting::{Handle, Measures, Waiting};

/// Which packet goes when there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DropPolicy {
    /// The arrival.
    #[default]
    Tail,
    /// The packet in front.
    Front,
    /// The oldest packet of the connection with most waiting.
    LongestFront,
    /// The oldest packet of the connection whose packets leave at the highest rate, of those with any waiting.
    FastestOldest,
    /// `longest-front` while the filter does not filter, `tail` while it does.
    TailWhenFiltering,
    /// A packet drawn from those that wait (random drop on full, RFC 2309 section 2).
    Random,
}

impl DropPolicy {
    /// Returns whether the policy draws random numbers.
    pub(super) fn draws(self) -> bool {
        self == DropPolicy::Random
    }

    /// The packet to drop, `None` for the arrival; `filtering` says whether the filter filters at present. `random` is given to a
    /// policy that [draws](DropPolicy::draws).
    pub fn victim<P: Carried>(
        self,
        waiting: &Waiting<P>,
        filtering: bool,
        random: Option<&mut Random>,
    ) -> Option<Handle> {
        let flows = waiting.flows();
        let oldest = |flow: Option<u32>| flow.and_then(|flow| waiting.first_of(flow));
        match self {
            DropPolicy::Tail => None,
            DropPolicy::Front => waiting.first(),
            DropPolicy::LongestFront => oldest(flows.longest()),
            DropPolicy::FastestOldest => oldest(flows.fastest()),
            DropPolicy::TailWhenFiltering if filtering => None,
            DropPolicy::TailWhenFiltering => oldest(flows.longest()),
            DropPolicy::Random => {
                let random = random.filter(|_| !waiting.is_empty())?;
                let mut draw = || waiting.at((random.uniform() * waiting.places() as f64) as usize);
                std::iter::repeat_with(&mut draw).flatten().next()
            }
        }
    }

    /// What it needs measured, added to what the filter does; `rates` are those to measure where the filter has none.
    pub(super) fn measures(self, filter: Measures, rates: Measures) -> Measures {
        match self {
            DropPolicy::Tail | DropPolicy::Front | DropPolicy::Random => filter,
            DropPolicy::LongestFront | DropPolicy::TailWhenFiltering => Measures { longest: true, ..filter },
            DropPolicy::FastestOldest => Measures { fastest: true, rates: filter.rates.or(rates.rates), ..filter },
        }
    }
}
