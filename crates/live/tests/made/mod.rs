//! Real packets for tests, made by another library.
#![allow(dead_code)]

use acklab_live::header::Header;
use acklab_live::numbers::Numbers;
use acklab_live::packet::WirePacket;
use etherparse::TcpOptionElement::{self, Noop, SelectiveAcknowledgement, Timestamp};
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader};

/// The two hosts.
pub const SENDER: [u8; 4] = [10, 0, 0, 1];
pub const RECEIVER: [u8; 4] = [10, 0, 0, 2];

/// A TCP packet's bytes, both checksums right; `change` may do what it likes to the headers.
pub fn bytes(
    from: [u8; 4],
    to: [u8; 4],
    payload: usize,
    change: impl FnOnce(&mut Ipv4Header, &mut TcpHeader),
) -> Vec<u8> {
    let payload = vec![0x5a; payload];
    let mut tcp = TcpHeader::new(35000, 40000, 0, 1000);
    let mut ip = Ipv4Header::new(0, 64, IpNumber::TCP, from, to).unwrap();
    change(&mut ip, &mut tcp);
    ip.total_len = (Ipv4Header::MIN_LEN + tcp.header_len() + payload.len()) as u16;
    ip.header_checksum = ip.calc_header_checksum();
    tcp.checksum = tcp.calc_checksum_ipv4_raw(from, to, &payload).unwrap();
    let mut bytes = ip.to_bytes().to_vec();
    bytes.extend_from_slice(&tcp.to_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

/// Whether both checksums are right.
pub fn checksums_hold(packet: &WirePacket) -> bool {
    let (ip, rest) = Ipv4Header::from_slice(packet.bytes()).unwrap();
    let (tcp, payload) = TcpHeader::from_slice(rest).unwrap();
    let whole = tcp.calc_checksum_ipv4_raw(ip.source, ip.destination, payload).unwrap();
    ip.calc_header_checksum() == ip.header_checksum && whole == tcp.checksum
}

/// One connection, both directions numbered.
#[derive(Default)]
pub struct Talk {
    there: Numbers,
    back: Numbers,
}

/// What an ACK says besides its number.
#[derive(Clone, Copy, Default)]
pub struct Says {
    pub sack: Option<(u32, u32)>,
    pub ece: bool,
    pub window: u16,
    pub stamps: Option<(u32, u32)>,
}

/// First numbers of the two sides, near the wrap.
pub const ISN: u32 = u32::MAX - 2000;
pub const OTHER_ISN: u32 = 77;

impl Talk {
    fn numbered(&mut self, bytes: Vec<u8>, back: bool) -> WirePacket {
        let header = Header::parse(&bytes).expect("a TCP packet");
        WirePacket::new(bytes, header, 0, if back { &mut self.back } else { &mut self.there })
    }

    /// A connection after its handshake, and the packets of that: SYN and its answer, which agrees on ECN (RFC 3168).
    pub fn open() -> (Talk, [WirePacket; 2]) {
        let mut talk = Talk::default();
        let syn = bytes(SENDER, RECEIVER, 0, |_, tcp| (tcp.sequence_number, tcp.syn) = (ISN, true));
        let answer = bytes(RECEIVER, SENDER, 0, |_, tcp| {
            (tcp.sequence_number, tcp.syn) = (OTHER_ISN, true);
            (tcp.acknowledgment_number, tcp.ack) = (ISN.wrapping_add(1), true);
            tcp.ece = true;
        });
        let handshake = [talk.numbered(syn, false), talk.numbered(answer, true)];
        (talk, handshake)
    }

    /// A segment of `len` bytes whose first has this number, counted from the SYN's 0.
    pub fn data(&mut self, seq: u32, len: usize) -> WirePacket {
        let made = bytes(SENDER, RECEIVER, len, |ip, tcp| {
            tcp.sequence_number = ISN.wrapping_add(seq);
            (tcp.acknowledgment_number, tcp.ack) = (OTHER_ISN + 1, true);
            ip.ecn = IpEcn::Ect0;
        });
        self.numbered(made, false)
    }

    /// A pure ACK of this number.
    pub fn ack(&mut self, number: u32, says: Says) -> WirePacket {
        let wire = |number: u32| ISN.wrapping_add(number);
        let made = bytes(RECEIVER, SENDER, 0, |_, tcp| {
            tcp.sequence_number = OTHER_ISN + 1;
            (tcp.acknowledgment_number, tcp.ack) = (wire(number), true);
            (tcp.ece, tcp.window_size) = (says.ece, 500 + says.window);
            let mut options: Vec<TcpOptionElement> = Vec::new();
            if let Some((value, echo)) = says.stamps {
                options.extend([Noop, Noop, Timestamp(value, echo)]);
            }
            if let Some((start, end)) = says.sack {
                options.extend([Noop, Noop, SelectiveAcknowledgement((wire(start), wire(end)), [None; 3])]);
            }
            tcp.set_options(&options).unwrap();
        });
        self.numbered(made, true)
    }
}
