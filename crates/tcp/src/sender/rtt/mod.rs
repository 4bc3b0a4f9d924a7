//! Time at a sender: round trips and the retransmission timer, delivery rates, pacing.

pub mod delivery;
mod linux;
pub(super) mod pacing;
pub mod rto;
pub(super) mod send_times;
pub(super) mod timer;
