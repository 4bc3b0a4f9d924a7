//! What is said of a receiver's policy, and what it is read from.

use crate::timer::Timer;
use crate::vantage::Vantage;

/// What the ACKs of one direction amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// What shows it, or why it is undecided, in a word; empty where the name says it.
    pub why: &'static str,
    /// Its evidence: so many of so many ACKs, mostly.
    pub evidence: (u64, u64),
    /// Segments an ACK waits for, where it is a fixed number.
    pub every: Option<u64>,
    /// Seconds after which a lone segment is acknowledged all the same, where that was seen.
    pub timer: Option<Timer>,
    /// Seconds from ACK to ACK of a periodic one.
    pub period: Option<f64>,
}

impl Policy {
    /// Returns one that names no number of segments.
    pub fn new(name: &'static str, why: &'static str, evidence: (u64, u64)) -> Policy {
        Policy { name, why, evidence, every: None, timer: None, period: None }
    }
}

/// Every [`Policy::name`].
pub const NAMES: [&str; 11] = [
    "every",
    "delayed",
    "quick-then-delayed",
    "by-phase",
    "periodic",
    "varying",
    "divided",
    "spoofed",
    "optimistic",
    "thinned",
    "undecided",
];

/// What is known of the capture that a policy is read from.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub place: Vantage,
    /// Packets of the connection that passed twice, the same in everything.
    pub copies: u64,
    /// Jumps between two series of sequence numbers, if there are two.
    pub two_series: Option<u64>,
    /// Seconds of a tick of the clock, if that is coarse; otherwise 0.
    pub tick: f64,
}
