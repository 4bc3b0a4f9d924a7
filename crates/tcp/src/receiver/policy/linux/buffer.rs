//! The receive window of a Linux receiver, as far as it decides on ACKs: how it opens, and how it grows.

use acklab_packet::{Seq, Time};

/// Segments that the first measured round trip is compared with.
const FIRST_ROUND: u64 = 10;
/// Shortest segment that grows the window.
pub(super) const LEAST: u32 = 128;
/// Segments that the kernel puts together while they wait, and copies to the application in one go.
const TOGETHER: u64 = 17;
/// The largest buffer (`tcp_rmem`), in first ones.
const MOST: u64 = 256;

/// The window, in sequence units.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Window that it will advertise, memory allowing.
    window: u64,
    /// Payload that the buffer has room for.
    room: u64,
    most: u64,
    grows: bool,
    /// Units read in the last round trip.
    read: u64,
    /// Number and time at which the present one began.
    mark: Seq,
    since: Time,
}

impl Buffer {
    /// A window and a buffer of so many segments of `full` units; `grows`: with what is read in a round trip.
    pub fn new(window: u32, buffer: u32, full: u32, grows: bool, mark: Seq, now: Time) -> Buffer {
        let of = |segments: u32| u64::from(segments) * u64::from(full.max(1));
        let (window, room) = (of(window), of(buffer));
        let read = window.min(FIRST_ROUND * u64::from(full));
        Buffer { window, room, most: room.saturating_mul(MOST), grows, read, mark, since: now }
    }

    /// Window that it advertises while so much waits to be read.
    pub fn advertised(&self, unread: u64) -> u64 {
        self.window.min(self.room.saturating_sub(unread))
    }

    /// True if less than half of the buffer is free: quick mode ends with the ACK that says so.
    pub fn is_filling(&self, unread: u64) -> bool {
        2 * unread > self.room
    }

    /// A segment of `len` units has come: the window may grow by two. Whether it does.
    pub fn on_segment(&mut self, len: u32, full: u32, unread: u64) -> bool {
        let room = self.room.saturating_sub(unread);
        // A full segment counts, however many units it has.
        if room <= self.window || (len < LEAST && len < full) {
            return false;
        }
        self.window += (2 * u64::from(full.max(len))).min(room - self.window);
        true
    }

    /// The application reads the `unread` units below `to`. Once a round trip what it read is compared with the one before: the
    /// buffer takes twice that, and what it would take if the sender went on growing so. What waits still is taken off, and a
    /// long queue is mostly still waiting when the kernel looks.
    pub fn on_read(&mut self, to: Seq, unread: u64, full: u32, now: Time, rtt: Option<f64>) {
        let Some(rtt) = rtt.filter(|_| self.grows) else { return };
        if (now - self.since).secs() < rtt {
            return;
        }
        let waits = unread.saturating_sub(TOGETHER * u64::from(full));
        let read = (to - waits).saturating_sub(self.mark).saturating_sub(waits);
        if read > self.read {
            let before = std::mem::replace(&mut self.read, read);
            self.fit(read, read - before, before, 0);
        }
        (self.mark, self.since) = (to - waits, now);
    }

    /// So much waits above a gap: the buffer has room for it besides.
    pub fn on_gap(&mut self, above: u64) {
        if self.grows {
            self.fit(self.read, 0, 1, above);
        }
    }

    fn fit(&mut self, read: u64, more: u64, before: u64, above: u64) {
        let twice = 2 * read;
        let growth = 2 * (u128::from(twice) * u128::from(more) / u128::from(before.max(1))) as u64;
        self.room = self.room.max(twice.saturating_add(growth).saturating_add(above).min(self.most));
    }
}
