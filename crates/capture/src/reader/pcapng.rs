//! Blocks of pcapng: sections, interfaces and packets, with their options.

use std::io::Read;

use super::{Direction, Interface, Reader, Record, SECOND, at_four};
use crate::pcapng::{BYTE_ORDER, OLD_PACKET, option};
use crate::read_error::ReadError;

/// Most interfaces of a file.
const MAX_INTERFACES: usize = 1 << 16;

impl<R: Read> Reader<R> {
    /// Reads the rest of a block whose first `head` bytes, its own length and trailer included, are accounted for.
    pub(super) fn body(&mut self, length: u32, head: u32) -> Result<(), ReadError> {
        let (start, why) = (self.start, "a block's length");
        let Some(body) = length.checked_sub(head).filter(|_| length.is_multiple_of(4)) else {
            return Err(ReadError::Malformed { at: start, why });
        };
        self.fill(body)?;
        let trailer = self.array()?;
        if self.word(trailer) != length {
            return Err(ReadError::Malformed { at: start, why: "a block's two lengths differ" });
        }
        Ok(())
    }

    /// Reads a section header after its type.
    pub(super) fn section(&mut self) -> Result<(), ReadError> {
        let (length, order): ([u8; 4], [u8; 4]) = (self.array()?, self.array()?);
        self.big_endian = order == BYTE_ORDER.to_be_bytes();
        if self.word(order) != BYTE_ORDER {
            return Err(ReadError::Malformed { at: self.start, why: "no byte order" });
        }
        self.body(self.word(length), 16)?;
        self.section = self.interfaces.len();
        Ok(())
    }

    /// Reads an interface description block.
    pub(super) fn interface(&mut self) -> Result<(), ReadError> {
        let malformed = |why| ReadError::Malformed { at: self.start, why };
        let block = &self.block[..];
        if block.len() < 8 {
            return Err(malformed("an interface description too short"));
        }
        if self.interfaces.len() == MAX_INTERFACES {
            return Err(malformed("more than 65536 interfaces"));
        }
        let link_type = self.half([block[0], block[1]]).into();
        let mut interface = Interface { link_type, snap_length: self.word(at_four(block, 4)), clock: (1_000_000, 0) };
        for (code, value) in self.options(block, 8) {
            match (code, value) {
                (option::INTERFACE_RESOLUTION, &[power]) => interface.clock.0 = resolution(power, self.start)?,
                (option::INTERFACE_OFFSET, value) => {
                    if let Ok(value) = <[u8; 8]>::try_from(value) {
                        let little = i64::from_le_bytes(value);
                        interface.clock.1 = if self.big_endian { little.swap_bytes() } else { little };
                    }
                }
                _ => {}
            }
        }
        self.interfaces.push(interface);
        Ok(())
    }

    /// The packet of the block that was read.
    pub(super) fn packet(&self) -> Result<Record<'_>, ReadError> {
        let malformed = |why| ReadError::Malformed { at: self.start, why };
        let block = &self.block[..];
        if block.len() < 20 {
            return Err(malformed("a packet block too short"));
        }
        let [interface, high, low, kept, length] = [0, 4, 8, 12, 16].map(|at| self.word(at_four(block, at)));
        // The packet block of the first draft has a count of drops in the other half.
        let interface = if self.head[0] == OLD_PACKET { self.half([block[0], block[1]]).into() } else { interface };
        let interface = self.section + interface as usize;
        let Some((clock, link_type)) = self.interfaces.get(interface).map(|known| (known.clock, known.link_type))
        else {
            return Err(malformed("a packet of an interface that was not described"));
        };
        let Some(data) = block[20..].get(..kept as usize) else {
            return Err(malformed("a packet longer than its block"));
        };
        let ticks = u128::from(high) << 32 | u128::from(low);
        // 2^64 ticks times 10^9 fits.
        let time_ns = i128::from(clock.1) * SECOND + (ticks * SECOND as u128 / clock.0) as i128;
        let flags = self.options(block, 20 + (kept as usize).next_multiple_of(4));
        let flags = flags.filter(|(code, value)| *code == option::PACKET_FLAGS && value.len() == 4).last();
        let direction = match flags.map_or(0, |(_, value)| self.word(at_four(value, 0)) & 3) {
            1 => Some(Direction::Inbound),
            2 => Some(Direction::Outbound),
            _ => None,
        };
        Ok(Record { time_ns, interface, link_type, length, data, direction })
    }

    /// The options that begin at `from` in a block's body; what is cut off is left out.
    fn options<'b>(&self, body: &'b [u8], from: usize) -> impl Iterator<Item = (u16, &'b [u8])> + use<'b, R> {
        let big_endian = self.big_endian;
        let mut rest = body.get(from..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (head, after) = rest.split_at_checked(4)?;
            let half = |at: usize| {
                let pair = [head[at], head[at + 1]];
                if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
            };
            let (code, length) = (half(0), usize::from(half(2)));
            let value = after.get(..length).filter(|_| code != 0)?;
            rest = after.get(length.next_multiple_of(4)..).unwrap_or_default();
            Some((code, value))
        })
    }
}

/// Ticks a second: a power of ten, or of two.
fn resolution(power: u8, start: u64) -> Result<u128, ReadError> {
    let base: u128 = if power & 0x80 == 0 { 10 } else { 2 };
    let ticks = base.checked_pow(u32::from(power & 0x7f));
    ticks.ok_or(ReadError::Malformed { at: start, why: "a clock finer than any" })
}
