//! LTE's uplink, frequency division duplex (3GPP TS 36.213, TS 36.321).
//!
//! The times are those of the latency studies TR 36.912 (annex B.2) and TR 36.881. A subframe takes 1 ms, the base
//! station decodes for 3 ms, and a grant is for the fourth subframe after it. So a request is answered 8 ms after its
//! subframe begins, and a block that was not decoded is sent again 8 ms later (synchronous HARQ).

use acklab_packet::{Rate, Time};

use super::radio::{Cell, Kind, with_blocks};
use crate::server::ServerParams;
use crate::values::{Checked, micros, must, quoted};

/// A subframe, in nanoseconds.
const SUBFRAME: u64 = 1_000_000;
/// Subframes to decode.
const DECODE: u64 = 3;
/// Subframes from a grant to its block.
const K2: u64 = 4;

with_blocks! {
    /// LTE's uplink: scheduling requests, grants, HARQ.
    pub struct LteSpec {
        /// Rate that a full transport block in each subframe carries, before blocks that are sent again.
        pub rate: Rate,
        /// Time between opportunities for a scheduling request: whole milliseconds from 1 ms to 80 ms.
        #[serde(default = "micros::<10_000>")]
        pub sr_period: Time,
    }
}

impl ServerParams for LteSpec {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn check(&mut self) -> Checked {
        let period = self.sr_period.secs() * 1000.0;
        let whole = (1.0..=80.0).contains(&period) && (period - period.round()).abs() <= 1e-6;
        must(whole, "sr_period", "must be whole milliseconds, from 1ms to 80ms", quoted(self.sr_period))?;
        must(self.cell().block(self.rate) > 0, "rate", "must carry at least a byte in 1ms", quoted(self.rate))?;
        self.check_blocks()
    }
}

impl LteSpec {
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
