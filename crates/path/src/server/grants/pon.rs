//! A passive optical network's upstream (ITU-T G.984.3 for GPON, G.987.3 for XG-PON), with status reports.
//!
//! Upstream time is divided into frames of 125 us. Once a cycle the terminal (ONU) reports what waits (DBRu); the head end
//! (OLT) decides once a cycle on the bandwidth maps of the frames that follow. A frame's allocation is sent at the line's
//! rate, so packets that came over a cycle leave in bursts.
//!
//! Left out: guard times, forward error correction and GEM headers (`rate` is that of packets), other ONUs, traffic
//! monitoring without reports, and the encoding of reports, which rounds large ones.

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Habit, Nanos, Piggyback, Timing, Unit, capacity, duration};
use crate::server::{ServerParams, check_rate};
use crate::values::{Checked, micros, must, quoted};

/// An upstream frame, in nanoseconds.
const FRAME: Nanos = 125_000;

/// A passive optical network's upstream: reports and allocations (GPON, XG-PON).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PonSpec {
    /// Rate that full allocations add up to: the service's.
    pub rate: Rate,
    /// Rate of a burst, at least `rate`: 1.24416 Gb/s in GPON, 2.48832 Gb/s in XG-PON.
    #[serde(default = "gpon")]
    pub line: Rate,
    /// Time between reports, and between the OLT's decisions: whole frames of 125 us, to 20 ms.
    #[serde(default = "micros::<1000>")]
    pub cycle: Time,
    /// From a report to the first frame that can answer it, at least; the answer begins with a cycle; 0 s to 100 ms.
    #[serde(default = "micros::<500>")]
    pub response: Time,
    /// Rate allocated without a report, in each frame (fixed bandwidth); at most `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Rate>,
}

fn gpon() -> Rate {
    Rate::from_bps(1.24416e9)
}

impl ServerParams for PonSpec {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn check(&mut self) -> Checked {
        let cycle = duration(self.cycle);
        let whole = (FRAME..=160 * FRAME).contains(&cycle) && cycle.is_multiple_of(FRAME);
        must(whole, "cycle", "must be a multiple of 125us, from 125us to 20ms", quoted(self.cycle))?;
        let carries = |rate| capacity(rate, FRAME) > 0;
        must(carries(self.rate), "rate", "must carry at least a byte in 125us", quoted(self.rate))?;
        must(self.line >= self.rate, "line", "must be at least `rate`", quoted(self.line))?;
        let response = (0.0..=0.1).contains(&self.response.secs());
        must(response, "response", "must be from 0s to 100ms", quoted(self.response))?;
        if let Some(fixed) = self.fixed {
            let what = "must carry a byte in 125us, and be at most `rate`";
            must(fixed <= self.rate && carries(fixed), "fixed", what, quoted(fixed))?;
        }
        check_rate("line", self.line)
    }
}

impl PonSpec {
    pub(super) fn habit(&self) -> Habit {
        Habit {
            unit: Unit::Bytes,
            most: capacity(self.rate, FRAME),
            first: None,
            largest: u64::MAX,
            piggyback: Piggyback::Never,
            several: true,
            unasked: self.fixed.map_or(0, |fixed| capacity(fixed, FRAME)),
            rate: self.rate.bps() / 8.0,
        }
    }
}

/// An ONU's times: a slot is a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Pon {
    cycle: Nanos,
    response: Nanos,
    line: Rate,
}

impl Pon {
    pub(super) fn new(spec: &PonSpec) -> Pon {
        Pon { cycle: duration(spec.cycle), response: duration(spec.response), line: spec.line }
    }
}

impl Timing for Pon {
    fn begins(&self, slot: u64) -> Nanos {
        slot * FRAME
    }

    fn usable(&self, slot: u64) -> u64 {
        slot
    }

    fn slot_at(&self, at: Nanos) -> u64 {
        at.div_ceil(FRAME)
    }

    fn asks(&mut self, at: Nanos) -> Nanos {
        at.div_ceil(self.cycle) * self.cycle
    }

    fn answers(&self, at: Nanos) -> u64 {
        (at + self.response).div_ceil(self.cycle) * (self.cycle / FRAME)
    }

    fn lasts(&self, bytes: u32) -> Time {
        self.line.transmission(bytes)
    }
}
