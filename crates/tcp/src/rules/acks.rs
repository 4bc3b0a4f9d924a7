//! When receivers acknowledge, and the choices that come with it.

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::division::{DivideWhen, PieceOrder, PieceParts};
use super::estimates::{LossNotice, PhaseSource, RttSource, WindowSource, WindowStart};
use super::linux;
use super::parameters::Parameters;

/// When the receiver acknowledges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AckPolicyKind {
    /// Each arriving segment at once.
    Every {},
    /// RFC 1122 section 4.2.3.2: every `segments`-th, or when `timer` runs out.
    Delayed {
        /// Longest delay of an ACK.
        #[serde(default = "default_timer")]
        timer: Time,
        /// In-order segments an ACK may cover.
        #[serde(default = "default_segments")]
        #[schemars(range(min = 1))]
        segments: u32,
        /// A free-running timer (BSD) instead of one started by the first segment held.
        #[serde(default)]
        heartbeat: bool,
        /// Instant of the heartbeat's first beat.
        #[serde(default)]
        phase: Time,
    },
    /// Each segment at once while the sender is in slow start, else delayed (Allman 1998, DAASS).
    Daass {
        /// How the receiver knows the sender's phase.
        phase: PhaseSource,
        /// Longest delay of an ACK outside slow start.
        #[serde(default = "default_timer")]
        timer: Time,
        /// In-order segments an ACK may cover outside slow start.
        #[serde(default = "default_segments")]
        segments: u32,
        /// For `heuristic`: the window the receiver advertises, at which slow start ends at the latest, in segments.
        #[serde(default = "no_window")]
        window: u32,
        /// For `heuristic`: a silence this long before a gap is filled means that the sender timed out.
        #[serde(default = "default_silence")]
        silence: Time,
    },
    /// The ACK that is due leaves in pieces (ACK division); duplicate ACKs and those of a filled gap stay whole.
    ///
    /// `segments = 1` is the paper's method I, 2 its method II. The sender must count bytes for a segment's ACK to have
    /// pieces at all.
    Divide {
        /// Pieces an ACK is divided into; fewer if it covers fewer bytes.
        #[schemars(range(min = 2, max = 64))]
        pieces: u32,
        /// In-order segments an ACK may cover.
        #[serde(default = "one")]
        #[schemars(range(min = 1))]
        segments: u32,
        /// Longest delay of an ACK, where it may cover several segments.
        #[serde(default = "default_timer")]
        timer: Time,
        /// In which phase of the sender.
        #[serde(default = "always")]
        when: DivideWhen,
        /// How the receiver knows the sender's phase.
        #[serde(default = "oracle")]
        phase: PhaseSource,
        /// For `heuristic`: the window the receiver advertises, at which slow start ends at the latest, in segments.
        #[serde(default = "no_window")]
        window: u32,
        /// For `heuristic`: a silence this long before a gap is filled means that the sender timed out.
        #[serde(default = "default_silence")]
        silence: Time,
        /// Division begins at this instant.
        #[serde(default)]
        start: Time,
        /// In-order segments whose ACKs are divided from then on; 0 is no end.
        #[serde(default)]
        burst: u32,
        /// What the pieces cover.
        #[serde(default = "equal")]
        parts: PieceParts,
        /// Which piece leaves first.
        #[serde(default = "rising")]
        order: PieceOrder,
        /// Pause between a piece and the next; 0s is back to back.
        #[serde(default)]
        spacing: Time,
    },
    /// An attack: each ACK of in-order data is repeated, which inflates the window of a sender in fast recovery.
    Spoof {
        /// Copies of each ACK.
        #[serde(default = "ten")]
        #[schemars(range(min = 1, max = 1000))]
        duplicates: u32,
    },
    /// An attack: data is acknowledged before it arrives; what was lost is never sent again.
    Optimistic {
        /// Segments beyond the highest received that an ACK covers, once twice as many have come.
        #[serde(default = "eight")]
        #[schemars(range(min = 1, max = 1000000))]
        ahead: u32,
        /// When nothing comes for so long, an ACK of exactly what came.
        #[serde(default = "default_timer")]
        timer: Time,
    },
    /// Divided ACKs until the sender's window, told by its segments, is back where it was before a wireless loss, or has
    /// reached a target after a handover.
    Restore {
        /// Pieces an ACK is divided into.
        #[serde(default = "eight")]
        #[schemars(range(min = 2, max = 64))]
        pieces: u32,
        /// After a handover: the window to reach, in segments; 0 is none, and losses are made good instead.
        #[serde(default)]
        target: u32,
        /// When the handover is.
        #[serde(default)]
        start: Time,
        /// A loss counts as wireless if the round trip lies in this lower share of its range.
        #[serde(default = "half")]
        #[schemars(range(min = 0.0, max = 1.0))]
        share: f64,
    },
    /// Smartacking: each segment at once while the bottleneck has room, else as late as keeps it busy (ledger
    /// smartacking.m.core).
    Smart {
        /// Longest delay of an ACK.
        #[serde(default = "maximum_delay")]
        timer: Time,
        /// How the round trip is known.
        #[serde(default = "probe")]
        rtt: RttSource,
        /// Time between keep-alives.
        #[serde(default = "one_second")]
        interval: Time,
        /// How the sender's window is known.
        #[serde(default = "estimate")]
        window: WindowSource,
        /// The window with which the sender is presumed to begin, in segments.
        #[serde(default = "one")]
        initial: u32,
        /// Whether the share of the round trip taken off a delay adapts (alpha, beta, gamma; ledger
        /// smartacking.m.extended).
        #[serde(default)]
        extended: bool,
        /// When a third duplicate ACK counts.
        #[serde(default = "at_tick")]
        loss: LossNotice,
        /// How the first segment of a window is recognised.
        #[serde(default = "by_count")]
        first: WindowStart,
    },
    /// An ACK once `segments` have come and RTT/`beta` has passed since the last one, as TACK has it (Li and others
    /// 2020): max(L segments, RTTmin/beta).
    Periodic {
        /// ACKs in a round trip where segments come faster.
        #[serde(default = "four_acks")]
        beta: f64,
        /// Least in-order segments an ACK covers, unless `timer` runs out: L.
        #[serde(default = "default_segments")]
        segments: u32,
        /// Longest delay of an ACK.
        #[serde(default = "maximum_delay")]
        timer: Time,
        /// How the round trip is known; the least one counts.
        #[serde(default = "probe")]
        rtt: RttSource,
        /// Time between keep-alives.
        #[serde(default = "one_second")]
        interval: Time,
    },
    /// As Linux 6 acknowledges bulk data: quick ACKs first, then every second full segment, a timer that adapts, and
    /// compressed SACKs.
    Linux {
        /// Most quick ACKs in a row.
        #[serde(default = "linux::quick")]
        #[schemars(range(max = 255))]
        quick: u32,
        /// Window with which the receiver opens, in segments; half as many quick ACKs begin it.
        #[serde(default = "linux::window")]
        #[schemars(range(min = 1, max = 1000000))]
        window: u32,
        /// Segments that the receiver's buffer has room for at first. Up to there the window opens, by two segments with each
        /// that comes; such a segment is acknowledged at once.
        #[serde(default = "linux::buffer")]
        #[schemars(range(min = 1, max = 1000000))]
        buffer: u32,
        /// Whether the buffer grows with what is read in a round trip.
        #[serde(default = "linux::autotune")]
        autotune: bool,
        /// Least time a segment is held.
        #[serde(default = "linux::least")]
        least: Time,
        /// Longest, less a tick.
        #[serde(default = "linux::timer")]
        timer: Time,
        /// The kernel's clock (1/HZ), in which the timer and gaps between segments are counted; 0s counts them exactly.
        #[serde(default = "linux::tick")]
        tick: Time,
        /// Longest delay of a SACK beyond the third duplicate; 5% of the round trip if that is less. 0s does not compress.
        #[serde(default = "linux::sack_delay")]
        sack_delay: Time,
        /// Segments above a gap that one such SACK may answer.
        #[serde(default = "linux::sack_most")]
        #[schemars(range(max = 255))]
        sack_most: u32,
        /// Sequence units for which the application waits before it reads; 1 reads at once.
        #[serde(default = "linux::low_water")]
        #[schemars(range(min = 1, max = 1000000000))]
        low_water: u32,
    },
    /// As QUIC acknowledges (RFC 9000 section 13.2), and what its sender can ask for (ACK_FREQUENCY,
    /// draft-ietf-quic-ack-frequency).
    Quic {
        /// Packets an ACK may cover. The extension's Ack-Eliciting Threshold is one less.
        #[serde(default = "default_segments")]
        #[schemars(range(min = 1, max = 1000000))]
        segments: u32,
        /// Longest delay of an ACK.
        #[serde(default = "max_ack_delay")]
        max_ack_delay: Time,
        /// Packets by which one must have been overtaken for an ACK at once (Reordering Threshold); 0 never. With 1, any
        /// packet that comes out of order has one.
        #[serde(default = "one")]
        #[schemars(range(max = 255))]
        reordering: u32,
        /// The sender asks for this share of its smoothed round trip as the longest delay, `max_ack_delay` at most; 0 asks for
        /// none.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10.0))]
        rtt_share: f64,
    },
    /// ACK congestion control: an ACK every d segments. Its ACKs can be marked by a RED queue with `ecn`; the sender tells
    /// of a mark on its next segment, which doubles d, once a round trip at most. A round trip without takes one off.
    Acc {
        /// Most segments an ACK covers; half the sender's window if that is less.
        #[serde(default = "sixteen")]
        #[schemars(range(min = 1))]
        d_max: u32,
        /// The ACK's longest delay.
        #[serde(default = "default_timer")]
        timer: Time,
    },
    /// A policy in Python that the program passes to the run (`acklab.AckPolicy`).
    Python {
        /// Its name among those that are passed.
        name: String,
        /// Keyword arguments of its constructor.
        #[serde(default)]
        parameters: Parameters,
    },
}

impl AckPolicyKind {
    /// Where the policy gets the sender's phase from, if it asks for it.
    pub fn phase_source(&self) -> Option<PhaseSource> {
        match *self {
            AckPolicyKind::Daass { phase, .. } => Some(phase),
            AckPolicyKind::Divide { when, phase, .. } => (when != DivideWhen::Always).then_some(phase),
            _ => None,
        }
    }
}

defaults! {
    one: u32 = 1;
    sixteen: u32 = 16;
    ten: u32 = 10;
    eight: u32 = 8;
    half: f64 = 0.5;
    always: DivideWhen = DivideWhen::Always;
    oracle: PhaseSource = PhaseSource::Oracle;
    equal: PieceParts = PieceParts::Equal;
    rising: PieceOrder = PieceOrder::Rising;
    no_window: u32 = u32::MAX;
    default_silence: Time = Time::from_secs(0.5);
    default_timer: Time = Time::from_secs(0.1);
    default_segments: u32 = 2;
    maximum_delay: Time = Time::from_secs(0.2);
    max_ack_delay: Time = Time::from_secs(0.025);
    one_second: Time = Time::from_secs(1.0);
    probe: RttSource = RttSource::Probe;
    estimate: WindowSource = WindowSource::Estimate;
    at_tick: LossNotice = LossNotice::RoundTrip;
    by_count: WindowStart = WindowStart::Count;
    four_acks: f64 = 4.0;
}

impl AckPolicyKind {
    /// Whether segments must carry their sender's window and round trip for it.
    pub fn asks_for_window(&self) -> bool {
        match *self {
            AckPolicyKind::Smart { rtt, window, .. } => rtt == RttSource::Sender || window == WindowSource::Sender,
            AckPolicyKind::Periodic { rtt, .. } => rtt == RttSource::Sender,
            AckPolicyKind::Quic { rtt_share, .. } => rtt_share > 0.0,
            AckPolicyKind::Acc { .. } | AckPolicyKind::Restore { .. } => true,
            _ => false,
        }
    }

    /// Whether its ACKs ask queues for congestion marks.
    #[inline]
    pub fn asks_for_marks(&self) -> bool {
        matches!(self, AckPolicyKind::Acc { .. })
    }
}

impl Shown for AckPolicyKind {
    fn shown(&self) -> String {
        match self {
            AckPolicyKind::Every {} => "every".to_owned(),
            AckPolicyKind::Delayed { timer, segments, heartbeat, .. } => {
                format!("delayed: {segments} segments or {timer}{}", if *heartbeat { " heartbeat" } else { "" })
            }
            AckPolicyKind::Daass { phase, .. } => format!("daass by {}", phase.shown()),
            AckPolicyKind::Divide { pieces, .. } => format!("divide: {pieces} pieces"),
            AckPolicyKind::Acc { d_max, .. } => format!("acc: up to {d_max} segments"),
            AckPolicyKind::Spoof { duplicates } => format!("spoof: {duplicates} duplicates"),
            AckPolicyKind::Restore { pieces, target: 0, .. } => format!("restore: {pieces} pieces after losses"),
            AckPolicyKind::Restore { pieces, target, .. } => {
                format!("restore: {pieces} pieces up to {target} segments")
            }
            AckPolicyKind::Linux { quick, least, timer, .. } => format!("linux: {quick} quick, {least} to {timer}"),
            AckPolicyKind::Quic { segments, max_ack_delay, rtt_share: 0.0, .. } => {
                format!("quic: {segments} packets or {max_ack_delay}")
            }
            AckPolicyKind::Quic { segments, rtt_share, .. } => format!("quic: {segments} packets or {rtt_share} RTT"),
            AckPolicyKind::Optimistic { ahead, .. } => format!("optimistic: {ahead} segments ahead"),
            AckPolicyKind::Smart { timer, rtt, window, extended, .. } => {
                let name = if *extended { "smart, extended" } else { "smart" };
                format!("{name}: window by {}, RTT by {}, at most {timer}", window.shown(), rtt.shown())
            }
            AckPolicyKind::Python { name, .. } => format!("python: {name}"),
            AckPolicyKind::Periodic { beta, segments, rtt, .. } => {
                format!("periodic: {segments} segments and RTT/{beta}, RTT by {}", rtt.shown())
            }
        }
    }
}
