//! From a captured frame's first bytes to its IP packet: link headers.

/// What a captured packet is, for an analysis of TCP, if it is no TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// No IPv4 and no IPv6: ARP and its like, or a link type that is not read.
    NotIp,
    /// IP, but another protocol.
    NotTcp,
    /// A part of a fragmented packet, which is no TCP segment.
    Fragment,
    /// Cut before its TCP header ends, by the snap length.
    Cut,
    /// Its lengths contradict each other.
    Malformed,
}

/// Whether [`ip`] knows how frames of this link type begin.
pub fn known(link_type: u32) -> bool {
    matches!(link_type, 0 | 1 | 9 | 12 | 14 | 50 | 101 | 108 | 113 | 228 | 229 | 276)
}

/// The IP packet in a frame of `link_type` (`LINKTYPE_` numbers), as far as it was kept.
pub fn ip(link_type: u32, frame: &[u8]) -> Result<&[u8], Other> {
    match link_type {
        1 => ethernet(frame),
        9 | 50 => ppp(frame),
        12 | 14 | 101 | 228 | 229 => Ok(frame),
        // NULL and LOOP: an address family in the writer's byte order, or the network's. The IP version says the same.
        0 | 108 => frame.get(4..).ok_or(Other::Cut),
        113 => behind(frame, 14, 16),
        276 => behind(frame, 0, 20),
        _ => Err(Other::NotIp),
    }
}

/// What follows a header of `length` bytes that has the protocol's number at `at`.
fn behind(frame: &[u8], at: usize, length: usize) -> Result<&[u8], Other> {
    tagged(half(frame, at)?, frame.get(length..).ok_or(Other::Cut)?)
}

fn ethernet(frame: &[u8]) -> Result<&[u8], Other> {
    tagged(half(frame, 12)?, frame.get(14..).ok_or(Other::Cut)?)
}

/// The packet of the protocol `kind`, behind any number of VLAN tags (IEEE 802.1Q, 802.1ad), MPLS labels, and the headers
/// of PPPoE and LLC/SNAP.
fn tagged(mut kind: u16, mut rest: &[u8]) -> Result<&[u8], Other> {
    loop {
        let length = match kind {
            0x0800 | 0x86dd => return Ok(rest),
            0x8847 | 0x8848 => return labelled(rest),
            0x8864 => return ppp(rest.get(6..).ok_or(Other::Cut)?),
            0x8100 | 0x88a8 | 0x9100 => 4,
            // A length of IEEE 802.3, and the header that puts a type behind it (RFC 1042).
            ..=1500 if rest.starts_with(&[0xaa, 0xaa, 3, 0, 0, 0]) => 8,
            _ => return Err(Other::NotIp),
        };
        kind = half(rest, length - 2)?;
        rest = rest.get(length..).ok_or(Other::Cut)?;
    }
}

/// The packet below a stack of MPLS labels (RFC 3032), which says its version itself.
fn labelled(mut rest: &[u8]) -> Result<&[u8], Other> {
    loop {
        let bottom = half(rest, 2)? & 0x100 != 0;
        rest = rest.get(4..).ok_or(Other::Cut)?;
        if bottom {
            return if matches!(rest.first().ok_or(Other::Cut)? >> 4, 4 | 6) { Ok(rest) } else { Err(Other::NotIp) };
        }
    }
}

/// The packet in a PPP frame, whose address and control fields may be left out (RFC 1661, RFC 1662).
fn ppp(frame: &[u8]) -> Result<&[u8], Other> {
    let frame = frame.strip_prefix(&[0xff, 3]).unwrap_or(frame);
    match half(frame, 0)? {
        0x0021 | 0x0057 => Ok(&frame[2..]),
        _ => Err(Other::NotIp),
    }
}

/// Two bytes in the network's order.
pub fn half(bytes: &[u8], at: usize) -> Result<u16, Other> {
    match bytes.get(at..at + 2) {
        Some(&[high, low]) => Ok(u16::from_be_bytes([high, low])),
        _ => Err(Other::Cut),
    }
}

/// Four bytes in the network's order.
pub fn word(bytes: &[u8], at: usize) -> Result<u32, Other> {
    Ok(u32::from(half(bytes, at)?) << 16 | u32::from(half(bytes, at + 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: [u8; 3] = [0x45, 1, 2];

    fn with(head: &[u8]) -> Vec<u8> {
        [head, &IP].concat()
    }

    #[test]
    fn every_link_header_is_passed_over() {
        let mac = [0; 12];
        let plain = with(&[&mac[..], &[8, 0]].concat());
        let tags = with(&[&mac[..], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0]].concat());
        let labels = with(&[&mac[..], &[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64]].concat());
        let session = with(&[&mac[..], &[0x88, 0x64, 0x11, 0, 0, 1, 0, 5, 0, 0x21]].concat());
        let length = with(&[&mac[..], &[0, 11, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat());
        for frame in [plain, tags, labels, session, length] {
            assert_eq!(ip(1, &frame), Ok(&IP[..]));
        }
        assert_eq!(ip(101, &IP), Ok(&IP[..]));
        assert_eq!(ip(9, &with(&[0xff, 3, 0, 0x21])), Ok(&IP[..]));
        assert_eq!(ip(50, &with(&[0, 0x57])), Ok(&IP[..]));
        assert_eq!(ip(0, &with(&[2, 0, 0, 0])), Ok(&IP[..]));
        let mut cooked = [0; 16];
        cooked[14] = 8;
        assert_eq!(ip(113, &with(&cooked)), Ok(&IP[..]));
        let mut newer = [0; 20];
        newer[..2].copy_from_slice(&[0x86, 0xdd]);
        assert_eq!(ip(276, &with(&newer)), Ok(&IP[..]));
    }

    #[test]
    fn what_is_no_ip_or_too_short_is_said() {
        let arp = [&[0; 12][..], &[8, 6, 0, 1]].concat();
        assert_eq!(ip(1, &arp), Err(Other::NotIp));
        assert_eq!(ip(1, &arp[..13]), Err(Other::Cut));
        let mac = [0; 12];
        let wire = [&mac[..], &[0x88, 0x47, 0, 1, 1, 64, 0, 0, 0, 0]].concat(); // a pseudowire's control word
        assert_eq!(ip(1, &wire), Err(Other::NotIp));
        assert_eq!(ip(1, &wire[..16]), Err(Other::Cut));
        let spanning_tree = [&mac[..], &[0, 38, 0x42, 0x42, 3, 0, 0, 0]].concat();
        assert_eq!(ip(1, &spanning_tree), Err(Other::NotIp));
        assert_eq!(ip(147, &IP), Err(Other::NotIp));
        assert_eq!(ip(1, &[&[0; 12][..], &[0x81, 0, 0]].concat()), Err(Other::Cut));
    }
}
