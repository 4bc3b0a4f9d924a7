//! Sequence space of a sender (SND.UNA and SND.NXT of RFC 9293), and the segment that comes next in it: Nagle's rule (RFC 896; ledger
//! divack.m.nagle) and silly-window avoidance (RFC 9293 section 3.8.6.2.1).
//!
//! A segment is small because the data ends, or because the window has no more room. Nagle's rule holds the first kind while
//! anything is unacknowledged (Minshall's variant: while a small segment is). Silly-window avoidance forbids the second kind.
//! Without it a window that opens by half a segment sends half a segment, and sizes halve again and again (ledger
//! divack.m.small_segments).

use std::ops::Deref;

use acklab_packet::Seq;

use crate::rules::{Nagle, SenderRules, Sequence};

/// Data that a sender has been given to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// That many full segments.
    Segments(u64),
    /// That many payload bytes.
    Bytes(u64),
    /// No end.
    Unlimited,
}

/// A sender's position in its data, in sequence units. Code that has a [`SequenceSpace`] reads it. Only its methods move it.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Position {
    /// SND.UNA: oldest unacknowledged unit.
    pub una: Seq,
    /// SND.NXT: next unit to send; falls back to `una` on a timeout.
    pub nxt: Seq,
    /// One past the highest unit ever sent.
    pub max: Seq,
    /// One past the last unit there is to send, SYN and FIN included.
    pub limit: Seq,
    /// SND.WND: the receiver's advertised window.
    pub wnd: u64,
    /// Units in a full segment: 1 when segments are counted.
    pub mss: u32,
    /// Wire bytes of a full segment.
    pub(super) full_bytes: u32,
}

/// A sender's position in its data, and what decides the size of the segment that comes next.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct SequenceSpace {
    position: Position,
    /// One past the last small segment's last unit (Minshall's variant, "snd_sml").
    small_end: Seq,
    syn: bool,
    fin: bool,
    /// True if the last segment says that it is.
    pub(super) marks_end: bool,
    /// True if that segment ignores cwnd.
    fin_beyond: bool,
    sws_avoidance: bool,
    bytes: bool,
    nagle: Nagle,
}

impl Deref for SequenceSpace {
    type Target = Position;

    #[inline(always)]
    fn deref(&self) -> &Position {
        &self.position
    }
}

impl SequenceSpace {
    /// Before anything is sent.
    pub(super) fn new(rules: &SenderRules, supply: Supply) -> SequenceSpace {
        let (mss, payload) = (full_segment(rules), payload(rules));
        let (nagle, sws_avoidance) = match rules.sequence {
            Sequence::Segments {} => (Nagle::Off, true),
            Sequence::Bytes { nagle, sws_avoidance, .. } => (nagle, sws_avoidance),
        };
        let data = match supply {
            Supply::Segments(n) => n.saturating_mul(u64::from(mss)),
            Supply::Bytes(bytes) => bytes.div_ceil(u64::from(if mss == 1 { payload } else { 1 })),
            Supply::Unlimited => u64::MAX / 4,
        };
        let limit = data.min(u64::MAX / 4) + u64::from(rules.syn) + u64::from(rules.fin);
        let (wnd, full_bytes) = (rules.window.units(mss, payload), data_bytes(rules, mss));
        let position = Position { una: 0, nxt: 0, max: 0, limit, wnd, mss, full_bytes };
        SequenceSpace {
            position,
            small_end: 0,
            syn: rules.syn,
            fin: rules.fin,
            marks_end: rules.marks_end && data > 0,
            fin_beyond: rules.fin_beyond_window,
            sws_avoidance,
            bytes: rules.sequence.in_bytes(),
            nagle,
        }
    }

    /// The application hands over `units` more; whether their last segment says that it is the last.
    pub(super) fn supply(&mut self, units: u64, marks_end: bool) {
        self.marks_end = marks_end;
        self.position.limit = (self.limit + units).min(u64::MAX / 4);
    }

    /// The receiver's window is now `units`.
    pub(super) fn set_window(&mut self, units: u64) {
        self.position.wnd = units;
    }

    /// Everything below `ack` is acknowledged.
    #[inline(always)]
    pub(super) fn advance(&mut self, ack: Seq) {
        self.position.una = ack;
        self.position.nxt = self.nxt.max(ack);
    }

    /// New data up to `end` has left, in whatever segment.
    #[inline(always)]
    pub(super) fn extend(&mut self, end: Seq) {
        self.position.max = end;
    }

    /// The next unit to send is `seq`.
    #[inline(always)]
    pub(super) fn go_to(&mut self, seq: Seq) {
        self.position.nxt = seq;
    }

    /// What is outstanding is sent again in order.
    pub(super) fn go_back(&mut self) {
        self.position.nxt = self.una;
    }

    /// New data comes next.
    pub(super) fn go_to_end(&mut self) {
        self.position.nxt = self.max;
    }

    /// True if a unit is a byte.
    #[inline]
    pub(super) fn in_bytes(&self) -> bool {
        self.bytes
    }

    /// Units sent and not cumulatively acknowledged (RFC 5681 section 2).
    #[inline]
    pub fn flight_size(&self) -> u64 {
        self.max - self.una
    }

    /// True if everything there is to send has been acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.una >= self.limit
    }

    /// True if the SYN is not acknowledged yet.
    pub(super) fn shaking_hands(&self) -> bool {
        self.syn && self.una == 0
    }

    /// One past the last unit of data.
    fn data_end(&self) -> Seq {
        self.limit - u64::from(self.fin)
    }

    /// End of the receiver's window.
    #[inline]
    pub(super) fn window_end(&self) -> Seq {
        self.una + self.wnd
    }

    /// Units of the segment that starts at `seq`.
    #[inline]
    pub fn len_at(&self, seq: Seq) -> u32 {
        if self.syn && seq == 0 {
            return 1;
        }
        // What was sent before is not sent again in one segment with what was not.
        let known = self.data_end();
        let end = if seq < self.max { known.min(self.max) } else { known };
        if seq >= end { 1 } else { u64::from(self.mss).min(end - seq) as u32 }
    }

    /// Units of new data that may be sent from `nxt` now, if there are any and the receiver's window takes them.
    pub(super) fn new_data(&self) -> Option<u32> {
        if self.nxt < self.limit { self.sendable(self.window_end()) } else { None }
    }

    /// Units that may be sent from `nxt` now, if the window ends at `edge`: a full segment, or a smaller one where the
    /// rules admit it.
    #[inline]
    pub fn sendable(&self, edge: Seq) -> Option<u32> {
        if self.nxt >= edge {
            return if self.fin_beyond { self.fin_alone() } else { None };
        }
        let full = self.full_segment_fits(self.full_edge(edge));
        let len = if full { Some(self.mss) } else { self.sendable_otherwise(edge) };
        if self.marks_end { len.filter(|&len| self.fin_fits(len)) } else { len }
    }

    /// Latest end of a segment that may be sent without a FIN, if the window ends at `edge`.
    #[inline]
    pub(super) fn full_edge(&self, edge: Seq) -> Seq {
        edge.min(self.data_end())
    }

    /// True if a full segment of new data, no SYN, has room from `nxt` to `full_edge`: mostly so.
    #[inline]
    pub(super) fn full_segment_fits(&self, full_edge: Seq) -> bool {
        self.nxt >= self.max.max(1) && self.nxt + u64::from(self.mss) <= full_edge
    }

    #[inline(never)]
    fn sendable_otherwise(&self, edge: Seq) -> Option<u32> {
        let len = self.len_at(self.nxt);
        // A SYN takes one unit, but it counts as a full segment of the window while it is outstanding. So before the handshake is
        // over no small segment leaves into the rest of the window.
        let shaking = self.shaking_hands() && self.nxt > 0;
        let edge = if shaking { edge.saturating_sub(u64::from(self.mss) - 1) } else { edge };
        if self.nxt + u64::from(len) > edge {
            let rest = if self.sws_avoidance { None } else { self.remainder(len, edge) };
            return rest.or(self.fin_alone());
        }
        if len < self.mss && self.nagle != Nagle::Off && self.holds() { None } else { Some(len) }
    }

    /// False for a last segment whose FIN is beyond the receiver's window (`tcp_snd_wnd_test`), while others are out.
    fn fin_fits(&self, len: u32) -> bool {
        let last = self.nxt + u64::from(len) == self.limit && self.nxt >= self.max;
        !last || self.limit < self.window_end() || self.una == self.max
    }

    /// Units of the last segment, if it is next and may leave whatever cwnd is (`tcp_cwnd_test` of Linux 6.1).
    pub(super) fn fin_alone(&self) -> Option<u32> {
        let left = self.limit.saturating_sub(self.nxt);
        let next =
            self.fin_beyond && self.marks_end && self.nxt >= self.max && (1..=u64::from(self.mss)).contains(&left);
        (next && self.limit < self.window_end()).then_some(left as u32)
    }

    /// The rest of the window, as a small segment of new data.
    fn remainder(&self, len: u32, edge: Seq) -> Option<u32> {
        let room = edge.saturating_sub(self.nxt).min(u64::from(len)) as u32;
        let new_bytes = self.bytes && self.nxt >= self.max;
        (room > 0 && new_bytes && !self.holds()).then_some(room)
    }

    /// True if a small segment at `nxt` has to wait. Not what was sent before, nor a SYN or FIN.
    fn holds(&self) -> bool {
        let new = self.nxt >= self.max;
        let data = self.nxt < self.data_end() && !(self.syn && self.nxt == 0);
        // `tcp_nagle_test`: what says that it is the last does not wait.
        let last = self.marks_end && self.nxt + u64::from(self.mss) >= self.limit;
        let waits = match self.nagle {
            Nagle::Off => false,
            Nagle::On => self.una < self.max,
            Nagle::Minshall => self.small_is_out(),
        };
        new && data && waits && !last
    }

    /// True if a small segment is not acknowledged yet (`tcp_minshall_check` in Linux).
    pub(super) fn small_is_out(&self) -> bool {
        self.una < self.small_end
    }

    /// A segment of new data left.
    #[inline]
    pub(super) fn note_size(&mut self, len: u32, end: Seq) {
        if len < self.mss {
            self.small_end = end;
        }
    }

    /// Whole segments in which `units` fit.
    pub(super) fn segments(&self, units: u64) -> u64 {
        units.div_ceil(u64::from(self.mss))
    }
}

/// Payload bytes of a full segment.
pub(super) fn payload(rules: &SenderRules) -> u32 {
    match rules.sequence {
        Sequence::Segments {} => rules.packet,
        Sequence::Bytes { .. } => {
            let option = if rules.timestamps && rules.options_in_packet { rules.timestamp_bytes } else { 0 };
            rules.packet.saturating_sub(option).max(1)
        }
    }
}

/// Units of a full segment.
fn full_segment(rules: &SenderRules) -> u32 {
    if rules.sequence.in_bytes() { payload(rules) } else { 1 }
}

/// Wire bytes of a data segment that carries `len` units.
pub(super) fn data_bytes(rules: &SenderRules, len: u32) -> u32 {
    let payload = if rules.sequence.in_bytes() { len } else { len * rules.packet };
    let option = if rules.timestamps && rules.header > 0 { rules.timestamp_bytes } else { 0 };
    payload + rules.header + option
}
