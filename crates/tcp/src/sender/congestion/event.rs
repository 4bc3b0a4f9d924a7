//! The events that a congestion control processes, and the window that it moves.

use acklab_packet::{Seq, Time};

use super::CaState;
pub use crate::sender::flight::losses::LostSegment;
use crate::sender::flight::rate::RateSample;

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
    /// True if a unit is a byte, of which the standard's growth adds whole ones.
    pub bytes: bool,
    /// The time.
    pub now: Time,
    /// Smoothed round-trip time; 0 before the first sample.
    pub srtt: f64,
}

impl Window {
    /// True if the standard would double the window each round trip.
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

/// The inputs that a control asks for; the sender works out no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Credit and congestion signals alone: no ACK event, no departure. It costs nothing.
    Credit,
    /// An ACK event once an ACK, and credit.
    RoundTrips,
    /// The same with the delivery rate, and each departure. It takes a recovery that reports SACKs and losses
    /// ([`RecoveryKind::reports`](crate::rules::RecoveryKind::reports)).
    Deliveries,
    /// The same with an event for each segment that is found lost. It takes a recovery that judges each segment
    /// ([`RecoveryKind::judges_segments`](crate::rules::RecoveryKind::judges_segments)).
    Losses,
}

/// The declaration of a control beside its needs; it never changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// True if it reads how much is marked, and so needs ECN.
    pub counts_marks: bool,
    /// True if its segments are ECT(1): it expects many marks, and answers each a little (RFC 9331).
    pub expects_many_marks: bool,
    /// True if no reduction goes around what it leaves after a loss or a mark: Linux keeps controls that have a `cong_control` from
    /// proportional rate reduction (net/ipv4/tcp_input.c).
    pub reduces_alone: bool,
    /// True if it draws random numbers.
    pub draws: bool,
    /// True if it has the slow start of its rule `slow_start` itself.
    pub ends_slow_start: bool,
}

/// A segment with data leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// True if nothing was outstanding before it.
    pub idle: bool,
    /// True if the application, and not the window, has limited what was sent.
    pub app_limited: bool,
    /// Least round trip of the connection, in seconds; infinite before the first.
    pub min_rtt: f64,
}

/// An ACK of something outstanding, or a repeated one. A control gets it once, after the recovery has judged the ACK and
/// before the ACK, a mark or a loss moves the window. In sequence units and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckEvent {
    /// Its cumulative number.
    pub ack: Seq,
    /// One past the highest unit sent.
    pub snd_max: Seq,
    /// Units that its cumulative number newly covers; 0 for a duplicate.
    pub acked: f64,
    /// Units that it covers or reports (SACK) for the first time.
    pub newly_delivered: f64,
    /// Those of them that it reports above its cumulative number.
    pub newly_sacked: f64,
    /// Units that the recovery finds lost by it, or has found by a timer since the ACK before it; those of a timeout apart.
    pub newly_lost: f64,
    /// Units that it delivers with a congestion mark (CE). An echo (ECE) counts all that its ACK delivers, which is exact where
    /// each mark is echoed (`echo_each_mark`).
    pub ce_count: f64,
    /// Units believed to be in the network after it, before anything is sent. Without SACK, all that is outstanding.
    pub in_flight: f64,
    /// Seconds since the newest segment it covers was sent, if that was sent once.
    pub rtt: Option<f64>,
    /// Congestion state in which the ACK finds the sender.
    pub state: CaState,
    /// Congestion state to which its acknowledgments and losses lead; a mark that it echoes may add to that.
    pub next_state: CaState,
    /// True if the window has stopped the sender at some time in the last round trip, for a control that needs
    /// [losses](Needs::Losses).
    pub cwnd_limited: bool,
    /// The delivery rate, for a control that [needs](Needs::Deliveries) it.
    pub rate: Option<RateSample>,
}

impl AckEvent {
    /// True if the ACK finds a fast recovery on.
    pub fn in_recovery(&self) -> bool {
        self.state == CaState::Recovery
    }
}

/// A signal of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Fast retransmit begins.
    Loss,
    /// The retransmission timer.
    Timeout,
    /// The echo of a mark (RFC 3168).
    Mark,
    /// None; the connection was idle so long that its window is stale. `ssthresh` stays.
    Idle,
}

/// The window after a signal; the stack's rules of rounding come on top (`halving`), and after a timeout, or when
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

/// A control's estimate of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Segments of this flow waiting in the network.
    pub backlog: f64,
    /// Round-trip time without them, in seconds; infinite while unknown.
    pub base_rtt: f64,
}

/// A mode of a control that cycles through some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Looks for the bandwidth by doubling.
    #[default]
    Startup,
    /// Lets go what start-up queued.
    Drain,
    /// Probes for bandwidth in a cycle of gains.
    ProbeBw,
    /// Such a cycle in named phases: below the bandwidth.
    ProbeDown,
    /// At the bandwidth.
    ProbeCruise,
    /// At the bandwidth, to fill the path before more is tried.
    ProbeRefill,
    /// Above the bandwidth.
    ProbeUp,
    /// Holds the window down, to find the least round trip.
    ProbeRtt,
}

/// The state of a control that goes by a model of the path, for people and plots. In segments and seconds; infinite is no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelView {
    /// Its mode.
    pub mode: Mode,
    /// Segments a second by which it goes.
    pub bandwidth: f64,
    /// Segments a second of the largest rate that it remembers.
    pub max_bandwidth: f64,
    /// Segments a second that may leave.
    pub pacing: f64,
    /// Segments that losses of earlier probes allow in flight.
    pub inflight_longterm: f64,
    /// Segments that recent losses allow in flight.
    pub inflight_shortterm: f64,
}
