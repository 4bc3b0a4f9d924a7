//! Servers: what takes packets into service, and for how long.
//!
//! A link alone has a [`Server`], which says when it can take a packet and how long the packet is in service. Links that share
//! a medium have a [`Medium`], which decides later whose turn it is.
//!
//! To add one: a file here, a variant of [`AnyServer`] or [`AnyMedium`], and one of its spec. A program's own needs neither
//! ([`VaryingRate::Custom`]).

mod constant;
mod custom;
mod dcf;
mod grants;
mod mahimahi;
mod spec;
mod table;
pub(crate) mod token_bucket;

pub use constant::Constant;
pub use custom::{CloneServer, OwnServer};
pub use dcf::{AirStats, Dcf, DcfParams, DcfSpec, Fate, Frame, Phy, Preamble};
pub use grants::{Cycle, DocsisSpec, LteSpec, NrSpec, PonSpec, Requests};
pub use mahimahi::{Mahimahi, MahimahiSpec};
pub use spec::{RateSpec, VaryingRate};
pub use table::{Step, Table, TableSpec};
pub use token_bucket::{Bucket, TokenBucket, TokenBucketSpec};

use std::ops::{Deref, DerefMut};

use acklab_packet::{Rate, Time};

use crate::Carried;
use crate::queue::counts::{Counts, Totals};
use crate::queue::line::Backlog;
use crate::random::Random;

/// A packet's service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// How long it is.
    pub lasts: Time,
    /// When the packet has arrived, but for propagation; `None`: as the service ends.
    pub arrives: Option<Time>,
}

impl From<Time> for Taken {
    fn from(lasts: Time) -> Taken {
        Taken { lasts, arrives: None }
    }
}

/// What serves one link's packets, one after another.
///
/// Most servers take a packet whenever none is in service. One that [grants](Server::grants) lets packets wait until
/// it is [`ready`](Server::ready), and can take a packet in [parts](Server::reserve).
pub trait Server {
    /// Takes a packet `now`, of which `bytes` are left to send; nothing else is in service.
    fn take(&mut self, bytes: u32, now: Time) -> Taken;
    /// Seconds of service given so far, to packets of `bytes` in all.
    fn busy(&self, bytes: u64) -> f64;
    /// The rate, where it never varies: every packet's service lasts [`Rate::transmission`].
    fn constant(&self) -> Option<Rate> {
        None
    }
    /// Whether packets wait for its grants, though nothing is in service. If not, the three methods that follow are not called.
    fn grants(&self) -> bool {
        false
    }
    /// When it can take a packet while `backlog` waits: `now` or earlier if at once; `None` if only an arrival changes
    /// anything. Called before each change of the queue.
    fn ready(&mut self, _backlog: Backlog, now: Time) -> Option<Time> {
        Some(now)
    }
    /// A packet has come `now`, and `backlog` waits, it included. [`Server::ready`] was called before it came.
    fn arrived(&mut self, _backlog: Backlog, _now: Time) {}
    /// It is ready, and `bytes` of the first packet are left: how many of them it sends `now`. With the last of them it
    /// [takes](Server::take) the packet.
    fn reserve(&mut self, bytes: u32, _now: Time) -> u32 {
        bytes
    }
}

/// The servers of a link, dispatched without `Box<dyn>`.
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
    Cycle(Box<Cycle>),
    /// A program's own.
    Custom(OwnServer),
}

/// Does the same with whichever server it is.
macro_rules! each {
    ($self:expr, $server:ident => $call:expr) => {
        match $self {
            AnyServer::Constant($server) => $call,
            AnyServer::Table($server) => $call,
            AnyServer::Mahimahi($server) => $call,
            AnyServer::TokenBucket($server) => $call,
            AnyServer::Cycle($server) => $call,
            AnyServer::Custom($server) => $call,
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
            Some(VaryingRate::Docsis(spec)) => AnyServer::Cycle(Box::new(Cycle::docsis(spec, random()))),
            Some(VaryingRate::Lte(spec)) => AnyServer::Cycle(Box::new(Cycle::lte(spec, random()))),
            Some(VaryingRate::Nr(spec)) => AnyServer::Cycle(Box::new(Cycle::nr(spec, random()))),
            Some(VaryingRate::Pon(spec)) => AnyServer::Cycle(Box::new(Cycle::pon(spec))),
            Some(VaryingRate::Custom(server)) => AnyServer::Custom(server.clone()),
        }
    }
}

impl Server for AnyServer {
    fn take(&mut self, bytes: u32, now: Time) -> Taken {
        each!(self, server => server.take(bytes, now))
    }

    fn busy(&self, bytes: u64) -> f64 {
        each!(self, server => server.busy(bytes))
    }

    #[inline]
    fn constant(&self) -> Option<Rate> {
        each!(self, server => server.constant())
    }

    #[inline]
    fn grants(&self) -> bool {
        each!(self, server => server.grants())
    }

    fn ready(&mut self, backlog: Backlog, now: Time) -> Option<Time> {
        each!(self, server => server.ready(backlog, now))
    }

    fn arrived(&mut self, backlog: Backlog, now: Time) {
        each!(self, server => server.arrived(backlog, now));
    }

    fn reserve(&mut self, bytes: u32, now: Time) -> u32 {
        each!(self, server => server.reserve(bytes, now))
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
    /// What a port has counted up to `now` of its time on the air.
    fn stats_at(&self, port: u32, now: Time) -> AirStats;
    /// What it has counted as every link does: packets served, queue, waits, removals.
    fn counts(&self, port: u32) -> (Totals, Counts);
}

/// The media, dispatched without `Box<dyn>`.
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
