//! Servers: what takes packets into service, and for how long.
//!
//! A link alone has a [`Server`], which answers at once how long a packet is in service. Behind a request-grant uplink
//! ([`Cycle`]) packets stay in the queue until bytes are granted for them. Links that share a medium have a [`Medium`], which
//! decides later whose turn it is.
//!
//! To add one: a file here, a variant of [`AnyServer`] or [`AnyMedium`], and one of its spec.

mod constant;
mod dcf;
mod grants;
mod mahimahi;
mod table;
mod token_bucket;

pub use constant::Constant;
pub use dcf::{AirStats, Dcf, DcfParams, DcfSpec, Fate, Frame, Phy, Preamble};
pub use grants::{Backlog, Cycle, DocsisSpec, LteSpec, NrSpec, PonSpec, Requests, Turn};
pub use mahimahi::{Mahimahi, MahimahiSpec};
pub use table::{Step, Table, TableSpec};
pub use token_bucket::{Bucket, TokenBucket, TokenBucketSpec};

use std::ops::{Deref, DerefMut};

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::random::Random;
use crate::spec::quoted;

/// What serves one link's packets, one after another.
pub trait Server {
    /// The time for which a packet of `bytes` is in service that enters it `now`; nothing else is in service then.
    fn offer(&mut self, bytes: u32, now: Time) -> Time;
    /// Seconds of service given so far, to packets of `bytes` in all.
    fn busy(&self, bytes: u64) -> f64;
}

/// The servers of a link, dispatched without boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyServer {
    /// See [`Constant`].
    Constant(Constant),
    /// See [`Table`].
    Table(Box<Table>),
    /// See [`Mahimahi`].
    Mahimahi(Box<Mahimahi>),
    /// See [`TokenBucket`].
    TokenBucket(Box<TokenBucket>),
    /// See [`Cycle`].
    Granted(Box<Cycle>),
}

/// A rate that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
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
}

impl VaryingRate {
    /// The largest rate; of a Mahimahi trace the mean.
    pub fn rate(&self) -> Rate {
        match self {
            VaryingRate::Table(table) => table.largest(),
            VaryingRate::Mahimahi(trace) => trace.mean(),
            VaryingRate::TokenBucket(bucket) => bucket.peak,
            VaryingRate::Docsis(spec) => spec.rate,
            VaryingRate::Lte(spec) => spec.rate,
            VaryingRate::Nr(spec) => spec.rate,
            VaryingRate::Pon(spec) => spec.rate,
        }
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
        };
        let wrong = match self {
            VaryingRate::Table(_) | VaryingRate::Mahimahi(_) => None,
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

/// Does the same with whichever server it is.
macro_rules! each {
    ($self:expr, $server:ident => $call:expr) => {
        match $self {
            AnyServer::Constant($server) => $call,
            AnyServer::Table($server) => $call,
            AnyServer::Mahimahi($server) => $call,
            AnyServer::TokenBucket($server) => $call,
            AnyServer::Granted($server) => $call,
        }
    };
}

impl AnyServer {
    /// A server of this rate, which varies or is always `rate`; `random` is its stream, if it draws.
    pub fn new(rate: Rate, varying: Option<&VaryingRate>, random: impl FnOnce() -> Random) -> AnyServer {
        match varying {
            None => AnyServer::Constant(Constant(rate)),
            Some(VaryingRate::Mahimahi(trace)) => AnyServer::Mahimahi(Box::new(Mahimahi::new(trace))),
            Some(VaryingRate::TokenBucket(bucket)) => AnyServer::TokenBucket(Box::new(TokenBucket::new(bucket))),
            Some(VaryingRate::Table(table)) => AnyServer::Table(Box::new(Table::new(table))),
            Some(VaryingRate::Docsis(spec)) => AnyServer::Granted(Box::new(Cycle::docsis(spec, random()))),
            Some(VaryingRate::Lte(spec)) => AnyServer::Granted(Box::new(Cycle::lte(spec, random()))),
            Some(VaryingRate::Nr(spec)) => AnyServer::Granted(Box::new(Cycle::nr(spec, random()))),
            Some(VaryingRate::Pon(spec)) => AnyServer::Granted(Box::new(Cycle::pon(spec))),
        }
    }
}

impl Server for AnyServer {
    #[inline]
    fn offer(&mut self, bytes: u32, now: Time) -> Time {
        each!(self, server => server.offer(bytes, now))
    }

    fn busy(&self, bytes: u64) -> f64 {
        each!(self, server => server.busy(bytes))
    }
}

/// A server of several links, its ports, with a queue for each of its stations.
pub trait Medium<P: Carried> {
    /// A packet comes to a port `now`. What its station's queue removes goes to `out`.
    fn offer(&mut self, port: u32, packet: P, now: Time, out: &mut Vec<(Frame<P>, Fate)>);
    /// When it next wants to be woken, `None` if only a new packet changes anything.
    fn next(&self) -> Option<Time>;
    /// The time that [`Medium::next`] gave has come; packets that leave go to `out`.
    fn wake(&mut self, now: Time, out: &mut Vec<(Frame<P>, Fate)>);
    /// Packets that wait for a port's station, and their bytes; those in service not counted.
    fn waiting(&self, port: u32) -> (usize, u64);
    /// Packets inside: waiting, or in service and not arrived.
    fn len(&self) -> usize;
    /// Whether none is inside.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What a port has counted up to `now`.
    fn stats_at(&self, port: u32, now: Time) -> AirStats;
}

/// The media, dispatched without boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyMedium<P> {
    /// See [`Dcf`].
    Dcf(Dcf<P>),
}

impl<P: Carried + 'static> Deref for AnyMedium<P> {
    type Target = dyn Medium<P>;
    fn deref(&self) -> &Self::Target {
        match self {
            AnyMedium::Dcf(medium) => medium,
        }
    }
}

impl<P: Carried + 'static> DerefMut for AnyMedium<P> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            AnyMedium::Dcf(medium) => medium,
        }
    }
}
