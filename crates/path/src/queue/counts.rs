//! Counts of a link direction, or of a port of a shared medium.

use std::ops::{AddAssign, SubAssign};

use acklab_packet::Time;

use super::Removal;

/// Packets that entered service, and the ACKs among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Totals {
    pub packets: u64,
    pub bytes: u64,
    pub ack_packets: u64,
    pub ack_bytes: u64,
}

impl Totals {
    /// So many packets of `bytes` each.
    pub fn of(packets: u64, bytes: u32, ack: bool) -> Totals {
        let (sum, share) = (packets * u64::from(bytes), u64::from(ack));
        Totals { packets, bytes: sum, ack_packets: share * packets, ack_bytes: share * sum }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, more: Totals) {
        self.packets += more.packets;
        self.bytes += more.bytes;
        self.ack_packets += more.ack_packets;
        self.ack_bytes += more.ack_bytes;
    }
}

impl SubAssign for Totals {
    fn sub_assign(&mut self, less: Totals) {
        self.packets -= less.packets;
        self.bytes -= less.bytes;
        self.ack_packets -= less.ack_packets;
        self.ack_bytes -= less.ack_bytes;
    }
}

/// Removals, the queue and the waits of a link direction. The integral is in packet-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Counts {
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    queue_integral: f64,
    queue_since: f64,
    pub queue_max: u64,
    /// Waits of packets that entered service, in seconds, summed.
    pub sent_wait: f64,
    /// Waits of packets that the queue or its filter removed.
    pub removed_wait: f64,
}

impl Counts {
    /// Counts a packet that was removed after it had waited so long.
    pub fn removed(&mut self, reason: Removal, waited: Time) {
        self.removed_wait += waited.secs();
        match reason {
            Removal::Full | Removal::Early => self.drops += 1,
            Removal::Filtered => self.filtered += 1,
            Removal::Lost => self.lost += 1,
        }
    }

    /// The queue was `waiting` packets long since the last call; accounts for the time until `now`.
    #[inline]
    pub fn integrate(&mut self, waiting: usize, now: Time) {
        // Signed, which the processor converts at once.
        self.queue_integral += waiting as i64 as f64 * (now.secs() - self.queue_since);
        self.queue_since = now.secs();
    }

    /// The queue is `waiting` packets long from now on.
    #[inline]
    pub fn reached(&mut self, waiting: usize) {
        self.queue_max = self.queue_max.max(waiting as u64);
    }

    /// Waiting packets averaged over time, from 0 to `end`, when `waiting` wait now.
    pub fn mean_queue(mut self, waiting: usize, end: Time) -> f64 {
        self.integrate(waiting, end);
        if end > Time::ZERO { self.queue_integral / end.secs() } else { 0.0 }
    }
}
