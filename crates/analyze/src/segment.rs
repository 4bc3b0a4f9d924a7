//! A TCP segment as a capture has it (RFC 9293 section 3.1).

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use crate::frame::{Other, half, word};

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// Its address.
    pub address: IpAddr,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.address, self.port).fmt(f)
    }
}

/// A TCP segment as it stands in a capture; its payload was perhaps not kept, but its length is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who sent it.
    pub from: Endpoint,
    /// To whom.
    pub to: Endpoint,
    /// Identification in the IPv4 header.
    pub identification: Option<u16>,
    /// The two ECN bits: 3 is CE.
    pub ecn: u8,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number; meaningless without the flag.
    pub ack: u32,
    /// The eight flags from CWR to FIN.
    pub flags: u8,
    /// The flag before them, AE (RFC 9768).
    pub accurate: bool,
    /// The window field, not scaled.
    pub window: u16,
    /// Bytes of payload.
    pub payload: u32,
    /// Its options, as far as they were kept.
    pub options: Options,
    /// They were not kept whole.
    pub cut: bool,
}

/// The options an analysis reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale.
    pub scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamps: value and echo.
    pub stamps: Option<(u32, u32)>,
    /// How many SACK blocks it has, and the first two.
    pub sacks: (u8, [(u32, u32); 2]),
    /// Accurate ECN's counter of bytes that came marked, of 24 bits (RFC 9768 section 3.2.3).
    pub marked: Option<u32>,
}

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;
pub const ECE: u8 = 64;
pub const CWR: u8 = 128;

impl Seen {
    /// Whether any of `flags` is set.
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    /// Sequence numbers it takes up.
    pub fn units(&self) -> u32 {
        self.payload + u32::from(self.has(SYN)) + u32::from(self.has(FIN))
    }

    /// The first SACK block repeats what was acknowledged, or what the second block has (RFC 2883 section 4).
    pub fn is_dsack(&self) -> bool {
        let (count, [first, second]) = self.options.sacks;
        let before = |a: u32, b: u32| (b.wrapping_sub(a) as i32) > 0;
        let within = !before(first.0, second.0) && !before(second.1, first.1);
        count > 0 && (before(first.0, self.ack) || count > 1 && within)
    }
}

/// A segment of `length` bytes, of which `kept` begins.
pub fn tcp(kept: &[u8], length: usize, (from, to): (IpAddr, IpAddr)) -> Result<Seen, Other> {
    if kept.len() < 20 {
        return Err(if length < 20 { Other::Malformed } else { Other::Cut });
    }
    let header = usize::from(kept[12] >> 4) * 4;
    if header < 20 || header > length {
        return Err(Other::Malformed);
    }
    Ok(Seen {
        from: Endpoint { address: from, port: half(kept, 0)? },
        to: Endpoint { address: to, port: half(kept, 2)? },
        identification: None,
        ecn: 0,
        seq: word(kept, 4)?,
        ack: word(kept, 8)?,
        flags: kept[13],
        accurate: kept[12] & 1 != 0,
        window: half(kept, 14)?,
        payload: (length - header) as u32,
        options: options(&kept[20..header.min(kept.len())]),
        cut: header > kept.len(),
    })
}

/// What is cut off, or breaks the format, ends the list.
fn options(mut rest: &[u8]) -> Options {
    let mut found = Options::default();
    while let Some((&kind, after)) = rest.split_first() {
        if kind == 0 {
            break;
        }
        if kind == 1 {
            rest = after;
            continue;
        }
        let length = usize::from(after.first().copied().unwrap_or(0));
        let Some(value) = rest.get(2..length) else { break };
        rest = &rest[length..];
        match (kind, value) {
            (2, &[high, low]) => found.mss = Some(u16::from_be_bytes([high, low])),
            (3, &[shift]) => found.scale = Some(shift.min(14)), // RFC 7323 section 2.3
            (4, []) => found.sack_permitted = true,
            (5, blocks) => {
                for (place, block) in blocks.chunks_exact(8).enumerate() {
                    let (Ok(start), Ok(end)) = (word(block, 0), word(block, 4)) else { continue };
                    found.sacks.0 += 1;
                    if let Some(slot) = found.sacks.1.get_mut(place) {
                        *slot = (start, end);
                    }
                }
            }
            (8, stamps) if stamps.len() == 8 => {
                found.stamps = word(stamps, 0).and_then(|value| Ok((value, word(stamps, 4)?))).ok();
            }
            // The second field, whichever ECT comes first.
            (172 | 174, &[_, _, _, high, middle, low, ..]) => {
                found.marked = Some(u32::from_be_bytes([0, high, middle, low]))
            }
            _ => {}
        }
    }
    found
}
