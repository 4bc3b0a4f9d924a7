//! Drop policies: which packet goes when the buffer is full after filtering (ledger ackfilter.m.drop_policies).
//!
//! To add one: a function here, a variant of [`DropPolicy`], an arm in [`DropPolicy::victim`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
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
}

impl DropPolicy {
    /// The packet to drop, `None` for the arrival; `filtering` says whether the filter filters at present.
    pub fn victim<P: Carried>(self, waiting: &Waiting<P>, filtering: bool) -> Option<Handle> {
        let flows = waiting.flows();
        let oldest = |flow: Option<u32>| flow.and_then(|flow| waiting.first_of(flow));
        match self {
            DropPolicy::Tail => None,
            DropPolicy::Front => waiting.first(),
            DropPolicy::LongestFront => oldest(flows.longest()),
            DropPolicy::FastestOldest => oldest(flows.fastest()),
            DropPolicy::TailWhenFiltering if filtering => None,
            DropPolicy::TailWhenFiltering => oldest(flows.longest()),
        }
    }

    /// What it needs measured, added to what the filter does; `rates` are those to measure where the filter has none.
    pub(super) fn measures(self, filter: Measures, rates: Measures) -> Measures {
        match self {
            DropPolicy::Tail | DropPolicy::Front => filter,
            DropPolicy::LongestFront | DropPolicy::TailWhenFiltering => Measures { longest: true, ..filter },
            DropPolicy::FastestOldest => Measures { fastest: true, rates: filter.rates.or(rates.rates), ..filter },
        }
    }
}
