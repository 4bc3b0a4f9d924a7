//! CAKE's shaper: how long a packet occupies the link that is imitated, its framing included (sch_cake.c, tc-cake(8)).

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cells in which the imitated link carries packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cells {
    /// None.
    #[default]
    None,
    /// ATM: 48 bytes in 53, the last cell padded (ADSL).
    Atm,
    /// PTM: one byte more for each 64 or part of them (VDSL2).
    Ptm,
}

/// The size that the imitated link carries for a packet of `bytes`.
pub fn framed(bytes: u32, overhead: i32, least: u32, cells: Cells) -> u32 {
    let bytes = bytes.saturating_add_signed(overhead).max(least);
    match cells {
        Cells::None => bytes,
        Cells::Atm => bytes.div_ceil(48) * 53,
        Cells::Ptm => bytes + bytes.div_ceil(64),
    }
}

/// Nanoseconds a byte, as a fraction of a power of two, as in Linux; 0 without a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    pub bytes_per_second: u64,
    per_byte: u64,
    shift: u32,
}

impl Pace {
    pub fn new(bytes_per_second: u64) -> Pace {
        if bytes_per_second == 0 {
            return Pace::default();
        }
        let mut per_byte = (1_000_000_000_u64 << 34) / bytes_per_second.max(64);
        let mut shift = 34;
        while per_byte >> 34 > 0 {
            per_byte >>= 1;
            shift -= 1;
        }
        Pace { bytes_per_second, per_byte, shift }
    }

    pub fn of(rate: Option<Rate>) -> Pace {
        Pace::new(rate.map_or(0, |rate| (rate.bps() / 8.0) as u64))
    }

    /// Nanoseconds for so many bytes.
    pub fn lasts(self, bytes: u32) -> i64 {
        ((u64::from(bytes) * self.per_byte) >> self.shift) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_takes_its_frame_and_whole_cells() {
        assert_eq!(framed(1500, 0, 0, Cells::None), 1500);
        assert_eq!(framed(40, 18, 64, Cells::None), 64);
        // 1500 + 44 bytes fill 33 cells of 48; 40 + 8 bytes are one cell.
        assert_eq!((framed(1500, 44, 0, Cells::Atm), framed(40, 8, 0, Cells::Atm)), (33 * 53, 53));
        assert_eq!(framed(1500, 22, 0, Cells::Ptm), 1522 + 24);
        assert_eq!(framed(40, -64, 0, Cells::None), 0);
        assert_eq!((Pace::new(1_000_000).lasts(1500), Pace::new(0).lasts(1500)), (1_500_000, 0));
    }
}
