//! Loss recoveries and their parameters.

mod choices;

use acklab_packet::Time;

use super::variants::variants;
pub use choices::*;

variants! {
    /// Loss recovery: how a sender finds and repairs losses.
    RecoveryKind (Copy) by "kind" {
        /// Fast retransmit, then slow start (Jacobson 1988).
        Tahoe = "tahoe" {}
        /// Fast recovery that ends with the first ACK of new data (RFC 2581).
        Reno = "reno" {
            /// Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno).
            inflate_when_blocked: bool = false,
            /// Whether inflation is limited to what was outstanding when recovery began, as a defence against spoofed ACKs.
            inflation_limit: bool = false,
        }
        /// Fast recovery that lasts until `recover` is acknowledged (RFC 6582).
        Newreno = "newreno" {
            /// Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno).
            inflate_when_blocked: bool = false,
            /// Whether inflation is limited to what was outstanding when recovery began, as a defence against spoofed ACKs.
            inflation_limit: bool = false,
            /// Which partial ACKs restart the retransmission timer.
            partial_ack_timer: PartialAckTimer = PartialAckTimer::First,
            /// Whether a partial ACK deflates the window (RFC 6582 section 3.2 step 3).
            partial_deflation: bool = true,
        }
        /// SACK with a `pipe` count (Fall and Floyd 1996).
        Sack = "sack" {
            /// What a partial ACK does.
            partial: SackPartial = SackPartial::PipeTwice,
        }
        /// SACK with a computed pipe (RFC 6675).
        Rfc6675 = "rfc6675" {
            /// How the window falls to ssthresh.
            window: RecoveryWindow = RecoveryWindow::AtOnce,
            /// Which evidence undoes a spurious reduction.
            undo: Undo = Undo::Off,
            /// How a timeout is tested for being spurious.
            frto: Frto = Frto::Off,
        }
        /// SACK with forward acknowledgment, which detects lost retransmissions (Mathis and Mahdavi 1996; Linux before RACK).
        Fack = "fack" {
            /// How the window falls to ssthresh.
            window: FackWindow = FackWindow::AtOnce,
            /// Which evidence undoes a spurious reduction.
            undo: Undo = Undo::Off,
            /// Whether duplicate ACKs restart the retransmission timer, as in ns-2's TCP/Linux. RFC 6298 restarts it for new data only.
            duplicates_restart_timer: bool = false,
        }
        /// RACK-TLP: losses found by time, and probes for lost tails (RFC 8985).
        Rack = "rack" {
            /// How the window falls to ssthresh. If left out, at once with `control = "prague"`.
            window: RecoveryWindow = RecoveryWindow::AtOnce,
            /// Which evidence undoes a spurious reduction.
            undo: Undo = Undo::Off,
            /// How a timeout is tested for being spurious.
            frto: Frto = Frto::Off,
            /// How reordering is measured, and what follows from it.
            reordering: Reordering = Reordering::Rfc8985,
            /// When it looks for losses, and what a found one means.
            search: LossSearch = LossSearch::EachAck,
            /// What the evidence for `undo` is compared with.
            undo_evidence: UndoEvidence = UndoEvidence::Reduction,
            /// How a congestion mark reduces the window. If left out, at once with `control = "prague"`.
            marks: Marks = Marks::AtOnce,
            /// Which segments give round trips.
            rtt_samples: RttSamples = RttSamples::Segments,
            /// Which losses begin a recovery.
            loss_counts: LossCounts = LossCounts::Unsent,
            /// cwnd after a timeout.
            timeout_cwnd: TimeoutCwnd = TimeoutCwnd::OneSegment,
            /// When a probe of the tail may leave.
            probe: TailProbe = TailProbe::Rfc8985,
            /// The host's tick (1/HZ), by which its three timers are set, as in Linux; 0s sets them exactly, as in RFC 8985. The RTO of
            /// `rtt_filter = "linux"` is a whole number of ticks, and the controls of `controls = "linux"` read the time in ticks.
            tick: Time = Time::ZERO,
            /// Phase of that tick, and of `timestamp_unit`: the host's age at time 0.
            phase: Time = Time::ZERO,
            /// Time by which the reordering timer and a probe are set later (Linux's `TCP_TIMEOUT_MIN`).
            timer_margin: Time = Time::ZERO,
            /// Unit of the timestamps in the comparisons of echoes and send times; 0s compares exact times.
            timestamp_unit: Time = Time::ZERO,
        }
        /// QUIC's loss detection and probes, in which no timeout reduces the window (RFC 9002).
        Rfc9002 = "rfc9002" {
            /// Whether segments carry packet numbers, and ACKs the time for which the largest was held. Only for a receiver with
            /// policy `quic`, where it is true if left out.
            packet_numbers: bool = false,
            /// Longest time for which the receiver may hold an ACK (RFC 9002 section 5.3). If left out, that of policy `quic`.
            max_ack_delay: Time = Time::from_secs(0.025),
        }
    }
}

/// A method for each of these parameters of RACK; other recoveries have its default.
macro_rules! rack_parameters {
    ($($name:ident: $type:ident = $default:ident;)+) => {
        impl RecoveryKind {
            $(
                #[doc = concat!("Its `", stringify!($name), "`.")]
                pub fn $name(&self) -> $type {
                    match *self {
                        RecoveryKind::Rack { $name, .. } => $name,
                        _ => $type::$default,
                    }
                }
            )+
        }
    };
}

rack_parameters! {
    reordering: Reordering = Rfc8985;
    search: LossSearch = EachAck;
    undo_evidence: UndoEvidence = Reduction;
    marks: Marks = AtOnce;
    rtt_samples: RttSamples = Segments;
    loss_counts: LossCounts = Unsent;
    timeout_cwnd: TimeoutCwnd = OneSegment;
    probe: TailProbe = Rfc8985;
}

impl RecoveryKind {
    /// True if the sender reads reports of duplicates (DSACK).
    pub fn uses_dsack(&self) -> bool {
        matches!(self, RecoveryKind::Rack { .. }) || matches!(self.undo(), Undo::Dsack | Undo::Both)
    }

    /// True if it takes the report of a duplicate (DSACK) for what it is, not for a hole.
    pub fn takes_dsack(&self) -> bool {
        !matches!(self, RecoveryKind::Sack { .. })
    }

    /// True if it probes for a lost tail before the timer runs out.
    pub fn probes_tail(&self) -> bool {
        matches!(self, RecoveryKind::Rack { .. })
    }

    /// True if it asks the program for more data when the window has room, so that segmentation can form bursts.
    pub fn asks_program(&self) -> bool {
        matches!(self, RecoveryKind::Rack { .. })
    }

    /// True if it times each transmission itself, by a number of its own (RFC 9000 section 12.3).
    pub fn times_packets(&self) -> bool {
        matches!(self, RecoveryKind::Rfc9002 { .. })
    }

    /// True if duplicate ACKs inflate its window.
    pub fn inflates(&self) -> bool {
        matches!(self, RecoveryKind::Reno { .. } | RecoveryKind::Newreno { .. })
    }

    /// True if its partial ACKs, which retransmit, give no round trip for pacing (`recv_newack_helper` in ns-2).
    pub fn skips_partial_round_trips(&self) -> bool {
        matches!(self, RecoveryKind::Newreno { .. })
    }

    /// Sets what is left out for a control that reduces alone: no reduction goes around it. `gives`: the parameter is not left out.
    pub fn reduce_at_once(&mut self, gives: impl Fn(&str) -> bool) {
        if let RecoveryKind::Rack { window, marks, .. } = self {
            *window = if gives("window") { *window } else { RecoveryWindow::AtOnce };
            *marks = if gives("marks") { *marks } else { Marks::AtOnce };
        }
    }

    /// Sets what is left out for a receiver with policy `quic`, which holds an ACK for `longest` at most. `gives`: the parameter is
    /// not left out.
    pub fn follow_quic(&mut self, gives: impl Fn(&str) -> bool, longest: Time) {
        if let RecoveryKind::Rfc9002 { packet_numbers, max_ack_delay } = self {
            *packet_numbers |= !gives("packet_numbers");
            *max_ack_delay = if gives("max_ack_delay") { *max_ack_delay } else { longest };
        }
    }

    /// True if the sender understands SACK blocks.
    pub fn uses_sack(&self) -> bool {
        !matches!(self, RecoveryKind::Tahoe {} | RecoveryKind::Reno { .. } | RecoveryKind::Newreno { .. })
    }

    /// True if it finds losses segment by segment, and reports them with what SACK blocks say. It then also leaves `cwnd` to a control
    /// that owns the window.
    pub fn reports(&self) -> bool {
        use RecoveryKind::{Fack, Rack, Rfc6675, Rfc9002};
        matches!(self, Rfc6675 { .. } | Fack { .. } | Rack { .. } | Rfc9002 { .. })
    }

    /// True if it judges each outstanding segment by itself, and so names each that it finds lost.
    pub fn judges_segments(&self) -> bool {
        matches!(self, RecoveryKind::Rack { .. } | RecoveryKind::Rfc9002 { .. })
    }

    /// True if the sender may undo a reduction.
    pub fn undoes(&self) -> bool {
        matches!(self, RecoveryKind::Rfc6675 { .. } | RecoveryKind::Rack { .. } | RecoveryKind::Fack { .. })
    }

    /// Its `undo`.
    pub fn undo(&self) -> Undo {
        match *self {
            RecoveryKind::Rfc6675 { undo, .. } | RecoveryKind::Rack { undo, .. } | RecoveryKind::Fack { undo, .. } => {
                undo
            }
            _ => Undo::Off,
        }
    }

    /// Its `frto`.
    pub fn frto(&self) -> Frto {
        match *self {
            RecoveryKind::Rfc6675 { frto, .. } | RecoveryKind::Rack { frto, .. } => frto,
            _ => Frto::Off,
        }
    }

    /// True if a mark reduces the window by proportional rate reduction: `marks` says so, and `window` is that.
    pub fn spreads_marks(&self) -> bool {
        self.marks() == Marks::Prr && self.window() != FackWindow::AtOnce
    }

    /// Its `timer_margin`, in seconds.
    pub fn timer_margin(&self) -> f64 {
        match *self {
            RecoveryKind::Rack { timer_margin, .. } => timer_margin.secs(),
            _ => 0.0,
        }
    }

    /// Its `window`.
    pub fn window(&self) -> FackWindow {
        match *self {
            RecoveryKind::Fack { window, .. } => window,
            RecoveryKind::Rfc6675 { window, .. } | RecoveryKind::Rack { window, .. } => match window {
                RecoveryWindow::AtOnce => FackWindow::AtOnce,
                RecoveryWindow::PrrCrb => FackWindow::PrrCrb,
                RecoveryWindow::PrrSsrb => FackWindow::PrrSsrb,
                RecoveryWindow::Prr => FackWindow::Prr,
                RecoveryWindow::PrrLinux => FackWindow::PrrLinux,
            },
            _ => FackWindow::AtOnce,
        }
    }

    /// True if segments carry packet numbers.
    pub fn packet_numbers(&self) -> bool {
        matches!(self, RecoveryKind::Rfc9002 { packet_numbers: true, .. })
    }

    /// Tick of its timers and the tick's phase; a tick of 0 sets them exactly.
    pub fn ticks(&self) -> (Time, Time) {
        match *self {
            RecoveryKind::Rack { tick, phase, .. } => (tick, phase),
            _ => (Time::ZERO, Time::ZERO),
        }
    }

    /// `secs` in whole ticks, rounded up (`usecs_to_jiffies` in `__tcp_set_rto`); elsewhere exactly.
    pub fn whole_ticks(&self, secs: f64) -> f64 {
        let tick = self.ticks().0.secs();
        if tick == 0.0 { secs } else { (secs / tick - 1e-6).ceil() * tick }
    }

    /// A time as a timestamp says it: in whole units of `timestamp_unit` (`tcp_time_stamp_ms`).
    pub fn stamp(&self, at: Time) -> Time {
        let RecoveryKind::Rack { timestamp_unit: unit, phase, .. } = *self else { return at };
        if unit == Time::ZERO {
            return at;
        }
        // Units a second are whole numbers; units in seconds are not.
        let units = (1.0 / unit.secs()).round().max(1.0);
        Time::from_secs(((at + phase).secs() * units + 1e-6).floor() / units)
    }

    /// Its `max_ack_delay`.
    pub fn max_ack_delay(&self) -> Time {
        match *self {
            RecoveryKind::Rfc9002 { max_ack_delay, .. } => max_ack_delay,
            _ => Time::ZERO,
        }
    }

    /// Its `inflate_when_blocked` and `inflation_limit`.
    pub fn inflation(&self) -> (bool, bool) {
        match *self {
            RecoveryKind::Reno { inflate_when_blocked, inflation_limit }
            | RecoveryKind::Newreno { inflate_when_blocked, inflation_limit, .. } => {
                (inflate_when_blocked, inflation_limit)
            }
            _ => (false, false),
        }
    }

    /// True if NewReno's timer restarts with each partial ACK; true if such an ACK deflates its window.
    pub fn partial_ack(&self) -> (bool, bool) {
        match *self {
            RecoveryKind::Newreno { partial_ack_timer, partial_deflation, .. } => {
                (partial_ack_timer == PartialAckTimer::Each, partial_deflation)
            }
            _ => (false, false),
        }
    }

    /// What a partial ACK does in the SACK recovery of Fall and Floyd.
    pub fn sack_partial(&self) -> SackPartial {
        match *self {
            RecoveryKind::Sack { partial } => partial,
            _ => SackPartial::PipeTwice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Stack;

    /// With a phase of 0.3 ms, 1.9 ms is the third millisecond of the clock, which has counted 2.
    #[test]
    fn timestamps_count_whole_units_of_a_clock_with_a_phase() {
        let linux = Stack::Linux.sender().recovery;
        let stamp = |recovery: RecoveryKind, secs| recovery.stamp(Time::from_secs(secs)).secs();
        assert_eq!(stamp(linux, 0.0019), 0.001);
        let shifted = crate::rules::Variants::with(linux, "phase", "0.3ms");
        assert_eq!(stamp(shifted, 0.0019), 0.002);
        assert_eq!(stamp(crate::rules::Variants::with(linux, "timestamp_unit", "0s"), 0.0019), 0.0019);
        assert_eq!(stamp(Stack::Rfc.sender().recovery, 0.0019), 0.0019);
    }
}
