//! What an ACK may be worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;

/// What an arriving ACK is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CreditKind {
    /// One segment, whatever it covers (RFC 2581).
    #[serde(deserialize_with = "nothing_else")]
    AckCounting,
    /// What it newly covers, at most one segment in slow start (RFC 5681 equation 2).
    #[serde(deserialize_with = "nothing_else")]
    Rfc5681,
    /// All it newly covers (Allman 1998, unlimited byte counting).
    Ubc {
        /// How the increment is applied.
        #[serde(default)]
        growth: Growth,
    },
    /// What it newly covers, at most `limit` segments (Allman 1998, limited byte counting).
    Lbc {
        /// Most segments an ACK is worth.
        #[serde(default = "two")]
        limit: f64,
        /// How the increment is applied.
        #[serde(default)]
        growth: Growth,
    },
    /// Appropriate byte counting (RFC 3465).
    Abc {
        /// L: most segments an ACK is worth in slow start; one in a slow start that follows a timeout.
        #[serde(default = "two")]
        limit: f64,
    },
    /// Scaled appropriate byte counting: RFC 3465 with a larger L that also holds after a timeout (our reading; the
    /// paper that uses it does not define it, ledger smartacking.m.sabc).
    Sabc {
        /// L, usually above 2.
        #[serde(default = "four")]
        limit: f64,
    },
    /// One segment for each segment it completes; a piece of a segment is worth nothing (as Linux counts).
    #[serde(deserialize_with = "nothing_else")]
    FullSegments,
    /// One segment an ACK in slow start; in congestion avoidance one for each window of ACKs and one ACK, as Linux's
    /// counter had it before it counted what ACKs cover.
    #[serde(deserialize_with = "nothing_else")]
    Counter,
    /// One segment for each segment it completes; in congestion avoidance these are counted, and each window of them makes exactly
    /// one (Linux), where an increment for each ACK makes a little less. CUBIC, which has a pace of its own, gets them uncounted.
    #[serde(deserialize_with = "nothing_else")]
    SegmentCounter,
}

/// For variants without parameters, which serde's `deny_unknown_fields` overlooks.
fn nothing_else<'de, D: serde::Deserializer<'de>>(input: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(input).map(|Nothing {}| ())
}

choice! {
    /// How byte counting applies an ACK's increment of k segments.
    Growth {
        /// In one piece, by the law that held before the ACK, even past ssthresh: what gives the paper's Table 1.
        Whole = "whole",
        /// Segment by segment, each by the law that holds when its turn comes.
        Steps = "steps",
        /// In slow start in one piece; in congestion avoidance k - 1 segments in one piece, then one: what remains when
        /// the increment is added to a sender that grows by one segment itself (the oracle's hook on ns-2).
        AllThenOne = "all-then-one",
    }
}

#[allow(clippy::derivable_impls)]
impl Default for Growth {
    fn default() -> Self {
        Growth::Whole
    }
}

impl CreditKind {
    /// What scenarios call it.
    pub fn name(&self) -> &'static str {
        match self {
            CreditKind::AckCounting => "ack-counting",
            CreditKind::Rfc5681 => "rfc5681",
            CreditKind::Ubc { .. } => "ubc",
            CreditKind::Lbc { .. } => "lbc",
            CreditKind::Abc { .. } => "abc",
            CreditKind::Sabc { .. } => "sabc",
            CreditKind::FullSegments => "full-segments",
            CreditKind::Counter => "counter",
            CreditKind::SegmentCounter => "segment-counter",
        }
    }

    /// The most segments an ACK is worth, where that is a parameter.
    pub fn limit(self) -> Option<f64> {
        match self {
            CreditKind::AckCounting | CreditKind::Rfc5681 | CreditKind::Ubc { .. } => None,
            CreditKind::FullSegments | CreditKind::Counter | CreditKind::SegmentCounter => None,
            CreditKind::Lbc { limit, .. } | CreditKind::Abc { limit } | CreditKind::Sabc { limit } => Some(limit),
        }
    }
}

defaults! {
    two: f64 = 2.0;
    four: f64 = 4.0;
}

impl Shown for CreditKind {
    fn shown(&self) -> String {
        match self {
            CreditKind::Lbc { limit, .. } => format!("lbc, {limit} segments"),
            CreditKind::Abc { limit } | CreditKind::Sabc { limit } => format!("{}, L = {limit}", self.name()),
            kind => kind.name().to_owned(),
        }
    }
}
