//! ACK division: when ACKs are divided, and into what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;

choice! {
    /// In which phase of the sender ACKs are divided.
    DivideWhen {
        /// In both.
        Always = "always",
        /// In slow start only.
        SlowStart = "slow-start",
        /// In congestion avoidance only.
        CongestionAvoidance = "congestion-avoidance",
    }
}

choice! {
    /// What the pieces of a divided ACK cover.
    PieceParts {
        /// Equal parts, rounded to whole bytes.
        Equal = "equal",
        /// One byte each, and the last piece the rest.
        Bytes = "bytes",
    }
}

choice! {
    /// Which piece of a divided ACK leaves first.
    PieceOrder {
        /// The piece that covers least.
        Rising = "rising",
        /// The whole ACK, so that the other pieces acknowledge nothing new.
        Falling = "falling",
    }
}
