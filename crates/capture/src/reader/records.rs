//! Files of records: pcap and Solaris' snoop (RFC 1761).

use std::io::Read;

use super::{Found, Interface, Kind, Reader, SNOOP, Swapped, at_four};
use crate::pcap::{MAGIC_MICROSECONDS, MAGIC_NANOSECONDS, MAGIC_PATCHED};
use crate::read_error::ReadError;

impl<R: Read> Reader<R> {
    /// The rest of a header of pcap.
    pub(super) fn pcap(mut self, magic: [u8; 4]) -> Result<Reader<R>, ReadError> {
        self.big_endian = magic[0] == 0xa1;
        let (nanoseconds, head) = match self.word(magic) {
            MAGIC_MICROSECONDS => (false, 16),
            MAGIC_NANOSECONDS => (true, 16),
            MAGIC_PATCHED => (false, 24),
            _ => return Err(ReadError::Unknown),
        };
        let header: [u8; 20] = self.array()?;
        let swapped = match (self.half([header[0], header[1]]), self.half([header[2], header[3]])) {
            (2, ..3) => Swapped::Yes,
            (2, 3) => Swapped::Perhaps,
            _ => Swapped::No,
        };
        self.kind = Kind::Pcap { nanoseconds, head, swapped };
        let words = [12, 16].map(|at| self.word(at_four(&header, at)));
        // The upper bits of the link type tell of checksums at the end of frames.
        let interface = Interface { link_type: words[1] & 0xffff, snap_length: words[0], ..Interface::default() };
        self.interfaces.push(interface);
        Ok(self)
    }

    /// The rest of a header of Solaris' snoop.
    pub(super) fn snoop(mut self) -> Result<Reader<R>, ReadError> {
        let header: [u8; 12] = self.array()?;
        if header[..4] != SNOOP[4..] {
            return Err(ReadError::Unknown);
        }
        (self.kind, self.big_endian) = (Kind::Snoop, true);
        let link_type = match self.word(at_four(&header, 8)) {
            0 | 4 => 1, // IEEE 802.3, Ethernet
            2 => 6,     // Token Ring
            8 => 10,    // FDDI
            other => 0x1_0000 | other,
        };
        self.interfaces.push(Interface { link_type, ..Interface::default() });
        Ok(self)
    }

    /// Reads a record of pcap after its first four bytes.
    pub(super) fn advance_pcap(&mut self, first: [u8; 4], head: usize, swapped: Swapped) -> Result<Found, ReadError> {
        let rest: [u8; 12] = self.array()?;
        let [fraction, mut kept, mut length] = [0, 4, 8].map(|at| self.word(at_four(&rest, at)));
        if swapped == Swapped::Yes || swapped == Swapped::Perhaps && kept > length {
            (kept, length) = (length, kept);
        }
        for _ in (16..head).step_by(4) {
            let _: [u8; 4] = self.array()?;
        }
        self.head = [self.word(first), fraction, kept, length];
        self.fill(kept)?;
        Ok(Found::Packet)
    }

    /// The same of snoop.
    pub(super) fn advance_snoop(&mut self, first: [u8; 4]) -> Result<Found, ReadError> {
        let rest: [u8; 20] = self.array()?;
        let [kept, record, _, seconds, micros] = [0, 4, 8, 12, 16].map(|at| self.word(at_four(&rest, at)));
        let Some(body) = record.checked_sub(24).filter(|body| *body >= kept) else {
            return Err(ReadError::Malformed { at: self.start, why: "a packet longer than its record" });
        };
        self.fill(body)?;
        self.block.truncate(kept as usize);
        self.head = [seconds, micros, kept, self.word(first)];
        Ok(Found::Packet)
    }
}
