//! The receiving endpoint.
//!
//! [`Receiver`] reassembles and builds ACKs; *when* it sends one is its [`policy`]'s decision.

mod accurate;
mod closing;
mod emit;
pub mod estimator;
mod hints;
mod machine;
mod opening;
mod pieces;
pub mod policy;
mod reassembly;
mod sack;

pub(crate) use accurate::{FIRST_BYTES, FIRST_PACKETS};
pub use machine::{Receiver, ReceiverCounters};
pub use pieces::numbers;
pub use reassembly::{Placement, Reassembly};
pub use sack::SackHistory;

use acklab_packet::{Ack, Probe, Time};

/// Requests of a receiver to its driver.
pub trait ReceiverWire {
    /// Puts an ACK of `wire_bytes` bytes on the first link back.
    fn send(&mut self, ack: Ack, wire_bytes: u32);
    /// Puts a keep-alive of `wire_bytes` bytes on the first link back.
    fn probe(&mut self, probe: Probe, wire_bytes: u32);
    /// Sets the ACK timer to `at`, whatever it was set to before.
    fn arm(&mut self, at: Time);
    /// Stops the ACK timer.
    fn disarm(&mut self);
}
