//! Counts of a link direction beside those of its transmitter.

use acklab_packet::Time;

/// Drops, losses and the queue of a link direction. Integrals are in packet-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LinkStats {
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    pub queue_integral: f64,
    pub queue_since: f64,
    pub queue_max: u64,
}

impl LinkStats {
    /// The queue was `waiting` packets long since the last call; accounts for the time until `now`.
    #[inline]
    pub fn integrate(&mut self, waiting: usize, now: Time) {
        // Signed, which the processor converts at once.
        self.queue_integral += waiting as i64 as f64 * (now.secs() - self.queue_since);
        self.queue_since = now.secs();
    }
}
