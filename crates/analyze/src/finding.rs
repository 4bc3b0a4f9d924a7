//! What is said of a receiver's policy, and what it is read from.

use crate::timer::Timer;
use crate::vantage::Vantage;

/// What the ACKs of one direction amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// A word for programs: one of [`NAMES`].
    pub name: &'static str,
    /// Segments an ACK waits for, where it is a fixed number.
    pub every: Option<u64>,
    /// Seconds after which a lone segment is acknowledged all the same, where that was seen.
    pub timer: Option<Timer>,
    /// A sentence or two for people.
    pub words: String,
    /// A path that loses or filters ACKs may have made it.
    pub thinnable: bool,
}

impl Policy {
    /// One that names no number of segments.
    pub fn without_number(name: &'static str, words: String) -> Policy {
        Policy { name, every: None, timer: None, words, thinnable: false }
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
