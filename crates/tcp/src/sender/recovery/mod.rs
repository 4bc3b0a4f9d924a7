//! Loss recovery: what is considered lost, and what may be sent now.
//!
//! To add one: a file here, a variant in [`Recovery`] and in [`RecoveryKind`], and its answer to each question that has a `matches!` in
//! `rules/recovery`. It writes no window: it tells `congestion` what happened.

mod duplicates;
mod fack;
mod ff96;
mod frto;
mod newreno;
mod pipe;
mod rack;
mod reno;
mod report;
mod rfc6675;
mod rfc9002;
mod tahoe;
mod tap;
pub(super) mod undo;

pub use fack::Fack;
pub use ff96::Ff96;
pub use newreno::NewReno;
pub use rack::Rack;
pub use reno::Reno;
pub use report::Report;
pub use rfc6675::Rfc6675;
pub use rfc9002::Rfc9002;
pub use tahoe::Tahoe;

use acklab_packet::{Ack, Time};

use super::{Core, SenderWire};
use crate::rules::RecoveryKind;

/// A loss recovery: it reacts to ACKs and to the timer.
pub trait LossRecovery {
    /// Takes in what an ACK up to `snd_max` covers and reports, and finds what is lost. No window falls or grows yet. Returns true
    /// if the ACK shows that the last reduction was spurious. The recovery then has forgotten what it believed lost, and the sender
    /// undoes the reduction.
    fn judge(&mut self, core: &mut Core, ack: &Ack, now: Time) -> bool;

    /// Returns what the ACK just judged shows.
    fn report(&mut self, core: &Core, ack: &Ack) -> Report;

    /// Answers the ACK just judged: grow, recover, send. Returns how many segments may then
    /// leave in order from `snd_nxt`, as the window allows (0: no limit); none if the recovery has sent everything.
    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32>;

    /// Notes what an ACK reports that is no sign of loss.
    fn note_reports(&mut self, _core: &mut Core, _ack: &Ack, _now: Time) {}

    /// Handles the timer, if it is one of the recovery's own. Returns true if it was.
    fn on_early_timer<W: SenderWire>(&mut self, _core: &mut Core, _now: Time, _wire: &mut W) -> bool {
        false
    }

    /// Forgets what a timeout makes void, before the window is reduced.
    fn before_timeout(&mut self, core: &mut Core);

    /// Returns the units that a SACK recovery believes to be in the network, while it is on.
    fn pipe(&self, _core: &Core) -> Option<u64> {
        None
    }

    /// Returns the units believed to be in the network, and the units believed lost and not sent again since.
    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (core.seq.flight_size(), 0)
    }

    /// Sends what may be sent: after a timeout (`snd_nxt` is back at `snd_una`), new data, or a pause of the pacer.
    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        core.send_window(core.rules.max_burst, now, wire);
    }
}

/// The enum that dispatches to every recovery.
macro_rules! recoveries {
    ($($name:ident($kept:ty) from $kind:ident,)+) => {
        /// The recoveries. What keeps more than a flag is boxed.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Recovery { $($name($kept),)+ }

        impl Recovery {
            /// The recovery a scenario names.
            pub fn new(kind: RecoveryKind) -> Recovery {
                match kind { $(RecoveryKind::$kind { .. } => Recovery::$name(<$kept>::default()),)+ }
            }
        }

        /// Calls the same method on whichever recovery it is.
        macro_rules! each {
            ($self:expr, $recovery:ident => $call:expr) => {
                match $self { $(Recovery::$name($recovery) => $call,)+ }
            };
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

impl LossRecovery for Recovery {
    #[inline(always)]
    fn judge(&mut self, core: &mut Core, ack: &Ack, now: Time) -> bool {
        each!(self, recovery => recovery.judge(core, ack, now))
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        each!(self, recovery => recovery.report(core, ack))
    }

    #[inline(always)]
    fn settle<W: SenderWire>(&mut self, core: &mut Core, ack: &Ack, now: Time, wire: &mut W) -> Option<u32> {
        each!(self, recovery => recovery.settle(core, ack, now, wire))
    }

    fn note_reports(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        each!(self, recovery => recovery.note_reports(core, ack, now));
    }

    fn on_early_timer<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        each!(self, recovery => recovery.on_early_timer(core, now, wire))
    }

    fn before_timeout(&mut self, core: &mut Core) {
        each!(self, recovery => recovery.before_timeout(core));
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        each!(self, recovery => recovery.pipe(core))
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        each!(self, recovery => recovery.outstanding(core))
    }

    fn resume<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        each!(self, recovery => recovery.resume(core, now, wire));
    }
}
