//! Loss recovery: what is considered lost, and what may be sent now.
//!
//! A recovery owns its state. Of the sender it gets a [`View`], in which it marks what is lost and changes nothing else; it answers
//! with values ([`Finding`], [`Counts`], [`Answer`], [`Next`]), which the sender applies (`answers.rs`, `congestion`).
//!
//! To add one: a file here, a variant in [`Recovery`] and in [`RecoveryKind`], and its answer to each question of
//! `rules/recovery`, whose `matches!` and `_` arms stay silent.

mod answer;
mod duplicates;
mod fack;
mod ff96;
mod frto;
mod newreno;
mod rack;
mod reno;
mod report;
mod rfc6675;
mod rfc9002;
mod tahoe;

pub(super) use answer::{
    Answer, Before, Begin, Counts, Data, Deflation, Event, Finding, Inflation, Next, Sends, Timers, Voids,
};
pub(super) use fack::Fack;
pub(super) use ff96::Ff96;
pub(super) use newreno::NewReno;
pub(super) use rack::Rack;
pub(super) use reno::Reno;
pub(super) use report::Report;
pub(super) use rfc6675::Rfc6675;
pub(super) use rfc9002::Rfc9002;
pub(super) use tahoe::Tahoe;

use std::borrow::{Borrow, BorrowMut};
use std::ops::{Deref, DerefMut};

use acklab_packet::{Ack, Time};

use super::congestion::prr::Follow;
use super::congestion::undo::Sign;
use super::{Core, View};
use crate::rules::RecoveryKind;

/// A loss recovery: it reacts to ACKs and to the timer.
///
/// An ACK passes `judge`, `find_losses`, `report` (if a control reads it), `count` and `react`, in this order; then segments leave as
/// `next` says.
pub(super) trait LossRecovery {
    /// Takes in what an ACK up to `snd_max` covers and reports. `sign`: what it shows of the last reduction.
    fn judge(&mut self, _: &mut View, _: &Ack, _: Sign, _: Time) -> Finding {
        Finding::default()
    }

    /// Finds what is lost, once the round trip that the ACK gave has counted.
    fn find_losses(&mut self, _: &mut View, _: &Ack, _: Time) {}

    /// Returns what the ACK just judged shows.
    fn report(&mut self, core: &Core, ack: &Ack) -> Report;

    /// Returns how the ACK just judged counts.
    fn count(&mut self, core: &Core, ack: &Ack, now: Time) -> Counts;

    /// Returns what the ACK calls for, once it has counted as `data`; `acked` units may grow the window.
    fn react(&mut self, core: &mut View, ack: &Ack, data: Data, acked: u64, now: Time) -> Answer;

    /// Notes what an ACK reports that is no sign of loss.
    fn note_reports(&mut self, _: &mut View, _: &Ack, _: Time) {}

    /// Answers the timer, if it is one of the recovery's own.
    fn on_early_timer(&mut self, _: &mut View, _: Time) -> Option<Answer> {
        None
    }

    /// Forgets what a timeout makes void, before the window is reduced. Returns what else is void.
    fn before_timeout(&mut self, core: &Core) -> Voids;

    /// Returns what may be sent: after a timeout (`snd_nxt` is back at `snd_una`), new data, or a pause of the pacer.
    fn resume(&mut self, core: &mut View, _now: Time) -> Answer {
        Answer::send(Sends::Window(core.rules.max_burst))
    }

    /// Returns the next segment, if the window has room for it and there is one.
    fn next(&mut self, _: &mut View) -> Option<Next> {
        None
    }

    /// Notes that it has left.
    fn sent(&mut self, _: &Core, _: &Next) {}

    /// Returns the next of the probes that a timer of its own sends, whatever the window says.
    fn probe(&mut self, _: &mut View, _: Time) -> Option<Next> {
        None
    }

    /// Notes whether new data was sent to find out about a timeout.
    fn asked(&mut self, _: bool) {}

    /// Returns the units that a SACK recovery believes to be in the network, while it is on.
    fn pipe(&self, _: &Core) -> Option<u64> {
        None
    }

    /// Returns the units believed to be in the network, and the units believed lost and not sent again since.
    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (core.seq.flight_size(), 0)
    }

    /// True if it has timers of its own, which share the wire's one.
    fn has_timers(&self) -> bool {
        false
    }

    /// Sets its own timers. Returns when the first is due.
    fn set_timers(&mut self, _: &Core, _: Timers, _: Time) -> Option<Time> {
        None
    }
}

/// The enum of all recoveries.
macro_rules! recoveries {
    ($($name:ident($kept:ty) from $kind:ident,)+) => {
        /// The recoveries. What keeps more than a flag is boxed.
        #[derive(Clone, Debug)]
        pub(super) enum Recovery { $($name($kept),)+ }

        impl Recovery {
            /// The recovery a scenario names.
            pub fn new(kind: RecoveryKind) -> Recovery {
                match kind { $(RecoveryKind::$kind { .. } => Recovery::$name(<$kept>::default()),)+ }
            }
        }

        /// Evaluates an expression with whichever recovery it is.
        macro_rules! each {
            ($recovery:expr, $it:ident => $call:expr) => {
                match $recovery {
                    $(Recovery::$name($it) => {
                        let $it: &mut $crate::sender::recovery::$name = std::borrow::BorrowMut::borrow_mut($it);
                        $call
                    })+
                }
            };
        }
        pub(super) use each;

        impl Deref for Recovery {
            type Target = dyn LossRecovery;

            fn deref(&self) -> &Self::Target {
                match self { $(Recovery::$name(recovery) => Borrow::<$name>::borrow(recovery),)+ }
            }
        }

        impl DerefMut for Recovery {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self { $(Recovery::$name(recovery) => BorrowMut::<$name>::borrow_mut(recovery),)+ }
            }
        }
    };
}

recoveries! {
    Tahoe(Tahoe) from Tahoe,
    Reno(Reno) from Reno,
    NewReno(NewReno) from Newreno,
    Ff96(Box<Ff96>) from Sack,
    Rfc6675(Box<Rfc6675>) from Rfc6675,
    Fack(Box<Fack>) from Fack,
    Rack(Box<Rack>) from Rack,
    Rfc9002(Box<Rfc9002>) from Rfc9002,
}
