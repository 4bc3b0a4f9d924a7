//! Rules that are a choice between names without parameters.

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
        crate::rules::plain_rules!($name);
    };
}
pub(super) use choice;

choice! {
    /// What a receiver tells of congestion marks (RFC 9768 section 3.1.1).
    Feedback {
        /// Counts, if the SYN asks for them; else echoes.
        Accurate = "accurate",
        /// QUIC's counts of packets by mark, in each ACK (RFC 9000 section 19.3.2). The default where packets have numbers.
        Counts = "counts",
        /// Echoes (RFC 3168), or each mark's own (`echo_each_mark`).
        Classic = "classic",
        /// Nothing.
        Refused = "none",
        /// Nothing; but the answer to a SYN repeats the SYN's flags, as some broken servers do.
        Reflected = "reflected",
    }
}

choice! {
    /// How the loss of a flow's first segment, or of its answer, changes the window.
    FirstLoss {
        /// The initial window is one segment (RFC 5681 section 3.1), and ssthresh is reduced as by any timeout.
        OneSegment = "one-segment",
        /// The same, with two segments (ns-2, if the window goes by the packet's size: `windowInitOption_` 2).
        TwoSegments = "two-segments",
        /// Only ssthresh is reduced; the initial window stays.
        Keep = "keep",
        /// After a second timeout of the SYN the initial window is one segment, unless the answer echoes the first SYN's timestamp
        /// (`tcp_init_transfer`, `tcp_try_undo_spurious_syn`). ssthresh stays (`tcp_init_metrics`).
        Linux = "linux",
    }
}

choice! {
    /// How a sender answers echoed marks, and what its retransmissions tell (RFC 3168). Recoveries that find losses by time do not read
    /// how it answers.
    MarkForm {
        /// Retransmissions cannot be marked (section 6.1.5), and the next new segment tells of a reduction.
        Rfc3168 = "rfc3168",
        /// As in ns-2: retransmissions can be marked, and tell of a reduction, too. A timeout after a mark keeps ssthresh. Marks that come
        /// while the window is one segment double the RTO.
        Ns2 = "ns2",
    }
}

choice! {
    /// Which packets with a congestion mark a QUIC receiver acknowledges at once.
    MarkAnswer {
        /// The first of several in a row; all where an ACK covers at most two packets anyway (draft-ietf-quic-ack-frequency section 6.4).
        First = "first",
        /// Each (RFC 9000 section 13.2.1).
        Each = "each",
        /// None.
        Never = "never",
    }
}

choice! {
    /// How many marks an ACK tells of whose counter of three bits may have wrapped.
    AceRule {
        /// As few as possible, as if no ACK were ever lost or removed.
        Least = "least",
        /// The safest likely case; with an option, what its bytes make likely (RFC 9768 appendices A.2.1 and A.2.2).
        Rfc9768 = "rfc9768",
        /// As in Linux 7.0: like `rfc9768`, with an estimate from the option where an ACK covers 16 packets and more. Controls count
        /// packets.
        Linux = "linux",
        /// As in Linux since 7885ce0147: also as few as possible where, without an option, ACKs cover more than four packets on average.
        LinuxThinned = "linux-thinned",
    }
}

impl AceRule {
    /// Whether its controls count packets, also where an option tells bytes.
    pub fn counts_packets(self) -> bool {
        matches!(self, AceRule::Linux | AceRule::LinuxThinned)
    }
}

choice! {
    /// Which ACKs carry an AccECN option (RFC 9768 section 3.2.3.3). It takes 8 bytes, and the place of a third SACK block.
    AccEcnOption {
        /// None.
        Off = "off",
        /// The two that follow a mark or a change, and one for every 4 MiB.
        Changes = "changes",
        /// Each that acknowledges new data.
        Always = "always",
    }
}

choice! {
    /// Which changes are acknowledged at once, with accurate ECN (RFC 9768 section 3.2.2.5.1).
    ChangeAcks {
        /// None.
        Off = "off",
        /// A mark after a packet without one.
        Marks = "marks",
        /// Also a packet without a mark after a marked one (Linux).
        Both = "both",
    }
}

choice! {
    /// How a Linux receiver's memory grows with what its program has read in a round trip (`tcp_rcv_space_adjust`).
    BufferGrowth {
        /// As in Linux 6.1: half of the memory is payload, whatever a segment takes (`tcp_win_from_space`). Otherwise as in 6.12, with 2984
        /// bytes of buffer for each segment of 1448. What is not yet read counts, too.
        Linux61 = "6.1",
        /// As in Linux 6.12: room for twice that and 16 segments, and for what a sender would add that goes on growing so.
        Linux612 = "6.12",
        /// As in Linux 7.3 (`tcp_rcvbuf_grow`): without the 16 segments, and with less for round trips below a millisecond.
        Linux73 = "7.3",
    }
}

impl BufferGrowth {
    /// The largest buffer that a program may ask for, in bytes (`rmem_max`): with `tcp_rmem[2]` it decides the window's scale.
    pub fn rmem_max(self) -> u64 {
        match self {
            BufferGrowth::Linux61 | BufferGrowth::Linux612 => 212_992,
            BufferGrowth::Linux73 => 4_194_304,
        }
    }
}

choice! {
    /// How segments are grouped that a card or the kernel divides from larger ones (TSO, GSO).
    Segmentation {
        /// Each by itself, and none is pushed.
        Off = "off",
        /// As in Linux: bursts of about a millisecond, at least two segments. Some wait for the next ACK, and the last segment of a burst
        /// has PSH (`tcp_tso_autosize`, `tcp_tso_should_defer`, `__tcp_transmit_skb`).
        Linux = "linux",
        /// As in Linux 6.1: a burst takes nothing from the next buffer (`tcp_grow_skb`), and a buffer takes 64 bytes less of `send_memory`.
        Linux61 = "linux-6.1",
    }
}

choice! {
    /// What `min_rto` applies to.
    RtoFloor {
        /// max(RTO, min_rto) x backoff (RFC 6298 (2.4), then (5.5)).
        BeforeBackoff = "before-backoff",
        /// max(RTO x backoff, min_rto) (ns-2 before 2.27).
        AfterBackoff = "after-backoff",
        /// (SRTT + max(4 RTTVAR, min_rto)) x backoff (Linux).
        Variance = "variance",
    }
}

choice! {
    /// Which RTO an ACK restarts the timer with: that before, or that after its own round-trip sample.
    TimerRestart {
        /// The RTO after the sample.
        AfterRttUpdate = "after-rtt-update",
        /// The RTO before the sample (ns-2 before 2.27).
        BeforeRttUpdate = "before-rtt-update",
    }
}

choice! {
    /// Which quantity a loss halves.
    Halving {
        /// The window in use, as a real number. cwnd becomes the half, ssthresh its integer part (ns-2.35).
        Precise = "precise",
        /// The window in use, in whole units (ns-1 and early ns-2).
        Integer = "integer",
        /// FlightSize without the segments of Limited Transmit. cwnd becomes ssthresh (RFC 5681 equation 4).
        FlightSize = "flight-size",
        /// cwnd, used or not, in whole segments. cwnd becomes ssthresh (Linux).
        Cwnd = "cwnd",
    }
}

impl Halving {
    /// Whether cwnd becomes ssthresh: whole units, at least two segments.
    pub fn cwnd_is_ssthresh(self) -> bool {
        matches!(self, Halving::FlightSize | Halving::Cwnd)
    }
}

choice! {
    /// Which timeouts reduce ssthresh.
    TimeoutSsthresh {
        /// Each (ns-2).
        Each = "each",
        /// The first of a segment (RFC 5681 section 3.1).
        FirstOfSegment = "first-of-segment",
        /// The first of a segment, unless a reduction of the same window of data has begun (`tcp_enter_loss` in Linux).
        FirstOfWindow = "first-of-window",
    }
}

choice! {
    /// Which repeated ACKs may begin a fast retransmit.
    DuplicateAcks {
        /// Those that come while data is outstanding (RFC 5681 section 2), once data beyond the SYN has been sent.
        Outstanding = "outstanding",
        /// Those that come while there is data to send; also the first segment's, whatever happened before (ns-2).
        Unfinished = "unfinished",
    }
}

choice! {
    /// Whose form of CUBIC, DCTCP, Vegas, Veno and Westwood+ is computed.
    Controls {
        /// That of the RFC or the paper.
        Published = "published",
        /// Linux's, in whole segments, microseconds and ticks of `recovery.tick` (net/ipv4/tcp_cubic.c and its neighbours). Its
        /// HyStart also looks at reported segments. Of the parameters, it reads CUBIC's but `alpha_rises` and `alpha`, Vegas's
        /// thresholds, Veno's `beta`, and the power of two that is nearest to DCTCP's `gain`. Reno and DCTCP are Linux's with
        /// `credit = "segment-counter"`. A control learns of no ACK before the SYN is acknowledged.
        Linux = "linux",
    }
}

choice! {
    /// When duplicate ACKs may start fast retransmit a second time in the same window of data.
    SecondFastRetransmit {
        /// Always.
        Always = "always",
        /// Not before the cumulative ACK has passed `recover` (RFC 6582 section 3.2).
        Never = "never",
        /// Unless the last reduction was a timeout (ns-1 in 1997).
        UnlessTimeout = "unless-timeout",
    }
}

choice! {
    /// The window at the end of a fast recovery.
    RecoveryExit {
        /// cwnd stays as it is, and the ACK that ends the recovery grows it (ns-2).
        Keep = "keep",
        /// NewReno: min(ssthresh, FlightSize + 1 segment), and the ACK grows it (ns-2's `exit_recovery_fix_`).
        MinFlight = "min-flight",
        /// NewReno: min(ssthresh, max(FlightSize, SMSS) + SMSS). In every recovery, the ACK does not grow it (RFC 6582 section
        /// 3.2 step 3).
        Rfc6582 = "rfc6582",
    }
}

choice! {
    /// A fault that some senders had (RFC 2525).
    SenderFault {
        /// None.
        None = "none",
        /// The first ACK of new data after a timeout opens the whole advertised window (RFC 2525 section 2.2).
        NoSlowStartAfterTimeout = "no-slow-start-after-timeout",
        /// In congestion avoidance each ACK adds an eighth of a segment besides (RFC 2525 section 2.6).
        ExtraAdditiveConstant = "extra-additive-constant",
        /// What duplicate ACKs added to the window stays after the recovery; `reno` and `newreno` only (RFC 2525 section 2.8).
        NoDeflation = "no-deflation",
        /// Timeouts do not double the RTO (RFC 2525 section 2.10).
        NoBackoff = "no-backoff",
    }
}

choice! {
    /// How a window changes that the sender does not fill (RFC 2861).
    Validation {
        /// It grows as if it were full.
        Off = "off",
        /// It grows only if it limited the sender; in slow start, also if at least half was in flight. After an RTO without
        /// that, it is reduced half way to what was used (Linux).
        Linux = "linux",
    }
}

choice! {
    /// What happens to the window of an idle connection.
    IdleRestart {
        /// The retransmission timer keeps running. If it expires with nothing outstanding, slow start begins again (ns-2).
        Timer = "timer",
        /// The timer keeps running, and its expiry leaves cwnd (ns-2 with `slow_start_restart_` off).
        TimerKeepsWindow = "timer-keeps-window",
        /// After an idle RTO, cwnd is at most the initial window (RFC 5681 section 4.1).
        Rfc5681 = "rfc5681",
        /// After each idle RTO, cwnd is halved, to the initial window at the least; ssthresh remembers three quarters of it
        /// (RFC 2861 section 3.2; Linux's `tcp_cwnd_restart`).
        Linux = "linux",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// What an ACK of data that was never sent does.
    UnsentAck {
        /// The sender ignores it (RFC 9293 section 3.10.7.4).
        Ignore = "ignore",
        /// The sender restarts from a window of one segment, since no honest receiver sends such an ACK (ledger
        /// divack.m.optimistic_defence).
        Restart = "restart",
    }
}

/// The receiver's advertised window, in segments or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Window {
    /// Full segments.
    Segments(u32),
    /// Payload bytes, written `"64kB"`.
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

crate::rules::plain_rules!(Window);
