//! ACK policies: when a receiver acknowledges.
//!
//! A policy is told of each arriving segment, of each ACK that left, and of its timer; it answers with an
//! [`Emission`]. It sends nothing itself, so the same policy runs inside a receiver and beside one.
//!
//! To add one: a file here with its rule, a line in [`Policy`]'s list below, and its parameters as a variant of
//! [`AckPolicyKind`].

mod daass;
mod delayed;
mod every;

pub use daass::{Daass, Guess};
pub use delayed::Delayed;
pub use every::Every;

use acklab_packet::{Phase, Time};

use crate::rules::AckPolicyKind;

/// A segment as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// In order, and nothing forbids delaying its ACK: it closes no gap, repeats nothing, is no SYN or FIN.
    pub in_order: bool,
    /// After it, something above a gap is still waiting.
    pub gap: bool,
    /// Nothing in it was new.
    pub duplicate: bool,
    /// What is known of the sender's phase.
    pub phase: Phase,
    /// The time.
    pub now: Time,
}

/// What a policy wants sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Emission {
    /// An ACK at once.
    Now,
    /// An ACK at this time at the latest; an earlier deadline stands.
    By(Time),
    /// Nothing for now.
    Nothing,
}

/// A rule for when to acknowledge.
pub trait AckPolicy {
    /// A segment arrived and is reassembled.
    fn on_segment(&mut self, arrival: &Arrival) -> Emission;
    /// The deadline of an earlier [`Emission::By`] has come.
    fn on_timer(&mut self, now: Time) -> Emission;
    /// An ACK left; it covers everything that had arrived.
    fn on_ack_sent(&mut self, now: Time);
}

/// The enum that dispatches to every policy, and how each is made from its parameters.
macro_rules! policies {
    ($($name:ident from $pattern:pat => $make:expr;)+) => {
        /// The policies, dispatched without boxes.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Policy { $($name($name),)+ }

        impl Policy {
            /// The policy a scenario names.
            pub fn new(kind: &AckPolicyKind) -> Policy {
                match *kind { $($pattern => Policy::$name($make),)+ }
            }
        }

        impl AckPolicy for Policy {
            #[inline]
            fn on_segment(&mut self, arrival: &Arrival) -> Emission {
                match self { $(Policy::$name(policy) => policy.on_segment(arrival),)+ }
            }
            #[inline]
            fn on_timer(&mut self, now: Time) -> Emission {
                match self { $(Policy::$name(policy) => policy.on_timer(now),)+ }
            }
            #[inline]
            fn on_ack_sent(&mut self, now: Time) {
                match self { $(Policy::$name(policy) => policy.on_ack_sent(now),)+ }
            }
        }
    };
}

policies! {
    Every from AckPolicyKind::Every {} => Every;
    Delayed from AckPolicyKind::Delayed { timer, segments, heartbeat, phase } => Delayed::new(timer, segments, heartbeat, phase);
    Daass from AckPolicyKind::Daass { phase, timer, segments, window, silence } => Daass::new(phase, timer, segments, window, silence);
}
