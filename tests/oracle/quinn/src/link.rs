//! One direction of a link: a rate, a delay, a drop-tail queue that counts packets, and packets that vanish before it.
//! Time is in whole nanoseconds.

use std::collections::VecDeque;

/// Bytes of IPv4 and UDP before each datagram.
pub const HEADERS: usize = 28;

pub struct Link {
    bits_per_second: u64,
    delay: u64,
    /// Most packets, the one in service included.
    limit: usize,
    /// When each packet in the system will have been sent.
    departures: VecDeque<u64>,
    pub dropped: u64,
}

impl Link {
    pub fn new(bits_per_second: u64, delay: u64, limit: usize) -> Link {
        Link { bits_per_second, delay, limit, departures: VecDeque::new(), dropped: 0 }
    }

    /// A datagram of `bytes` is offered; when it arrives, unless the queue is full.
    pub fn offer(&mut self, now: u64, bytes: usize) -> Option<u64> {
        while self.departures.front().is_some_and(|&at| at <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() >= self.limit {
            self.dropped += 1;
            return None;
        }
        let bits = (bytes + HEADERS) as u64 * 8;
        let free = self.departures.back().copied().unwrap_or(now);
        let departure = free + bits * 1_000_000_000 / self.bits_per_second;
        self.departures.push_back(departure);
        Some(departure + self.delay)
    }
}
