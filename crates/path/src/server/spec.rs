//! A link's rate as a scenario writes it.

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DocsisSpec, LteSpec, MahimahiSpec, NrSpec, OwnServer, PonSpec, TableSpec, TokenBucketSpec};
use crate::values::quoted;

/// A link's rate, as written under `rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateSpec {
    /// Always the same, such as `"1.5Mbps"`.
    Constant(Rate),
    /// As a table says.
    Varying(VaryingRate),
}

impl RateSpec {
    /// The rate by which a buffer written as a time is counted ([`VaryingRate::of_buffers`]).
    pub fn of_buffers(&self) -> Rate {
        match self {
            RateSpec::Constant(rate) => *rate,
            RateSpec::Varying(varying) => varying.of_buffers(),
        }
    }

    /// [`VaryingRate::rate`], and how it varies.
    pub fn parts(self) -> (Rate, Option<VaryingRate>) {
        match self {
            RateSpec::Constant(rate) => (rate, None),
            RateSpec::Varying(varying) => (varying.rate(), Some(varying)),
        }
    }
}

/// A rate that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(extend("neutral" = { "by": "mean" }))]
pub enum VaryingRate {
    /// Rates from given times on.
    Table(TableSpec),
    /// Opportunities to deliver 1,500 bytes at given milliseconds (a Mahimahi trace).
    Mahimahi(MahimahiSpec),
    /// Bursts at one rate, the mean at another (a token bucket, as `tc`'s tbf).
    TokenBucket(TokenBucketSpec),
    /// A cable modem's upstream: requests, MAPs and grants (DOCSIS).
    Docsis(DocsisSpec),
    /// LTE's uplink: scheduling requests, grants, HARQ.
    Lte(LteSpec),
    /// 5G NR's uplink: scheduling requests, grants, HARQ, and a pattern of slots.
    Nr(NrSpec),
    /// A passive optical network's upstream: reports and allocations (GPON, XG-PON).
    Pon(PonSpec),
    /// A program's own server; no file can say it.
    #[serde(skip)]
    Custom(OwnServer),
}

impl VaryingRate {
    /// The one number of a link's row. For a table it is the largest rate, for a token bucket the peak, for a Mahimahi
    /// trace the mean. An uplink that sends by grants and a program's own server have one rate.
    pub fn rate(&self) -> Rate {
        match self {
            VaryingRate::Table(table) => table.largest(),
            VaryingRate::Mahimahi(trace) => trace.mean(),
            VaryingRate::TokenBucket(bucket) => bucket.peak,
            VaryingRate::Docsis(spec) => spec.rate,
            VaryingRate::Lte(spec) => spec.rate,
            VaryingRate::Nr(spec) => spec.rate,
            VaryingRate::Pon(spec) => spec.rate,
            VaryingRate::Custom(server) => server.rate(),
        }
    }

    /// The rate by which a buffer written as a time is counted: a token bucket's `mean`; of any other the same as [`VaryingRate::rate`].
    pub fn of_buffers(&self) -> Rate {
        if let VaryingRate::TokenBucket(bucket) = self { bucket.mean } else { self.rate() }
    }

    /// The first key that is out of range: its name, what is allowed, and its value.
    pub fn out_of_range(&self) -> Option<(&'static str, &'static str, String)> {
        let (name, rate) = match self {
            VaryingRate::Table(table) => return table.out_of_range(),
            VaryingRate::Mahimahi(trace) => return trace.out_of_range(),
            VaryingRate::TokenBucket(bucket) => ("peak", bucket.peak),
            VaryingRate::Docsis(spec) => spec.channel.map_or(("rate", spec.rate), |channel| ("channel", channel)),
            VaryingRate::Lte(spec) => ("rate", spec.rate),
            VaryingRate::Nr(spec) => ("rate", spec.rate),
            VaryingRate::Pon(spec) => ("line", spec.line),
            VaryingRate::Custom(server) => ("rate", server.rate()),
        };
        let wrong = match self {
            VaryingRate::Table(_) | VaryingRate::Mahimahi(_) | VaryingRate::Custom(_) => None,
            VaryingRate::TokenBucket(bucket) => bucket.out_of_range(),
            VaryingRate::Docsis(spec) => spec.out_of_range(),
            VaryingRate::Lte(spec) => spec.out_of_range(),
            VaryingRate::Nr(spec) => spec.out_of_range(),
            VaryingRate::Pon(spec) => spec.out_of_range(),
        };
        // The largest of the rates named: the others are at most that.
        let huge =
            || (!(1.0..=1e15).contains(&rate.bps())).then(|| (name, "must be from 1bps to 1e6Gbps", quoted(rate)));
        wrong.or_else(huge)
    }
}
