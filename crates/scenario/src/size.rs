//! How much a flow sends.

/// Amount of data that a flow sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Number of full segments.
    Segments(u64),
    /// Number of payload bytes.
    Bytes(u64),
    /// Payload bytes, drawn for each transfer uniformly.
    Uniform {
        /// Fewest.
        low: u64,
        /// Most.
        high: u64,
    },
    /// Payload bytes, drawn for each transfer from a Pareto distribution that is cut at `high`.
    Pareto {
        /// Fewest, at which the distribution begins.
        low: u64,
        /// Most.
        high: u64,
        /// Shape: the smaller, the heavier the tail.
        shape: f64,
    },
    /// Until the run ends.
    Unlimited,
}

impl Size {
    /// Fewest and most payload bytes of a size that is drawn.
    pub fn drawn(self) -> Option<(u64, u64)> {
        match self {
            Size::Uniform { low, high } | Size::Pareto { low, high, .. } => Some((low, high)),
            Size::Segments(_) | Size::Bytes(_) | Size::Unlimited => None,
        }
    }
}
