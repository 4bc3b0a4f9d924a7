//! Congestion control: what credit, round trips, deliveries and congestion do to the window.
//!
//! A control moves `cwnd` and `ssthresh` of the [`Window`] it is handed, and may set a pace. It sends nothing and does not
//! decide what is lost. It declares in [`CongestionControl::needs`] which inputs it needs.
//!
//! To add one: a file here, `mod` and a line in the list of [`Control`] below, and its parameters as a variant of
//! [`ControlKind`]. A program's own control needs neither ([`Control::Custom`]).

mod bbr;
mod bbr3;
mod cubic;
mod dctcp;
mod fit;
mod fixed;
mod linux;
mod prague;
mod reno;
mod vegas;
mod veno;
mod westwood;
mod windowed_max;

pub use super::event::{
    AckEvent, Departure, Estimate, LostSegment, Mode, ModelView, Needs, Reduced, Signal, Traits, Window,
};
pub use cubic::CubicRules;
pub use fit::misfits;
pub use prague::PragueRules;
pub use vegas::VegasRules;
pub use veno::VenoRules;

use std::fmt::Debug;

use crate::rules::{ControlKind, Controls, CubicSlowStart, SenderRules};

/// A congestion control algorithm.
pub trait CongestionControl: Debug + Send + Sync + dyn_clone::DynClone {
    /// Which inputs it needs. The answer never changes.
    fn needs(&self) -> Needs;

    /// Returns the rest of its declaration, which never changes.
    fn traits(&self) -> Traits {
        Traits::default()
    }

    /// True if no recovery and no idle time moves `cwnd`, and no credit grows it, as with the kernel's `cong_control`. The
    /// answer never changes. It takes a recovery that reports losses
    /// ([`RecoveryKind::reports`](crate::rules::RecoveryKind::reports)). Only a timeout reduces `cwnd`, to what is in flight and one segment.
    fn owns_window(&self) -> bool {
        false
    }

    /// An ACK arrives; for a control that needs round trips or deliveries.
    fn on_ack(&mut self, _ack: &AckEvent, _window: &mut Window) {}

    /// A segment is found lost; for a control that needs losses. Those that an ACK shows come before its event, all others at once.
    fn on_lost(&mut self, _lost: &LostSegment, _window: &mut Window) {}

    /// Moves the window for `credit` units, more than 0; also `ssthresh`, where the algorithm leaves slow start.
    #[inline]
    fn grow(&mut self, credit: f64, window: &mut Window) {
        window.grow_by_standard(credit);
    }

    /// A segment with data leaves, for a control that needs deliveries; with round trips, one that leaves when nothing was
    /// outstanding.
    fn on_sent(&mut self, _departure: &Departure, _window: &mut Window) {}

    /// The recovery finds nothing missing and nothing sent again on its way (`open`), or no longer so.
    fn on_open(&mut self, _open: bool) {}

    /// A reduction is complete: cwnd has come down to ssthresh.
    fn on_complete(&mut self, _window: &mut Window) {}

    /// Something signals congestion: what remains of a window of which `in_use` was used.
    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced;

    /// The last reduction turns out to have been spurious. `before` is the window before it, which is restored.
    fn undo(&mut self, before: Reduced, window: &mut Window) {
        window.cwnd = window.cwnd.max(before.cwnd);
        window.ssthresh = window.ssthresh.max(before.ssthresh);
    }

    /// Its estimate of the share of marked segments, 0 to 1; none where it has none.
    fn marked_share(&self) -> Option<f64> {
        None
    }

    /// Segments a second that may leave; none where it sets no pace. Asked only of a control that needs
    /// [`Needs::Deliveries`] or more.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// Segments that leave at once, before the pace makes the next ones wait; at least 1.
    fn send_quantum(&self) -> u32 {
        1
    }

    /// True if it holds the window down by itself, so that rates measured now do not show what the path carries.
    fn limits_itself(&self) -> bool {
        false
    }

    /// Its estimate of the path, for people and plots.
    fn estimate(&self) -> Option<Estimate> {
        None
    }

    /// Its model of the path, for people and plots.
    fn model(&self) -> Option<ModelView> {
        None
    }

    /// State of its random numbers; 0 if it draws none.
    fn seed(&self) -> u64 {
        0
    }
}

dyn_clone::clone_trait_object!(CongestionControl);

/// The enum that dispatches to every control, and how each is made from its parameters.
macro_rules! controls {
    (
        ($payload:ident, $seed:ident): { $($name:ident($kept:ty) from $pattern:pat => $make:expr;)+ }
        linux ($ticks:ident, $slow_start:ident, $whole:ident):
            { $($linux:ident($state:ty) from $published:pat $(if $fits:ident)? => $turn:expr;)+ }
    ) => {
        /// The algorithms. Reno has no state. The others keep theirs in a `Box`, so that they do not enlarge a sender.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Control {
            $($name($kept),)+
            $($linux($state),)+
            /// A program's own.
            Custom(Box<dyn CongestionControl>),
        }

        impl Control {
            /// The algorithm that a scenario names, for segments of `payload` bytes; random choices begin with `seed`.
            #[allow(unused_variables)]
            pub fn new(kind: ControlKind, $payload: u32, $seed: u64) -> Control {
                match kind {
                    $($pattern => Control::$name($make),)+
                    // A stand-in for what the program supplies; a run does not begin without that.
                    ControlKind::Python { .. } => Control::Reno(reno::Reno),
                }
            }

            /// The algorithm in Linux's form, if there is one for these rules.
            fn in_linux_form(self, $ticks: linux::Ticks, $slow_start: CubicSlowStart, $whole: bool) -> Control {
                match self {
                    $($published $(if $fits)? => Control::$linux(Box::new($turn)),)+
                    control => control,
                }
            }
        }

        /// Calls the same method on whichever control it is.
        macro_rules! each {
            ($self:expr, $control:ident => $call:expr) => {
                match $self {
                    $(Control::$name($control) => $call,)+
                    $(Control::$linux($control) => $call,)+
                    Control::Custom($control) => $call,
                }
            };
        }
    };
}

controls! { (payload, seed): {
    Reno(reno::Reno) from ControlKind::Reno { .. } => reno::Reno;
    Veno(Box<veno::Veno>) from ControlKind::Veno { alpha, beta, estimate, first_loss, base_rtt, clock, .. } =>
        Box::new(veno::Veno::new(VenoRules { alpha, beta, estimate, first_loss, base_rtt, clock: clock.secs() }));
    Cubic(Box<cubic::Cubic>) from ControlKind::Cubic { c, beta, fast_convergence, reno_friendly, alpha_rises, alpha, seek, .. } =>
        Box::new(cubic::Cubic::new(CubicRules { c, beta, fast_convergence, reno_friendly, alpha_rises, alpha, seek }));
    Westwood(Box<westwood::Westwood>) from ControlKind::Westwood { gain, .. } => Box::new(westwood::Westwood::new(gain));
    Vegas(Box<vegas::Vegas>) from ControlKind::Vegas { alpha, beta, gamma, pace } =>
        Box::new(vegas::Vegas::new(VegasRules { alpha, beta, gamma, pace }));
    Dctcp(Box<dctcp::Dctcp>) from ControlKind::Dctcp { gain, .. } => Box::new(dctcp::Dctcp::new(gain));
    Fixed(Box<fixed::Fixed>) from ControlKind::Fixed { gain } => Box::new(fixed::Fixed::new(gain));
    Prague(Box<prague::Prague>) from ControlKind::Prague { gain, least_rtt } =>
        Box::new(prague::Prague::new(PragueRules { gain, least_rtt: least_rtt.secs() }));
    Bbr(Box<bbr::Bbr>) from ControlKind::Bbr {} => Box::new(bbr::Bbr::new(payload, seed));
    Bbr3(Box<bbr3::Bbr3>) from ControlKind::Bbr3 {} => Box::new(bbr3::Bbr3::new(payload, seed));
} linux (ticks, slow_start, whole): {
    LinuxCubic(Box<linux::Cubic>) from Control::Cubic(cubic) =>
        linux::Cubic::new(cubic.rules(), slow_start == CubicSlowStart::HyStart, ticks);
    LinuxDctcp(Box<linux::Dctcp>) from Control::Dctcp(dctcp) if whole => linux::Dctcp::new(dctcp.gain());
    LinuxReno(Box<linux::Reno>) from Control::Reno(_) if whole => linux::Reno::default();
    LinuxVegas(Box<linux::Vegas>) from Control::Vegas(vegas) => linux::Vegas::new(vegas.rules());
    LinuxVeno(Box<linux::Veno>) from Control::Veno(veno) => linux::Veno::new(veno.beta());
    LinuxWestwood(Box<linux::Westwood>) from Control::Westwood(_) => linux::Westwood::new(ticks);
} }

impl ControlKind {
    /// Returns the declaration of the algorithm.
    pub fn traits(&self) -> Traits {
        Control::new(self.clone(), 1460, 0).traits()
    }
}

impl Control {
    /// Returns the algorithm in the form that the rules name.
    pub(in crate::sender) fn of(rules: &SenderRules, payload: u32, seed: u64) -> Control {
        let control = Control::new(rules.control.clone(), payload, seed);
        if rules.controls != Controls::Linux {
            return control;
        }
        let ticks = linux::Ticks::new(rules.recovery.ticks());
        control.in_linux_form(ticks, rules.control.slow_start(), rules.counts_segments())
    }
}

impl CongestionControl for Control {
    #[inline]
    fn needs(&self) -> Needs {
        each!(self, control => control.needs())
    }

    fn traits(&self) -> Traits {
        each!(self, control => control.traits())
    }

    fn owns_window(&self) -> bool {
        each!(self, control => control.owns_window())
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        each!(self, control => control.on_ack(ack, window));
    }

    fn on_lost(&mut self, lost: &LostSegment, window: &mut Window) {
        each!(self, control => control.on_lost(lost, window));
    }

    #[inline]
    fn grow(&mut self, credit: f64, window: &mut Window) {
        each!(self, control => control.grow(credit, window));
    }

    fn on_sent(&mut self, departure: &Departure, window: &mut Window) {
        each!(self, control => control.on_sent(departure, window));
    }

    fn on_open(&mut self, open: bool) {
        each!(self, control => control.on_open(open));
    }

    fn on_complete(&mut self, window: &mut Window) {
        each!(self, control => control.on_complete(window));
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        each!(self, control => control.on_congestion(signal, in_use, window))
    }

    fn undo(&mut self, before: Reduced, window: &mut Window) {
        each!(self, control => control.undo(before, window));
    }

    fn marked_share(&self) -> Option<f64> {
        each!(self, control => control.marked_share())
    }

    fn pacing_rate(&self) -> Option<f64> {
        each!(self, control => control.pacing_rate())
    }

    fn send_quantum(&self) -> u32 {
        each!(self, control => control.send_quantum())
    }

    fn limits_itself(&self) -> bool {
        each!(self, control => control.limits_itself())
    }

    fn estimate(&self) -> Option<Estimate> {
        each!(self, control => control.estimate())
    }

    fn model(&self) -> Option<ModelView> {
        each!(self, control => control.model())
    }

    fn seed(&self) -> u64 {
        each!(self, control => control.seed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_packet::{Seq, Time};

    /// A window of segments at time 0 with a round trip of 100 ms.
    pub fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, mss: 1.0, advertised: 1e6, bytes: false, now: Time::ZERO, srtt: 0.1 }
    }

    /// An ACK of one segment outside a recovery, which took `rtt`.
    pub fn event(ack: Seq, snd_max: Seq, rtt: Option<f64>) -> AckEvent {
        AckEvent { ack, snd_max, acked: 1.0, newly_delivered: 1.0, rtt, ..AckEvent::default() }
    }
}
