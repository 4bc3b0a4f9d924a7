//! Why a capture cannot be written.

use std::{fmt, io};

/// Why a capture cannot be written.
#[derive(Debug)]
pub enum CaptureError {
    /// The run kept no packet records.
    NotRecorded,
    /// No link end has that name; these are the ones there are.
    UnknownEnd {
        /// What was asked for.
        name: String,
        /// The names of the link ends there are.
        known: Vec<String>,
    },
    /// A flow's packets are larger than an IPv4 packet can be.
    TooLarge {
        /// The flow's name.
        flow: String,
        /// Its payload bytes in a full segment.
        bytes: u32,
        /// Most that one can hold.
        most: u16,
    },
    /// The run ends after the last instant the format can express.
    TooLong {
        /// Instant the run ended.
        end_s: f64,
    },
    /// The caller asked to stop.
    Interrupted,
    /// The output cannot be written.
    Io(io::Error),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRecorded => {
                f.write_str("the run kept no packets to capture; set `packets = true` under `record` in the scenario")
            }
            Self::UnknownEnd { name, known } => {
                const MOST: usize = 8;
                write!(f, "no link end is called `{name}`; there is {}", known[..known.len().min(MOST)].join(", "))?;
                if known.len() > MOST { write!(f, " and {} more", known.len() - MOST) } else { Ok(()) }
            }
            Self::TooLarge { flow, bytes, most } => write!(
                f,
                "flow `{flow}` sends {bytes} bytes in a segment; an IPv4 packet in a capture holds at most {most}"
            ),
            Self::TooLong { end_s } => write!(f, "the run ends at {end_s} s, later than this capture format can say"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for CaptureError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
