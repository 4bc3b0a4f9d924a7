//! Packets inside packets: which headers stand between an outer IP header and an inner one.

use crate::frame::{self, Other, half, word};

/// A kind of tunnel that is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tunnel {
    /// IP in IP (RFC 2003, RFC 4213).
    Ip,
    /// GRE (RFC 2784, RFC 2890).
    Gre,
    /// ERSPAN, a mirror port's copies in GRE.
    Erspan,
    /// VXLAN (RFC 7348).
    Vxlan,
    /// Geneve (RFC 8926).
    Geneve,
    /// GTP's user plane (3GPP TS 29.281).
    Gtp,
}

/// The IP packet inside one of `protocol`, of whose contents `rest` was kept; none if it is no tunnel that is opened.
pub fn inside(protocol: u8, rest: &[u8]) -> Option<(Tunnel, Result<&[u8], Other>)> {
    match protocol {
        4 | 41 => Some((Tunnel::Ip, Ok(rest))),
        47 => gre(rest),
        17 => datagram(rest),
        _ => None,
    }
}

fn gre(rest: &[u8]) -> Option<(Tunnel, Result<&[u8], Other>)> {
    let (flags, kind) = (half(rest, 0).ok()?, half(rest, 2).ok()?);
    // Checksum, key and number take four bytes each; version 1 is PPTP's, routing is obsolete.
    if flags & 0x4007 != 0 {
        return None;
    }
    let length = 4
        + 4 * usize::from(flags & 0x8000 != 0)
        + 4 * usize::from(flags & 0x2000 != 0)
        + 4 * usize::from(flags & 0x1000 != 0);
    let inner = rest.get(length..).ok_or(Other::Cut);
    match kind {
        0x0800 | 0x86dd | 0x8847 => Some((Tunnel::Gre, inner.and_then(|inner| frame::tagged(kind, inner)))),
        0x6558 => Some((Tunnel::Gre, inner.and_then(frame::ethernet))),
        // Types I and II, distinguished by the number in GRE, and III, which may have a header more.
        0x88be => {
            let head = if flags & 0x1000 != 0 { 8 } else { 0 };
            Some((Tunnel::Erspan, inner.and_then(|inner| frame::ethernet(inner.get(head..).ok_or(Other::Cut)?))))
        }
        0x22eb => {
            let head = inner.and_then(|inner| word(inner, 8)).map(|word| if word & 1 != 0 { 20 } else { 12 });
            Some((Tunnel::Erspan, head.and_then(|head| frame::ethernet(inner?.get(head..).ok_or(Other::Cut)?))))
        }
        _ => None,
    }
}

/// By its port, and by what its first bytes must be.
fn datagram(rest: &[u8]) -> Option<(Tunnel, Result<&[u8], Other>)> {
    let (from, to) = (half(rest, 0).ok()?, half(rest, 2).ok()?);
    let inner = rest.get(8..)?;
    match to {
        4789 | 8472 if word(inner, 0).ok()? == 0x0800_0000 => {
            Some((Tunnel::Vxlan, inner.get(8..).ok_or(Other::Cut).and_then(frame::ethernet)))
        }
        6081 if inner.first()? >> 6 == 0 => {
            let length = 8 + 4 * usize::from(inner[0] & 63);
            let kind = half(inner, 2).ok()?;
            let packet = inner.get(length..).ok_or(Other::Cut);
            let packet = if kind == 0x6558 {
                packet.and_then(frame::ethernet)
            } else {
                packet.and_then(|packet| frame::tagged(kind, packet))
            };
            Some((Tunnel::Geneve, packet))
        }
        _ if to == 2152 || from == 2152 => user_plane(inner),
        _ => None,
    }
}

/// GTP version 1, message 255: a packet of a user.
fn user_plane(inner: &[u8]) -> Option<(Tunnel, Result<&[u8], Other>)> {
    let (flags, kind) = (*inner.first()?, *inner.get(1)?);
    if flags >> 4 != 3 || kind != 255 {
        return None;
    }
    let mut at = 8;
    if flags & 7 != 0 {
        let mut next = *inner.get(11)?;
        at = 12;
        while next != 0 {
            let length = 4 * usize::from(*inner.get(at)?);
            next = *inner.get((at + length).checked_sub(1).filter(|_| length > 0)?)?;
            at += length;
        }
    }
    Some((Tunnel::Gtp, inner.get(at..).ok_or(Other::Cut)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: [u8; 3] = [0x45, 1, 2];

    fn opened(protocol: u8, head: &[u8]) -> Option<Tunnel> {
        let bytes = [head, &IP].concat();
        let (tunnel, inner) = inside(protocol, &bytes)?;
        assert_eq!(inner, Ok(&IP[..]), "{tunnel:?}");
        Some(tunnel)
    }

    #[test]
    fn each_header_is_passed_over() {
        let mac = [&[0; 12][..], &[8, 0]].concat();
        let udp = |port: u16| [&[0, 99][..], &port.to_be_bytes(), &[0; 4]].concat();
        assert_eq!(opened(4, &[]), Some(Tunnel::Ip));
        assert_eq!(opened(41, &[]), Some(Tunnel::Ip));
        assert_eq!(opened(47, &[0, 0, 8, 0]), Some(Tunnel::Gre));
        assert_eq!(opened(47, &[0xb0, 0, 8, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]), Some(Tunnel::Gre));
        assert_eq!(opened(47, &[&[0, 0, 0x65, 0x58][..], &mac].concat()), Some(Tunnel::Gre));
        assert_eq!(opened(47, &[&[0x10, 0, 0x88, 0xbe][..], &[0; 12], &mac].concat()), Some(Tunnel::Erspan));
        assert_eq!(opened(47, &[&[0x10, 0, 0x22, 0xeb][..], &[0; 16], &mac].concat()), Some(Tunnel::Erspan));
        assert_eq!(opened(17, &[&udp(4789)[..], &[8, 0, 0, 0, 0, 0, 7, 0], &mac].concat()), Some(Tunnel::Vxlan));
        assert_eq!(opened(17, &[&udp(6081)[..], &[1, 0, 8, 0, 0, 0, 0, 0], &[9; 4]].concat()), Some(Tunnel::Geneve));
        assert_eq!(opened(17, &[&udp(2152)[..], &[0x30, 255, 0, 9, 0, 0, 0, 1]].concat()), Some(Tunnel::Gtp));
        let extended = [0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 16, 1, 0];
        assert_eq!(opened(17, &[&udp(2152)[..], &extended].concat()), Some(Tunnel::Gtp));
        for other in [&udp(53)[..], &[&udp(2152)[..], &[0x30, 1, 0, 9, 0, 0, 0, 1]].concat()] {
            assert_eq!(opened(17, other), None);
        }
        assert_eq!(opened(47, &[0x30, 1, 0x88, 0x0b, 0, 0, 0, 0]), None, "PPTP");
    }
}
