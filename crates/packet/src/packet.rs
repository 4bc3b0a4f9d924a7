//! Packets as the simulator carries them: small `Copy` values of one cache line.

use crate::Time;

/// A sequence number, counted from 0 in the connection's *sequence units*.
///
/// A unit is one byte, or, in the papers' segment-counting world, one whole segment. SYN and FIN occupy one unit
/// each (RFC 9293 section 3.4). 64 bits never wrap here; captures truncate to the wire's 32.
pub type Seq = u64;

/// What a segment says of its sender's window, for receivers that ask (the DAASS policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    #[default]
    Untold,
    /// `cwnd` was below `ssthresh`.
    SlowStart,
    /// It was not.
    CongestionAvoidance,
}

/// The ECN field of a data packet (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Its sender does not understand congestion marks.
    #[default]
    NotEct,
    /// Its sender understands them (ECT(0)).
    Ect,
    /// Its sender expects many marks, and answers each a little (ECT(1), RFC 9331).
    Ect1,
    /// A queue marked it (CE).
    Ce,
}

/// A data segment: units `seq .. seq + len`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Segment {
    /// First sequence unit carried.
    pub seq: Seq,
    /// Sequence units carried, at least 1 (a SYN or FIN counts as one).
    pub len: u32,
    /// Opens the connection; occupies unit 0 and carries no payload.
    pub syn: bool,
    /// Closes the connection; occupies the last unit and carries no payload.
    pub fin: bool,
    /// Its sender says that no data follows; takes no unit, unlike a FIN.
    pub last: bool,
    /// Sent before (for records and captures; no endpoint looks at it).
    pub retransmit: bool,
    /// Its congestion field.
    pub ecn: Ecn,
    /// Its sender has answered a congestion mark (CWR).
    pub cwr: bool,
    /// An ACK of this connection came with a congestion mark of its own (ACK congestion control).
    pub ack_marked: bool,
    /// The sender's phase: written by the sender as an option, or by a driver that knows it.
    pub phase: Phase,
    /// When the segment left the sender (TSval, RFC 7323; endpoints use it only with timestamps on).
    pub ts_val: Time,
    /// The newest cumulative ACK its sender had when it left, cut to 32 bits: what an echoed timestamp (TSecr) tells a
    /// receiver that remembers when it sent which ACK. Of a sender that numbers its packets (QUIC), the packet's number.
    pub echo: u32,
    /// The sender's congestion window in segments, as an option; 0 where it tells nothing.
    pub window: f32,
    /// The sender's smoothed round trip in seconds, as an option; 0 where it tells nothing.
    pub srtt: f32,
}

impl Segment {
    /// One past the last unit carried.
    #[inline]
    pub fn end(&self) -> Seq {
        self.seq + u64::from(self.len)
    }
}

/// Up to three SACK blocks (RFC 2018), as offsets from the cumulative ACK that carries them.
///
/// Three is what fits beside timestamps, and what ns-2 sends. Offsets are signed because ns-2's receiver may repeat
/// a block that already lies below the cumulative ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SackBlocks {
    len: u8,
    edges: [(i32, i32); SackBlocks::MAX],
}

impl SackBlocks {
    /// Most blocks one ACK carries.
    pub const MAX: usize = 3;

    /// Adds the block of units `start .. end` to an ACK whose cumulative number is `ack`; ignored when full.
    pub fn push(&mut self, ack: Seq, start: Seq, end: Seq) {
        if self.len() < Self::MAX {
            let offset = |edge: Seq| edge.wrapping_sub(ack) as i64 as i32;
            self.edges[self.len()] = (offset(start), offset(end));
            self.len += 1;
        }
    }

    /// Number of blocks, 0 to 3.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether the ACK carries no block.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks as absolute `(start, end)` units, most recent first.
    #[inline]
    pub fn iter(&self, ack: Seq) -> impl Iterator<Item = (Seq, Seq)> + '_ {
        let edge = move |offset: i32| ack.wrapping_add(offset as i64 as u64);
        self.edges[..self.len()].iter().map(move |&(start, end)| (edge(start), edge(end)))
    }
}

/// A pure acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// Next unit the receiver expects (cumulative).
    pub ack: Seq,
    /// What arrived above a gap.
    pub sack: SackBlocks,
    /// Answers the SYN (captures write it as SYN+ACK).
    pub syn: bool,
    /// Echoes a congestion mark (ECE, RFC 3168).
    pub ece: bool,
    /// Its receiver wants to know of congestion on the ACKs' way (ECT on an ACK; ACK congestion control).
    pub ect: bool,
    /// A queue on the ACKs' way marked it (CE).
    pub ce: bool,
    /// Echo of the data segment's timestamp (TSecr, RFC 7323).
    pub ts_ecr: Time,
}

/// A keep-alive from a receiver that wants to know the round trip (RFC 9293 section 3.8.4), or the bare ACK with which
/// the sender answers it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The receiver's probes are counted from 1; an answer bears its probe's number.
    pub number: u32,
    /// Whether this is the answer.
    pub reply: bool,
    /// What its header says of the data: the cumulative number last acknowledged, or, in an answer, the next to send.
    pub seq: Seq,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// From a sender to a receiver.
    Data(Segment),
    /// From a receiver to a sender.
    Ack(Ack),
    /// From a receiver to a sender, and back.
    Probe(Probe),
    /// From a source that expects no answer (UDP); they are counted from 0.
    Datagram(u64),
}

/// A packet on a simulated path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Index of the flow it belongs to.
    pub flow: u32,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Which of the flow's successive connections it belongs to; a late packet of an earlier one is discarded.
    pub connection: u16,
    /// Where on its route it is, as its carrier numbers the places; in records, links of its route already crossed.
    pub place: u32,
    /// Payload.
    pub body: Body,
}

impl Packet {
    /// Whether it travels from sender to receiver.
    #[inline]
    pub fn is_data(&self) -> bool {
        matches!(self.body, Body::Data(_) | Body::Datagram(_) | Body::Probe(Probe { reply: true, .. }))
    }

    /// Whether it is a pure ACK, and no keep-alive or its answer.
    #[inline]
    pub fn is_ack(&self) -> bool {
        matches!(self.body, Body::Ack(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sack_blocks_keep_their_edges_on_both_sides_of_the_ack() {
        let mut sack = SackBlocks::default();
        sack.push(100, 110, 120);
        sack.push(100, 40, 60);
        sack.push(100, 130, 131);
        sack.push(100, 140, 141);
        assert_eq!(sack.iter(100).collect::<Vec<_>>(), [(110, 120), (40, 60), (130, 131)]);
    }

    #[test]
    fn a_packet_fits_a_cache_line() {
        assert!(size_of::<Packet>() <= 64, "{}", size_of::<Packet>());
    }
}
