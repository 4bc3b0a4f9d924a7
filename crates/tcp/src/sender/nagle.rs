//! Small segments: when less than a full one may be sent (RFC 896, RFC 9293 section 3.8.6.2.1; ledger divack.m.nagle).
//!
//! A segment is small because the data ends, or because the window has no more room. The first kind is Nagle's: it waits
//! while anything is unacknowledged (with Minshall's variant, while a small segment is). The second kind is what silly
//! window avoidance forbids; without it a window that opens by half a segment sends half a segment, and sizes go on
//! halving (ledger divack.m.small_segments).

use acklab_packet::Seq;

use super::Core;
use crate::rules::{Nagle, Sequence};

impl Core {
    /// Units that may be sent from `snd_nxt` now, if the window ends at `edge`: a full segment, or a smaller one where
    /// the rules admit it.
    #[inline]
    pub fn sendable(&self, edge: Seq) -> Option<u32> {
        if self.snd_nxt >= edge {
            return None;
        }
        let full = self.full_segment_fits(self.plain_edge(edge));
        if full { Some(self.mss) } else { self.sendable_otherwise(edge) }
    }

    /// Where the last segment ends at the latest that may be sent without a FIN, if the window ends at `edge`.
    #[inline]
    pub(super) fn plain_edge(&self, edge: Seq) -> Seq {
        edge.min(self.limit - u64::from(self.rules.fin))
    }

    /// Whether a full segment of new data, no SYN, has room from `snd_nxt` to `plain_edge`: mostly so.
    #[inline]
    pub(super) fn full_segment_fits(&self, plain_edge: Seq) -> bool {
        self.snd_nxt >= self.snd_max.max(1) && self.snd_nxt + u64::from(self.mss) <= plain_edge
    }

    #[inline(never)]
    fn sendable_otherwise(&self, edge: Seq) -> Option<u32> {
        let len = self.len_at(self.snd_nxt);
        // A SYN counts as a segment of the window in which it is out, though it takes one unit: no small segment goes with it
        // in the rest, before the handshake is over.
        let shaking = self.rules.syn && self.snd_una == 0 && self.snd_nxt > 0;
        let edge = if shaking { edge.saturating_sub(u64::from(self.mss) - 1) } else { edge };
        if self.snd_nxt + u64::from(len) > edge {
            return if self.rules.sws_avoidance { None } else { self.remainder(len, edge) };
        }
        if len < self.mss && self.rules.nagle != Nagle::Off && self.holds() { None } else { Some(len) }
    }

    /// What remains of the window, as a small segment of new data.
    fn remainder(&self, len: u32, edge: Seq) -> Option<u32> {
        let room = edge.saturating_sub(self.snd_nxt).min(u64::from(len)) as u32;
        let bytes = self.rules.sequence == Sequence::Bytes && self.snd_nxt >= self.snd_max;
        (room > 0 && bytes && !self.holds()).then_some(room)
    }

    /// Whether a small segment at `snd_nxt` has to wait. Not what was sent before, nor a SYN or FIN.
    fn holds(&self) -> bool {
        let new = self.snd_nxt >= self.snd_max;
        let data = self.snd_nxt < self.limit - u64::from(self.rules.fin) && !(self.rules.syn && self.snd_nxt == 0);
        let waits = match self.rules.nagle {
            Nagle::Off => false,
            Nagle::On => self.snd_una < self.snd_max,
            Nagle::Minshall => self.snd_una < self.small_end,
        };
        new && data && waits
    }

    /// A segment of new data left: Minshall's variant remembers where the last small one ended ("snd_sml").
    #[inline]
    pub(super) fn note_size(&mut self, len: u32, end: Seq) {
        if len < self.mss {
            self.small_end = end;
        }
    }
}
