//! 802.11's distributed coordination function (ledger divack.m.dcf), with 802.11n's aggregation.
//!
//! * [`Dcf`]: the medium with its stations and their interface queues;
//! * [`DcfSpec`]: its parameters as a scenario writes them, [`DcfParams`]: all of them, with what follows from them.

mod medium;
mod params;
mod station;

pub use medium::{AirStats, Dcf};
pub use params::{DcfParams, DcfSpec, Phy, Preamble};
pub use station::{Fate, Frame};
