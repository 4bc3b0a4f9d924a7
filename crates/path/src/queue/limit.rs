//! How much may wait, in packets or bytes, with what is in service or without (ledger allman1998.m.droptail).

use super::store::Room;
use super::{Removal, Service};

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Packets, the one in service included. As in ns-2, one place is taken even while the link is idle.
    Packets(u64),
    /// Packets that wait.
    Waiting(u64),
    /// Bytes, those in service included.
    Bytes(u64),
    /// Bytes that wait.
    WaitingBytes(u64),
}

impl Limit {
    /// Whether an arrival of `size` bytes finds room beside `packets` packets of `bytes` bytes that wait, and one that
    /// is `in_service`.
    #[inline]
    pub fn admits(self, size: u64, packets: u64, bytes: u64, in_service: Option<u32>) -> bool {
        match self {
            Limit::Packets(limit) => packets + 1 < limit,
            Limit::Waiting(limit) => in_service.is_none() || packets < limit,
            Limit::Bytes(limit) => bytes + u64::from(in_service.unwrap_or(0)) + size <= limit,
            Limit::WaitingBytes(limit) => in_service.is_none() || bytes + size <= limit,
        }
    }

    /// [`Removal::Full`] for an arrival that finds no [`Room`].
    #[inline]
    pub(super) fn refuses(self, size: u64, room: Room, service: Service) -> Option<Removal> {
        (!self.admits(size, room.packets, room.bytes, service.bytes())).then_some(Removal::Full)
    }
}
