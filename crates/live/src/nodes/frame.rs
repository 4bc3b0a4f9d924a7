//! From the frames of a kernel's card to packets on a simulated path, and back.
//!
//! The k-th node of a scenario, counted from 1, has the addresses 10.0.x.y and fd00::x:y (as bytes, x·256 + y = k), and the hardware
//! address 02:00:00:00:x:y. No node asks for hardware addresses: a frame's destination is its packet's.

use acklab_packet::{Ace, Ack, Body, Ecn, Packet, SackBlocks, Segment};
use acklab_path::Carried;
use acklab_path::stage::Reissue;

use crate::checksum;
use crate::header::{Header, ecn, flag};
use crate::ip::{CE, Ip, mark};
use crate::numbers::Numbers;
use crate::packet::WirePacket;

/// Where the first processes of the kernels send what they tell each other.
pub const CONTROL: [u8; 4] = [10, 255, 255, 254];
/// The port of it.
pub const CONTROL_PORT: u16 = 1;

/// Bytes of a frame's header, and one that says no more than IPv4.
pub const ETHERNET: usize = 14;
/// See [`ETHERNET`].
pub const HEAD: [u8; ETHERNET] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0x00];
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
/// Before a node's two bytes in its address of version 6: of the addresses for private use (RFC 4193).
const PREFIX6: [u8; 14] = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Multicast on one link: neighbours and groups, of which kernels tell each other by themselves (RFC 4291 section 2.7).
const LINK_GROUPS: [u8; 2] = [0xff, 0x02];

/// The address of a node.
pub fn address(node: u32) -> [u8; 4] {
    let [_, _, high, low] = (node + 1).to_be_bytes();
    [10, 0, high, low]
}

/// The address of a node in version 6.
pub fn address6(node: u32) -> [u8; 16] {
    let [_, _, high, low] = (node + 1).to_be_bytes();
    let mut bytes = [0; 16];
    bytes[..14].copy_from_slice(&PREFIX6);
    bytes[14..].copy_from_slice(&[high, low]);
    bytes
}

/// The hardware address of a node.
pub fn hardware(node: u32) -> [u8; 6] {
    let [_, _, high, low] = (node + 1).to_be_bytes();
    [2, 0, 0, 0, high, low]
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To a node of the scenario.
    Node(u32),
    /// To the other first processes.
    Control,
    /// A kernel's own words to its neighbours on the link, of which there are none.
    Neighbours,
    /// To no node.
    Nobody,
}

/// The packet of IP in a frame, without what fills up the frame; `None` if it holds none that is whole.
pub fn packet(frame: &[u8]) -> Option<&[u8]> {
    let bytes = frame.get(ETHERNET..)?;
    let ip = Ip::read(bytes).filter(|ip| frame[12..ETHERNET] == if ip.v6 { IPV6 } else { IPV4 })?;
    bytes.get(..ip.end)
}

/// Where a packet goes in a scenario of so many nodes.
pub fn goal(packet: &[u8], nodes: usize) -> Goal {
    let v6 = packet.first().is_some_and(|first| first >> 4 == 6);
    let number = match packet.get(if v6 { 24..40 } else { 16..20 }) {
        Some(to) if to == CONTROL => return if is_control(packet) { Goal::Control } else { Goal::Nobody },
        Some(to) if v6 && to.starts_with(&LINK_GROUPS) => return Goal::Neighbours,
        Some(to) if to.starts_with(if v6 { &PREFIX6[..] } else { &[10, 0] }) => &to[to.len() - 2..],
        _ => return Goal::Nobody,
    };
    match u32::from(number[0]) << 8 | u32::from(number[1]) {
        node if node >= 1 && node as usize <= nodes => Goal::Node(node - 1),
        _ => Goal::Nobody,
    }
}

/// True for a datagram to [`CONTROL_PORT`].
fn is_control(packet: &[u8]) -> bool {
    Ip::read(packet).is_some_and(|ip| ip.protocol == 17 && ip.whole && ip.ports(packet)[1] == CONTROL_PORT)
}

/// The payload of what goes to [`CONTROL`].
pub fn control(packet: &[u8]) -> &[u8] {
    packet.get(4 * usize::from(packet[0] & 0xf) + 8..).unwrap_or_default()
}

/// A datagram from [`CONTROL`] to a node's first process.
pub fn told(node: u32, payload: &[u8]) -> Vec<u8> {
    let length = (28 + payload.len()) as u16;
    let mut bytes = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0];
    bytes[2..4].copy_from_slice(&length.to_be_bytes());
    bytes.extend(CONTROL);
    bytes.extend(address(node));
    let sum = checksum::internet(&bytes);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    for word in [CONTROL_PORT, CONTROL_PORT, length - 20, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(payload);
    bytes
}

/// The frame of a packet to a node. Whose hardware address it comes from does not matter.
pub fn frame(packet: &[u8], to: u32) -> Vec<u8> {
    let kind = if packet.first().is_some_and(|first| first >> 4 == 6) { IPV6 } else { IPV4 };
    [&hardware(to)[..], &hardware(to), &kind, packet].concat()
}

/// A packet's bytes, with what was read of them.
#[derive(Clone, Debug)]
pub enum Content {
    /// TCP.
    Tcp(Box<WirePacket>),
    /// Anything else.
    Other(Vec<u8>),
}

impl Content {
    /// Of a packet as [`packet`] leaves it; `numbers` is what its stream said before.
    pub fn new(bytes: &[u8], numbers: &mut Numbers) -> Content {
        match Header::parse(bytes) {
            Some(header) => Content::Tcp(Box::new(WirePacket::new(bytes.to_vec(), header, 0, numbers))),
            None => Content::Other(bytes.to_vec()),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Tcp(packet) => packet.bytes(),
            Content::Other(bytes) => bytes,
        }
    }

    /// Bytes behind the headers of TCP or UDP; behind IP's where there are neither.
    pub fn payload(&self) -> usize {
        match self {
            Content::Tcp(packet) => packet.header().payload(),
            Content::Other(bytes) => Ip::read(bytes).map_or(0, |ip| {
                let udp = if ip.protocol == 17 && ip.whole { 8 } else { 0 };
                ip.end.saturating_sub(ip.at + udp)
            }),
        }
    }

    /// What a path needs to know: an ACK if that is all it is, else data. `number` counts packets that have no numbers.
    pub fn body(&self, number: u64) -> Body {
        let packet = match self {
            Content::Tcp(packet) => packet,
            Content::Other(bytes) => {
                return Body::Data(Segment {
                    seq: number,
                    len: (self.payload() as u32).max(1),
                    ecn: ecn(Ip::read(bytes).map_or(0, |ip| ip.ecn())),
                    ..Segment::default()
                });
            }
        };
        let header = packet.header();
        let answers = header.has(flag::SYN) && packet.is_ack();
        if answers || packet.plain_ack().is_some() && (!packet.unknown_options() || header.counts.is_some()) {
            let mut sack = SackBlocks::default();
            packet.sack_blocks().for_each(|(start, end)| sack.push(packet.ack(), start, end));
            header.counts.into_iter().for_each(|counts| sack.set_counts(counts));
            let [ae, cwr, ece] = [header.ae, header.has(flag::CWR), header.has(flag::ECE)];
            // ECE alone may mean what RFC 3168 says; filters compare it the same.
            let number = u64::from(ae) << 2 | u64::from(cwr) << 1 | u64::from(ece);
            return Body::Ack(Ack {
                ack: packet.ack(),
                sack,
                syn: answers,
                ece,
                ace: if ae || cwr { Ace::of(number) } else { Ace::default() },
                ecn: ecn(header.ecn),
                ..Ack::default()
            });
        }
        Body::Data(Segment { len: packet.units().max(1), ..packet.as_segment() })
    }

    /// The bytes as they arrive: with the mark that a queue has set, and the number that a stage has put into an ACK. Second:
    /// whether it was marked on its way.
    pub fn arrived(&self, packet: &Packet) -> (Vec<u8>, bool) {
        let (marked, number) = match &packet.body {
            Body::Data(segment) => (segment.ecn == Ecn::Ce, None),
            Body::Ack(ack) => (ack.ecn == Ecn::Ce, Some(ack.ack)),
            _ => (false, None),
        };
        let new = marked && Ip::read(self.bytes()).is_some_and(|ip| ip.ecn() != CE);
        let mut bytes = match (self, number) {
            (Content::Tcp(sent), Some(number)) if sent.ack() != number => sent.reissued(number).bytes().to_vec(),
            _ => self.bytes().to_vec(),
        };
        if new {
            mark(&mut bytes);
        }
        (bytes, new)
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::ByteCounts;
    use acklab_path::AE;

    use super::super::key::Key;
    use super::*;

    /// A UDP datagram from node 0 to node 1, ECT(0), in a frame with padding.
    fn datagram() -> Vec<u8> {
        let mut bytes = told(1, b"hello");
        bytes[1] = 0b10;
        bytes[12..16].copy_from_slice(&address(0));
        bytes[10..12].fill(0);
        let sum = checksum::internet(&bytes[..20]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        let mut frame = frame(&bytes, 1);
        frame.resize(60, 0);
        frame
    }

    #[test]
    fn a_datagram_is_found_without_its_padding() {
        let frame = datagram();
        let packet = packet(&frame).expect("a packet");
        assert_eq!((packet.len(), goal(packet, 2), goal(packet, 1)), (33, Goal::Node(1), Goal::Nobody));
        let key = Key::of(packet, 0, 1).expect("of IP");
        assert_eq!(key.name(&["S".to_owned(), "R".to_owned()]), "udp S:1>R:1");
        let content = Content::new(packet, &mut Numbers::default());
        assert_eq!(content.payload(), 5);
        assert!(matches!(content.body(7), Body::Data(Segment { seq: 7, len: 5, ecn: Ecn::Ect, .. })));
    }

    #[test]
    fn a_mark_is_written_with_its_checksum() {
        let frame = datagram();
        let content = Content::new(packet(&frame).expect("a packet"), &mut Numbers::default());
        let mut body = content.body(0);
        let carried = |body| Packet { flow: 0, size: 33, connection: 0, place: 0, body };
        let (bytes, marked) = content.arrived(&carried(body));
        assert_eq!((bytes.as_slice(), marked), (content.bytes(), false));
        if let Body::Data(segment) = &mut body {
            segment.ecn = Ecn::Ce;
        }
        let (bytes, marked) = content.arrived(&carried(body));
        assert_eq!((bytes[1], checksum::internet(&bytes[..20]), marked), (CE, 0, true));
    }

    /// TCP over version 6 from node 0 to node 1, ECT(0), with a code point of DiffServ; `between` are headers before TCP's, the first of
    /// the protocol `first`.
    fn version_6(first: u8, between: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x6b, 0xa2, 0, 0, 0, 0, first, 64];
        bytes.extend(address6(0));
        bytes.extend(address6(1));
        bytes.extend(between);
        bytes.extend([0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
        bytes.extend(b"hello");
        let length = (bytes.len() - 40) as u16;
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
        frame(&bytes, 1)
    }

    #[test]
    fn version_6_is_carried_with_its_headers() {
        let nodes = ["S".to_owned(), "R".to_owned()];
        for (first, between, name) in [
            (6, &[][..], "tcp6 S:40000>R:80 dscp 46"),
            (0, &[6, 0, 1, 4, 0, 0, 0, 0], "tcp6 S:40000>R:80 dscp 46"),
            (44, &[6, 0, 0, 0, 0, 0, 0, 7], "tcp6 S:40000>R:80 dscp 46"),
            (44, &[6, 0, 0, 1, 0, 0, 0, 7], "tcp6 S>R dscp 46"),
        ] {
            let frame = version_6(first, between);
            let packet = packet(&frame).expect("a packet");
            assert_eq!((goal(packet, 2), goal(packet, 1)), (Goal::Node(1), Goal::Nobody));
            assert_eq!(Key::of(packet, 0, 1).expect("of IP").name(&nodes), name, "{first} {between:?}");
            let content = Content::new(packet, &mut Numbers::default());
            let mut body = content.body(0);
            let Body::Data(segment) = &mut body else { panic!("no data") };
            assert_eq!(segment.ecn, Ecn::Ect);
            segment.ecn = Ecn::Ce;
            let size = packet.len() as u32;
            let (bytes, marked) = content.arrived(&Packet { flow: 0, size, connection: 0, place: 0, body });
            assert_eq!((bytes[0], bytes[1], &bytes[2..], marked), (0x6b, 0xb2, &packet[2..], true));
        }
        for length in 14..version_6(6, &[]).len() {
            assert!(packet(&version_6(6, &[])[..length]).is_none(), "{length} bytes");
        }
        let mut group = version_6(6, &[]);
        group[38..40].copy_from_slice(&LINK_GROUPS);
        assert_eq!(goal(packet(&group).expect("a packet"), 2), Goal::Neighbours);
    }

    #[test]
    fn an_ack_keeps_the_number_of_accurate_ecn() {
        let mut bytes = version_6(6, &[])[14..74].to_vec();
        bytes[5] = 20;
        // AE stands in the data offset's byte.
        for (flags, ace, congestion) in [
            ([0x51, 0x90], Ace::of(6), AE | 2),
            ([0x51, 0x10], Ace::of(4), AE),
            ([0x50, 0x50], Ace::default(), 1),
            ([0x50, 0xd0], Ace::of(3), 3),
        ] {
            bytes[52..54].copy_from_slice(&flags);
            let body = Content::new(&bytes, &mut Numbers::default()).body(0);
            assert!(matches!(body, Body::Ack(ack) if ack.ace == ace), "{flags:?}");
            assert_eq!(Packet { flow: 0, size: 60, connection: 0, place: 0, body }.congestion(), congestion);
        }
    }

    /// A filter that knows the option sees an ACK with it as an ACK; one that does not keeps it.
    #[test]
    fn an_ack_keeps_its_byte_counters() {
        let mut bytes = version_6(6, &[])[14..74].to_vec();
        bytes[5] = 28;
        bytes[52..54].copy_from_slice(&[0x71, 0x10]);
        for (kind, ect1) in [(172, false), (174, true)] {
            bytes.truncate(60);
            bytes.extend([kind, 8, 0, 1, 2, 0xff, 0, 7]);
            let body = Content::new(&bytes, &mut Numbers::default()).body(0);
            let Body::Ack(ack) = body else { panic!("no ACK") };
            assert_eq!(ack.sack.counts(), Some(ByteCounts { ect1, ect: 0x102, ce: 0xff_0007 }));
            assert!(Packet { flow: 0, size: 68, connection: 0, place: 0, body }.unknown_options());
        }
        *bytes.last_mut().expect("a byte") = 0;
        bytes[60] = 30; // another option
        assert!(matches!(Content::new(&bytes, &mut Numbers::default()).body(0), Body::Data(_)));
    }

    #[test]
    fn what_is_no_packet_is_left_out() {
        let good = datagram();
        for length in 0..good.len() - 13 {
            if let Some(packet) = packet(&good[..length]) {
                panic!("{} bytes of a frame of {length}", packet.len());
            }
        }
        for (at, value) in [(12, 0x86), (14, 0x65), (14, 0x44), (16, 0xff), (17, 1)] {
            let mut bad = good.clone();
            bad[at] = value;
            assert!(packet(&bad).is_none(), "byte {at} = {value}");
        }
        let told = told(0, b"stop");
        assert_eq!((control(&told), checksum::internet(&told[..20])), (&b"stop"[..], 0));
    }
}
