//! The parameters of 802.11's DCF, and what follows from them.

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::phy::Phy;

/// Bytes of the control frames on the air, FCS included (IEEE 802.11, frame formats).
const RTS: u32 = 20;
const CTS: u32 = 14;
const ACK: u32 = 14;
/// A block ACK without its bitmap, which has a bit for each frame: 64, 256 or 1,024.
const BLOCK_ACK: u32 = 24;
/// What stands before each frame of an aggregate; each is padded to a multiple of as much.
const DELIMITER: u32 = 4;
/// Service and tail bits that OFDM adds before it rounds up to whole symbols.
const SERVICE_AND_TAIL: f64 = 22.0;

/// 802.11b's preambles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// Preamble and PLCP header take 192 us.
    Long,
    /// They take 96 us.
    Short,
}

/// Parameters as written in a scenario; what is left out is `phy`'s default, given as 802.11b / n / ac / ax, or as 802.11b / others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DcfSpec {
    /// Which standard's numbers hold where nothing else is said.
    pub phy: Phy,
    /// Rate of data frames; 11 Mb/s / 65 Mb/s / 866.7 Mb/s / 1201 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Rate of RTS, CTS and ACKs; 2 Mb/s / 24 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_rate: Option<Rate>,
    /// 802.11b's preamble; long. Sets `plcp` and `basic_plcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<Preamble>,
    /// Preamble and PLCP header of data frames; 192 us / 36 us / 44 us / 50.4 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plcp: Option<Time>,
    /// Preamble and PLCP header of RTS, CTS and ACKs; 192 us / 20 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_plcp: Option<Time>,
    /// A symbol, to whole numbers of which data frames are rounded up; 0 s (not rounded) / 4 us / 3.6 us / 13.6 us. Control frames of
    /// others than 802.11b have symbols of 4 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<Time>,
    /// Slot of the backoff; 20 us / 9 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Time>,
    /// Pause before CTS, data after CTS, and ACK; 10 us / 16 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sifs: Option<Time>,
    /// Idle time before slots count; SIFS and two slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difs: Option<Time>,
    /// The same after frames that could not be understood, for who did not send them; SIFS, an ACK at the lowest rate
    /// (1 Mb/s / 6 Mb/s), and DIFS. As much as DIFS switches it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifs: Option<Time>,
    /// How long a sender whose frame gets no answer waits for one before DIFS begins; EIFS less DIFS. With that, the
    /// slots of all stations begin together after a collision of equal frames. It holds for CTS, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_timeout: Option<Time>,
    /// First contention window: backoffs are drawn from 0 to it; 31 / 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 65535))]
    pub cw_min: Option<u32>,
    /// Largest: each failure makes 2 cw + 1 of it up to this; 1023.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 65535))]
    pub cw_max: Option<u32>,
    /// Attempts to send an RTS, or a frame without one, before the packet is dropped; 7. 0: without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_retries: Option<u32>,
    /// Attempts to send a frame that needs an RTS; 4. 0: without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_retries: Option<u32>,
    /// Frames of more bytes than this, MAC header included, are announced by RTS and CTS; none where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts_threshold: Option<Bytes>,
    /// What the MAC adds to a packet: header, FCS, LLC and SNAP; 36 B / 38 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Bytes>,
    /// From one station to any other; 1 us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation: Option<Time>,
    /// How long a transmission goes unnoticed: who begins earlier than this after another collides with it. A slot:
    /// that is what slots are made for. 0 s: only who begins at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sense: Option<Time>,
    /// Whether a station draws a backoff although its medium has been idle for DIFS; false, as in the standard: it
    /// begins at once. If true, it waits for the backoff after another DIFS, as in ns-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_backoff: Option<bool>,
    /// Whether a slot in which others transmit counts as one of the backoff, as in Bianchi's model; false, as in the
    /// standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_slot_counts: Option<bool>,
    /// Chance that a data frame arrives broken, each frame of an aggregate by itself; 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub frame_loss: Option<f64>,
    /// Most bytes of an aggregate (A-MPDU); 0 B (frames travel alone) / 65535 B / 1048575 B / 4194303 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<Bytes>,
    /// Most frames of an aggregate, and of what a block ACK covers; 64, with 802.11ax 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub aggregate_frames: Option<u32>,
    /// Longest aggregate in time; 5.484 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_time: Option<Time>,
}

impl DcfSpec {
    /// The same parameters with every default written out.
    pub fn complete(&self) -> DcfSpec {
        let p = DcfParams::new(self);
        DcfSpec {
            phy: self.phy,
            rate: Some(p.rate),
            basic_rate: Some(p.basic_rate),
            // Said by the two that follow.
            preamble: None,
            plcp: Some(p.plcp),
            basic_plcp: Some(p.basic_plcp),
            symbol: Some(p.symbol),
            slot: Some(p.slot),
            sifs: Some(p.sifs),
            difs: Some(p.difs),
            eifs: Some(p.eifs),
            ack_timeout: Some(p.ack_timeout),
            cw_min: Some(p.cw_min),
            cw_max: Some(p.cw_max),
            short_retries: Some(p.short_retries),
            long_retries: Some(p.long_retries),
            rts_threshold: self.rts_threshold,
            header: Some(Bytes::new(p.header.into())),
            propagation: Some(p.propagation),
            sense: Some(p.sense),
            always_backoff: Some(p.always_backoff),
            busy_slot_counts: Some(p.busy_slot_counts),
            frame_loss: Some(p.frame_loss),
            aggregate: Some(Bytes::new(p.aggregate.into())),
            aggregate_frames: Some(p.aggregate_frames as u32),
            aggregate_time: Some(p.aggregate_time),
        }
    }
}

/// Every parameter, and the air times that follow; see [`DcfSpec`] for what they mean.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DcfParams {
    pub rate: Rate,
    pub basic_rate: Rate,
    pub plcp: Time,
    pub basic_plcp: Time,
    pub symbol: Time,
    pub slot: Time,
    pub sifs: Time,
    pub difs: Time,
    pub eifs: Time,
    pub ack_timeout: Time,
    pub cw_min: u32,
    pub cw_max: u32,
    pub short_retries: u32,
    pub long_retries: u32,
    pub rts_threshold: u64,
    pub header: u32,
    pub propagation: Time,
    pub sense: Time,
    pub always_backoff: bool,
    pub busy_slot_counts: bool,
    pub frame_loss: f64,
    pub aggregate: u32,
    pub aggregate_frames: usize,
    pub aggregate_time: Time,
    /// Air time of an RTS.
    pub rts: Time,
    /// Air time of a CTS.
    pub cts: Time,
    /// Air time of an ACK.
    pub ack: Time,
    /// Air time of a block ACK.
    pub block_ack: Time,
}

impl DcfParams {
    /// The parameters that `spec` means.
    pub fn new(spec: &DcfSpec) -> DcfParams {
        let default = spec.phy.defaults();
        let us = |number: f64| Time::from_secs(number * 1e-6);
        let plcp = match spec.preamble {
            Some(Preamble::Long) => us(192.0),
            Some(Preamble::Short) => us(96.0),
            None => us(default.plcp),
        };
        let basic_plcp = spec.preamble.map_or(us(default.basic_plcp), |_| plcp);
        let basic_plcp = spec.basic_plcp.unwrap_or(basic_plcp);
        let plcp = spec.plcp.unwrap_or(plcp);
        let symbol = spec.symbol.unwrap_or(us(default.symbol));
        // Control frames are never in the newer standards' symbols.
        let basic_symbol = if symbol == Time::ZERO { symbol } else { us(default.basic_symbol) };
        let slot = spec.slot.unwrap_or(us(default.slot));
        let sifs = spec.sifs.unwrap_or(us(default.sifs));
        let difs = spec.difs.unwrap_or(sifs + slot + slot);
        // Always with the long preamble: the lowest rate has no other.
        let slowest_ack = air_time(ACK, us(default.basic_plcp), mbps(default.slowest), basic_symbol);
        let eifs = spec.eifs.unwrap_or(sifs + slowest_ack + difs);
        let basic_rate = spec.basic_rate.unwrap_or(mbps(default.basic_rate));
        let basic = |bytes| air_time(bytes, basic_plcp, basic_rate, basic_symbol);
        let aggregate_frames = spec.aggregate_frames.unwrap_or(default.aggregate_frames);
        let bitmap = [64, 256, 1024].into_iter().find(|bits| *bits >= aggregate_frames).unwrap_or(1024);
        let bytes32 = |bytes: Bytes| u32::try_from(bytes.get()).unwrap_or(u32::MAX);
        DcfParams {
            rate: spec.rate.unwrap_or(mbps(default.rate)),
            basic_rate,
            plcp,
            basic_plcp,
            symbol,
            slot,
            sifs,
            difs,
            eifs,
            ack_timeout: spec.ack_timeout.unwrap_or(eifs - difs),
            cw_min: spec.cw_min.unwrap_or(default.cw_min),
            cw_max: spec.cw_max.unwrap_or(1023),
            short_retries: spec.short_retries.unwrap_or(7),
            long_retries: spec.long_retries.unwrap_or(4),
            rts_threshold: spec.rts_threshold.map_or(u64::MAX, Bytes::get),
            header: spec.header.map_or(default.header, bytes32),
            propagation: spec.propagation.unwrap_or(Time::from_secs(1e-6)),
            sense: spec.sense.unwrap_or(slot),
            always_backoff: spec.always_backoff.unwrap_or(false),
            busy_slot_counts: spec.busy_slot_counts.unwrap_or(false),
            frame_loss: spec.frame_loss.unwrap_or(0.0),
            aggregate: spec.aggregate.map_or(default.aggregate, bytes32),
            aggregate_frames: aggregate_frames as usize,
            aggregate_time: spec.aggregate_time.unwrap_or(Time::from_secs(5.484e-3)),
            rts: basic(RTS),
            cts: basic(CTS),
            ack: basic(ACK),
            block_ack: basic(BLOCK_ACK + bitmap / 8),
        }
    }

    /// What is wrong with the parameters, as key and sentence, if anything is.
    pub fn check(spec: &DcfSpec) -> Option<(&'static str, String)> {
        let p = DcfParams::new(spec);
        let rate_wrong = |rate: Option<Rate>| rate.is_some_and(|rate| !(1e3..=1e12).contains(&rate.bps()));
        // A second is no frame's and no pause's; and a slot of no time would let everybody collide always.
        if rate_wrong(spec.rate) {
            return Some(("rate", "must be from 1kbps to 1000Gbps".into()));
        }
        if rate_wrong(spec.basic_rate) {
            return Some(("basic_rate", "must be from 1kbps to 1000Gbps".into()));
        }
        if spec.preamble.is_some() && spec.phy != Phy::B {
            return Some(("preamble", "is 802.11b's; write `plcp` and `basic_plcp` for other standards".into()));
        }
        if !(1e-6..=0.1).contains(&p.slot.secs()) {
            return Some(("slot", "must be from 1us to 100ms".into()));
        }
        for (key, time) in [
            ("plcp", p.plcp),
            ("basic_plcp", p.basic_plcp),
            ("symbol", p.symbol),
            ("sifs", p.sifs),
            ("difs", p.difs),
            ("eifs", p.eifs),
            ("ack_timeout", p.ack_timeout),
            ("propagation", p.propagation),
            ("sense", p.sense),
            ("aggregate_time", p.aggregate_time),
        ] {
            if time > Time::from_secs(1.0) {
                return Some((key, "must be at most 1s".into()));
            }
        }
        if p.difs < p.sifs {
            return Some(("difs", format!("must be at least SIFS, {}", p.sifs)));
        }
        if p.eifs < p.difs {
            return Some(("eifs", format!("must be at least DIFS, {}; as much switches it off", p.difs)));
        }
        if p.sense > p.slot {
            return Some(("sense", format!("must be at most a slot, {}", p.slot)));
        }
        if p.cw_max > 65_535 {
            return Some(("cw_max", "must be at most 65535".into()));
        }
        if p.cw_min > p.cw_max {
            return Some(("cw_min", format!("must be at most cw_max, {}", p.cw_max)));
        }
        if !(0.0..=1.0).contains(&p.frame_loss) {
            return Some(("frame_loss", "must be from 0 to 1".into()));
        }
        if p.frame_loss == 1.0 && (p.short_retries == 0 || p.long_retries == 0) {
            return Some(("frame_loss", "is 1 and retries have no end: no frame would ever leave".into()));
        }
        if spec.header.is_some_and(|header| header.get() > 1000) {
            return Some(("header", "must be at most 1000B".into()));
        }
        if spec.aggregate.is_some_and(|bytes| bytes.get() > 4_692_480) {
            return Some(("aggregate", "must be at most 4692480B, the most of any 802.11".into()));
        }
        if !(1..=1024).contains(&p.aggregate_frames) {
            return Some(("aggregate_frames", "must be from 1 to 1024".into()));
        }
        None
    }

    /// Bytes of the frame that carries a packet of `size` bytes.
    #[inline]
    pub fn frame(&self, size: u32) -> u32 {
        size.saturating_add(self.header)
    }

    /// Bytes that such a frame takes in an aggregate.
    #[inline]
    pub fn subframe(&self, size: u32) -> u32 {
        (self.frame(size).saturating_add(DELIMITER)).next_multiple_of(DELIMITER)
    }

    /// Air time of `bytes` of data frames.
    #[inline]
    pub fn data(&self, bytes: u32) -> Time {
        air_time(bytes, self.plcp, self.rate, self.symbol)
    }
}

fn mbps(number: f64) -> Rate {
    Rate::from_bps(number * 1e6)
}

/// Air time of a frame: preamble and header, then its bits, rounded up to whole symbols where there are some.
fn air_time(bytes: u32, plcp: Time, rate: Rate, symbol: Time) -> Time {
    if symbol == Time::ZERO {
        return plcp + rate.transmission(bytes);
    }
    let bits = 8.0 * f64::from(bytes) + SERVICE_AND_TAIL;
    // A whole number of symbols must not become one more by the last digit of the division.
    let symbols = (bits / (rate.bps() * symbol.secs()) - 1e-9).ceil();
    plcp + Time::from_secs(symbols * symbol.secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(time: Time) -> f64 {
        (time.secs() * 1e9).round() / 1e3
    }

    #[test]
    fn the_standards_times() {
        let b = DcfParams::new(&DcfSpec::default());
        assert_eq!((us(b.difs), us(b.eifs), us(b.ack), us(b.rts)), (50.0, 364.0, 248.0, 272.0));
        // Ledger divack.m.dcf: an exchange of 1500 B takes about 1.93 ms with its mean backoff, one of 40 B 0.87 ms.
        let exchange = |size| us(b.difs) + 15.5 * 20.0 + us(b.data(b.frame(size))) + us(b.sifs) + us(b.ack);
        assert!((exchange(1500) - 1930.0).abs() < 5.0, "{}", exchange(1500));
        assert!((exchange(40) - 870.0).abs() < 5.0, "{}", exchange(40));
        // And RTS and CTS add about 0.54 ms.
        assert_eq!(us(b.rts) + us(b.cts) + 2.0 * us(b.sifs), 540.0);

        let n = DcfParams::new(&DcfSpec { phy: Phy::N, ..DcfSpec::default() });
        assert_eq!((us(n.slot), us(n.difs)), (9.0, 34.0));
        // An ACK is 112 bits and 22 of OFDM's in symbols of 96: two; a block ACK has three.
        assert_eq!((us(n.ack), us(n.block_ack)), (28.0, 32.0));
        // 1538 bytes are 12304 bits, with 22 in symbols of 260: 48.
        assert_eq!(us(n.data(n.frame(1500))), 36.0 + 48.0 * 4.0);
        assert_eq!((n.subframe(1500), n.subframe(1498)), (1544, 1540));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let wrong = |spec: DcfSpec| DcfParams::check(&spec).map(|(key, _)| key);
        assert_eq!(wrong(DcfSpec::default()), None);
        assert_eq!(wrong(DcfSpec { cw_min: Some(2000), ..DcfSpec::default() }), Some("cw_min"));
        assert_eq!(wrong(DcfSpec { eifs: Some(Time::from_secs(1e-6)), ..DcfSpec::default() }), Some("eifs"));
        assert_eq!(wrong(DcfSpec { slot: Some(Time::ZERO), ..DcfSpec::default() }), Some("slot"));
    }
}
