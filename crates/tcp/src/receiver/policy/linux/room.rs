//! The receive window of the policy: counted in whole segments, or in bytes of the kernel's memory.

use acklab_packet::{Seq, Time};

use super::buffer::Buffer;
use super::memory::Memory;

/// Either.
#[derive(Clone, Debug, PartialEq)]
pub enum Room {
    Segments(Buffer),
    Bytes(Box<Memory>),
}

impl Room {
    /// Window that it advertises while so much waits to be read.
    pub fn advertised(&self, unread: u64) -> u64 {
        match self {
            Room::Segments(buffer) => buffer.advertised(unread),
            Room::Bytes(memory) => memory.advertised(),
        }
    }

    /// True if less than half of the buffer is free: quick mode ends with the ACK that says so.
    pub fn is_filling(&self, unread: u64) -> bool {
        match self {
            Room::Segments(buffer) => buffer.is_filling(unread),
            Room::Bytes(memory) => memory.is_filling(unread),
        }
    }

    /// A segment has come; a full one has `full` units.
    pub fn on_arrival(&mut self, full: u32) {
        if let Room::Bytes(memory) = self {
            memory.on_arrival(full);
        }
    }

    /// A full segment's timestamp shows a round trip of `secs`; `waits`: something is unread.
    pub fn time(&mut self, secs: f64, waits: bool, now: Time) {
        if let Room::Bytes(memory) = self {
            memory.time(secs, waits, now);
        }
    }

    /// A segment of `len` units has come, and `next` is expected: the window may grow by two. Whether it does.
    pub fn on_segment(&mut self, (len, full): (u32, u32), unread: u64, next: Seq, now: Time) -> bool {
        match self {
            Room::Segments(buffer) => buffer.on_segment(len, full, unread),
            Room::Bytes(memory) => memory.on_segment(len, unread, next, now),
        }
    }

    /// The application reads the `unread` units below `to`, at first those below `first`, with `above` waiting above a gap.
    pub fn on_read(
        &mut self,
        (first, to): (Seq, Seq),
        (unread, full, above): (u64, u32, u64),
        now: Time,
        rtt: Option<f64>,
    ) {
        match self {
            Room::Segments(buffer) => buffer.on_read(to, unread, full, now, rtt),
            Room::Bytes(memory) => memory.on_read(first, to - first, above, now),
        }
    }

    /// So much waits above a gap.
    pub fn on_gap(&mut self, above: u64) {
        match self {
            Room::Segments(buffer) => buffer.on_gap(above),
            Room::Bytes(memory) => memory.on_gap(above),
        }
    }

    /// The window that an ACK of `next` says, and the shift of the header's number; none where the window is not in bytes.
    pub fn to_say(&self, next: Seq, unread: u64) -> Option<(u64, u8)> {
        match self {
            Room::Segments(_) => None,
            Room::Bytes(memory) => Some((memory.to_say(next, unread), memory.scale())),
        }
    }

    /// An ACK of `next` leaves.
    pub fn on_ack(&mut self, next: Seq, unread: u64) {
        if let Room::Bytes(memory) = self {
            memory.on_ack(next, unread);
        }
    }
}
