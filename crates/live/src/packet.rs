//! A real packet on an emulated path: its bytes, and what a path asks of it.

use std::ops::Range;

use acklab_packet::{Ace, Ecn, Segment, Time};
use acklab_path::stage::Reissue;
use acklab_path::{AE, Carried};

use crate::checksum;
use crate::header::{CE, ECT1, Header, MOST_SACK, flag};
use crate::numbers::{Numbered, Numbers};

/// An IPv4 packet of one of the run's connections.
#[derive(Clone, Debug, PartialEq)]
pub struct WirePacket {
    bytes: Vec<u8>,
    header: Header,
    numbers: Numbered,
    sack: [(u64, u64); MOST_SACK],
    /// The flow it belongs to.
    flow: u32,
    /// Links of its route it has crossed.
    pub hop: u32,
}

/// Flags that a plain ACK may have beside ACK.
const PLAIN: u8 = flag::ACK | flag::PSH | flag::ECE | flag::CWR;

impl WirePacket {
    /// The packet in `bytes`, of which `header` was read; `numbers` is what its direction of `flow` said before.
    pub fn new(mut bytes: Vec<u8>, header: Header, flow: u32, numbers: &mut Numbers) -> WirePacket {
        bytes.truncate(header.end);
        let numbered = numbers.read(&header);
        let sack = header.sack.map(|(start, end)| (numbers.edge(start), numbers.edge(end)));
        WirePacket { bytes, header, numbers: numbered, sack, flow, hop: 0 }
    }

    /// Its bytes, from the IPv4 header on.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its headers.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Index of its flow.
    pub fn flow(&self) -> u32 {
        self.flow
    }

    /// Its first sequence number, counted from the connection's SYN.
    pub fn seq(&self) -> u64 {
        self.numbers.seq
    }

    /// Its cumulative ACK, counted like [`WirePacket::seq`] of the other direction; 0 without the flag.
    pub fn ack(&self) -> u64 {
        self.numbers.ack
    }

    /// Sequence numbers it takes: payload, SYN and FIN.
    pub fn units(&self) -> u32 {
        self.header.payload() as u32 + u32::from(self.header.has(flag::SYN)) + u32::from(self.header.has(flag::FIN))
    }

    /// What a receiver of the simulator's would see in it; nothing if it takes no sequence number.
    pub fn segment(&self) -> Option<Segment> {
        let len = self.units();
        (len > 0 && !self.header.has(flag::RST)).then(|| Segment {
            seq: self.numbers.seq,
            len,
            syn: self.header.has(flag::SYN),
            fin: self.header.has(flag::FIN),
            ecn: match self.header.ecn {
                0 => Ecn::NotEct,
                CE => Ecn::Ce,
                ECT1 => Ecn::Ect1,
                _ => Ecn::Ect,
            },
            ace: Ace::cwr(self.header.has(flag::CWR) && !self.header.has(flag::SYN)),
            ts_val: Time::from_secs(self.numbers.timestamps.0 as f64 * 1e-3),
            ..Segment::default()
        })
    }

    /// The same with another cumulative ACK, at most its own, and a right checksum.
    pub fn reissued(&self, number: u64) -> WirePacket {
        let mut packet = self.clone();
        let back = self.numbers.ack.saturating_sub(number) as u32;
        let ack = self.header.ack.wrapping_sub(back);
        let field = self.header.tcp_at + 8;
        packet.rewrite(field, &ack.to_be_bytes(), self.header.tcp_at + 16);
        packet.header.ack = ack;
        packet.numbers.ack = number;
        packet
    }

    /// Says no larger window than `most`, in the header's units.
    pub fn cap_window(&mut self, most: u16) {
        if self.header.window > most {
            self.rewrite(self.header.tcp_at + 14, &most.to_be_bytes(), self.header.tcp_at + 16);
            self.header.window = most;
        }
    }

    /// Puts `new` at the even place `at` and brings the checksum at `sum` up to date.
    fn rewrite(&mut self, at: usize, new: &[u8], sum: usize) {
        let old = self.bytes[at..at + new.len()].to_vec();
        let checksum = u16::from_be_bytes([self.bytes[sum], self.bytes[sum + 1]]);
        let checksum = checksum::updated(checksum, &old, new);
        self.bytes[at..at + new.len()].copy_from_slice(new);
        self.bytes[sum..sum + 2].copy_from_slice(&checksum.to_be_bytes());
    }

    /// Whether both checksums are right.
    pub fn checksums_hold(&self) -> bool {
        let Header { source, destination, tcp_at, end, .. } = self.header;
        checksum::internet(&self.bytes[..tcp_at]) == 0
            && checksum::tcp(source, destination, &self.bytes[tcp_at..end]) == 0
    }
}

impl Carried for WirePacket {
    fn wire_bytes(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// The answer to a SYN counts as one, as in the simulator.
    fn is_ack(&self) -> bool {
        let opens = self.header.has(flag::SYN) && !self.header.has(flag::ACK);
        !opens && self.header.has(flag::ACK) && self.header.payload() == 0 && !self.header.has(flag::FIN | flag::RST)
    }

    fn has_payload(&self) -> bool {
        self.header.payload() > 0
    }

    fn connection(&self) -> u64 {
        u64::from(self.flow) << 16 | u64::from(self.numbers.generation)
    }

    fn plain_ack(&self) -> Option<u64> {
        let plain = self.header.flags & !PLAIN == 0 && self.header.has(flag::ACK) && self.header.payload() == 0;
        plain.then_some(self.numbers.ack)
    }

    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sack[..self.header.sacks].iter().copied()
    }

    fn timestamps(&self) -> (u64, u64) {
        self.numbers.timestamps
    }

    fn low_latency(&self) -> bool {
        self.header.ecn & ECT1 > 0
    }

    fn congestion(&self) -> u8 {
        u8::from(self.header.has(flag::ECE))
            | u8::from(self.header.has(flag::CWR)) << 1
            | u8::from(self.header.ecn == CE) << 2
            | if self.header.ae { AE } else { 0 }
    }

    fn unknown_options(&self) -> bool {
        self.header.unknown_options
    }

    fn mark(&mut self) -> bool {
        if self.header.ecn == 0 {
            return false;
        }
        // The second byte of the header, in the word with the first.
        self.rewrite(0, &[self.bytes[0], self.bytes[1] | CE], 10);
        self.header.ecn = CE;
        true
    }
}

impl Reissue for WirePacket {
    fn reissued(&self, number: u64) -> WirePacket {
        WirePacket::reissued(self, number)
    }

    fn units(&self) -> Option<Range<u64>> {
        let units = u64::from(WirePacket::units(self));
        (units > 0).then(|| self.seq()..self.seq() + units)
    }
}
