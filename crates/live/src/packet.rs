//! A real packet on an emulated path: its bytes, and what a path asks of it.

use std::ops::Range;

use acklab_packet::{Ace, Segment, Time};
use acklab_path::stage::Reissue;
use acklab_path::{AE, Carried};

use crate::header::{Header, MAX_SACK, ecn, flag};
use crate::ip::{CE, ECT1};
use crate::numbers::{Numbered, Numbers};
use crate::{checksum, ip};

/// A packet of one of the run's connections.
#[derive(Clone, Debug, PartialEq)]
pub struct WirePacket {
    bytes: Vec<u8>,
    header: Header,
    numbers: Numbered,
    sack: [(u64, u64); MAX_SACK],
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
        (self.units() > 0 && !self.header.has(flag::RST)).then(|| self.as_segment())
    }

    /// The same of any packet.
    pub fn as_segment(&self) -> Segment {
        Segment {
            seq: self.numbers.seq,
            len: self.units(),
            syn: self.header.has(flag::SYN),
            fin: self.header.has(flag::FIN),
            ecn: ecn(self.header.ecn),
            ace: Ace::cwr(self.header.has(flag::CWR) && !self.header.has(flag::SYN)),
            ts_val: Time::from_secs(self.numbers.timestamps.0 as f64 * 1e-3),
            ..Segment::default()
        }
    }

    /// Says no larger window than `most`, in the header's units.
    pub fn cap_window(&mut self, most: u16) {
        if self.header.window > most {
            self.rewrite(14, &most.to_be_bytes());
            self.header.window = most;
        }
    }

    /// Puts `new` at the even place `at` of TCP's header, and brings its checksum up to date.
    fn rewrite(&mut self, at: usize, new: &[u8]) {
        let tcp = &mut self.bytes[self.header.tcp_at..];
        let checksum = checksum::updated(u16::from_be_bytes([tcp[16], tcp[17]]), &tcp[at..at + new.len()], new);
        tcp[at..at + new.len()].copy_from_slice(new);
        tcp[16..18].copy_from_slice(&checksum.to_be_bytes());
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
        ip::mark(&mut self.bytes);
        self.header.ecn = CE;
        true
    }
}

impl Reissue for WirePacket {
    /// The same with another cumulative ACK, at most its own, and a right checksum.
    fn reissued(&self, number: u64) -> WirePacket {
        let mut packet = self.clone();
        let back = self.numbers.ack.saturating_sub(number) as u32;
        packet.header.ack = self.header.ack.wrapping_sub(back);
        packet.rewrite(8, &packet.header.ack.to_be_bytes());
        packet.numbers.ack = number;
        packet
    }

    fn units(&self) -> Option<Range<u64>> {
        let units = u64::from(WirePacket::units(self));
        (units > 0).then(|| self.seq()..self.seq() + units)
    }
}
