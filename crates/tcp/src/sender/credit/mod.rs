//! Window credit: what an arriving ACK is worth, in sequence units.
//!
//! A credit rule sees how much the ACK newly covers and answers with how much the window may grow by in slow start, or
//! is credited with in congestion avoidance. To add one: a file here, a variant in [`Credit`] and in
//! [`CreditKind`](crate::rules::CreditKind).

mod ack_counting;
mod rfc5681;

pub use ack_counting::AckCounting;
pub use rfc5681::Rfc5681;

use crate::rules::CreditKind;

/// A rule for what an ACK is worth.
pub trait WindowCredit {
    /// Credit for an ACK that newly covers `acked` units, where a full segment has `mss`.
    fn units(&mut self, acked: f64, mss: f64, slow_start: bool) -> f64;
}

/// The credit rules, dispatched without boxes.
#[derive(Clone, Debug, PartialEq)]
pub enum Credit {
    /// See [`AckCounting`].
    AckCounting(AckCounting),
    /// See [`Rfc5681`].
    Rfc5681(Rfc5681),
}

impl Credit {
    /// The rule a scenario names.
    pub fn new(kind: CreditKind) -> Credit {
        match kind {
            CreditKind::AckCounting => Credit::AckCounting(AckCounting),
            CreditKind::Rfc5681 => Credit::Rfc5681(Rfc5681),
        }
    }
}

impl WindowCredit for Credit {
    #[inline]
    fn units(&mut self, acked: f64, mss: f64, slow_start: bool) -> f64 {
        match self {
            Credit::AckCounting(rule) => rule.units(acked, mss, slow_start),
            Credit::Rfc5681(rule) => rule.units(acked, mss, slow_start),
        }
    }
}
