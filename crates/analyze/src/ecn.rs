//! Explicit congestion notification (RFC 3168, RFC 9768): what was negotiated, and what the counter tells.

use crate::numbers::after;
use crate::segment::{ACK, CWR, ECE, FIN, Seen};

/// The ECN that two ends agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreed {
    /// Marks are echoed by ECE (RFC 3168).
    Classic,
    /// Marks are counted; the bit of ECE is a part of the counter (RFC 9768).
    Accurate,
    /// None.
    None,
    /// The capture lacks what would tell.
    Unknown,
}

acklab_table::words!(Agreed: "classic", "accurate", "none", "unknown");

/// Whether a SYN asks for accurate ECN (RFC 9768 section 3.1.1).
pub fn asked(syns: &[Option<Seen>; 2]) -> bool {
    syns.iter().flatten().any(|syn| !syn.has(ACK) && syn.accurate && syn.has(CWR) && syn.has(ECE))
}

/// What the SYNs of both ends say (RFC 3168 section 6.1.1, RFC 9768 section 3.1.1).
pub fn agreed(syns: &[Option<Seen>; 2]) -> Agreed {
    let mut both = syns.iter().flatten();
    let call = both.clone().find(|syn| !syn.has(ACK));
    let answer = both.find(|syn| syn.has(ACK));
    let bits = |syn: &Seen| (syn.accurate, syn.has(CWR), syn.has(ECE));
    match (call.map(bits), answer.map(bits)) {
        (Some((true, true, true)), Some((false, true, _) | (true, _, false))) => Agreed::Accurate,
        (Some((_, true, true)), Some((false, false, true))) => Agreed::Classic,
        (Some(_), Some(_)) | (Some((_, false, _) | (_, _, false)), None) => Agreed::None,
        (None, Some((false, false, false))) => Agreed::None,
        (Some(_), None) | (None, _) => Agreed::Unknown,
    }
}

/// ACE before any mark, and what it counts modulo (RFC 9768 section 3.2.1).
const FIRST: u8 = 5;
const WRAP: u8 = 8;

/// Accurate ECN's counters in the ACKs of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// The number that ACKs begin with: bare ones of it that tell nothing have the handshake's flags.
    begin: Option<u32>,
    /// The highest number so far.
    highest: u32,
    /// The first counter, the last one, and what it has gained since the first, at least.
    first: Option<u8>,
    last: u8,
    gained: u64,
    /// The last option's bytes, and what they have gained.
    bytes_last: Option<u32>,
    bytes: u64,
}

impl Counters {
    /// An ACK passes; a bare one has neither data nor SACK blocks.
    pub fn on_ack(&mut self, seen: &Seen) {
        let bare = seen.payload == 0 && seen.options.sacks.0 == 0 && !seen.has(FIN);
        let begin = *self.begin.get_or_insert(seen.ack);
        if self.first.is_none() && bare && seen.ack == begin {
            return;
        }
        // One that another has overtaken tells less.
        if self.first.is_some() && after(self.highest, seen.ack) {
            return;
        }
        self.highest = seen.ack;
        let ace = u8::from(seen.accurate) << 2 | u8::from(seen.has(CWR)) << 1 | u8::from(seen.has(ECE));
        let before = if self.first.is_some() { self.last } else { ace };
        self.first = self.first.or(Some(ace));
        self.gained += u64::from((ace + WRAP - before) % WRAP);
        self.last = ace;
        if let Some(bytes) = seen.options.marked {
            let gained = bytes.wrapping_sub(self.bytes_last.unwrap_or(0)) & 0xff_ffff;
            // More than half is an older one.
            self.bytes += u64::from(if gained < 1 << 23 { gained } else { 0 });
            self.bytes_last = Some(bytes);
        }
    }

    /// Packets that came marked by the counter, at least, from the handshake on; none without a counter.
    pub fn packets(&self) -> Option<u64> {
        self.first.map(|first| self.gained + u64::from((first + WRAP - FIRST) % WRAP))
    }

    /// Bytes that came marked by the option; none without one.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes_last.map(|_| self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Other;
    use crate::segment::{SYN, tcp};

    fn syn(flags: u8, accurate: bool) -> Result<Option<Seen>, Other> {
        let mut header = [0; 20];
        (header[12], header[13]) = (0x50 | u8::from(accurate), SYN | flags);
        let end = std::net::IpAddr::from([10, 0, 0, 1]);
        tcp(&header, 20, (end, end)).map(Some)
    }

    #[test]
    fn a_bit_is_no_negotiation() -> Result<(), Other> {
        let asks = syn(ECE | CWR, false)?;
        assert_eq!(agreed(&[asks, syn(ACK | ECE, false)?]), Agreed::Classic);
        assert_eq!(agreed(&[syn(ACK | ECE, false)?, asks]), Agreed::Classic, "in either order");
        assert_eq!(agreed(&[asks, syn(ACK, false)?]), Agreed::None);
        assert_eq!(agreed(&[asks, syn(ACK | ECE | CWR, false)?]), Agreed::None, "a reflected SYN");
        assert_eq!(agreed(&[syn(ECE, false)?, syn(ACK | ECE, false)?]), Agreed::None);
        assert_eq!(agreed(&[syn(ECE | CWR, true)?, syn(ACK | CWR, false)?]), Agreed::Accurate);
        assert_eq!(agreed(&[syn(ECE | CWR, true)?, syn(ACK | ECE, false)?]), Agreed::Classic, "fallen back");
        assert_eq!((agreed(&[asks, None]), agreed(&[syn(0, false)?, None])), (Agreed::Unknown, Agreed::None));
        assert_eq!(
            (agreed(&[None, syn(ACK | ECE, false)?]), agreed(&[None, None])),
            (Agreed::Unknown, Agreed::Unknown)
        );
        Ok(())
    }

    /// An ACK with a counter; `above` says whether it has a SACK block.
    fn counted(ack: u32, ace: u8, bytes: Option<u32>, above: bool) -> Result<Seen, Other> {
        let mut header = [0; 20];
        header[8..12].copy_from_slice(&ack.to_be_bytes());
        (header[12], header[13]) = (0x50 | ace >> 2, ACK | (ace & 2) << 6 | (ace & 1) << 6);
        let end = std::net::IpAddr::from([10, 0, 0, 1]);
        let mut seen = tcp(&header, 20, (end, end))?;
        (seen.options.marked, seen.options.sacks.0) = (bytes, u8::from(above));
        Ok(seen)
    }

    #[test]
    fn a_counter_wraps_and_overtaken_acks_do_not_count() -> Result<(), Other> {
        let mut counters = Counters::default();
        // The handshake's last ACK has its own flags.
        counters.on_ack(&counted(1, 2, None, false)?);
        assert_eq!((counters.packets(), counters.bytes()), (None, None));
        for (ack, ace, bytes) in [(1001, 5, 0), (2001, 7, 2000), (4001, 0, 3000), (3001, 7, 2000), (9001, 3, 6000)] {
            counters.on_ack(&counted(ack, ace, Some(bytes), false)?);
        }
        assert_eq!((counters.packets(), counters.bytes()), (Some(6), Some(6000)), "2, 1, none for the late one, 3");
        // Marks before the first ACK of data count, and those told above a gap.
        let mut counters = Counters::default();
        counters.on_ack(&counted(1, 6, None, true)?);
        assert_eq!((counters.packets(), counters.bytes()), (Some(1), None));
        Ok(())
    }
}
