//! Congestion control: what credit, round trips and losses do to the window.
//!
//! A control is told of every ACK before it counts ([`CongestionControl::on_ack`]), grows the window for what credit
//! the ACK is worth ([`CongestionControl::grow`]), and says what remains of it when something signals congestion
//! ([`CongestionControl::reduced`]). It sends nothing and decides nothing about what is lost.
//!
//! To add one: a file here, a variant in [`Control`] and in [`ControlKind`].

mod bbr;
mod cubic;
mod hybrid;
mod hystart;
mod reno;
mod vegas;
mod veno;
mod westwood;

pub use bbr::{Bbr, Decision, Repair, Situation};
pub use cubic::{Cubic, CubicRules};
pub use hybrid::Hybrid;
pub use hystart::HyStart;
pub use reno::Reno;
pub use vegas::{Vegas, VegasRules};
pub use veno::{Veno, VenoRules};
pub use westwood::Westwood;

use acklab_packet::{Seq, Time};

use crate::rules::{ControlKind, SlowStart};

/// The window as a control sees and moves it. In sequence units and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// A full segment.
    pub mss: f64,
    /// The receiver's advertised window.
    pub advertised: f64,
    /// Whether a unit is a byte, of which the standard's growth adds whole ones.
    pub bytes: bool,
    /// The time.
    pub now: Time,
    /// Smoothed round-trip time; 0 before the first sample.
    pub srtt: f64,
}

impl Window {
    /// Whether the standard would double the window each round trip.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows as the standard does: slow start below `ssthresh`, else one segment for a window of credit.
    #[inline]
    pub fn grow_by_standard(&mut self, credit: f64) {
        let increment = if self.in_slow_start() { credit } else { credit * self.mss / self.cwnd };
        // Bytes are whole, and at least one (RFC 5681 section 3.1).
        self.cwnd += if self.bytes { increment.floor().max(1.0) } else { increment };
    }
}

/// An ACK of something outstanding, or a repeated one, before it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Where it points.
    pub ack: Seq,
    /// One past the highest unit sent.
    pub snd_max: Seq,
    /// Units it newly acknowledges; 0 for a duplicate.
    pub acked: f64,
    /// Seconds since the newest segment it covers was sent, if that was sent once.
    pub rtt: Option<f64>,
    /// Whether a fast recovery is on.
    pub recovering: bool,
}

/// What signals congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs: fast retransmit begins.
    Loss,
    /// The retransmission timer.
    Timeout,
    /// The echo of a mark (RFC 3168).
    Mark,
    /// None; the connection was idle so long that its window is stale. `ssthresh` stays.
    Idle,
}

/// What remains after a signal; the stack's rules of rounding come on top (`halving`), and after a timeout, or when
/// idle, cwnd is one segment whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduced {
    /// The congestion window.
    pub cwnd: f64,
    /// The threshold.
    pub ssthresh: f64,
}

impl Reduced {
    /// Both the same.
    #[inline]
    pub fn to(units: f64) -> Reduced {
        Reduced { cwnd: units, ssthresh: units }
    }
}

/// What a control that watches delay believes about the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Segments of this flow waiting in the network.
    pub backlog: f64,
    /// Round-trip time without them, in seconds; infinite while unknown.
    pub base_rtt: f64,
}

/// A congestion control algorithm.
pub trait CongestionControl {
    /// An ACK arrives; the window is as before it.
    fn on_ack(&mut self, heard: &Heard, window: &Window);

    /// Moves the window for `credit` units, more than 0; also `ssthresh`, where the algorithm leaves slow start.
    fn grow(&mut self, credit: f64, window: &mut Window);

    /// What remains of a window of which `in_use` was used.
    fn reduced(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced;

    /// For people and plots.
    fn estimate(&self) -> Option<Estimate>;
}

/// Payload bytes of a segment, where nobody says so.
const PAYLOAD: u32 = 1460;

/// The algorithms. Reno has no state; the others keep theirs in a box, so that a sender is no larger for them.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// See [`Reno`].
    Reno(Reno),
    /// See [`Veno`].
    Veno(Box<Veno>),
    /// See [`Cubic`].
    Cubic(Box<Cubic>),
    /// See [`Westwood`].
    Westwood(Box<Westwood>),
    /// See [`Vegas`].
    Vegas(Box<Vegas>),
    /// See [`HyStart`].
    HyStart(Box<HyStart>),
    /// See [`Hybrid`].
    Hybrid(Box<Hybrid>),
    /// See [`Bbr`].
    Bbr(Box<Bbr>),
}

impl Control {
    /// The algorithm a scenario names.
    pub fn new(kind: ControlKind) -> Control {
        match kind {
            ControlKind::Bbr {} => Control::Bbr(Box::new(Bbr::new(PAYLOAD, 0))),
            ControlKind::Reno {} => Control::Reno(Reno),
            ControlKind::Veno { alpha, beta, estimate, first_loss, base_rtt, clock } => {
                let rules = VenoRules { alpha, beta, estimate, first_loss, base_rtt, clock: clock.secs() };
                Control::Veno(Box::new(Veno::new(rules)))
            }
            ControlKind::Cubic { c, beta, fast_convergence, reno_friendly, alpha_rises, seek } => {
                let rules = CubicRules { c, beta, fast_convergence, reno_friendly, alpha_rises, seek };
                Control::Cubic(Box::new(Cubic::new(rules)))
            }
            ControlKind::Westwood { gain } => Control::Westwood(Box::new(Westwood::new(gain))),
            ControlKind::Vegas { alpha, beta, gamma, pace } => {
                Control::Vegas(Box::new(Vegas::new(VegasRules { alpha, beta, gamma, pace })))
            }
        }
    }

    /// The algorithm of a sender: with its rule for the initial slow start, segments of `payload` bytes, and random choices
    /// that begin with `luck`.
    pub fn of_sender(kind: ControlKind, slow_start: SlowStart, payload: u32, luck: u64) -> Control {
        if kind == (ControlKind::Bbr {}) {
            return Control::Bbr(Box::new(Bbr::new(payload, luck)));
        }
        let control = Control::new(kind);
        match slow_start {
            SlowStart::Standard => control,
            SlowStart::HyStartPlusPlus => Control::HyStart(Box::new(HyStart::new(control))),
            SlowStart::HyStart if kind.has_hystart() => Control::Hybrid(Box::new(Hybrid::new(control))),
            SlowStart::HyStart => control,
        }
    }

    /// Whether it wants to hear of ACKs and of each segment's round trip.
    #[inline]
    pub fn listens(&self) -> bool {
        !matches!(self, Control::Reno(_) | Control::Bbr(_))
    }

    /// BBR, which is told of delivery rates instead ([`super::delivery`]), and sets pace and window by them.
    #[inline]
    pub fn bbr(&mut self) -> Option<&mut Bbr> {
        if let Control::Bbr(bbr) = self { Some(bbr) } else { None }
    }

    /// Where its random choices stand; 0 if it makes none.
    pub fn luck(&self) -> u64 {
        if let Control::Bbr(bbr) = self { bbr.luck() } else { 0 }
    }
}

/// Calls the same method on whichever control it is.
macro_rules! each {
    ($self:expr, $control:ident => $call:expr) => {
        match $self {
            Control::Reno($control) => $call,
            Control::Veno($control) => $call,
            Control::Cubic($control) => $call,
            Control::Westwood($control) => $call,
            Control::Vegas($control) => $call,
            Control::HyStart($control) => $call,
            Control::Hybrid($control) => $call,
            Control::Bbr($control) => $call,
        }
    };
}

impl CongestionControl for Control {
    fn on_ack(&mut self, heard: &Heard, window: &Window) {
        each!(self, control => control.on_ack(heard, window));
    }

    #[inline]
    fn grow(&mut self, credit: f64, window: &mut Window) {
        each!(self, control => control.grow(credit, window));
    }

    fn reduced(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        each!(self, control => control.reduced(signal, in_use, window))
    }

    fn estimate(&self) -> Option<Estimate> {
        each!(self, control => control.estimate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of segments at time 0 with a round trip of 100 ms.
    pub fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, mss: 1.0, advertised: 1e6, bytes: false, now: Time::ZERO, srtt: 0.1 }
    }
}
