//! CAKE's tins: classes of traffic by the DiffServ code point, each with a share of the rate (sch_cake.c; RFC 2474, RFC 4594).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Into which tins packets are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TinMode {
    /// All in one.
    Besteffort,
    /// Best effort; bulk (CS1, LE); voice (CS7, CS6, EF, VA, TOS4).
    #[default]
    Diffserv3,
    /// Best effort; bulk (CS1, LE); video (AF4x, AF3x, AF2x, CS3, CS2, TOS4); voice (CS7 to CS4, EF, VA).
    Diffserv4,
}

impl TinMode {
    /// The part of the rate, as a shift to the right, of each tin; also of the tins' weights.
    pub fn shares(self) -> &'static [u32] {
        match self {
            TinMode::Besteffort => &[0],
            TinMode::Diffserv3 => &[0, 4, 2],
            TinMode::Diffserv4 => &[0, 4, 1, 2],
        }
    }

    /// The tin of a code point.
    pub fn tin(self, dscp: u8) -> usize {
        const BULK: [u8; 2] = [1, 8];
        match self {
            TinMode::Besteffort => 0,
            _ if BULK.contains(&dscp) => 1,
            TinMode::Diffserv3 if [4, 44, 46, 48, 56].contains(&dscp) => 2,
            TinMode::Diffserv4 if [32, 40, 44, 46, 48, 56].contains(&dscp) => 3,
            TinMode::Diffserv4 if dscp == 4 || (16..40).contains(&dscp) && dscp.is_multiple_of(2) => 2,
            _ => 0,
        }
    }
}
