//! Credit rules: what an ACK is worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;
use super::variants::variants;

variants! {
    /// Credit: what an ACK of new data is worth.
    CreditKind (Copy) by "kind" {
        /// One segment, whatever it covers (RFC 2581).
        AckCounting = "ack-counting" {}
        /// What it newly covers, at most one segment in slow start (RFC 5681 equation 2).
        Rfc5681 = "rfc5681" {}
        /// All it newly covers: unlimited byte counting (Allman 1998).
        Ubc = "ubc" {
            /// How the increment is applied.
            growth: Growth = Growth::Whole,
        }
        /// What it newly covers, at most `limit` segments: limited byte counting (Allman 1998).
        Lbc = "lbc" {
            /// Most segments that an ACK is worth.
            limit: f64 [1e-6 ..= 1e9] = 2.0,
            /// How the increment is applied.
            growth: Growth = Growth::Whole,
        }
        /// Appropriate byte counting (RFC 3465).
        Abc = "abc" {
            /// L: most segments that an ACK is worth in slow start. It is 1 until what was outstanding at a timeout is acknowledged.
            limit: f64 [1e-6 ..= 1e9] = 2.0,
        }
        /// Scaled appropriate byte counting: RFC 3465 with a larger L, which also holds after a timeout. The paper does not
        /// define it; this is our reading (ledger smartacking.m.sabc).
        Sabc = "sabc" {
            /// L, usually above 2.
            limit: f64 [1e-6 ..= 1e9] = 4.0,
        }
        /// One segment for each segment it completes, nothing for a piece of a segment (Linux).
        FullSegments = "full-segments" {}
        /// One segment in slow start; in congestion avoidance, one segment for a window of ACKs and one ACK (Linux before it
        /// counted what ACKs cover).
        Counter = "counter" {}
        /// One segment for each segment it completes. In congestion avoidance these are counted, and each window of them makes
        /// one segment (Linux). CUBIC takes them uncounted. With recovery `rack`, what an ACK of new data reports counts, too.
        SegmentCounter = "segment-counter" {}
    }
}

choice! {
    /// How byte counting applies an increment of k segments.
    Growth {
        /// In one step, by the law that holds before the ACK, even past ssthresh. It gives Table 1 of Allman 1998.
        Whole = "whole",
        /// In steps of a segment, each by the law that holds before it.
        Steps = "steps",
        /// In slow start in one step. In congestion avoidance k - 1 segments in one step, then one, as when the increment is added
        /// to a sender that grows by one segment itself (docs/oracle).
        AllThenOne = "all-then-one",
    }
}
