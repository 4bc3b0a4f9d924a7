//! Packets as the simulator carries them: small `Copy` values of one cache line.

use crate::{SackBlocks, Seq, Time};

/// What a segment says of its sender's window, for receivers that ask (the DAASS policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    #[default]
    Unknown,
    /// `cwnd` was below `ssthresh`.
    SlowStart,
    /// It was not.
    CongestionAvoidance,
}

/// What a segment says of the data that follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    #[default]
    Open,
    /// Its sender has pushed it: the receiver's application is to have it now (PSH, RFC 9293 section 3.9.1).
    Pushed,
    /// None follow. Takes no unit, unlike a FIN.
    Last,
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

/// The flags AE, CWR and ECE of a packet that uses accurate ECN: a number of three bits (ACE, RFC 9768 section 3.2.2). Without, CWR
/// alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ace(u8);

impl Ace {
    /// All three set: on a SYN, the request for accurate ECN.
    pub const REQUEST: Ace = Ace(0b1111);

    /// The flag CWR as RFC 3168 means it, and no number.
    pub const CWR: Ace = Ace(0b1_0000);

    /// On an ACK: a middlebox made it, so that no round trip may be timed by it (`no_ts_` in ns-2).
    pub const UNTIMED: Ace = Ace(0b10_0000);

    /// CWR as RFC 3168 means it, set or not.
    #[inline]
    pub fn cwr(answered: bool) -> Ace {
        if answered { Ace::CWR } else { Ace::default() }
    }

    /// The three low bits of `number`.
    #[inline]
    pub fn of(number: u64) -> Ace {
        Ace(0b1000 | (number & 0b111) as u8)
    }

    /// The number, 0 to 7; none where the flags mean what RFC 3168 says.
    #[inline]
    pub fn number(self) -> Option<u8> {
        (self.0 & 0b1000 != 0).then_some(self.0 & 0b111)
    }

    /// AE, CWR and ECE.
    pub fn flags(self) -> Option<[bool; 3]> {
        self.number().map(|number| [4, 2, 1].map(|bit| number & bit != 0))
    }
}

/// What a segment tells its receiver about ACKs, beside its data: at most one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckNotice(u8);

impl AckNotice {
    /// An ACK of this connection came with a congestion mark of its own (ACK congestion control).
    pub const MARKED: AckNotice = AckNotice(1);
    /// On a SYN: its sender may request how often to acknowledge (draft-ietf-tcpm-ack-rate-request; in QUIC the transport parameter
    /// of draft-ietf-quic-ack-frequency).
    pub const ABLE: AckNotice = AckNotice(2);
    /// Most segments that a request can name: the field R has seven bits.
    pub const MOST: u8 = 127;

    /// A request for one ACK every `segments` segments, at most [`AckNotice::MOST`]; 0 asks for an ACK of this segment at once.
    #[inline]
    pub fn request(segments: u8) -> AckNotice {
        AckNotice(0x80 | segments.min(AckNotice::MOST))
    }

    /// The segments of a request.
    #[inline]
    pub fn requested(self) -> Option<u8> {
        (self.0 & 0x80 != 0).then_some(self.0 & AckNotice::MOST)
    }

    /// Bytes that a request adds to a header, beside timestamps or without: an option of five bytes, padded to whole words.
    #[inline]
    pub fn option_bytes(self, timestamps: bool) -> u32 {
        match self.requested() {
            None => 0,
            Some(_) if timestamps => 4,
            Some(_) => 8,
        }
    }
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
    /// What it says of the data that follow.
    pub tail: Tail,
    /// Sent before (for records and captures; no endpoint looks at it).
    pub retransmit: bool,
    /// Its congestion field.
    pub ecn: Ecn,
    /// With accurate ECN: on a SYN the request, else what the sender has counted of the other direction. Without: whether its
    /// sender has answered a congestion mark ([`Ace::CWR`]).
    pub ace: Ace,
    /// What it tells its receiver about ACKs.
    pub notice: AckNotice,
    /// The sender's phase: written by the sender as an option, or by a driver that knows it.
    pub phase: Phase,
    /// When the segment left the sender (TSval, RFC 7323; endpoints use it only with timestamps on).
    pub ts_val: Time,
    /// The newest cumulative ACK its sender had when it left, cut to 32 bits: what an echoed timestamp (TSecr) tells a
    /// receiver that remembers when it sent which ACK. Of a sender that numbers its packets (QUIC), the packet's number.
    pub echo: u32,
    /// The sender's congestion window in segments, as an option, or how many it may have outstanding; 0 where it tells nothing.
    pub window: f32,
    /// The sender's smoothed round trip in seconds, as an option, or how many ACKs repeated the number in `echo`; 0 where it tells
    /// nothing.
    pub srtt: f32,
}

impl Segment {
    /// One past the last unit carried.
    #[inline]
    pub fn end(&self) -> Seq {
        self.seq + u64::from(self.len)
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
    /// Echoes a congestion mark (ECE, RFC 3168); not set where `ace` is.
    pub ece: bool,
    /// With accurate ECN: on the answer to a SYN what was agreed on, else how many packets came marked.
    pub ace: Ace,
    /// Its own congestion field: ECT where its receiver wants to know of congestion on the ACKs' way (ACK congestion control),
    /// CE where a queue has marked it.
    pub ecn: Ecn,
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
    fn flags_are_the_bits_of_the_number() {
        assert_eq!((Ace::default().number(), Ace::REQUEST.number(), Ace::of(13).number()), (None, Some(7), Some(5)));
        assert_eq!(Ace::of(5).flags(), Some([true, false, true]));
    }

    #[test]
    fn a_packet_fits_a_cache_line() {
        assert!(size_of::<Packet>() <= 64, "{}", size_of::<Packet>());
    }
}
