//! ACK filters: which of the ACKs that wait a newer one makes superfluous.
//!
//! A filter is asked when a plain ACK arrives, before it is queued, and names the ACKs of the same connection to erase.
//! It reads what waits and the flow table, and owns neither. What a filter can cost its connections is part of its
//! type: [`AckFilter::may_destroy`].
//!
//! To add one: a file here with its parameters ([`FilterParams`]) and its rule ([`AckFilter`]), its `mod`, and its line in `filters!` below.

mod cake;
mod delayed;
mod fixed;
mod safety;

pub(crate) use cake::superfluous;
pub use delayed::{Per, RateKind};
pub use fixed::{Older, Slot};
pub(crate) use safety::{is_redundant, sack_is_covered};

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::values::{Checked, kinds};
use crate::waiting::{Handle, Measures, Waiting};

/// What a filter wants done before the arrival is queued. Reused from one arrival to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// ACKs to erase, the oldest first.
    pub erase: Vec<Handle>,
    /// ACKs that no filter need look at again, since what they tell would be lost.
    pub spare: Vec<Handle>,
}

/// What erasing ACKs may cost a connection, besides the ACKs' number and timing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destroys {
    /// Repetitions of the newest number that say nothing else: what fast retransmit counts (RFC 5681 section 3.2).
    pub duplicates: bool,
    /// Repetitions that a later ACK makes superfluous to a sender that reads SACK or sees the gap closed: their count
    /// falls, which costs senders that count them.
    pub duplicate_counts: bool,
    /// SACK blocks that no later ACK repeats.
    pub sack_news: bool,
    /// The newest timestamp.
    pub timestamps: bool,
    /// A change of what is echoed about congestion.
    pub congestion: bool,
    /// Options the filter does not know.
    pub unknown_options: bool,
}

impl Destroys {
    /// Whether nothing a sender acts on is lost.
    pub fn nothing(self) -> bool {
        Destroys { duplicate_counts: false, ..self } == Destroys::default()
    }

    /// Everything an ACK may say beside a number that a later one passes.
    pub const NEWS: Destroys = Destroys {
        duplicates: true,
        duplicate_counts: true,
        sack_news: true,
        timestamps: true,
        congestion: true,
        unknown_options: true,
    };
}

/// A rule for which ACKs to erase.
pub trait AckFilter<P: Carried> {
    /// `packet`, a plain ACK of the connection at slot `flow`, arrives: adds to `decision`, which is empty.
    fn on_ack(&mut self, packet: &P, flow: u32, waiting: &Waiting<P>, decision: &mut Decision);
    /// Whether it is erasing ACKs at present.
    fn filtering(&self) -> bool {
        true
    }
    /// What it may cost.
    fn may_destroy(&self) -> Destroys;
    /// What the flow table has to measure for it.
    fn measures(&self) -> Measures {
        Measures::default()
    }
    /// Whether the arrival takes the place of the oldest ACK erased, instead of the queue's end.
    fn takes_place(&self) -> bool {
        false
    }
    /// Whether an arrival that finds the queue full is refused before anything is erased, as in ns-2.
    fn needs_room_first(&self) -> bool {
        false
    }
}

/// A filter's parameters, as a scenario writes them.
pub trait FilterParams {
    /// Says what is wrong with them.
    fn check(&self) -> Checked {
        Ok(())
    }
}

/// Checks the parameters under a queue's key `filter`.
pub(crate) fn check(filter: Option<FilterSpec>) -> Checked {
    filter.map_or(Ok(()), |filter| filter.check().map_err(|wrong| wrong.below("filter")))
}

/// Declares the filters: how a scenario writes them, in this order; the filters, and how each is made.
macro_rules! filters {
    ($($file:ident::$name:ident($params:ident))+) => {
        $(pub use $file::{$name, $params};)+

        kinds! {
            /// An ACK filter, as written under `filter`.
            #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[schemars(extend("neutral" = { "by": "absent" }))]
            pub enum FilterSpec as FilterParams { $($name($params),)+ }
        }

        /// The filters, dispatched without `Box<dyn>`.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum AnyFilter { $($name($name),)+ }

        impl AnyFilter {
            /// The filter a scenario names, before a link of `rate`.
            pub fn new(spec: &FilterSpec, rate: Rate) -> AnyFilter {
                match spec { $(FilterSpec::$name(params) => AnyFilter::$name($name::new(params, rate)),)+ }
            }
        }

        impl<P: Carried> AckFilter<P> for AnyFilter {
            fn on_ack(&mut self, packet: &P, flow: u32, waiting: &Waiting<P>, decision: &mut Decision) {
                match self { $(AnyFilter::$name(filter) => filter.on_ack(packet, flow, waiting, decision),)+ }
            }
            fn filtering(&self) -> bool {
                match self { $(AnyFilter::$name(filter) => AckFilter::<P>::filtering(filter),)+ }
            }
            fn may_destroy(&self) -> Destroys {
                match self { $(AnyFilter::$name(filter) => AckFilter::<P>::may_destroy(filter),)+ }
            }
            fn measures(&self) -> Measures {
                match self { $(AnyFilter::$name(filter) => AckFilter::<P>::measures(filter),)+ }
            }
            fn takes_place(&self) -> bool {
                match self { $(AnyFilter::$name(filter) => AckFilter::<P>::takes_place(filter),)+ }
            }
            fn needs_room_first(&self) -> bool {
                match self { $(AnyFilter::$name(filter) => AckFilter::<P>::needs_room_first(filter),)+ }
            }
        }
    };
}

filters! {
    fixed::Static(StaticParams)
    delayed::Delayed(DelayedParams)
    cake::Cake(CakeParams)
}
