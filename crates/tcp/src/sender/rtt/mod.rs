//! Time at a sender: round trips and the retransmission timer, pacing.

mod linux;
pub(super) mod pacing;
pub mod rto;
pub(super) mod timer;
