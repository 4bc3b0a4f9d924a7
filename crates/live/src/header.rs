//! What stands in the headers of an IPv4 packet that carries TCP.

use std::fmt;

use acklab_packet::ByteCounts;

/// TCP's flags, as in the header's fourteenth byte (RFC 9293 section 3.1).
pub mod flag {
    #![allow(missing_docs)]
    pub const FIN: u8 = 0x01;
    pub const SYN: u8 = 0x02;
    pub const RST: u8 = 0x04;
    pub const PSH: u8 = 0x08;
    pub const ACK: u8 = 0x10;
    pub const ECE: u8 = 0x40;
    pub const CWR: u8 = 0x80;
}

/// The congestion mark in IPv4's two ECN bits (RFC 3168 section 5).
pub const CE: u8 = 0b11;
/// The ECN field of ECT(1), which CE shares (RFC 9331).
pub const ECT1: u8 = 0b01;

/// Most SACK blocks that fit into a header.
pub const MOST_SACK: usize = 4;

/// Why a packet cannot be carried as TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTcp {
    /// Another version than 4.
    Version(u8),
    /// Another protocol, by IPv4's number for it.
    Protocol(u8),
    /// One fragment of several.
    Fragment,
    /// A length says otherwise than the bytes.
    Malformed(&'static str),
}

impl fmt::Display for NotTcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "IP version {version}"),
            Self::Protocol(protocol) => write!(f, "IP protocol {protocol}"),
            Self::Fragment => f.write_str("a fragment"),
            Self::Malformed(why) => write!(f, "malformed: {why}"),
        }
    }
}

/// The headers, numbers as they stand on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Addresses.
    pub source: [u8; 4],
    /// Addresses.
    pub destination: [u8; 4],
    /// Source and destination port.
    pub ports: (u16, u16),
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number; means nothing without the flag.
    pub ack: u32,
    /// See [`flag`].
    pub flags: u8,
    /// The flag AE of accurate ECN, in the byte before the others (RFC 9768 section 3.2.2).
    pub ae: bool,
    /// The window, not scaled.
    pub window: u16,
    /// Where TCP's header begins.
    pub tcp_at: usize,
    /// Where the payload begins.
    pub payload_at: usize,
    /// Where the packet ends.
    pub end: usize,
    /// IPv4's ECN bits.
    pub ecn: u8,
    /// TSval and TSecr (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// How far windows are shifted, as a SYN says (RFC 7323).
    pub window_scale: Option<u8>,
    /// SACK blocks (RFC 2018), the first `sacks` of them.
    pub sack: [(u32, u32); MOST_SACK],
    /// How many.
    pub sacks: usize,
    /// Counters of the option AccECN, which not every program knows (RFC 9768 section 3.2.3).
    pub counts: Option<ByteCounts>,
    /// Whether there are options besides SACK, timestamps and padding.
    pub unknown_options: bool,
}

fn word(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]))
}

fn long(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

fn address(bytes: &[u8], at: usize) -> [u8; 4] {
    long(bytes, at).to_be_bytes()
}

impl Header {
    /// Reads the headers of a packet; what follows its stated length is no part of it.
    ///
    /// # Errors
    /// [`NotTcp`].
    pub fn parse(bytes: &[u8]) -> Result<Header, NotTcp> {
        let Some(&first) = bytes.first() else { return Err(NotTcp::Malformed("empty")) };
        if first >> 4 != 4 {
            return Err(NotTcp::Version(first >> 4));
        }
        let tcp_at = 4 * usize::from(first & 0xf);
        let end = usize::from(word(bytes, 2));
        if tcp_at < 20 || bytes.len() < 20 || end > bytes.len() || end < tcp_at {
            return Err(NotTcp::Malformed("the IPv4 lengths"));
        }
        // More fragments, or not the first.
        if word(bytes, 6) & 0x3fff != 0 {
            return Err(NotTcp::Fragment);
        }
        if bytes[9] != 6 {
            return Err(NotTcp::Protocol(bytes[9]));
        }
        let tcp = Header::tcp(bytes, tcp_at, end, bytes[1] & 0b11)?;
        Ok(Header { source: address(bytes, 12), destination: address(bytes, 16), ..tcp })
    }

    /// The same of a packet of IPv6 or IPv4; of IPv6 the addresses are left out.
    ///
    /// # Errors
    /// [`NotTcp`].
    #[cfg(target_os = "linux")]
    pub fn of_either(bytes: &[u8]) -> Result<Header, NotTcp> {
        let Some(ip) = crate::nodes::ip::Ip::read(bytes).filter(|ip| ip.v6) else { return Header::parse(bytes) };
        match ip.protocol {
            _ if !ip.whole => Err(NotTcp::Fragment),
            6 => Header::tcp(bytes, ip.at, ip.end, ip.ecn()),
            other => Err(NotTcp::Protocol(other)),
        }
    }

    /// The header of TCP at `tcp_at` in a packet that ends at `end`.
    fn tcp(bytes: &[u8], tcp_at: usize, end: usize, ecn: u8) -> Result<Header, NotTcp> {
        if end < tcp_at + 20 {
            return Err(NotTcp::Malformed("no room for a TCP header"));
        }
        let payload_at = tcp_at + 4 * usize::from(bytes[tcp_at + 12] >> 4);
        if payload_at < tcp_at + 20 || payload_at > end {
            return Err(NotTcp::Malformed("the TCP data offset"));
        }
        let mut header = Header {
            ports: (word(bytes, tcp_at), word(bytes, tcp_at + 2)),
            seq: long(bytes, tcp_at + 4),
            ack: long(bytes, tcp_at + 8),
            flags: bytes[tcp_at + 13],
            ae: bytes[tcp_at + 12] & 1 != 0,
            window: word(bytes, tcp_at + 14),
            tcp_at,
            payload_at,
            end,
            ecn,
            ..Header::default()
        };
        header.read_options(&bytes[tcp_at + 20..payload_at])?;
        Ok(header)
    }

    fn read_options(&mut self, mut options: &[u8]) -> Result<(), NotTcp> {
        const END: u8 = 0;
        const NOP: u8 = 1;
        const WINDOW_SCALE: u8 = 3;
        const SACK: u8 = 5;
        const TIMESTAMPS: u8 = 8;
        const ACCECN0: u8 = 172;
        const ACCECN1: u8 = 174;
        while let Some((&kind, rest)) = options.split_first() {
            match kind {
                END => break,
                NOP => {
                    options = rest;
                    continue;
                }
                _ => {}
            }
            let length = usize::from(*rest.first().unwrap_or(&0));
            let Some(body) = options.get(2..length) else { return Err(NotTcp::Malformed("a TCP option's length")) };
            match (kind, body.len()) {
                (TIMESTAMPS, 8) => self.timestamps = Some((long(body, 0), long(body, 4))),
                (SACK, 8 | 16 | 24 | 32) => {
                    self.sacks = body.len() / 8;
                    for (block, edges) in self.sack.iter_mut().zip(body.chunks_exact(8)) {
                        *block = (long(edges, 0), long(edges, 4));
                    }
                }
                (ACCECN0 | ACCECN1, 6 | 9) => {
                    let (ect1, field) = (kind == ACCECN1, |at| long(options, at) & 0x00ff_ffff);
                    self.counts = Some(ByteCounts { ect1, ect: field(1), ce: field(4) });
                    self.unknown_options = true;
                }
                (WINDOW_SCALE, 1) => {
                    self.window_scale = body.first().copied();
                    self.unknown_options = true;
                }
                _ => self.unknown_options = true,
            }
            options = &options[length..];
        }
        Ok(())
    }

    /// Payload bytes.
    pub fn payload(&self) -> usize {
        self.end - self.payload_at
    }

    /// Whether any of these flags is set.
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }
}
