//! From a captured frame's first bytes to its IP packet: link headers.

/// What a captured packet is, for an analysis of TCP, if it is no TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// No IPv4 and no IPv6: ARP and its like, or a link type that is not read.
    NotIp,
    /// IP, but another protocol.
    NotTcp,
    /// A part of a fragmented packet.
    Fragment,
    /// Cut before its TCP header ends, by the snap length.
    Cut,
    /// Its lengths contradict each other.
    Malformed,
}

/// Whether [`ip`] knows how frames of this link type begin.
pub fn known(link_type: u32) -> bool {
    matches!(link_type, 0 | 1 | 12 | 14 | 101 | 108 | 113 | 228 | 229 | 276)
}

/// The IP packet in a frame of `link_type` (`LINKTYPE_` numbers), as far as it was kept.
pub fn ip(link_type: u32, frame: &[u8]) -> Result<&[u8], Other> {
    match link_type {
        1 => ethernet(frame),
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

/// The packet of the protocol `kind`, behind any number of VLAN tags (IEEE 802.1Q, 802.1ad).
fn tagged(mut kind: u16, mut rest: &[u8]) -> Result<&[u8], Other> {
    while matches!(kind, 0x8100 | 0x88a8 | 0x9100) {
        kind = half(rest, 2)?;
        rest = rest.get(4..).ok_or(Other::Cut)?;
    }
    if matches!(kind, 0x0800 | 0x86dd) { Ok(rest) } else { Err(Other::NotIp) }
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
        for frame in [plain, tags] {
            assert_eq!(ip(1, &frame), Ok(&IP[..]));
        }
        assert_eq!(ip(101, &IP), Ok(&IP[..]));
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
        assert_eq!(ip(147, &IP), Err(Other::NotIp));
        assert_eq!(ip(1, &[&[0; 12][..], &[0x81, 0, 0]].concat()), Err(Other::Cut));
    }
}
