//! Why a capture cannot be read.

use std::{fmt, io};

use crate::packed::Packing;

/// Why a file cannot be read on.
#[derive(Debug)]
pub enum ReadError {
    /// It has no bytes at all.
    Empty,
    /// Neither pcap nor pcapng.
    Unknown,
    /// Compressed by a program whose files are not unpacked here.
    Foreign(&'static str),
    /// It ends within a packet or block.
    Truncated {
        /// Bytes of the file up to there.
        at: u64,
    },
    /// It breaks the format's rules.
    Malformed {
        /// Bytes of the file before the packet or block.
        at: u64,
        /// Which rule.
        why: &'static str,
    },
    /// Its compressed data contradict themselves.
    Damaged {
        /// Bytes that were unpacked before.
        at: u64,
        /// What it is compressed with.
        packing: Packing,
        /// In the decoder's words.
        why: String,
    },
    /// What a compressed file holds is no better: `error` counts its bytes.
    Unpacked {
        /// What it is compressed with.
        packing: Packing,
        /// What is wrong inside.
        error: Box<ReadError>,
    },
    /// The input cannot be read.
    Io(io::Error),
}

impl ReadError {
    /// Whether the file ends too soon, so that what stands before is as good as ever.
    pub fn is_truncation(&self) -> bool {
        match self {
            Self::Truncated { .. } => true,
            Self::Unpacked { error, .. } => error.is_truncation(),
            _ => false,
        }
    }

    /// The same, in what a file holds that is compressed so.
    pub(crate) fn within(self, packing: Option<Packing>) -> ReadError {
        match (self, packing) {
            (
                error @ (Self::Empty | Self::Unknown | Self::Truncated { .. } | Self::Malformed { .. }),
                Some(packing),
            ) => Self::Unpacked { packing, error: Box::new(error) },
            (error, _) => error,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty: not one byte, where even a capture of nothing has a header"),
            Self::Unknown => f.write_str("neither pcap, pcapng nor snoop"),
            Self::Foreign(program) => write!(f, "compressed by {program}, which is not read: unpack it first"),
            Self::Truncated { at } => write!(f, "the capture breaks off at byte {at}"),
            Self::Malformed { at, why } => write!(f, "no capture at byte {at}: {why}"),
            Self::Damaged { at, packing, why } => {
                write!(f, "its {packing} data are damaged, {at} bytes unpacked: {why}")
            }
            Self::Unpacked { packing, error } => write!(f, "{error} (in what {packing} unpacks)"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}
