//! 802.11's physical layers: the numbers that hold where a scenario says nothing (IEEE 802.11-2020, 802.11ax-2021).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Phy {
    /// High-rate direct sequence at 2.4 GHz: 11 Mb/s, basic rate 2 Mb/s, slots of 20 us, windows from 31.
    #[default]
    #[serde(rename = "802.11b")]
    B,
    /// OFDM at 5 GHz with aggregates and block ACKs: 65 Mb/s (one stream, 20 MHz), basic rate 24 Mb/s, slots of 9 us,
    /// windows from 15. Of 802.11e's classes of access there is one, with DIFS.
    #[serde(rename = "802.11n")]
    N,
    /// Wi-Fi 5: as 802.11n, with 866.7 Mb/s (VHT: 80 MHz, two streams, MCS 9, short guard interval) and aggregates of up to 1 MB.
    #[serde(rename = "802.11ac")]
    Ac,
    /// Wi-Fi 6: as 802.11n, with 1201 Mb/s (HE: 80 MHz, two streams, MCS 11, guard interval 0.8 us). It has aggregates of up to
    /// 4 MB, and block ACKs for 256 frames. OFDMA and the packet extension are left out.
    #[serde(rename = "802.11ax")]
    Ax,
}

/// Numbers of a physical layer: rates in Mb/s, times in microseconds, sizes in bytes.
pub(super) struct Defaults {
    pub rate: f64,
    pub basic_rate: f64,
    /// The lowest rate, of which EIFS counts an ACK.
    pub slowest: f64,
    pub plcp: f64,
    pub basic_plcp: f64,
    pub symbol: f64,
    pub basic_symbol: f64,
    pub slot: f64,
    pub sifs: f64,
    pub cw_min: u32,
    pub header: u32,
    pub aggregate: u32,
    pub aggregate_frames: u32,
}

const B: Defaults = Defaults {
    rate: 11.0,
    basic_rate: 2.0,
    slowest: 1.0,
    plcp: 192.0,
    basic_plcp: 192.0,
    symbol: 0.0,
    basic_symbol: 0.0,
    slot: 20.0,
    sifs: 10.0,
    cw_min: 31,
    header: 36,
    aggregate: 0,
    aggregate_frames: 64,
};

const N: Defaults = Defaults {
    rate: 65.0,
    basic_rate: 24.0,
    slowest: 6.0,
    plcp: 36.0,
    basic_plcp: 20.0,
    symbol: 4.0,
    basic_symbol: 4.0,
    slot: 9.0,
    sifs: 16.0,
    cw_min: 15,
    header: 38,
    aggregate: 65_535,
    aggregate_frames: 64,
};

/// The preamble is L-STF, L-LTF and L-SIG (20 us), VHT-SIG-A (8), VHT-STF (4), two VHT-LTFs (8) and VHT-SIG-B (4).
const AC: Defaults = Defaults { rate: 3120.0 / 3.6, plcp: 44.0, symbol: 3.6, aggregate: 1_048_575, ..N };

/// The preamble is L-STF, L-LTF and L-SIG (20 us), RL-SIG (4), HE-SIG-A (8), HE-STF (4) and two HE-LTFs (7.2 each).
const AX: Defaults = Defaults {
    rate: 49_000.0 / 3.0 / 13.6,
    plcp: 50.4,
    symbol: 13.6,
    aggregate: 4_194_303,
    aggregate_frames: 256,
    ..N
};

impl Phy {
    /// Its numbers.
    pub(super) fn defaults(self) -> &'static Defaults {
        match self {
            Phy::B => &B,
            Phy::N => &N,
            Phy::Ac => &AC,
            Phy::Ax => &AX,
        }
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::Time;

    use super::super::{DcfParams, DcfSpec, Phy};

    fn us(time: Time) -> f64 {
        (time.secs() * 1e9).round() / 1e3
    }

    #[test]
    fn the_newer_standards_times() {
        // VHT, 80 MHz, two streams, MCS 9: 234 tones of 2 * 8 * 5/6 bits are 3,120 bits in 3.6 us.
        let ac = DcfParams::new(&DcfSpec { phy: Phy::Ac, ..DcfSpec::default() });
        assert!((ac.rate.bps() * ac.symbol.secs() - 3120.0).abs() < 0.5, "{}", ac.rate);
        // 64 frames of 1,544 bytes are 790,528 bits, with 22 in 254 symbols. Control frames are as in 802.11n.
        assert_eq!(us(ac.data(64 * 1544)), 44.0 + 254.0 * 3.6);
        assert_eq!((us(ac.ack), us(ac.block_ack), us(ac.difs)), (28.0, 32.0, 34.0));
        // HE, 80 MHz, two streams, MCS 11: 980 tones of 2 * 10 * 5/6 bits are 16,333 bits in 13.6 us.
        let ax = DcfParams::new(&DcfSpec { phy: Phy::Ax, ..DcfSpec::default() });
        assert!((ax.rate.bps() * ax.symbol.secs() - 16_333.3).abs() < 1.0, "{}", ax.rate);
        // 256 frames are 3,162,112 bits: 194 symbols. The block ACK's bitmap has 256 bits: 448 bits and 22 in 5 symbols of 96.
        assert_eq!(us(ax.data(256 * 1544)), 50.4 + 194.0 * 13.6);
        assert_eq!((us(ax.ack), us(ax.block_ack)), (28.0, 40.0));
    }
}
