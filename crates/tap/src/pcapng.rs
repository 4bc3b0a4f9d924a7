//! The pcapng format, written little-endian with one interface (draft-ietf-opsawg-pcapng).

use std::io::{self, Write};

use acklab_capture::pcapng::{BYTE_ORDER, INTERFACE, PACKET, SECTION, option};
use acklab_capture::{Frame, LINKTYPE_RAW};

use crate::notes::Notes;

const NAMES: u32 = 4;
const STATISTICS: u32 = 5;

/// A block's body in the making.
#[derive(Default)]
struct Block(Vec<u8>);

impl Block {
    fn bytes(mut self, bytes: &[u8]) -> Block {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// An option; a text too long for one is cut.
    fn option(self, code: u16, value: &[u8]) -> Block {
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        let head = [code.to_le_bytes(), (value.len() as u16).to_le_bytes()].concat();
        self.bytes(&head).bytes(value)
    }

    fn text(self, code: u16, text: &str) -> Block {
        let mut cut = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        self.option(code, &text.as_bytes()[..cut])
    }

    fn write(self, out: &mut impl Write, kind: u32) -> io::Result<()> {
        let body = self.bytes(&[0; 4]).0; // end of options
        let length = (body.len() as u32 + 12).to_le_bytes();
        out.write_all(&[kind.to_le_bytes(), length].concat())?;
        out.write_all(&body)?;
        out.write_all(&length)
    }
}

pub fn write_start(out: &mut impl Write, snap_length: u32, notes: &Notes) -> io::Result<()> {
    Block::default()
        .bytes(&BYTE_ORDER.to_le_bytes())
        .bytes(&[1, 0, 0, 0]) // version 1.0
        .bytes(&u64::MAX.to_le_bytes()) // length not said
        .text(option::COMMENT, &notes.section)
        .text(option::SECTION_APPLICATION, concat!("acklab ", env!("CARGO_PKG_VERSION")))
        .write(out, SECTION)?;
    Block::default()
        .bytes(&u32::from(LINKTYPE_RAW).to_le_bytes())
        .bytes(&snap_length.to_le_bytes())
        .text(option::INTERFACE_NAME, &notes.name)
        .text(option::INTERFACE_DESCRIPTION, &notes.description)
        .option(option::INTERFACE_ADDRESS, &[&notes.address[..], &[255, 0, 0, 0]].concat())
        .option(option::INTERFACE_SPEED, &notes.speed_bps.to_le_bytes())
        .option(option::INTERFACE_RESOLUTION, &[9]) // 10^-9 s
        .text(option::COMMENT, &notes.comment)
        .write(out, INTERFACE)?;
    let mut names = Block::default();
    for (address, name) in &notes.hosts {
        let record = [&address[..], name.as_bytes(), &[0]].concat();
        names = names.option(1, &record); // records are laid out as options are; 1: IPv4
    }
    names.bytes(&[0; 4]).write(out, NAMES) // end of records
}

pub fn write_packet(out: &mut impl Write, frame: &Frame<'_>) -> io::Result<()> {
    let padded = frame.data.len().next_multiple_of(4);
    let length = 32 + padded as u32 + 12;
    let words =
        [PACKET, length, 0, (frame.time_ns >> 32) as u32, frame.time_ns as u32, frame.data.len() as u32, frame.length];
    let mut head = [0; 28];
    for (place, word) in head.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let mut tail = [0; 16];
    tail[0..2].copy_from_slice(&option::PACKET_FLAGS.to_le_bytes());
    tail[2] = 4;
    tail[4] = if frame.outbound { 2 } else { 1 };
    tail[12..16].copy_from_slice(&length.to_le_bytes());
    out.write_all(&head)?;
    out.write_all(frame.data)?;
    out.write_all(&[0; 3][..padded - frame.data.len()])?;
    out.write_all(&tail)
}

pub fn write_end(out: &mut impl Write, end_ns: u64, packets: u64, comment: &str) -> io::Result<()> {
    let halves = |time_ns: u64| [((time_ns >> 32) as u32).to_le_bytes(), (time_ns as u32).to_le_bytes()].concat();
    Block::default()
        .bytes(&[0; 4]) // interface 0
        .bytes(&halves(end_ns))
        .option(option::STATISTICS_START, &halves(crate::instant_ns(0.0)))
        .option(option::STATISTICS_END, &halves(end_ns))
        .option(option::STATISTICS_RECEIVED, &packets.to_le_bytes())
        .text(option::COMMENT, comment)
        .write(out, STATISTICS)
}
