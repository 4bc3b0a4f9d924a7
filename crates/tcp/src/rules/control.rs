//! Congestion controls and their parameters.

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;
use super::parameters::Parameters;
use super::variants::variants;

variants! {
    /// Congestion control: what credit, round trips and losses do to cwnd and ssthresh.
    ControlKind by "kind" {
        /// Slow start, additive increase, halving (RFC 5681).
        Reno = "reno" {
            /// How the initial slow start ends.
            slow_start: SlowStart = SlowStart::Standard,
        }
        /// Veno: additive increase at half the pace while more than `beta` segments are backlogged. A loss with at most `alpha`
        /// segments backlogged reduces the window by a fifth instead of half (Fu and Liew 2003).
        Veno = "veno" {
            /// Backlog in segments up to which a loss counts as random.
            alpha: f64 [0.0 ..= 1e6] = 1.0,
            /// Backlog in segments above which only every other ACK grows the window.
            beta: f64 [0.0 ..= 1e6] = 3.0,
            /// How often the backlog is judged.
            estimate: VenoEstimate = VenoEstimate::PerRtt,
            /// What a loss before the first judgement does.
            first_loss: VenoFirstLoss = VenoFirstLoss::Half,
            /// Since when the minimum round trip is taken.
            base_rtt: VenoBase = VenoBase::SinceLoss,
            /// Granularity of the clock that times segments, at most 1s; `"0s"` is exact.
            clock: Time = Time::from_secs(0.001),
            /// How the initial slow start ends.
            slow_start: SlowStart = SlowStart::Standard,
        }
        /// CUBIC (RFC 9438).
        Cubic = "cubic" {
            /// C: aggressiveness in segments per second cubed.
            c: f64 [1e-6 ..= 1e6] = 0.4,
            /// Share of the window that a loss leaves.
            beta: f64 [1e-6 ..= 0.999999] = 0.7,
            /// Whether a loss below the last maximum lowers the next maximum (section 4.7).
            fast_convergence: bool = true,
            /// Whether the window is at least that of Reno (section 4.3).
            reno_friendly: bool = true,
            /// Whether that Reno grows by a whole segment a round trip above the last maximum (section 4.3). Otherwise it always
            /// grows as below that maximum (Linux).
            alpha_rises: bool = true,
            /// Segments by which that Reno grows in a round trip up to the last maximum; 0 is 3 (1 - beta) / (1 + beta). With 1 a
            /// flow is as fast as Reno after each loss, though it gave up less (quicly's `cubic_loss_alpha_one`).
            alpha: f64 [0.0 ..= 100.0] = 0.0,
            /// Least growth in a round trip, as a share of the window, before the first loss (Linux has 0.05).
            seek: f64 [0.0 ..= 1.0] = 0.0,
            /// How the initial slow start ends.
            slow_start: CubicSlowStart = CubicSlowStart::Standard,
        }
        /// Westwood+: after a loss the window is the rate of ACKs times the minimum round trip (Grieco and Mascolo 2004).
        Westwood = "westwood" {
            /// Weight of the past in the filtered rate.
            gain: f64 [1e-6 ..= 0.999999] = 0.9,
            /// How the initial slow start ends.
            slow_start: SlowStart = SlowStart::Standard,
        }
        /// Vegas: keeps between `alpha` and `beta` segments backlogged (Brakmo, O'Malley and Peterson 1994).
        Vegas = "vegas" {
            /// Backlog in segments below which the window grows; at most `beta`.
            alpha: f64 [0.0 ..= 1e6] = 2.0,
            /// Backlog in segments above which the window shrinks.
            beta: f64 [0.0 ..= 1e6] = 4.0,
            /// Backlog in segments that ends slow start.
            gamma: f64 [0.0 ..= 1e6] = 1.0,
            /// How often the window changes.
            pace: VegasPace = VegasPace::EveryRtt,
        }
        /// DCTCP: a mark reduces the window by half the share of bytes that were marked lately (RFC 8257). It needs ACKs that
        /// echo each mark (`echo_each_mark`), and queues that mark early.
        Dctcp = "dctcp" {
            /// g: weight of the newest window in that share.
            gain: f64 [1e-6 ..= 0.999999] = 0.0625,
            /// Whose form is computed.
            form: DctcpForm = DctcpForm::Stack,
            /// How the initial slow start ends.
            slow_start: SlowStart = SlowStart::Standard,
        }
        /// Prague: DCTCP for paths with queues that mark ECT(1) early, such as `dual-pi2`. Shares of marks are measured over at least
        /// `least_rtt`, below which growth is slower; it paces by itself (draft-briscoe-iccrg-prague-congestion-control). It needs a
        /// recovery that reports losses, and ACKs that echo each mark (`echo_each_mark`).
        Prague = "prague" {
            /// g: weight of the newest share.
            gain: f64 [1e-6 ..= 0.999999] = 0.0625,
            /// Round trip as which shorter ones count; above 0.
            least_rtt: Time = Time::from_secs(0.025),
        }
        /// A window that nothing moves: neither growth nor marks nor fast retransmits. It estimates the share of marks as `dctcp` does, so that
        /// a run shows what the feedback tells while it changes nothing. A timeout still sends again from one segment.
        Fixed = "fixed" {
            /// g: weight of the newest window in that share.
            gain: f64 [1e-6 ..= 0.999999] = 0.0625,
        }
        /// BBR version 1, as in Linux (Cardwell and others 2016). It sends at the largest delivery rate of the last ten round
        /// trips. In flight it keeps about twice the product of that rate and the minimum round trip of the last ten seconds.
        /// It needs `recovery = "rack"`, paces by itself, and reads neither `credit` nor the recovery's `window`.
        Bbr = "bbr" {}
        /// BBR version 3 (draft-ietf-ccwg-bbr-06). Beside the delivery rate and the minimum round trip it learns from losses how
        /// much may be in flight. It needs `recovery = "rack"` or `"rfc9002"`, paces by itself, and reads neither `credit` nor the recovery's `window`.
        Bbr3 = "bbr3" {}
        /// A control in Python that the program passes to the run (`acklab.CongestionControl`).
        Python = "python" {
            /// Its name among those that are passed.
            name: String = String::new(),
            /// Keyword arguments of its constructor.
            parameters: Parameters = Parameters::default(),
        }
    }
}

choice! {
    /// Whose form of DCTCP is computed.
    DctcpForm {
        /// The one that `controls` names.
        Stack = "stack",
        /// RFC 8257's, whatever `controls` names.
        Rfc8257 = "rfc8257",
    }
}

choice! {
    /// How the initial slow start ends.
    SlowStart {
        /// With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
        Standard = "standard",
        /// Also when the round trip grows: growth falls to a quarter, and slow start ends after five such rounds unless the round
        /// trip has fallen again (HyStart++, RFC 9406).
        HyStartPlusPlus = "hystart++",
        /// Also when the round trip has grown by an eighth: slow start ends there at once (HyStart without trains of ACKs, as in quic-go and
        /// s2n-quic).
        HyStartDelay = "hystart-delay",
    }
}

choice! {
    /// How the initial slow start of CUBIC ends.
    CubicSlowStart {
        /// With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
        Standard = "standard",
        /// Also when the round trip grows (HyStart++, RFC 9406).
        HyStartPlusPlus = "hystart++",
        /// Also when a train of ACKs lasts half a round trip, or when the round trip has grown by an eighth (HyStart, Ha and Rhee
        /// 2011; Linux).
        HyStart = "hystart",
        /// The same by the round trip alone, as in quic-go and s2n-quic.
        HyStartDelay = "hystart-delay",
    }
}

choice! {
    /// How often Vegas changes its window.
    VegasPace {
        /// Every round trip (the paper).
        EveryRtt = "every-rtt",
        /// In effect every second round trip: the window moves to one more or less than it was a round trip ago (kernels).
        SecondRtt = "second-rtt",
    }
}

choice! {
    /// How often Veno judges its backlog.
    VenoEstimate {
        /// Once a round trip, when the segment tagged for it is acknowledged (the paper).
        PerRtt = "per-rtt",
        /// With every round-trip sample (kernels).
        PerAck = "per-ack",
    }
}

choice! {
    /// What a loss does before Veno has judged its backlog.
    VenoFirstLoss {
        /// It halves the window, as in Reno (the paper leaves start-up as in Reno; ledger veno.m.state_estimate).
        Half = "half",
        /// It reduces the window by a fifth, since no backlog was seen.
        ByFlag = "by-flag",
    }
}

choice! {
    /// Since when Veno takes the minimum round trip.
    VenoBase {
        /// Since the last loss (the paper). A queue that other flows keep full then soon counts as part of the path.
        SinceLoss = "since-loss",
        /// Since the beginning (kernels).
        Ever = "ever",
    }
}

impl ControlKind {
    /// How its initial slow start ends.
    pub fn slow_start(&self) -> CubicSlowStart {
        match *self {
            ControlKind::Cubic { slow_start, .. } => slow_start,
            ControlKind::Reno { slow_start }
            | ControlKind::Veno { slow_start, .. }
            | ControlKind::Westwood { slow_start, .. }
            | ControlKind::Dctcp { slow_start, .. } => match slow_start {
                SlowStart::Standard => CubicSlowStart::Standard,
                SlowStart::HyStartPlusPlus => CubicSlowStart::HyStartPlusPlus,
                SlowStart::HyStartDelay => CubicSlowStart::HyStartDelay,
            },
            ControlKind::Vegas { .. }
            | ControlKind::Prague { .. }
            | ControlKind::Fixed { .. }
            | ControlKind::Bbr {}
            | ControlKind::Bbr3 {}
            | ControlKind::Python { .. } => CubicSlowStart::Standard,
        }
    }
}
