//! 802.11's distributed coordination function (ledger divack.m.dcf), with the aggregation of 802.11n, ac and ax.
//!
//! * [`Dcf`]: the medium with its stations and their interface queues;
//! * [`DcfSpec`]: its parameters as a scenario writes them, [`DcfParams`]: all of them, with what follows from them.

mod medium;
mod params;
mod phy;
mod port;
mod station;

pub use medium::Dcf;
pub use params::{DcfParams, DcfSpec, Preamble};
pub use phy::Phy;
pub use port::AirStats;
pub use station::{Fate, Frame};
