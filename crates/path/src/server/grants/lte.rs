//! LTE's uplink, frequency division duplex (3GPP TS 36.213, TS 36.321).
//!
//! The times are those of the latency studies TR 36.912 (annex B.2) and TR 36.881: a subframe takes 1 ms; the base station
//! decodes for 3 ms; a grant is for the fourth subframe after it. So a request is answered 8 ms after its subframe begins, and
//! a block that was not decoded is sent again 8 ms later (synchronous HARQ).

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::radio::{Cell, Kind};

/// A subframe, in nanoseconds.
const SUBFRAME: u64 = 1_000_000;
/// Subframes to decode.
const DECODE: u64 = 3;
/// Subframes from a grant to its block.
const K2: u64 = 4;

/// LTE's uplink: scheduling requests, buffer status reports, transport blocks, HARQ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LteSpec {
    /// Rate that a full transport block in each subframe carries, before blocks that are sent again.
    pub rate: Rate,
    /// Time between opportunities for a scheduling request: whole milliseconds from 1 ms to 80 ms.
    #[serde(default = "ten_milliseconds")]
    pub sr_period: Time,
    /// What a scheduling request is granted, before the base station knows how much waits; at least 1 B.
    #[serde(default = "initial")]
    pub first: Bytes,
    /// Probability that a transport block is not decoded; from 0, below 1.
    #[serde(default = "tenth")]
    pub bler: f64,
    /// How often a block is sent at most; the last always succeeds; 1 to 28.
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 28))]
    pub attempts: u32,
}

fn ten_milliseconds() -> Time {
    Time::from_secs(0.010)
}

pub(super) fn initial() -> Bytes {
    Bytes::new(100)
}

pub(super) fn tenth() -> f64 {
    0.1
}

pub(super) fn four() -> u32 {
    4
}

/// The first of the keys that LTE and NR share that is out of range: its name, what is allowed, and its value.
pub(super) fn wrong(first: Bytes, bler: f64, attempts: u32) -> Option<(&'static str, &'static str, String)> {
    if first.get() == 0 {
        return Some(("first", "must be at least 1B", first.to_string()));
    }
    if !(0.0..1.0).contains(&bler) {
        return Some(("bler", "must be from 0, below 1", bler.to_string()));
    }
    (!(1..=28).contains(&attempts)).then(|| ("attempts", "must be from 1 to 28", attempts.to_string()))
}

impl LteSpec {
    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        let period = self.sr_period.secs() * 1000.0;
        if !(1.0..=80.0).contains(&period) || (period - period.round()).abs() > 1e-6 {
            return Some(("sr_period", "must be whole milliseconds, from 1ms to 80ms", self.sr_period.to_string()));
        }
        if self.cell().block(self.rate) == 0 {
            return Some(("rate", "must carry at least a byte in 1ms", self.rate.to_string()));
        }
        wrong(self.first, self.bler, self.attempts)
    }

    pub(super) fn cell(&self) -> Cell {
        Cell {
            slot: SUBFRAME,
            pattern: vec![Kind::Both],
            decode: DECODE,
            k2: K2,
            sr_period: (self.sr_period.secs() * 1000.0).round() as u64,
            first: self.first.get(),
            bler: self.bler,
            attempts: self.attempts,
        }
    }
}
