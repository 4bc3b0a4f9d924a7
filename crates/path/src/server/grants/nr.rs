//! 5G NR's uplink (3GPP TS 38.213, TS 38.214, TS 38.321).
//!
//! A slot lasts 1 ms divided by 2 to the numerology. With time division duplex a pattern says which slots are for data up
//! and which can grant. A block that is not decoded is granted again (asynchronous HARQ): it waits for a slot that grants
//! and for one that carries.

use acklab_packet::Rate;

use super::radio::{Cell, Kind, with_blocks};
use crate::server::ServerParams;
use crate::values::{Checked, must, number, quoted, within};

with_blocks! {
    /// 5G NR's uplink: scheduling requests, grants, HARQ, and a pattern of slots.
    pub struct NrSpec {
        /// Rate that a full transport block in each slot for data up carries, before blocks that are sent again.
        pub rate: Rate,
        /// A slot lasts 1 ms divided by 2 to this power; 0 to 4.
        #[serde(default = "number::<u32, 1>")]
        #[schemars(range(max = 4))]
        pub numerology: u32,
        /// Kinds of slots, repeated: `D` down, `S` special (down, then up), `U` up. `D` and `S` can grant. At most 80 letters, with a `U` and
        /// a `D` or `S`; or `F` alone, where each slot is both (FDD).
        #[serde(default = "common_pattern")]
        pub pattern: String,
        /// Slots between opportunities for a scheduling request, 1 to 640; each goes in the next slot for data up.
        #[serde(default = "number::<u64, 10>")]
        #[schemars(range(min = 1, max = 640))]
        pub sr_period: u64,
        /// Slots for which the base station decodes, 0 to 64.
        #[serde(default = "number::<u64, 2>")]
        #[schemars(range(max = 64))]
        pub decode: u64,
        /// Slots from a grant to its block at least (K2), 0 to 32.
        #[serde(default = "number::<u64, 2>")]
        #[schemars(range(max = 32))]
        pub k2: u64,
    }
}

fn common_pattern() -> String {
    "DDDSU".into()
}

impl ServerParams for NrSpec {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn check(&mut self) -> Checked {
        within(0, 4, "numerology", self.numerology)?;
        let has = |letters: &[char]| self.pattern.contains(letters);
        let duplex = has(&['U']) && has(&['D', 'S']) && !has(&['F']);
        let pattern = (1..=80).contains(&self.pattern.len())
            && self.pattern.chars().all(|letter| "DSUF".contains(letter))
            && (duplex || self.pattern == "F");
        let what = "must be \"F\", or at most 80 letters D, S and U, with a U and a D or S";
        must(pattern, "pattern", what, quoted(&self.pattern))?;
        within(1, 640, "sr_period", self.sr_period)?;
        within(0, 64, "decode", self.decode)?;
        within(0, 32, "k2", self.k2)?;
        must(self.cell().block(self.rate) > 0, "rate", "must carry at least a byte in a slot", quoted(self.rate))?;
        self.check_blocks()
    }
}

impl NrSpec {
    pub(super) fn cell(&self) -> Cell {
        let kind = |letter: char| match letter {
            'U' => Kind::Up,
            'S' => Kind::Special,
            'F' => Kind::Both,
            _ => Kind::Down,
        };
        Cell {
            slot: 1_000_000 >> self.numerology,
            pattern: self.pattern.chars().map(kind).collect(),
            decode: self.decode,
            k2: self.k2,
            sr_period: self.sr_period,
            first: self.first.get(),
            bler: self.bler,
            attempts: self.attempts,
        }
    }
}
