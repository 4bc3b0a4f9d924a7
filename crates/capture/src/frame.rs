//! A packet as a capture file keeps it.

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
