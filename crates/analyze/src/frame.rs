//! From a captured frame's first bytes to its IP packet: link headers.

/// What a captured packet is, for an analysis of TCP, if it is no TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// No IPv4 and no IPv6: ARP and its like, or a link type that is not read.
    NotIp,
    /// IP, but another protocol.
    NotTcp,
    /// UDP.
    Udp,
    /// UDP that looks like QUIC.
    Quic,
    /// A part of a fragmented packet, which is no TCP segment.
    Fragment,
    /// Cut before its TCP header ends, by the snap length.
    Cut,
    /// Its lengths contradict each other.
    Malformed,
}

/// Whether [`ip`] knows how frames of this link type begin.
pub fn known(link_type: u32) -> bool {
    ip(link_type, &[]) != Err(Other::NotIp)
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
        // Token Ring, whose source may bring a route along (IEEE 802.5), and FDDI.
        6 => {
            let routed = frame.get(8).ok_or(Other::Cut)? & 0x80 != 0;
            let route = if routed { usize::from(frame.get(14).ok_or(Other::Cut)? & 31) } else { 0 };
            llc(frame.get(14 + route..).ok_or(Other::Cut)?)
        }
        10 => llc(frame.get(13..).ok_or(Other::Cut)?),
        51 => ppp(frame.get(6..).ok_or(Other::Cut)?),
        100 => llc(frame),          // RFC 2684
        104 => behind(frame, 2, 4), // Cisco's HDLC
        105 => wireless(frame),
        109 => frame.get(12..).ok_or(Other::Cut), // OpenBSD's enc
        // OpenBSD's pflog, whose header says its length without the padding.
        117 => frame.get(usize::from(*frame.first().ok_or(Other::Cut)?).next_multiple_of(4)..).ok_or(Other::Cut),
        // Radiotap, and PPI, which names another link type.
        127 => wireless(frame.get(little(frame, 2)?..).ok_or(Other::Cut)?),
        192 => {
            let inside = little(frame, 4)? as u32;
            if inside == 192 {
                Err(Other::Malformed)
            } else {
                ip(inside, frame.get(little(frame, 2)?..).ok_or(Other::Cut)?)
            }
        }
        239 => logged(frame),
        242 => behind(frame, 40, 44), // IP over InfiniBand
        _ => Err(Other::NotIp),
    }
}

/// The packet behind a header of LLC with SNAP (IEEE 802.2, RFC 1042).
fn llc(frame: &[u8]) -> Result<&[u8], Other> {
    match frame.get(..6).ok_or(Other::Cut)? {
        [0xaa, 0xaa, 3, ..] => behind(frame, 6, 8),
        _ => Err(Other::NotIp),
    }
}

/// The packet in a data frame of IEEE 802.11, if it is not encrypted.
fn wireless(frame: &[u8]) -> Result<&[u8], Other> {
    let (control, flags) = (*frame.first().ok_or(Other::Cut)?, *frame.get(1).ok_or(Other::Cut)?);
    let (kind, empty, quality) = (control & 0x0c, control & 0x40 != 0, control & 0x80 != 0);
    if kind != 8 || empty || flags & 0x40 != 0 {
        return Err(Other::NotIp);
    }
    let four = if flags & 3 == 3 { 6 } else { 0 };
    let mut length = 24 + four;
    if quality {
        let aggregate = frame.get(length).ok_or(Other::Cut)? & 0x80 != 0;
        if aggregate {
            return Err(Other::NotIp);
        }
        length += if flags & 0x80 != 0 { 6 } else { 2 };
    }
    llc(frame.get(length..).ok_or(Other::Cut)?)
}

/// The packet among the values that Linux's netfilter has logged.
fn logged(frame: &[u8]) -> Result<&[u8], Other> {
    const PAYLOAD: usize = 9;
    let mut rest = frame.get(4..).ok_or(Other::Cut)?;
    loop {
        let (length, kind) = (little(rest, 0)?, little(rest, 2)?);
        if length < 4 {
            return Err(Other::Malformed);
        }
        if kind == PAYLOAD {
            return rest.get(4..).ok_or(Other::Cut);
        }
        rest = rest.get(length.next_multiple_of(4)..).ok_or(Other::Cut)?;
    }
}

/// Two bytes, the lower first.
fn little(bytes: &[u8], at: usize) -> Result<usize, Other> {
    half(bytes, at).map(|value| value.swap_bytes().into())
}

/// What follows a header of `length` bytes that has the protocol's number at `at`.
fn behind(frame: &[u8], at: usize, length: usize) -> Result<&[u8], Other> {
    tagged(half(frame, at)?, frame.get(length..).ok_or(Other::Cut)?)
}

/// The packet in a frame of Ethernet.
pub fn ethernet(frame: &[u8]) -> Result<&[u8], Other> {
    tagged(half(frame, 12)?, frame.get(14..).ok_or(Other::Cut)?)
}

/// The packet of the protocol `kind`, behind any number of VLAN tags (IEEE 802.1Q, 802.1ad), MPLS labels, and the headers
/// of PPPoE and LLC/SNAP.
pub fn tagged(mut kind: u16, mut rest: &[u8]) -> Result<&[u8], Other> {
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
    // The protocol's first byte may be left out, too, where it is 0.
    match (frame.first().ok_or(Other::Cut)?, half(frame, 0)) {
        (0x21 | 0x57, _) => Ok(&frame[1..]),
        (_, Ok(0x0021 | 0x0057)) => Ok(&frame[2..]),
        (0, Err(cut)) => Err(cut),
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
        let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
        let data = |control: [u8; 2], more: usize| with(&[&control[..], &[0; 22], &vec![0; more], &snap].concat());
        assert_eq!(ip(6, &with(&[&[0; 14][..], &snap].concat())), Ok(&IP[..]));
        let routed = [&[0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 4, 0, 0, 0][..], &snap].concat();
        assert_eq!(ip(6, &with(&routed)), Ok(&IP[..]));
        assert_eq!(ip(10, &with(&[&[0; 13][..], &snap].concat())), Ok(&IP[..]));
        assert_eq!(ip(51, &with(&[0x11, 0, 0, 1, 0, 5, 0, 0x21])), Ok(&IP[..]));
        assert_eq!(ip(100, &with(&snap)), Ok(&IP[..]));
        assert_eq!(ip(104, &with(&[15, 0, 8, 0])), Ok(&IP[..]));
        for frame in [data([8, 1], 0), data([8, 3], 6), data([0x88, 2], 2), data([0x88, 0x82], 6)] {
            assert_eq!(ip(105, &frame), Ok(&IP[..]));
            assert_eq!(ip(127, &[&[0, 0, 10, 0, 0, 0, 0, 0, 9, 9][..], &frame].concat()), Ok(&IP[..]));
            assert_eq!(ip(192, &[&[0, 0, 8, 0, 105, 0, 0, 0][..], &frame].concat()), Ok(&IP[..]));
        }
        assert_eq!(ip(105, &data([8, 0x41], 0)), Err(Other::NotIp), "encrypted");
        assert_eq!(ip(117, &with(&[5, 2, 0, 0, 0, 0, 0, 0])), Ok(&IP[..]));
        assert_eq!(ip(239, &with(&[2, 0, 0, 0, 5, 0, 10, 0, 7, 0, 0, 0, 7, 0, 9, 0])), Ok(&IP[..]));
        assert_eq!(ip(242, &with(&[&[0; 40][..], &[8, 0, 0, 0]].concat())), Ok(&IP[..]));
        assert_eq!(ip(9, &with(&[0x21])), Ok(&IP[..]), "a protocol of one byte");
        assert_eq!(ip(192, &[0, 0, 8, 0, 192, 0, 0, 0]), Err(Other::Malformed));
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
