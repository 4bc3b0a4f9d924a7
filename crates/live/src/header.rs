//! Headers of a packet that carries TCP.

use acklab_packet::{ByteCounts, Ecn};

use crate::ip::{CE, ECT1, Ip};

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

/// Most SACK blocks that fit into a header.
pub const MAX_SACK: usize = 4;

/// The headers, numbers as they stand on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
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
    /// IP's ECN bits.
    pub ecn: u8,
    /// TSval and TSecr (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// How far windows are shifted, as a SYN says (RFC 7323).
    pub window_scale: Option<u8>,
    /// SACK blocks (RFC 2018), the first `sacks` of them.
    pub sack: [(u32, u32); MAX_SACK],
    /// How many.
    pub sacks: usize,
    /// Counters of the option AccECN, which not every program knows (RFC 9768 section 3.2.3).
    pub counts: Option<ByteCounts>,
    /// Whether there are options besides SACK, timestamps and padding.
    pub unknown_options: bool,
}

fn long(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// IP's two bits as the simulator has them.
pub fn ecn(bits: u8) -> Ecn {
    match bits {
        0 => Ecn::NotEct,
        CE => Ecn::Ce,
        ECT1 => Ecn::Ect1,
        _ => Ecn::Ect,
    }
}

impl Header {
    /// Reads the headers of a packet; what follows its stated length is no part of it. `None` if it is no whole packet of TCP.
    pub fn parse(bytes: &[u8]) -> Option<Header> {
        let ip = Ip::read(bytes).filter(|ip| ip.whole && ip.protocol == 6)?;
        let tcp = bytes.get(ip.at..ip.end).filter(|tcp| tcp.len() >= 20)?;
        let length = 4 * usize::from(tcp[12] >> 4);
        let half = |at: usize| u16::from_be_bytes([tcp[at], tcp[at + 1]]);
        let mut header = Header {
            ports: (half(0), half(2)),
            seq: long(tcp, 4),
            ack: long(tcp, 8),
            flags: tcp[13],
            ae: tcp[12] & 1 != 0,
            window: half(14),
            tcp_at: ip.at,
            payload_at: ip.at + length,
            end: ip.end,
            ecn: ip.ecn(),
            ..Header::default()
        };
        header.read_options(tcp.get(20..length)?)?;
        Some(header)
    }

    fn read_options(&mut self, mut options: &[u8]) -> Option<()> {
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
            let body = options.get(2..length)?;
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
        Some(())
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
