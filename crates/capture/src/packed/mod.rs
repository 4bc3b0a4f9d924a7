//! Compressed captures: told by their first bytes, whatever the file's name, and unpacked as they are read.

mod source;
mod zstd;

use std::io::{self, BufReader, Read};
use std::{error, fmt};

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder as Lz4;
use source::Source;
use zstd::Zstd;

/// What a capture file is compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
    /// LZ4's frame format.
    Lz4,
}

impl Packing {
    /// What begins with these bytes.
    pub(crate) fn of(magic: [u8; 4]) -> Option<Packing> {
        match magic {
            [0x1f, 0x8b, 8, _] => Some(Packing::Gzip),
            // Some programs put a frame to be skipped first (pzstd); Zstandard and LZ4 have these in common.
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Packing::Zstd),
            [0x04, 0x22, 0x4d, 0x18] => Some(Packing::Lz4),
            _ => None,
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Lz4 => "lz4",
        })
    }
}

/// The program that packs what begins with these bytes, if it is one whose files are not read.
pub(crate) fn foreign(magic: [u8; 4]) -> Option<&'static str> {
    match magic {
        [0xfd, b'7', b'z', b'X'] => Some("xz"),
        [b'B', b'Z', b'h', b'1'..=b'9'] => Some("bzip2"),
        [b'P', b'K', 3, 4] => Some("zip"),
        [b'7', b'z', 0xbc, 0xaf] => Some("7z"),
        [0x02, 0x21, 0x4c, 0x18] => Some("lz4 -l"),
        [0x1f, 0x9d, _, _] => Some("compress"),
        _ => None,
    }
}

/// What is wrong with compressed data, as an [`io::Error`] carries it.
#[derive(Debug)]
pub(crate) enum Damage {
    /// They end too soon.
    BreaksOff,
    /// They contradict themselves.
    Corrupt(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::BreaksOff => f.write_str("the compressed data break off"),
            Damage::Corrupt(why) => f.write_str(why),
        }
    }
}

impl error::Error for Damage {}

/// One member of a file (gzip's word; a frame in the others), being unpacked.
enum Member<R: Read> {
    Gzip(Box<GzDecoder<Source<R>>>),
    Zstd(Box<Zstd<Source<R>>>),
    Lz4(Box<Lz4<Source<R>>>),
}

/// Bytes as they were before they were compressed.
pub(crate) struct Unpack<R: Read> {
    /// None at the end.
    member: Option<Member<R>>,
    pub packing: Packing,
}

impl<R: Read> Unpack<R> {
    /// Unpacks `input`, of which `magic` was read already.
    pub fn new(packing: Packing, magic: [u8; 4], input: R) -> io::Result<BufReader<Unpack<R>>> {
        let mut unpack = Unpack { member: None, packing };
        let mut source = Source::new(input);
        source.put_back(magic);
        unpack.begin(source)?;
        Ok(BufReader::with_capacity(1 << 16, unpack))
    }

    /// The next member in `source` begins, if there is one: what follows the last and is not a member is padding.
    fn begin(&mut self, mut source: Source<R>) -> io::Result<()> {
        loop {
            let Some(magic) = source.four()? else { return Ok(()) };
            if let [0x50..=0x5f, 0x2a, 0x4d, 0x18] = magic {
                source.skip()?;
                continue;
            }
            let Some(packing) = Packing::of(magic) else { return Ok(()) };
            self.packing = packing;
            source.put_back(magic);
            self.member = Some(match packing {
                Packing::Gzip => Member::Gzip(Box::new(GzDecoder::new(source))),
                Packing::Zstd => Member::Zstd(Box::new(Zstd::new(source)?)),
                Packing::Lz4 => Member::Lz4(Box::new(Lz4::new(source))),
            });
            return Ok(());
        }
    }
}

impl<R: Read> Read for Unpack<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() {
            let (read, source) = match &mut self.member {
                Some(Member::Gzip(member)) => (member.read(out), member.get_mut()),
                Some(Member::Zstd(member)) => (member.read(out), member.source()),
                Some(Member::Lz4(member)) => (member.read(out), member.get_mut()),
                None => return Ok(0),
            };
            match read {
                Ok(0) if source.ended() => return Err(io::Error::other(Damage::BreaksOff)),
                Ok(0) => {}
                Ok(read) => return Ok(read),
                Err(error) => return Err(source.fault(&error)),
            }
            let source = match self.member.take() {
                Some(Member::Gzip(member)) => member.into_inner(),
                Some(Member::Zstd(member)) => member.finish()?,
                Some(Member::Lz4(member)) => member.into_inner(),
                None => return Ok(0),
            };
            self.begin(source)?;
        }
        Ok(0)
    }
}

impl<R: Read> fmt::Debug for Unpack<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpack").field("packing", &self.packing).finish_non_exhaustive()
    }
}
