//! The parts of an ACK beside its number: blocks above a gap, counts of marks, and the window.

use crate::Seq;

/// The byte counters of an AccECN option with two fields (RFC 9768 section 3.2.3). Each has 24 bits.
///
/// The third field is left out. It counts the ECT codepoint that the sender does not use, so it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCounts {
    /// Which comes first: bytes that came as ECT(1) (kind 174), or as ECT(0) (kind 172).
    pub ect1: bool,
    /// The first field: EE1B or EE0B.
    pub ect: u32,
    /// The second field: ECEB, bytes that came marked (CE).
    pub ce: u32,
}

impl ByteCounts {
    /// A field counts modulo this.
    pub const MODULUS: u32 = 1 << 24;
    /// Bytes that the option takes.
    pub const SIZE: u32 = 8;
}

/// Numbers of packets that came as ECT(0), as ECT(1) and as CE, as in a QUIC ACK frame (RFC 9000 section 19.3.2).
///
/// Here they count modulo [`PacketCounts::MODULUS`], which no ACK can have gained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketCounts {
    /// Packets that came as ECT(0).
    pub ect0: u32,
    /// Packets that came as ECT(1).
    pub ect1: u32,
    /// Packets that came marked (CE).
    pub ce: u32,
}

impl PacketCounts {
    /// A count is modulo this.
    pub const MODULUS: u32 = 1 << Self::BITS;
    /// Bits of a count: three of them take the place of a SACK block.
    const BITS: u32 = 21;

    /// Bytes that the three counts take as variable-length integers (RFC 9000 section 16).
    pub fn bytes(&self) -> u32 {
        let size = |count: u32| match count {
            0..0x40 => 1,
            0x40..0x4000 => 2,
            _ => 4,
        };
        size(self.ect0) + size(self.ect1) + size(self.ce)
    }
}

/// Up to three SACK blocks (RFC 2018), as offsets from the cumulative ACK that carries them.
///
/// Three is what fits beside timestamps, and what ns-2 sends. Offsets are signed because ns-2's receiver may repeat
/// a block that already lies below the cumulative ACK. Counts of marks take the place of the third block: beside
/// timestamps a TCP header has no room for both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SackBlocks {
    /// Number of blocks, and a bit that says what the last place has instead of a block: an AccECN option
    /// ([`SackBlocks::COUNTS`]) or QUIC's counts ([`SackBlocks::PACKETS`]).
    len: u8,
    /// True if the receiver takes requests ([`AckNotice::ABLE`](crate::AckNotice::ABLE)): an option on the answer to a SYN.
    pub able: bool,
    /// The header's window field plus one, which lies here because here is room; 0 where it is not told.
    window: u16,
    edges: [(i32, i32); SackBlocks::MAX],
}

impl SackBlocks {
    /// Most blocks one ACK carries.
    pub const MAX: usize = 3;
    const COUNTS: u8 = 1 << 7;
    const PACKETS: u8 = 1 << 6;

    fn has(&self, what: u8) -> bool {
        self.len & what != 0
    }

    /// Adds the block of units `start .. end` to an ACK whose cumulative number is `ack`; ignored when full.
    pub fn push(&mut self, ack: Seq, start: Seq, end: Seq) {
        if self.len() < Self::MAX - usize::from(self.has(Self::COUNTS | Self::PACKETS)) {
            let offset = |edge: Seq| edge.wrapping_sub(ack) as i64 as i32;
            self.edges[self.len()] = (offset(start), offset(end));
            self.len += 1;
        }
    }

    /// Adds an AccECN option; a third block goes.
    pub fn set_counts(&mut self, counts: ByteCounts) {
        let field = |count: u32| count % ByteCounts::MODULUS;
        self.len = self.len().min(Self::MAX - 1) as u8 | Self::COUNTS;
        let order = if counts.ect1 { ByteCounts::MODULUS } else { 0 };
        self.edges[Self::MAX - 1] = ((field(counts.ect) | order) as i32, field(counts.ce) as i32);
    }

    /// Removes the AccECN option, as a middlebox does that does not know it; whether there was one.
    pub fn strip_counts(&mut self) -> bool {
        let had = self.has(Self::COUNTS);
        if had {
            self.edges[Self::MAX - 1] = (0, 0);
            self.len &= !Self::COUNTS;
        }
        had
    }

    /// The AccECN option, if there is one.
    pub fn counts(&self) -> Option<ByteCounts> {
        let (first, second) = self.edges[Self::MAX - 1];
        let (first, ce) = (first as u32, second as u32);
        let ect1 = first & ByteCounts::MODULUS != 0;
        self.has(Self::COUNTS).then_some(ByteCounts { ect1, ect: first % ByteCounts::MODULUS, ce })
    }

    /// Adds QUIC's counts; a third block goes.
    pub fn set_packet_counts(&mut self, counts: PacketCounts) {
        self.len = self.len().min(Self::MAX - 1) as u8 | Self::PACKETS;
        let [a, b, c] = [counts.ect0, counts.ect1, counts.ce].map(|count| u64::from(count % PacketCounts::MODULUS));
        let all = a | b << PacketCounts::BITS | c << (2 * PacketCounts::BITS);
        self.edges[Self::MAX - 1] = (all as u32 as i32, (all >> 32) as i32);
    }

    /// QUIC's counts, if the ACK has them.
    pub fn packet_counts(&self) -> Option<PacketCounts> {
        let (low, high) = self.edges[Self::MAX - 1];
        let all = u64::from(low as u32) | u64::from(high as u32) << 32;
        let count = |index: u32| (all >> (index * PacketCounts::BITS)) as u32 % PacketCounts::MODULUS;
        self.has(Self::PACKETS).then(|| PacketCounts { ect0: count(0), ect1: count(1), ce: count(2) })
    }

    /// Says that the units from `start` to the cumulative number are acknowledged before they came. QUIC's ranges are of packet numbers, so
    /// such a range has each number that the sender left out there. Only for an ACK without blocks that answers no SYN.
    pub fn set_claim(&mut self, ack: Seq, start: Seq) {
        self.able = true;
        self.edges[0] = (start.wrapping_sub(ack) as i64 as i32, 0);
    }

    /// Where such units start, if there are some.
    pub fn claim(&self, ack: Seq) -> Option<Seq> {
        (self.able && self.is_empty()).then(|| ack.wrapping_add(self.edges[0].0 as i64 as u64))
    }

    /// Tells the window: the number in the header, which ACKs shift to the left by the answer to the SYN's scale. At most 65,534.
    pub fn set_window(&mut self, number: u64) {
        self.window = number.min(u64::from(u16::MAX) - 1) as u16 + 1;
    }

    /// That number, if it is told.
    #[inline]
    pub fn window(&self) -> Option<u16> {
        self.window.checked_sub(1)
    }

    /// On the answer to a SYN, which reports no block, the shift of all later windows (RFC 7323 section 2).
    pub fn set_scale(&mut self, scale: u8) {
        self.edges[0] = (scale.into(), 0);
    }

    /// That shift.
    pub fn scale(&self) -> u8 {
        self.edges[0].0 as u8
    }

    /// Number of blocks, 0 to 3.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len & !(Self::COUNTS | Self::PACKETS))
    }

    /// True if the ACK carries no block.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The blocks as absolute `(start, end)` units, most recent first.
    #[inline]
    pub fn iter(&self, ack: Seq) -> impl Iterator<Item = (Seq, Seq)> + '_ {
        let edge = move |offset: i32| ack.wrapping_add(offset as i64 as u64);
        self.edges[..self.len()].iter().map(move |&(start, end)| (edge(start), edge(end)))
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
    fn an_accecn_option_takes_the_place_of_the_third_block() {
        let counts = ByteCounts { ect1: true, ect: 0xff_ffff, ce: 0x80_0001 };
        let mut sack = SackBlocks::default();
        (0..3).for_each(|n| sack.push(100, 110 + 10 * n, 115 + 10 * n));
        assert_eq!(sack.counts(), None);
        sack.set_counts(counts);
        sack.push(100, 200, 201);
        assert_eq!((sack.len(), sack.counts()), (2, Some(counts)));
        assert!(sack.strip_counts() && !sack.strip_counts());
        assert_eq!((sack.len(), sack.counts()), (2, None));
        let over = ByteCounts { ect1: false, ect: u32::MAX, ce: 1 << 24 };
        sack.set_counts(over);
        assert_eq!(sack.counts(), Some(ByteCounts { ect1: false, ect: 0xff_ffff, ce: 0 }));
    }

    #[test]
    fn a_claim_says_where_it_starts() {
        let mut sack = SackBlocks::default();
        assert_eq!(sack.claim(100), None);
        sack.set_claim(100, 40);
        sack.set_packet_counts(PacketCounts::default());
        assert_eq!((sack.claim(100), sack.len()), (Some(40), 0));
    }

    #[test]
    fn packet_counts_take_the_place_of_the_third_block() {
        let counts = PacketCounts { ect0: PacketCounts::MODULUS - 1, ect1: 3, ce: 1_400_000 };
        let mut sack = SackBlocks::default();
        (0..3).for_each(|n| sack.push(100, 110 + 10 * n, 115 + 10 * n));
        sack.set_packet_counts(counts);
        assert_eq!((sack.len(), sack.packet_counts(), sack.counts()), (2, Some(counts), None));
        assert!(!sack.strip_counts(), "QUIC is encrypted");
        assert_eq!(counts.bytes(), 9);
    }

    #[test]
    fn an_ack_tells_its_window_beside_its_blocks() {
        let mut sack = SackBlocks::default();
        assert_eq!(sack.window(), None);
        sack.set_scale(7);
        sack.set_window(0);
        assert_eq!((sack.scale(), sack.window(), sack.len()), (7, Some(0), 0));
        sack.push(100, 110, 115);
        sack.set_window(70_000);
        assert_eq!((sack.window(), sack.iter(100).collect()), (Some(65_534), vec![(110, 115)]));
    }
}
