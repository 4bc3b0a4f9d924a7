//! Rules that are a choice between named alternatives.

use acklab_packet::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant,)+ }

        impl Shown for $name {
            fn shown(&self) -> String {
                match self { $($name::$variant => $text.to_owned(),)+ }
            }
        }
    };
}
pub(super) use choice;

choice! {
    /// What one sequence unit is.
    Sequence {
        /// One whole segment, as in the papers' simulator.
        Segments = "segments",
        /// One byte, as on the wire.
        Bytes = "bytes",
    }
}

choice! {
    /// How the retransmission timer filters round-trip samples.
    RttFilter {
        /// Whole ticks in scaled integers (Jacobson 1988, as BSD and ns-2 code it).
        Integer = "integer",
        /// Seconds in real numbers (RFC 6298 section 2).
        Rfc6298 = "rfc6298",
        /// The same, where the deviation counts at its most in a round trip, sinks by a quarter a round trip, and is spared a
        /// round trip that is suddenly short (Linux).
        Linux = "linux",
    }
}

choice! {
    /// What the RTO's floor is applied to.
    RtoFloor {
        /// max(RTO, floor) x backoff (RFC 6298 (2.4) then (5.5)).
        BeforeBackoff = "before-backoff",
        /// max(RTO x backoff, floor), as before ns-2.27.
        AfterBackoff = "after-backoff",
        /// (smoothed round trip + max(4 deviations, floor)) x backoff (Linux).
        Variance = "variance",
    }
}

choice! {
    /// Whether an ACK restarts the timer with the RTO from before or after its own sample.
    TimerRestart {
        /// The sample counts at once.
        AfterRttUpdate = "after-rtt-update",
        /// The sample counts from the next restart on, as before ns-2.27.
        BeforeRttUpdate = "before-rtt-update",
    }
}

choice! {
    /// What is halved on loss.
    Halving {
        /// The window in use, as a real number; cwnd becomes the half, ssthresh its floor (ns-2.35).
        Precise = "precise",
        /// The window in use, in whole units (ns-1 and early ns-2).
        Integer = "integer",
        /// FlightSize without Limited Transmit's segments; cwnd becomes ssthresh (RFC 5681 equation 4).
        FlightSize = "flight-size",
        /// cwnd, whether or not it was in use, in whole segments; cwnd becomes ssthresh (Linux).
        Cwnd = "cwnd",
    }
}

impl Halving {
    /// Whether a reduction otherwise goes by RFC 5681: to whole units, at least two segments, ssthresh kept on a second
    /// timeout of the same segment, and no loss where nothing is outstanding.
    pub fn is_rfc(self) -> bool {
        matches!(self, Halving::FlightSize | Halving::Cwnd)
    }
}

choice! {
    /// When three duplicate ACKs may trigger fast retransmit a second time for the same window of data.
    SecondFastRetransmit {
        /// Always.
        Always = "always",
        /// Never: only once the cumulative ACK has passed `recover` (RFC 6582 section 3.2).
        Never = "never",
        /// Blocked only when the last reduction was a timeout: the rule of 1997.
        UnlessTimeout = "unless-timeout",
    }
}

choice! {
    /// Which partial ACKs restart NewReno's retransmission timer (RFC 6582 section 4).
    PartialAckTimer {
        /// Only the first of a recovery ("impatient").
        First = "first",
        /// Each ("slow but steady").
        Each = "each",
    }
}

choice! {
    /// The window with which NewReno leaves recovery.
    RecoveryExit {
        /// cwnd stays at half, and the full ACK is credited like any other (ns-2's default).
        Keep = "keep",
        /// min(ssthresh, units in flight + 1 segment), then credited (ns-2's `exit_recovery_fix_`).
        MinFlight = "min-flight",
        /// min(ssthresh, max(FlightSize, SMSS) + SMSS), without credit (RFC 6582 section 3.2 step 3).
        Rfc6582 = "rfc6582",
    }
}

choice! {
    /// What FF96 SACK recovery does on a partial ACK.
    SackPartial {
        /// Takes two segments off `pipe`, so that recovery is never slower than slow start.
        PipeTwice = "pipe-twice",
        /// Sends two segments whatever `pipe` says.
        TwoSegments = "two-segments",
        /// The same even past the end of the data, as ns-2 does: it then acknowledges more than it was given to send.
        TwoSegmentsPastEnd = "two-segments-past-end",
    }
}

choice! {
    /// How the window falls to ssthresh in a recovery.
    RecoveryWindow {
        /// At once: nothing but the first hole is sent until that much is in flight.
        AtOnce = "at-once",
        /// By one segment for two ACKs (rate halving, as Linux before PRR); only `fack` has it.
        RateHalving = "rate-halving",
        /// By proportional rate reduction; below ssthresh no more is sent than was delivered (RFC 6937's PRR-CRB).
        PrrCrb = "prr-crb",
        /// The same; below ssthresh one segment more with each ACK, as in slow start (RFC 6937's PRR-SSRB).
        PrrSsrb = "prr-ssrb",
        /// The same; one segment more only while the cumulative ACK advances and no further loss shows (RFC 9937).
        Prr = "prr",
        /// The same in whole segments, shares of the window instead of what was in flight (Linux).
        PrrLinux = "prr-linux",
    }
}

choice! {
    /// What shows that a loss was none, so that the reduction is taken back. Only `rfc6675`, `rack` and `fack` ask.
    Undo {
        /// Nothing.
        Off = "off",
        /// An ACK that advances and echoes a time before the first retransmission (Eifel, RFC 3522); needs timestamps.
        Timestamps = "timestamps",
        /// Reports of everything that was sent again as duplicates (RFC 3708); needs the receiver's `dsack`.
        Dsack = "dsack",
        /// Either (Linux).
        Both = "both",
    }
}

impl Undo {
    /// Whether the sender learns from duplicates that the receiver reports.
    pub fn uses_dsack(self) -> bool {
        matches!(self, Undo::Dsack | Undo::Both)
    }
}

choice! {
    /// Whether a timeout is examined by sending new data before anything but its segment is sent again. Only `rfc6675` and
    /// `rack` ask.
    Frto {
        /// It is not.
        Off = "off",
        /// F-RTO with SACK (RFC 5682 section 3): the second ACK decides.
        Rfc5682 = "rfc5682",
        /// The first decides if it acknowledges more than what was sent again (Linux).
        Linux = "linux",
    }
}

choice! {
    /// Whether a window grows that is not used.
    Validation {
        /// It does.
        Off = "off",
        /// Only if it stopped the sender, in slow start if half of it was out; after an RTO in which the application used
        /// less, it shrinks half way to what was used (RFC 2861, as Linux).
        Linux = "linux",
    }
}

choice! {
    /// What an idle connection does to its window.
    IdleRestart {
        /// The retransmission timer stays armed and restarts slow start when it fires on nothing outstanding (ns-2).
        Timer = "timer",
        /// The same timer, without touching cwnd (ns-2 with `slow_start_restart_` off).
        TimerKeepsWindow = "timer-keeps-window",
        /// cwnd is at most the initial window after an idle RTO (RFC 5681 section 4.1).
        Rfc5681 = "rfc5681",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// How losses are repaired.
    RecoveryKind {
        /// Fast retransmit, then slow start (Jacobson 1988).
        Tahoe = "tahoe",
        /// Fast recovery that ends with the first new ACK (RFC 2581).
        Reno = "reno",
        /// Fast recovery that lasts until `recover` is acknowledged (RFC 6582).
        Newreno = "newreno",
        /// SACK with a `pipe` count (Fall and Floyd 1996).
        Sack = "sack",
        /// SACK with a computed pipe (RFC 6675).
        Rfc6675 = "rfc6675",
        /// SACK by forward acknowledgment, which notices lost retransmissions (Mathis and Mahdavi 1996; Linux before RACK).
        Fack = "fack",
        /// The same pipe, with losses found by time and tails probed (RACK-TLP, RFC 8985).
        Rack = "rack",
        /// Loss detection and probes of QUIC, which never reduce the window by a timeout (RFC 9002).
        Rfc9002 = "rfc9002",
    }
}

impl RecoveryKind {
    /// Whether the sender learns from duplicates that the receiver reports.
    pub fn uses_dsack(self) -> bool {
        self == RecoveryKind::Rack
    }

    /// Whether the sender may examine timeouts ([`Frto`]).
    pub fn watches_timeouts(self) -> bool {
        matches!(self, RecoveryKind::Rfc6675 | RecoveryKind::Rack)
    }

    /// Whether the sender may take a reduction back ([`Undo`]).
    pub fn undoes(self) -> bool {
        matches!(self, RecoveryKind::Rfc6675 | RecoveryKind::Rack | RecoveryKind::Fack)
    }

    /// Whether the window may fall to ssthresh step by step ([`RecoveryWindow`]).
    pub fn spreads_reductions(self) -> bool {
        matches!(self, RecoveryKind::Rfc6675 | RecoveryKind::Rack | RecoveryKind::Fack)
    }

    /// Whether the sender understands SACK blocks.
    pub fn uses_sack(self) -> bool {
        !matches!(self, RecoveryKind::Tahoe | RecoveryKind::Reno | RecoveryKind::Newreno)
    }
}

choice! {
    /// How the initial slow start ends.
    SlowStart {
        /// With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
        Standard = "standard",
        /// Or when the round-trip time grows: first at a quarter of the pace, and after five rounds of that for good, if it has
        /// not fallen again (HyStart++, RFC 9406). What an ACK is worth stays `credit`'s.
        HyStartPlusPlus = "hystart++",
        /// Or, with CUBIC, of which it is a part, when ACKs come as one train for half a round trip, or the round trip has grown
        /// by an eighth (HyStart, Ha and Rhee 2011, as Linux has it): then at the window reached.
        HyStart = "hystart",
    }
}

choice! {
    /// When the data's end, smaller than a segment, has to wait.
    Nagle {
        /// Never.
        Off = "off",
        /// While anything is unacknowledged (RFC 896).
        On = "on",
        /// While a small segment is unacknowledged (Minshall's variant, as Linux has it).
        Minshall = "minshall",
    }
}

choice! {
    /// What an ACK of data that was never sent does.
    UnsentAck {
        /// Nothing: it is not looked at (RFC 9293 section 3.10.7.4).
        Ignore = "ignore",
        /// The window begins again with one segment: the receiver is lying.
        Restart = "restart",
    }
}

/// The receiver's advertised window: whole segments (as the papers count) or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Window {
    /// That many full segments.
    Segments(u32),
    /// That many payload bytes, written `"64kB"`.
    Bytes(Bytes),
}

impl Window {
    /// In sequence units, for segments of `mss` units and `packet` payload bytes.
    pub fn units(self, mss: u32, packet: u32) -> u64 {
        match self {
            Window::Segments(n) => u64::from(n) * u64::from(mss),
            Window::Bytes(bytes) => bytes.get() * u64::from(mss) / u64::from(packet.max(1)),
        }
    }
}

impl Shown for Window {
    fn shown(&self) -> String {
        match self {
            Window::Segments(n) => format!("{n} segments"),
            Window::Bytes(bytes) => bytes.to_string(),
        }
    }
}
