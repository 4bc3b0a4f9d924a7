//! A program's own parts of a path.

use std::fmt::Debug;

use dyn_clone::DynClone;

use crate::Carried;

/// A part of a program's own, as it is when a link begins. Parts whose `Debug` output is the same are equal.
#[derive(Debug)]
pub struct Own<T: ?Sized>(pub(crate) Box<T>);

impl<T: ?Sized + DynClone> Clone for Own<T> {
    fn clone(&self) -> Own<T> {
        Own(dyn_clone::clone_box(&*self.0))
    }
}

impl<T: ?Sized + Debug> PartialEq for Own<T> {
    fn eq(&self, other: &Own<T>) -> bool {
        format!("{:?}", self.0) == format!("{:?}", other.0)
    }
}

/// A packet as a part of a program's own sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// Its number, counted from 0 over what comes to the part.
    pub number: u64,
    /// Bytes on the wire, headers included.
    pub bytes: u32,
    /// True for a pure ACK.
    pub is_ack: bool,
    /// Its connection.
    pub connection: u64,
    /// The cumulative number of a plain ACK ([`Carried::plain_ack`]).
    pub plain_ack: Option<u64>,
}

impl PacketView {
    /// The view of packet `number`.
    #[inline]
    pub(crate) fn new(number: u64, packet: &impl Carried) -> PacketView {
        PacketView {
            number,
            bytes: packet.wire_bytes(),
            is_ack: packet.is_ack(),
            connection: packet.connection(),
            plain_ack: packet.plain_ack(),
        }
    }
}
