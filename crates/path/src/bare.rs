//! A packet that is nothing but a size, for queues and media by themselves.

use crate::Carried;

/// A packet of which only the size and a number are known; the number distinguishes it from others. It carries payload,
/// belongs to connection 0, and does not understand marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bare {
    /// Bytes on the wire.
    pub size: u32,
    /// Its name; nothing reads it.
    pub number: u64,
}

impl Bare {
    /// `size` bytes, number 0.
    pub fn of(size: u32) -> Bare {
        Bare { size, number: 0 }
    }
}

impl Carried for Bare {
    fn wire_bytes(&self) -> u32 {
        self.size
    }
    fn is_ack(&self) -> bool {
        false
    }
    fn has_payload(&self) -> bool {
        true
    }
    fn connection(&self) -> u64 {
        0
    }
    fn plain_ack(&self) -> Option<u64> {
        None
    }
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        std::iter::empty()
    }
    fn timestamps(&self) -> (u64, u64) {
        (0, 0)
    }
    fn congestion(&self) -> u8 {
        0
    }
    fn unknown_options(&self) -> bool {
        false
    }
    fn mark(&mut self) -> bool {
        false
    }
}
