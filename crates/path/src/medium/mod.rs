//! Media that several stations share: who transmits next, and for how long.
//!
//! A link is the medium with one station and needs none of this. A shared medium is told of packets ([`Dcf::offer`]),
//! says when it next wants to be woken ([`Dcf::next`]), and when woken hands out what arrived or was given up
//! ([`Dcf::wake`]). It owns its stations' interface queues, but no clock and no socket.
//!
//! * [`Dcf`]: 802.11's distributed coordination function, with 802.11n's aggregation (ledger divack.m.dcf);
//! * [`DcfSpec`]: its parameters as a scenario writes them, [`DcfParams`]: all of them, with what follows from them.

mod dcf;
mod params;
mod station;

pub use dcf::{AirStats, Dcf, Fate};
pub use params::{DcfParams, DcfSpec, Phy, Preamble};
pub use station::Frame;
