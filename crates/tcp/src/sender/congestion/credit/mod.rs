//! Window credit: what an arriving ACK is worth, in sequence units.
//!
//! A credit rule sees how much the ACK newly covers and answers with how much the window may grow by in slow start, or
//! is credited with in congestion avoidance. To add one: a file here, a variant in [`Credit`], and its parameters as a
//! variant of [`CreditKind`].

mod abc;
mod ack_counting;
mod byte_counting;
mod counter;
mod full_segments;
mod rfc5681;
mod segment_counter;

pub use abc::Abc;
pub use ack_counting::AckCounting;
pub use byte_counting::ByteCounting;
pub use counter::Counter;
pub use full_segments::FullSegments;
pub use rfc5681::Rfc5681;
pub use segment_counter::SegmentCounter;

use crate::rules::{CreditKind, SenderRules};

/// An ACK of new data as a credit rule sees it. All in sequence units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Covered {
    /// Units that the ACK newly covers.
    pub acked: f64,
    /// A full segment.
    pub mss: f64,
    /// The window before the ACK.
    pub cwnd: f64,
    /// True if that is below `ssthresh`.
    pub slow_start: bool,
    /// True if the ACK covers data that was outstanding when the timer last ran out.
    pub after_timeout: bool,
    /// True if nothing is outstanding any more, so that the last segment covered may have been a small one.
    pub all: bool,
}

/// Worth of an ACK, in sequence units: a first part, then the rest in equal parts; each part grows the window by
/// the law that holds when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The first part.
    pub first: f64,
    /// Each later part.
    pub then: f64,
    /// Number of later parts.
    pub times: u32,
}

impl Worth {
    /// All in one piece.
    #[inline]
    pub fn whole(units: f64) -> Worth {
        Worth { first: units, then: 0.0, times: 0 }
    }
}

/// A rule for what an ACK is worth.
pub trait WindowCredit {
    /// The credit for an ACK of new data.
    fn worth(&mut self, ack: &Covered) -> Worth;
    /// The timer ran out: partial credit is void.
    fn on_timeout(&mut self);
    /// A fast recovery begins.
    fn on_reduction(&mut self) {}
}

/// The enum that dispatches to every rule.
macro_rules! credits {
    ($($name:ident($kept:ty),)+) => {
        /// The credit rules. What keeps more than a number or two is boxed, so that a sender is no larger for it.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Credit { $($name($kept),)+ }

        /// Calls the same method on whichever rule it is.
        macro_rules! each {
            ($self:expr, $rule:ident => $call:expr) => {
                match $self { $(Credit::$name($rule) => $call,)+ }
            };
        }
    };
}

credits! {
    AckCounting(AckCounting),
    Rfc5681(Rfc5681),
    ByteCounting(ByteCounting),
    Abc(Box<Abc>),
    FullSegments(FullSegments),
    Counter(Counter),
    SegmentCounter(Box<SegmentCounter>),
}

impl Credit {
    /// The rule a scenario names.
    pub fn new(rules: &SenderRules) -> Credit {
        match rules.credit {
            CreditKind::AckCounting {} => Credit::AckCounting(AckCounting),
            CreditKind::Rfc5681 {} => Credit::Rfc5681(Rfc5681),
            CreditKind::Ubc { growth } => Credit::ByteCounting(ByteCounting { limit: f64::INFINITY, growth }),
            CreditKind::Lbc { limit, growth } => Credit::ByteCounting(ByteCounting { limit, growth }),
            CreditKind::Abc { limit } => Credit::Abc(Box::new(Abc::new(limit, 1.0))),
            CreditKind::Sabc { limit } => Credit::Abc(Box::new(Abc::new(limit, limit))),
            CreditKind::FullSegments {} => Credit::FullSegments(FullSegments::default()),
            CreditKind::Counter {} => Credit::Counter(Counter::default()),
            CreditKind::SegmentCounter {} if rules.counts_segments() => Credit::FullSegments(FullSegments::default()),
            CreditKind::SegmentCounter {} => Credit::SegmentCounter(Box::default()),
        }
    }
}

impl WindowCredit for Credit {
    // Part of each ACK's path.
    #[inline(always)]
    fn worth(&mut self, ack: &Covered) -> Worth {
        each!(self, rule => rule.worth(ack))
    }

    fn on_timeout(&mut self) {
        each!(self, rule => rule.on_timeout());
    }

    fn on_reduction(&mut self) {
        each!(self, rule => rule.on_reduction());
    }
}
