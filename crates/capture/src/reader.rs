//! Reads capture files: pcap and pcapng, in either byte order, and snoop.

use std::io::{self, Read};
use std::mem;

use crate::input::Input;
use crate::packed::Packing;
use crate::pcap::{MAGIC_MICROSECONDS, MAGIC_NANOSECONDS, MAGIC_PATCHED};
use crate::pcapng::{BYTE_ORDER, INTERFACE, OLD_PACKET, PACKET, SECTION, SIMPLE_PACKET, option};
use crate::read_error::ReadError;

/// Most bytes of a packet or block: what is longer is no capture.
const MOST: u32 = 1 << 26;
/// How a file of snoop begins, with its version (RFC 1761).
const SNOOP: [u8; 8] = *b"snoop\0\0\0";
/// Most interfaces of a file.
const MOST_INTERFACES: usize = 1 << 16;
/// Most bytes of names, descriptions and comments that are kept.
const MOST_TEXT: usize = 1 << 20;
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

/// Which way a packet passed its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It was received.
    Inbound,
    /// It was sent.
    Outbound,
}

/// What a file tells of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// What packets begin with: 1 Ethernet, 101 IP, … (the registry of `LINKTYPE_` values).
    pub link_type: u32,
    /// Most bytes kept of a packet.
    pub snap_length: u32,
    /// Its name; empty where the file has none, as in pcap.
    pub name: String,
    /// The same in words.
    pub description: String,
    /// Comments on it.
    pub comments: Vec<String>,
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
/// Memory is bounded whatever the file: one block of at most 64 MiB, 65,536 interfaces, and 1 MiB of their names, descriptions
/// and comments; texts beyond are left out.
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
    comments: Vec<String>,
    /// Bytes read, as they are unpacked.
    at: u64,
    /// Where the present packet or block begins, and what stands before a packet in pcap: time, fraction, bytes kept, length.
    start: u64,
    head: [u32; 4],
    block: Vec<u8>,
    /// Bytes of text that may still be kept.
    text: usize,
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
            comments: Vec::new(),
            at: magic.len() as u64,
            start: 0,
            head: [0; 4],
            block: Vec::new(),
            text: MOST_TEXT,
        };
        if u32::from_le_bytes(magic) == SECTION {
            reader.section()?;
            return Ok(reader);
        }
        if magic == SNOOP[..4] {
            return reader.snoop();
        }
        reader.big_endian = magic[0] == 0xa1;
        let (nanoseconds, head) = match reader.word(magic) {
            MAGIC_MICROSECONDS => (false, 16),
            MAGIC_NANOSECONDS => (true, 16),
            MAGIC_PATCHED => (false, 24),
            _ => return Err(ReadError::Unknown),
        };
        let header: [u8; 20] = reader.array()?;
        let swapped = match (reader.half([header[0], header[1]]), reader.half([header[2], header[3]])) {
            (2, ..3) => Swapped::Yes,
            (2, 3) => Swapped::Perhaps,
            _ => Swapped::No,
        };
        reader.kind = Kind::Pcap { nanoseconds, head, swapped };
        let words = [12, 16].map(|at| reader.word(at_four(&header, at)));
        // The upper bits of the link type tell of checksums at the end of frames.
        let interface = Interface { link_type: words[1] & 0xffff, snap_length: words[0], ..Interface::default() };
        reader.interfaces.push(interface);
        Ok(reader)
    }

    /// The rest of a header of Solaris' snoop.
    fn snoop(mut self) -> Result<Reader<R>, ReadError> {
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

    /// What the file is compressed with.
    pub fn packing(&self) -> Option<Packing> {
        self.input.packing()
    }

    /// The interfaces met so far.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// The comments on the file (its sections) met so far.
    pub fn comments(&self) -> &[String] {
        &self.comments
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

    fn advance_pcap(&mut self, first: [u8; 4], head: usize, swapped: Swapped) -> Result<Found, ReadError> {
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

    fn advance_snoop(&mut self, first: [u8; 4]) -> Result<Found, ReadError> {
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

    /// Reads the rest of a block whose first `head` bytes, its own length and trailer included, are accounted for.
    fn body(&mut self, length: u32, head: u32) -> Result<(), ReadError> {
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
    fn section(&mut self) -> Result<(), ReadError> {
        let (length, order): ([u8; 4], [u8; 4]) = (self.array()?, self.array()?);
        self.big_endian = order == BYTE_ORDER.to_be_bytes();
        if self.word(order) != BYTE_ORDER {
            return Err(ReadError::Malformed { at: self.start, why: "no byte order" });
        }
        self.body(self.word(length), 16)?;
        self.section = self.interfaces.len();
        let block = mem::take(&mut self.block);
        for (code, value) in self.options(&block, 12) {
            if code == option::COMMENT {
                let text = self.afford(value);
                self.comments.extend(text);
            }
        }
        self.block = block;
        Ok(())
    }

    /// A text, if there is room for it.
    fn afford(&mut self, value: &[u8]) -> Option<String> {
        self.text = self.text.checked_sub(value.len() + size_of::<String>())?;
        Some(text(value))
    }

    fn interface(&mut self) -> Result<(), ReadError> {
        let malformed = |why| ReadError::Malformed { at: self.start, why };
        let block = &self.block[..];
        if block.len() < 8 {
            return Err(malformed("an interface description too short"));
        }
        if self.interfaces.len() == MOST_INTERFACES {
            return Err(malformed("more than 65536 interfaces"));
        }
        let block = mem::take(&mut self.block);
        let link_type = self.half([block[0], block[1]]).into();
        let mut interface = Interface {
            link_type,
            snap_length: self.word(at_four(&block, 4)),
            clock: (1_000_000, 0),
            ..Interface::default()
        };
        for (code, value) in self.options(&block, 8) {
            match (code, value) {
                (option::COMMENT, _) => interface.comments.extend(self.afford(value)),
                (option::INTERFACE_NAME, _) => interface.name = self.afford(value).unwrap_or_default(),
                (option::INTERFACE_DESCRIPTION, _) => interface.description = self.afford(value).unwrap_or_default(),
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
        self.block = block;
        Ok(())
    }

    fn packet(&self) -> Result<Record<'_>, ReadError> {
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

/// Ticks a second: a power of ten, or of two.
fn resolution(power: u8, start: u64) -> Result<u128, ReadError> {
    let base: u128 = if power & 0x80 == 0 { 10 } else { 2 };
    let ticks = base.checked_pow(u32::from(power & 0x7f));
    ticks.ok_or(ReadError::Malformed { at: start, why: "a clock finer than any" })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}
