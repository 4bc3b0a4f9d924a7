//! The sending endpoint.
//!
//! [`Sender`] joins four parts that know nothing of each other: [`credit`] says what an ACK is worth, [`control`] turns
//! that into `cwnd` and `ssthresh`, [`recovery`] decides what is lost and may be sent now, [`rto`] times segments.

pub mod control;
mod core;
pub mod credit;
pub mod delivery;
mod frto;
mod luck;
mod machine;
mod nagle;
mod pacing;
mod rated;
pub mod recovery;
pub mod rto;
mod rto_linux;
pub mod scoreboard;
mod send_times;
mod sending;
mod skip;
mod timer;
mod undo;
mod validation;
mod window;

pub use self::core::{Core, LastCut, SenderCounters, Supply};
pub use machine::{Sender, SenderView};

use acklab_packet::{Probe, Segment, Time};

/// Seconds by which instants, or round trips, differ that are equal: no sender's clock is finer, and sums of times have a last
/// digit.
const CLOCK: f64 = 1e-9;

/// What a sender asks of its driver.
pub trait SenderWire {
    /// Puts a segment of `wire_bytes` bytes on the first link.
    fn send(&mut self, segment: Segment, wire_bytes: u32);
    /// Puts the answer to a receiver's keep-alive, of `wire_bytes` bytes, on the first link.
    fn answer(&mut self, reply: Probe, wire_bytes: u32);
    /// Sets the retransmission timer to `at`, whatever it was set to before.
    fn arm(&mut self, at: Time);
    /// Stops the retransmission timer.
    fn disarm(&mut self);
    /// Wakes the sender at `at` to go on sending ([`Sender::on_pacer`]).
    fn arm_pacer(&mut self, at: Time);
}
