//! The reader of capture files: pcap and pcapng, in either byte order, and snoop.

mod pcapng;
mod records;

use std::io::{self, Read};

use crate::input::Input;
use crate::packed::Packing;
use crate::pcapng::{INTERFACE, OLD_PACKET, PACKET, SECTION, SIMPLE_PACKET};
use crate::read_error::ReadError;

/// Most bytes of a packet or block: what is longer is no capture.
const MOST: u32 = 1 << 26;
/// How a file of snoop begins, with its version (RFC 1761).
const SNOOP: [u8; 8] = *b"snoop\0\0\0";
/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// A packet as a capture file keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Nanoseconds since 1970; 64 bits would hold only three centuries.
    pub time_ns: i128,
    /// Index into [`Reader::interfaces`].
    pub interface: usize,
    /// What that says it begins with.
    pub link_type: u32,
    /// Bytes the packet had.
    pub length: u32,
    /// The first of them.
    pub data: &'a [u8],
    /// Whether it arrived or left, where the file tells.
    pub direction: Option<Direction>,
}

/// The direction in which a packet passed its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It was received.
    Inbound,
    /// It was sent.
    Outbound,
}

/// An interface, as the file describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// What packets begin with: 1 Ethernet, 101 IP, … (the registry of `LINKTYPE_` values).
    pub link_type: u32,
    /// Most bytes kept of a packet.
    pub snap_length: u32,
    /// Ticks a second of its clock, and the seconds at which that begins.
    clock: (u128, i64),
}

/// A piece of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// A packet.
    Packet(Record<'a>),
    /// A packet without a time (pcapng's simple packet block), which is not read.
    Untimed,
    /// Something else.
    Other,
}

/// The same, before the packet is looked at.
enum Found {
    Packet,
    Untimed,
    Other,
}

/// Which of the two formats.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Nanoseconds, or microseconds; bytes of a record's header, 16 but in a patched libpcap; whether the lengths' order is that of
    /// before version 2.3, or unknown.
    Pcap {
        nanoseconds: bool,
        head: usize,
        swapped: Swapped,
    },
    PcapNg,
    /// Solaris' (RFC 1761).
    Snoop,
}

/// Whether the two lengths of a record are exchanged: so until version 2.2, and in some files of 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swapped {
    No,
    Yes,
    Perhaps,
}

/// A capture file being read, packet by packet. One that is compressed is unpacked meanwhile ([`Packing`]). Blocks it has
/// no use for are passed over, among them simple packet blocks, which have no time.
///
/// Memory is bounded whatever the file: one block of at most 64 MiB, and 65,536 interfaces. Names and comments are passed over.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = std::io::BufReader::new(std::fs::File::open("G-R@G.pcapng")?);
/// let mut reader = acklab_capture::Reader::new(file)?;
/// while let Some(record) = reader.next()? {
///     println!("{} ns: {} bytes", record.time_ns, record.length);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reader<R: Read> {
    input: Input<R>,
    kind: Kind,
    big_endian: bool,
    interfaces: Vec<Interface>,
    /// The first interface of the present section.
    section: usize,
    /// Bytes read, as they are unpacked.
    at: u64,
    /// Where the present packet or block begins, and what stands before a packet in pcap: time, fraction, bytes kept, length.
    start: u64,
    head: [u32; 4],
    block: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn new(input: R) -> Result<Reader<R>, ReadError> {
        let (input, magic) = Input::open(input)?;
        let packing = input.packing();
        Reader::begin(input, magic).map_err(|error| error.within(packing))
    }

    /// Reads what stands before the first packet, the first four bytes excepted.
    fn begin(input: Input<R>, magic: [u8; 4]) -> Result<Reader<R>, ReadError> {
        let mut reader = Reader {
            input,
            kind: Kind::PcapNg,
            big_endian: false,
            interfaces: Vec::new(),
            section: 0,
            at: magic.len() as u64,
            start: 0,
            head: [0; 4],
            block: Vec::new(),
        };
        if u32::from_le_bytes(magic) == SECTION {
            reader.section()?;
            return Ok(reader);
        }
        if magic == SNOOP[..4] {
            return reader.snoop();
        }
        reader.pcap(magic)
    }

    /// What the file is compressed with.
    pub fn packing(&self) -> Option<Packing> {
        self.input.packing()
    }

    /// The interfaces met so far.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Bytes read so far, as they are unpacked.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The next packet, `None` at the end.
    ///
    /// # Errors
    /// [`ReadError`]; what was read before stays good.
    #[allow(clippy::should_implement_trait)] // what it returns borrows from the reader
    pub fn next(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let packing = self.packing();
        loop {
            match self.advance().map_err(|error| error.within(packing))? {
                None => return Ok(None),
                Some(Found::Packet) => return self.record().map(Some).map_err(|error| error.within(packing)),
                Some(_) => {}
            }
        }
    }

    /// The next piece, whatever it is; `None` at the end.
    ///
    /// # Errors
    /// [`ReadError`]; what was read before stays good.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>, ReadError> {
        let packing = self.packing();
        let found = self.advance().map_err(|error| error.within(packing))?;
        Ok(match found {
            None => None,
            Some(Found::Packet) => Some(Block::Packet(self.record().map_err(|error| error.within(packing))?)),
            Some(Found::Untimed) => Some(Block::Untimed),
            Some(Found::Other) => Some(Block::Other),
        })
    }

    /// Reads the next packet or block into memory.
    fn advance(&mut self) -> Result<Option<Found>, ReadError> {
        self.start = self.at;
        let Some(first) = self.array_or_end()? else { return Ok(None) };
        match self.kind {
            Kind::Pcap { head, swapped, .. } => return self.advance_pcap(first, head, swapped).map(Some),
            Kind::Snoop => return self.advance_snoop(first).map(Some),
            Kind::PcapNg => {}
        }
        if u32::from_le_bytes(first) == SECTION {
            self.section()?;
            return Ok(Some(Found::Other));
        }
        let length = self.array()?;
        self.body(self.word(length), 12)?;
        self.head[0] = self.word(first);
        match self.head[0] {
            INTERFACE => self.interface()?,
            PACKET | OLD_PACKET => return Ok(Some(Found::Packet)),
            SIMPLE_PACKET => return Ok(Some(Found::Untimed)),
            _ => {}
        }
        Ok(Some(Found::Other))
    }

    /// The packet that was read.
    fn record(&self) -> Result<Record<'_>, ReadError> {
        let nanoseconds = match self.kind {
            Kind::Pcap { nanoseconds, .. } => nanoseconds,
            Kind::Snoop => false,
            Kind::PcapNg => return self.packet(),
        };
        let [seconds, fraction, _, length] = self.head;
        let time_ns = i128::from(seconds) * SECOND + i128::from(fraction) * if nanoseconds { 1 } else { 1000 };
        let link_type = self.interfaces[0].link_type;
        Ok(Record { time_ns, interface: 0, link_type, length, data: &self.block, direction: None })
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn half(&self, bytes: [u8; 2]) -> u16 {
        if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    /// The next `length` bytes, into `block`; memory grows with what there is, not with what a length claims.
    fn fill(&mut self, length: u32) -> Result<(), ReadError> {
        if length > MOST {
            return Err(ReadError::Malformed { at: self.start, why: "a length that no packet or block has" });
        }
        self.block.clear();
        let appended = self.input.append(length, &mut self.block);
        self.at += self.block.len() as u64;
        let read = appended.map_err(|error| self.input.fault(error, self.at))?;
        if read < length as usize { Err(ReadError::Truncated { at: self.at }) } else { Ok(()) }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        self.array_or_end()?.ok_or(ReadError::Truncated { at: self.at })
    }

    /// The next bytes; `None` if the input ends before the first.
    fn array_or_end<const N: usize>(&mut self) -> Result<Option<[u8; N]>, ReadError> {
        let (mut bytes, mut have) = ([0; N], 0);
        while have < N {
            match self.input.read(&mut bytes[have..]) {
                Ok(0) if have == 0 => return Ok(None),
                Ok(0) => return Err(ReadError::Truncated { at: self.at }),
                Ok(read) => {
                    have += read;
                    self.at += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.input.fault(error, self.at)),
            }
        }
        Ok(Some(bytes))
    }
}

/// Four bytes of `bytes`, which are there.
fn at_four(bytes: &[u8], at: usize) -> [u8; 4] {
    [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
}
