//! Schedulers: which waiting packet is next (ledger ackfilter.m.sched, smartacking.m.fq).
//!
//! To add one: a variant of [`Scheduler`], and an arm in each of its functions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::waiting::{Handle, Waiting};

/// Which waiting packet is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// The first to come.
    #[default]
    Fifo,
    /// One packet of each connection in turn, whatever its size. A connection that comes back is last in turn.
    RoundRobin,
    /// Plain ACKs before everything else (RFC 3449 section 5.4.2).
    AcksFirst,
}

impl Scheduler {
    /// Whether a packet belongs with those served first (0) or later (1).
    #[inline]
    pub fn class<P: Carried>(self, packet: &P) -> u32 {
        u32::from(self == Scheduler::AcksFirst && packet.plain_ack().is_none())
    }

    /// How many such classes there are.
    pub fn classes(self) -> usize {
        if self == Scheduler::AcksFirst { 2 } else { 1 }
    }

    /// The next packet.
    #[inline]
    pub fn next<P: Carried>(self, waiting: &Waiting<P>) -> Option<Handle> {
        match self {
            Scheduler::Fifo | Scheduler::AcksFirst => waiting.first(),
            Scheduler::RoundRobin => waiting.first_of(waiting.flows().turn()?),
        }
    }
}
