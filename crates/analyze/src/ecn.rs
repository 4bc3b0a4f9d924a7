//! Explicit congestion notification (RFC 3168, RFC 9768): what was negotiated, and what the marks show without a handshake.

use crate::segment::{ACK, CWR, ECE, Seen};
use crate::thresholds::{LEAST_MARKED, UNUSUAL_LEAST};

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

/// Marks of one direction, and the answers to them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// A mark passed that no ACK has echoed yet; an ACK passed that echoes one, and nothing has answered it yet.
    marked: bool,
    echoed: bool,
    /// Runs of echoes that began after a mark, and answers (CWR) that came after an echo.
    pub runs: u64,
    pub answers: u64,
}

impl Marks {
    /// Data pass, marked (CE) or with an answer (CWR).
    pub fn on_data(&mut self, marked: bool, answer: bool) {
        self.answers += u64::from(answer && std::mem::take(&mut self.echoed));
        self.marked |= marked;
    }

    /// An ACK echoes a mark.
    pub fn on_echo(&mut self) {
        self.echoed = true;
        self.runs += u64::from(std::mem::take(&mut self.marked));
    }

    /// Whether they show without a handshake that the bit of ECE is an echo: `echoes` ACKs have it.
    pub fn shown(&self, echoes: u64) -> bool {
        echoes >= UNUSUAL_LEAST && self.runs.max(self.answers) >= LEAST_MARKED
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

    #[test]
    fn marks_that_are_echoed_or_answered_show_it() {
        let mut marks = Marks::default();
        (0..20).for_each(|_| marks.on_echo());
        assert!(!marks.shown(20), "nothing was marked and nothing answered");
        for _ in 0..LEAST_MARKED {
            marks.on_data(true, false);
            marks.on_echo();
            marks.on_echo();
        }
        assert!(marks.shown(20) && !marks.shown(5));
    }
}
