//! What a packet passes on its way: queues and loss.
//!
//! Everything here decides about one packet at a time, owns no clock and no socket, and is told the time by a driver.

pub mod spec;
