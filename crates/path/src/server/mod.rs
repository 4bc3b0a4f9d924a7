//! Servers: what takes packets into service, and for how long.
//!
//! A link alone has a [`Server`], which says when it can take a packet and how long the packet is in service. Links that share
//! a medium have one server with a queue a station, which decides later whose turn it is ([`Dcf`]).
//!
//! To add a server: a file here with its parameters ([`ServerParams`]) and the server, its `mod` and `pub use`, and its line in
//! `servers!` below. A program's own needs neither ([`VaryingRate::Custom`]).

mod constant;
mod custom;
mod dcf;
mod grants;
mod mahimahi;
mod spec;
mod table;
pub(crate) mod token_bucket;

pub use constant::Constant;
pub use custom::OwnServer;
pub use dcf::{AirStats, Dcf, DcfParams, DcfSpec, Fate, Frame, Phy, Preamble};
pub use grants::{Cycle, DocsisSpec, LteSpec, NrSpec, PonSpec, Requests};
pub use mahimahi::{Mahimahi, MahimahiSpec};
pub use spec::{RateSpec, ServerParams, check_rate};
pub use table::{Step, Table, TableSpec};
pub use token_bucket::{Bucket, TokenBucket, TokenBucketSpec};

use std::fmt::Debug;

use acklab_packet::{Rate, Time};
use dyn_clone::DynClone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::queue::line::Backlog;
use crate::random::Random;
use crate::values::kinds;

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

/// What serves one link's packets, one after another. Its rate, if it never varies, and whether it grants are asked once.
///
/// Most servers take a packet whenever none is in service. One that [grants](Server::grants) lets packets wait until
/// it is [`ready`](Server::ready), and can take a packet in [parts](Server::reserve).
pub trait Server: Debug + Send + Sync + DynClone {
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

dyn_clone::clone_trait_object!(Server);

/// Declares the servers of rates that vary: how a scenario writes them, in this order, and how each is made.
macro_rules! servers {
    ($($name:ident($params:ident) => $server:ident::$make:ident)+) => {
        kinds! {
            /// A rate that varies.
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[schemars(extend("neutral" = { "by": "mean" }))]
            pub enum VaryingRate as ServerParams { $($name($params),)+ } or OwnServer
        }

        /// Returns a server whose rate varies, or is always `rate`; `random` is its stream, if it draws.
        pub(crate) fn server(
            rate: Rate,
            varying: Option<&VaryingRate>,
            random: impl FnOnce() -> Random,
        ) -> Box<dyn Server> {
            match varying {
                None => Box::new(Constant(rate)),
                $(Some(VaryingRate::$name(params)) => Box::new($server::$make(params, random)),)+
                Some(VaryingRate::Custom(own)) => own.server.clone().0,
            }
        }
    };
}

servers! {
    Table(TableSpec) => Table::new
    Mahimahi(MahimahiSpec) => Mahimahi::new
    TokenBucket(TokenBucketSpec) => TokenBucket::new
    Docsis(DocsisSpec) => Cycle::docsis
    Lte(LteSpec) => Cycle::lte
    Nr(NrSpec) => Cycle::nr
    Pon(PonSpec) => Cycle::pon
}
