//! What travels: units ([`Time`], [`Rate`], [`Bytes`]), sequence numbers, [`Segment`]s and [`Ack`]s.
//!
//! This crate knows nothing of endpoints, queues or clocks; every other crate builds on it.

mod packet;
mod units;

pub use packet::{Ace, Ack, AckNotice, Body, ByteCounts, Ecn, Packet, Phase, Probe, SackBlocks, Segment, Seq, Tail};
pub use units::{Bytes, Rate, Time, UnitError};
