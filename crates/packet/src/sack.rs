//! What an ACK reports beside its number: blocks above a gap, counts of marks, the window.

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

/// Up to three SACK blocks (RFC 2018), as offsets from the cumulative ACK that carries them.
///
/// Three is what fits beside timestamps, and what ns-2 sends. Offsets are signed because ns-2's receiver may repeat
/// a block that already lies below the cumulative ACK. An AccECN option takes the place of the third block: beside
/// timestamps the header has no room for both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SackBlocks {
    /// Number of blocks, and [`SackBlocks::COUNTS`] if the last place has an AccECN option instead of a block.
    len: u8,
    /// True if the receiver takes requests ([`AckNotice::ABLE`]): an option on the answer to a SYN.
    pub able: bool,
    /// The header's window field plus one, which lies here because here is room; 0 where it is not told.
    window: u16,
    edges: [(i32, i32); SackBlocks::MAX],
}

impl SackBlocks {
    /// Most blocks one ACK carries.
    pub const MAX: usize = 3;
    const COUNTS: u8 = 1 << 7;

    fn has_counts(&self) -> bool {
        self.len & Self::COUNTS != 0
    }

    /// Adds the block of units `start .. end` to an ACK whose cumulative number is `ack`; ignored when full.
    pub fn push(&mut self, ack: Seq, start: Seq, end: Seq) {
        if self.len() < Self::MAX - usize::from(self.has_counts()) {
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
        let had = self.has_counts();
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
        self.has_counts().then_some(ByteCounts { ect1, ect: first % ByteCounts::MODULUS, ce })
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
        usize::from(self.len & !Self::COUNTS)
    }

    /// Whether the ACK carries no block.
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
