//! An IP packet's first bytes, up to its TCP segment (RFC 791, RFC 8200).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::fragments::{Key, Part};
use crate::frame::{self, Other, half, word};
use crate::segment::{Seen, tcp};
use crate::thresholds::{LARGEST_PACKET, MAX_TUNNELS};
use crate::tunnel::{self, Tunnel};

/// What a frame has of a TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// All of it.
    Segment(Seen),
    /// A part, of a packet that was fragmented.
    Part(Part<'a>),
}

/// Reads a frame of `link_type`, of which `frame` was kept out of `length` bytes, and opens the tunnels in it: the outermost, and
/// what is inside.
pub fn read(link_type: u32, frame: &[u8], length: u32) -> (Option<Tunnel>, Result<Frame<'_>, Other>) {
    let mut outermost = None;
    let mut layer = frame::ip(link_type, frame);
    for _ in 0..MAX_TUNNELS {
        let packet = match layer {
            Ok(packet) => packet,
            Err(other) => return (outermost, Err(other)),
        };
        let whole = (length as usize).saturating_sub(frame.len() - packet.len()).max(packet.len());
        let (tunnel, inner) = match self::packet(packet, whole) {
            Ok(Layer::Frame(found)) => return (outermost, Ok(found)),
            Ok(Layer::Tunnel(tunnel, inner)) => (tunnel, inner),
            Err(other) => return (outermost, Err(other)),
        };
        outermost = outermost.or(Some(tunnel));
        layer = inner;
    }
    (outermost, Err(Other::NotTcp))
}

/// What an IP packet carries.
enum Layer<'a> {
    Frame(Frame<'a>),
    Tunnel(Tunnel, Result<&'a [u8], Other>),
}

fn packet(packet: &[u8], whole: usize) -> Result<Layer<'_>, Other> {
    // Only a record's length can say more than the field of 16 bits.
    if whole > LARGEST_PACKET {
        return Err(Other::Malformed);
    }
    match packet.first().ok_or(Other::Cut)? >> 4 {
        4 => ipv4(packet, whole),
        6 => ipv6(packet, whole),
        _ => Err(Other::NotIp),
    }
}

/// What another protocol than TCP is.
fn other(protocol: u8, rest: &[u8]) -> Result<Layer<'_>, Other> {
    if let Some((tunnel, inner)) = tunnel::inside(protocol, rest) {
        return Ok(Layer::Tunnel(tunnel, inner));
    }
    Err(if protocol == 17 { datagram(rest) } else { Other::NotTcp })
}

/// UDP, and what looks like QUIC in it: the fixed bit (RFC 9000 section 17), at the port where it is at home.
fn datagram(rest: &[u8]) -> Other {
    let quic = [0, 2].iter().any(|&at| half(rest, at) == Ok(443)) && rest.get(8).is_some_and(|first| first & 0x40 != 0);
    if quic { Other::Quic } else { Other::Udp }
}

fn ipv4(packet: &[u8], whole: usize) -> Result<Layer<'_>, Other> {
    let header = usize::from(packet[0] & 15) * 4;
    // A length of 0 is that of a packet larger than the field can say, before the interface cuts it up.
    let total = Some(usize::from(half(packet, 2)?)).filter(|total| *total > 0).unwrap_or(whole);
    if header < 20 || total < header {
        return Err(Other::Malformed);
    }
    let place = half(packet, 6)?;
    let protocol = *packet.get(9).ok_or(Other::Cut)?;
    if protocol != 6 {
        let cut = packet.len().min(total);
        let rest = packet.get(header..cut);
        return if place & 0x3fff != 0 { Err(Other::Fragment) } else { other(protocol, rest.ok_or(Other::Cut)?) };
    }
    let address = |at| word(packet, at).map(|word| IpAddr::V4(Ipv4Addr::from_bits(word)));
    let ends = (address(12)?, address(16)?);
    let rest = packet.get(header..).ok_or(Other::Cut)?;
    let (identification, ecn, length) = (half(packet, 4)?, packet[1] & 3, total - header);
    if place & 0x3fff != 0 {
        let key = Key { ends, identification: identification.into() };
        let start = usize::from(place & 0x1fff) * 8;
        return Part::new(key, (start, length), place & 0x2000 != 0, ecn, rest).map(Frame::Part).map(Layer::Frame);
    }
    Ok(Layer::Frame(Frame::Segment(Seen { identification: Some(identification), ecn, ..tcp(rest, length, ends)? })))
}

fn ipv6(packet: &[u8], whole: usize) -> Result<Layer<'_>, Other> {
    let said = Some(usize::from(half(packet, 4)?)).filter(|said| *said > 0);
    let mut left = said.unwrap_or(whole.saturating_sub(40));
    let mut next = *packet.get(6).ok_or(Other::Cut)?;
    let address = |at: usize| {
        let bytes = packet.get(at..at + 16).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok()).ok_or(Other::Cut);
        bytes.map(|bytes| IpAddr::V6(Ipv6Addr::from(bytes)))
    };
    let ends = (address(8)?, address(24)?);
    let ecn = (packet[1] >> 4) & 3;
    let mut rest = packet.get(40..).ok_or(Other::Cut)?;
    while next != 6 {
        let length = match next {
            0 | 43 | 60 => 8 * (usize::from(*rest.get(1).ok_or(Other::Cut)?) + 1),
            51 => 4 * (usize::from(*rest.get(1).ok_or(Other::Cut)?) + 2),
            // Alone it is whole (RFC 6946): neither an offset nor more to come.
            44 if half(rest, 2)? & 0xfff9 == 0 => 8,
            44 if rest[0] == 6 => {
                let (place, key) = (half(rest, 2)?, Key { ends, identification: word(rest, 4)? });
                let length = left.checked_sub(8).ok_or(Other::Malformed)?;
                let kept = rest.get(8..).ok_or(Other::Cut)?;
                return Part::new(key, ((place & 0xfff8).into(), length), place & 1 != 0, ecn, kept)
                    .map(Frame::Part)
                    .map(Layer::Frame);
            }
            44 => return Err(Other::Fragment),
            protocol => return other(protocol, rest),
        };
        next = rest[0];
        left = left.checked_sub(length).ok_or(Other::Malformed)?;
        rest = rest.get(length..).ok_or(Other::Cut)?;
    }
    Ok(Layer::Frame(Frame::Segment(Seen { ecn, ..tcp(rest, left, ends)? })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragments::{Fragments, Joined};
    use crate::segment::{ACK, Options};

    /// A frame that has all of a segment.
    fn read(link_type: u32, frame: &[u8], length: u32) -> Result<Seen, Other> {
        super::read(link_type, frame, length).1.map(|found| match found {
            Frame::Segment(seen) => seen,
            Frame::Part(part) => panic!("{part:?}"),
        })
    }

    fn packet(options: &[u8], payload: usize) -> Vec<u8> {
        let header = 20 + options.len();
        let mut bytes = vec![0; 20];
        bytes[0] = 0x45;
        bytes[1] = 3;
        bytes[2..4].copy_from_slice(&((20 + header + payload) as u16).to_be_bytes());
        bytes[9] = 6;
        bytes[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        let mut tcp = vec![0; 20];
        tcp[0..4].copy_from_slice(&[0, 80, 1, 0]);
        tcp[7] = 9;
        tcp[12] = (header as u8 / 4) << 4;
        tcp[13] = ACK;
        [bytes, tcp, options.to_vec(), vec![0; payload]].concat()
    }

    #[test]
    fn options_and_lengths_come_out_of_a_whole_or_cut_packet() {
        let mut options = vec![1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 5, 1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let bytes = packet(&options, 100);
        let whole = read(101, &bytes, bytes.len() as u32).unwrap();
        assert_eq!((whole.payload, whole.ecn, whole.from.port, whole.to.port, whole.seq), (100, 3, 80, 256, 9));
        assert_eq!((whole.options.stamps, whole.options.sacks.0), (Some((7, 5)), 1));
        let cut = read(101, &bytes[..64], bytes.len() as u32).unwrap();
        assert_eq!(cut, whole);
        let shorter = read(101, &bytes[..63], bytes.len() as u32).unwrap();
        assert!(shorter.cut && !whole.cut && shorter.options.stamps == whole.options.stamps);
        assert_eq!(read(101, &bytes[..39], 164), Err(Other::Cut));
        options[3] = 200; // longer than there is
        assert_eq!(read(101, &packet(&options, 0), 64).unwrap().options, Options::default());
    }

    #[test]
    fn a_packet_longer_than_its_field_can_say_has_the_length_of_its_record() {
        let mut bytes = packet(&[], 0);
        bytes[2..4].fill(0);
        assert_eq!(read(101, &bytes, 70_040).unwrap().payload, 70_000);
    }

    #[test]
    fn extension_headers_are_passed_over() {
        let four = packet(&[], 11);
        let mut six = vec![0; 40];
        six[0] = 0x60;
        six[1] = 0x20; // the upper of the two ECN bits
        six[5] = (8 + 20 + 11) as u8;
        six.extend([6, 0, 0, 0, 0, 0, 0, 0]);
        six.extend(&four[20..]);
        let seen = read(101, &six, six.len() as u32).unwrap();
        assert_eq!((seen.payload, seen.ecn, seen.identification), (11, 2, None));
        six[6] = 44;
        assert_eq!(read(101, &six, six.len() as u32).unwrap().payload, 11, "a fragment that is all there is");
        six[43] = 1;
        assert_eq!(super::read(101, &six, six.len() as u32).1, Err(Other::Malformed), "31 bytes before others");
        // In two parts, of 24 bytes and of 7: the second comes first.
        let part = |start: usize, end: usize, place: u16| {
            let mut bytes = [&six[..48], &six[48..][start..end]].concat();
            bytes[5] = (8 + end - start) as u8;
            bytes[42..48].copy_from_slice(&[(place >> 8) as u8, place as u8, 0, 1, 0, 2]);
            bytes
        };
        let (first, second) = (part(0, 24, 1), part(24, 31, 24));
        let mut fragments = Fragments::default();
        let mut joined = |bytes: &[u8]| match super::read(101, bytes, bytes.len() as u32).1 {
            Ok(Frame::Part(part)) => fragments.join(&part, 0),
            other => panic!("{other:?}"),
        };
        assert_eq!(joined(&second), Joined::Waiting);
        assert_eq!(joined(&first), Joined::Whole(Ok(seen)));
        six[40] = 17;
        assert_eq!(read(101, &six, six.len() as u32), Err(Other::Fragment), "of UDP");
        six[6] = 17;
        assert_eq!(read(101, &six, six.len() as u32), Err(Other::Udp));
    }

    #[test]
    fn a_block_below_the_ack_or_within_the_second_is_a_dsack() {
        let dsack = |ack: u32, count: u8, blocks| {
            let bytes = packet(&[], 0);
            let mut seen = read(101, &bytes, 40).unwrap();
            (seen.ack, seen.options.sacks) = (ack, (count, blocks));
            seen.is_dsack()
        };
        assert!(dsack(100, 1, [(50, 60), (0, 0)]));
        assert!(!dsack(100, 1, [(150, 160), (0, 0)]));
        assert!(dsack(100, 2, [(150, 160), (140, 190)]));
        assert!(!dsack(100, 2, [(150, 160), (170, 190)]));
        assert!(dsack(5, 1, [(u32::MAX - 9, 0), (0, 0)]), "across the wrap");
    }
}
