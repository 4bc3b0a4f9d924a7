//! What the header of IP says, of either version: RFC 791 and RFC 8200.

use crate::checksum;

/// The congestion mark in the two ECN bits (RFC 3168 section 5).
pub const CE: u8 = 0b11;
/// The ECN field of ECT(1), which CE shares (RFC 9331).
pub const ECT1: u8 = 0b01;
/// Headers between IPv6's own and the transport's: hop by hop, routing, destination options.
const BETWEEN: [u8; 3] = [0, 43, 60];
const FRAGMENT: u8 = 44;
/// Most of them that are followed.
const MAX_BETWEEN: usize = 8;

/// A header that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// Whether it is version 6.
    pub v6: bool,
    /// The protocol that follows.
    pub protocol: u8,
    /// Its traffic class, or type of service: a code point of DiffServ, and two bits of ECN (RFC 2474, RFC 3168).
    pub class: u8,
    /// Where the protocol's header begins.
    pub at: usize,
    /// Where the packet ends.
    pub end: usize,
    /// Whether it is a whole packet, and no fragment of one.
    pub whole: bool,
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])))
}

impl Ip {
    /// Reads the header that `bytes` begin with; `None` if they hold no packet that is whole.
    pub fn read(bytes: &[u8]) -> Option<Ip> {
        match bytes.first()? >> 4 {
            4 => Ip::read4(bytes),
            6 => Ip::read6(bytes),
            _ => None,
        }
    }

    fn read4(bytes: &[u8]) -> Option<Ip> {
        let (end, at) = (word(bytes, 2)?, 4 * usize::from(bytes[0] & 0xf));
        let fits = at >= 20 && end >= at && end <= bytes.len();
        let whole = word(bytes, 6)? & 0x3fff == 0;
        fits.then(|| Ip { v6: false, protocol: bytes[9], class: bytes[1], at, end, whole })
    }

    fn read6(bytes: &[u8]) -> Option<Ip> {
        let end = 40 + word(bytes, 4)?;
        let bytes = bytes.get(..end)?;
        let class = bytes[0] << 4 | bytes[1] >> 4;
        let mut ip = Ip { v6: true, protocol: bytes[6], class, at: 40, end, whole: true };
        let mut middle = false;
        for _ in 0..MAX_BETWEEN {
            let next = match ip.protocol {
                FRAGMENT => {
                    // An offset, or more to come.
                    let place = word(bytes, ip.at + 2)?;
                    ip.whole &= place & 0xfff9 == 0;
                    middle = place & 0xfff8 != 0;
                    8
                }
                between if BETWEEN.contains(&between) => 8 * (usize::from(*bytes.get(ip.at + 1)?) + 1),
                _ => break,
            };
            ip.protocol = *bytes.get(ip.at)?;
            ip.at += next;
            if middle {
                // No header follows, whatever its protocol says.
                break;
            }
        }
        (ip.at <= end).then_some(ip)
    }

    /// The source port and the destination port of TCP or UDP; zeros where there are none, as in a fragment.
    pub fn ports(&self, bytes: &[u8]) -> [u16; 2] {
        let there = self.whole && matches!(self.protocol, 6 | 17);
        let port = |at: usize| if there { word(bytes, at).unwrap_or(0) as u16 } else { 0 };
        [port(self.at), port(self.at + 2)]
    }

    /// The code point of DiffServ.
    pub fn dscp(&self) -> u8 {
        self.class >> 2
    }

    /// The two bits of ECN.
    pub fn ecn(&self) -> u8 {
        self.class & 0b11
    }
}

/// Sets the congestion mark of a packet, with the header's checksum where there is one.
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        packet[1] |= CE << 4;
        return;
    }
    let old = [packet[0], packet[1]];
    let new = [old[0], old[1] | CE];
    let sum = checksum::updated(u16::from_be_bytes([packet[10], packet[11]]), &old, &new);
    packet[1] = new[1];
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8200 section 4.5: behind the fragment header of all but the first stand bytes of the middle, whatever the next header says.
    #[test]
    fn the_middle_of_a_fragmented_packet_is_not_read() {
        let mut bytes = vec![0; 52];
        (bytes[0], bytes[5], bytes[6]) = (0x60, 12, FRAGMENT);
        bytes[40..].copy_from_slice(&[60, 0, 0x05, 0xb1, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff]);
        let ip = Ip::read(&bytes).expect("a packet");
        assert_eq!((ip.protocol, ip.at, ip.end, ip.whole, ip.ports(&bytes)), (60, 48, 52, false, [0, 0]));
        // The first fragment has its headers.
        bytes[43] = 1;
        bytes[42] = 0;
        assert_eq!(Ip::read(&bytes), None, "its options end behind it");
    }
}
