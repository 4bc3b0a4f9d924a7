//! The pcap format, written with nanoseconds (draft-ietf-opsawg-pcap).

use std::io::{self, Write};

use crate::LINKTYPE_RAW;
use crate::frame::Frame;

/// First bytes of a file with microseconds, in its writer's byte order.
pub const MAGIC_MICROSECONDS: u32 = 0xa1b2_c3d4;
/// First bytes of a file whose records have eight bytes more (Kuznetzov's patch of libpcap).
pub const MAGIC_PATCHED: u32 = 0xa1b2_cd34;
/// First bytes of a file with nanoseconds.
pub const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;

/// Begins a file whose packets have at most `snap_length` bytes in it.
///
/// # Errors
/// What `out` says.
pub fn write_start(out: &mut impl Write, snap_length: u32) -> io::Result<()> {
    let mut header = [0; 24];
    header[0..4].copy_from_slice(&MAGIC_NANOSECONDS.to_le_bytes());
    header[4..6].copy_from_slice(&2_u16.to_le_bytes()); // version 2.4
    header[6..8].copy_from_slice(&4_u16.to_le_bytes());
    header[16..20].copy_from_slice(&snap_length.to_le_bytes());
    header[20..24].copy_from_slice(&u32::from(LINKTYPE_RAW).to_le_bytes());
    out.write_all(&header)
}

/// Adds a packet.
///
/// # Errors
/// What `out` says.
pub fn write_packet(out: &mut impl Write, frame: &Frame<'_>) -> io::Result<()> {
    const SECOND: u64 = 1_000_000_000;
    let words =
        [(frame.time_ns / SECOND) as u32, (frame.time_ns % SECOND) as u32, frame.data.len() as u32, frame.length];
    let mut header = [0; 16];
    for (place, word) in header.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    out.write_all(&header)?;
    out.write_all(frame.data)
}
