//! What travels: units ([`Time`], [`Rate`], [`Bytes`]), sequence numbers, [`Segment`]s and [`Ack`]s.
//!
//! This crate knows nothing of endpoints, queues or clocks; every other crate builds on it.

mod packet;
mod sack;
mod units;

pub use packet::{Ace, Ack, AckNotice, Body, Ecn, Packet, Phase, Probe, Segment, Tail};
pub use sack::{ByteCounts, PacketCounts, SackBlocks};
pub use units::{Bytes, Rate, Seq, Time, UnitError};
