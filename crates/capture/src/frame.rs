//! A packet as a capture file keeps it, and instants as a capture file counts them.

use crate::EPOCH_S;

/// One packet as a file keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// Whether it left the interface (or entered it).
    pub outbound: bool,
    /// Its first bytes.
    pub data: &'a [u8],
    /// How many it had.
    pub length: u32,
}

/// An instant of the simulation in nanoseconds since 1970.
pub fn instant_ns(time_s: f64) -> u64 {
    EPOCH_S * 1_000_000_000 + (time_s * 1e9).round() as u64
}
