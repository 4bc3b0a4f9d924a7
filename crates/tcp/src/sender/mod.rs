//! The sending endpoint.
//!
//! [`Sender`] owns the parts and dispatches events: [`SequenceSpace`] is where it stands in its data, `Timer`
//! the retransmission timer, [`Congestion`](congestion::Congestion) the windows with their [`control`] and [`credit`]. `recovery`
//! decides what is lost and may be sent now.

pub mod accurate;
mod answers;
pub mod congestion;
mod core;
mod feedback;
pub mod flight;
mod machine;
mod mark_tests;
mod packet_marks;
mod recovery;
mod repair;
mod requests;
mod rng;
pub mod rtt;
mod scoreboard;
mod segmentation;
mod sending;
mod sequence;
mod skip;
mod write_queue;

use self::core::View;
pub use self::core::{Core, SenderCounters};
pub use congestion::{CaState, Windows, control, credit};
pub use machine::{Sender, SenderView};
pub use sequence::{Position, SequenceSpace, Supply};

use acklab_packet::{Probe, Segment, Time};

/// Seconds by which instants, or round trips, differ that are equal: no sender's clock is finer, and sums of times have a last
/// digit.
const CLOCK: f64 = 1e-9;

/// Requests of a sender to its driver.
pub trait SenderWire {
    /// Puts a segment of `wire_bytes` bytes on the first link.
    fn send(&mut self, segment: Segment, wire_bytes: u32);
    /// Puts the answer to a receiver's keep-alive, of `wire_bytes` bytes, on the first link.
    fn answer(&mut self, reply: Probe, wire_bytes: u32);
    /// Sets the retransmission timer to `at`, whatever it was set to before.
    fn arm(&mut self, at: Time);
    /// Stops the retransmission timer.
    fn disarm(&mut self);
    /// Wakes the sender at `at` to continue sending ([`Sender::on_pacer`]).
    fn arm_pacer(&mut self, at: Time);
}
