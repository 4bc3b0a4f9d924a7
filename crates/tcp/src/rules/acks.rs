//! ACK policies: when receivers acknowledge, and their parameters.

use acklab_packet::Time;

use super::choices::{BufferGrowth, MarkAnswer};
use super::division::{DivideWhen, PieceOrder, PieceParts};
use super::estimates::{
    BetaRise, EstimateFall, GammaCount, LossNotice, PhaseSource, ReplyWait, RttSource, WindowSource, WindowStart,
};
use super::parameters::Parameters;
use super::variants::variants;

variants! {
    /// ACK policy: when the receiver acknowledges.
    AckPolicyKind by "policy" with super::quic_stacks::all {
        /// Each arriving segment at once.
        Every = "every" {}
        /// Every `segments`-th segment, or when `timer` expires (RFC 1122 section 4.2.3.2).
        Delayed = "delayed" {
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.1),
            /// In-order segments that an ACK may cover.
            segments: u32 [1 ..= 1_000_000] = 2,
            /// Whether the timer runs freely (BSD). Otherwise the first segment held starts it.
            heartbeat: bool = false,
            /// Instant of the heartbeat's first beat.
            phase: Time = Time::ZERO,
        }
        /// Each segment at once while the sender is in slow start, else delayed (DAASS, Allman 1998).
        Daass = "daass" {
            /// How the receiver knows the sender's phase.
            phase: PhaseSource = PhaseSource::Oracle,
            /// Longest delay of an ACK outside slow start.
            timer: Time = Time::from_secs(0.1),
            /// In-order segments that an ACK may cover outside slow start.
            segments: u32 [1 ..= 1_000_000] = 2,
            /// For `heuristic`: the advertised window in segments, at which slow start ends at the latest.
            window: u32 [1 ..= 4_294_967_295_u32] = u32::MAX,
            /// For `heuristic`: time without arrivals before a gap is filled that indicates a timeout of the sender.
            silence: Time = Time::from_secs(0.5),
        }
        /// ACK division: an ACK leaves in pieces. Duplicate ACKs, and ACKs of a filled gap, stay whole. `segments = 1` is method I of
        /// the paper, 2 its method II. The sender must count bytes (`sequence = "bytes"`), or an ACK of a segment has no pieces.
        Divide = "divide" {
            /// Pieces into which an ACK is divided; fewer if it covers fewer bytes.
            pieces: u32 [2 ..= 64] = 2,
            /// In-order segments that an ACK may cover.
            segments: u32 [1 ..= 1_000_000] = 1,
            /// Longest delay of an ACK that may cover several segments.
            timer: Time = Time::from_secs(0.1),
            /// In which phase of the sender ACKs are divided.
            when: DivideWhen = DivideWhen::Always,
            /// How the receiver knows the sender's phase.
            phase: PhaseSource = PhaseSource::Oracle,
            /// For `heuristic`: the advertised window in segments, at which slow start ends at the latest.
            window: u32 [1 ..= 4_294_967_295_u32] = u32::MAX,
            /// For `heuristic`: time without arrivals before a gap is filled that indicates a timeout of the sender.
            silence: Time = Time::from_secs(0.5),
            /// Instant at which division begins.
            start: Time = Time::ZERO,
            /// In-order segments whose ACKs are divided from then on; 0 is no limit.
            burst: u32 = 0,
            /// What the pieces cover.
            parts: PieceParts = PieceParts::Equal,
            /// Which piece leaves first.
            order: PieceOrder = PieceOrder::Rising,
            /// Pause between two pieces; 0s is back to back.
            spacing: Time = Time::ZERO,
        }
        /// An attack: copies of each ACK of in-order data inflate the window of a sender in fast recovery.
        Spoof = "spoof" {
            /// Copies of each ACK.
            duplicates: u32 [1 ..= 1000] = 10,
        }
        /// An attack: ACKs of data that has not arrived. What was lost is then never sent again.
        Optimistic = "optimistic" {
            /// Segments beyond the highest received that an ACK covers, as soon as twice as many have arrived.
            ahead: u32 [1 ..= 1_000_000] = 8,
            /// Time without arrivals after which an ACK covers exactly what arrived.
            timer: Time = Time::from_secs(0.1),
        }
        /// Divided ACKs after a wireless loss, until the sender's window is as large as before it; or after a handover, until the
        /// window reaches a target. Segments carry the sender's window (`carry_window`).
        Restore = "restore" {
            /// Pieces into which an ACK is divided.
            pieces: u32 [2 ..= 64] = 8,
            /// After a handover: the window to reach, in segments. With 0, windows are restored after losses instead.
            target: u32 = 0,
            /// When the handover happens.
            start: Time = Time::ZERO,
            /// A loss counts as wireless if the round trip lies in this lower share of its range.
            share: f64 [0.0 ..= 1.0] = 0.5,
        }
        /// Smartacking: each segment at once while the bottleneck has room, else as late as keeps it busy (ledger
        /// smartacking.m.core).
        Smart = "smart" {
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.2),
            /// How the receiver knows the round trip.
            rtt: RttSource = RttSource::Probe,
            /// Time between keep-alives.
            interval: Time = Time::from_secs(1.0),
            /// How the receiver knows the sender's window.
            window: WindowSource = WindowSource::Estimate,
            /// The sender's assumed initial window, in segments.
            initial: u32 [1 ..= 1_000_000] = 1,
            /// Whether the share of the round trip that is subtracted from a delay adapts (alpha, beta, gamma; ledger
            /// smartacking.m.extended).
            extended: bool = false,
            /// When a third duplicate ACK counts.
            loss: LossNotice = LossNotice::RoundTrip,
            /// How the receiver recognises the first segment of a window.
            first: WindowStart = WindowStart::Count,
            /// Time from the first segment to the first keep-alive.
            first_probe: Time = Time::ZERO,
            /// Whether a keep-alive's time includes the wait of its answer behind data.
            replies: ReplyWait = ReplyWait::Counted,
            /// Segments that an ACK may add to the estimated window in slow start: 1 is NewReno's listing, 2 is ABC's (RFC 3465).
            limit: u32 [1 ..= 1_000_000] = 1,
            /// For `extended`: what counts as a decrease of the estimated window.
            decrease: EstimateFall = EstimateFall::Loss,
            /// For `extended`: what beta becomes when alpha falls with a decrease.
            beta: BetaRise = BetaRise::Before,
            /// For `extended`: which ACKs gamma counts.
            gamma: GammaCount = GammaCount::New,
            /// For `extended`: whether gamma may reduce alpha before the first third duplicate ACK.
            early_steps: bool = true,
        }
        /// An ACK once `segments` have arrived and RTT/`beta` has passed since the last one: max(L segments, RTTmin/beta), as in TACK
        /// (Li and others 2020).
        Periodic = "periodic" {
            /// ACKs in a round trip where segments arrive faster.
            beta: f64 [1e-6 ..= 1e6] = 4.0,
            /// L: least in-order segments that an ACK covers, unless `timer` expires.
            segments: u32 [1 ..= 1_000_000] = 2,
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.2),
            /// How the receiver knows the round trip, of which it takes the minimum.
            rtt: RttSource = RttSource::Probe,
            /// Time between keep-alives.
            interval: Time = Time::from_secs(1.0),
        }
        /// Linux 6: quick ACKs first, then every second full segment, with an adaptive timer and compressed SACKs.
        Linux = "linux" {
            /// Most quick ACKs in a row.
            quick: u32 [0 ..= 255] = 16,
            /// Window with which the receiver opens, in segments: 65,160 bytes in segments of 1448. Half as many quick ACKs begin it.
            window: u32 [1 ..= 1_000_000] = 45,
            /// Segments for which the receiver's buffer first has room: 131,072 bytes, of which a segment takes 2304. Until then each
            /// arriving segment opens the window by two and is acknowledged at once. At least `window`.
            buffer: u32 [1 ..= 1_000_000] = 57,
            /// Whether the buffer grows with what is read in a round trip.
            autotune: bool = true,
            /// Bytes of memory that the buffer has at first (`tcp_rmem[1]`, mostly 131072). `buffer` then counts no more, and `window` only
            /// limits how the receiver opens (`initrwnd`). 0 counts in whole segments instead. Only for a sender with
            /// `sequence = "bytes"`.
            memory: u32 [0 ..= 1_000_000_000] = 0,
            /// Bytes of memory that it has at most (`tcp_rmem[2]`); at least `memory`.
            most_memory: u32 [1 ..= 1_000_000_000] = 6_291_456,
            /// Bytes of memory that a segment takes, which the network card decides (`truesize`).
            segment_memory: u32 [1 ..= 1_000_000] = 2304,
            /// Bytes that every second segment takes instead, where a card divides pages unevenly; 0: the same.
            second_memory: u32 [0 ..= 1_000_000] = 0,
            /// By which formula that memory grows.
            growth: BufferGrowth = BufferGrowth::Linux73,
            /// Shortest delay of an ACK that waits; at most `timer`.
            least: Time = Time::from_secs(0.04),
            /// Longest delay of an ACK, less a tick. The socket option `TCP_DELACK_MAX_US` (6.15) sets a shorter one.
            timer: Time = Time::from_secs(0.2),
            /// The kernel's clock (1/HZ), in which the timer and gaps between segments are counted; 0s counts them exactly.
            tick: Time = Time::from_secs(0.004),
            /// Longest delay of a SACK after the third duplicate (`tcp_comp_sack_delay_ns`); `sack_share` of the round trip if that is
            /// less. 0s does not compress.
            sack_delay: Time = Time::from_secs(0.001),
            /// Share of the round trip that such a SACK waits (`tcp_comp_sack_rtt_percent` / 100): 0.05 up to 6.18, 0.33 from 6.19.
            sack_share: f64 [0.01 ..= 10.0] = 0.05,
            /// Time by which the kernel lets such a SACK be late (`tcp_comp_sack_slack_ns`): 100us up to 6.18, 10us from 6.19.
            sack_slack: Time = Time::from_secs(1e-4),
            /// Segments above a gap that one such SACK may answer (`tcp_comp_sack_nr`).
            sack_most: u32 [0 ..= 255] = 44,
            /// Sequence units for which the application waits before it reads; 1 reads at once.
            low_water: u32 [1 ..= 1_000_000_000] = 1,
            /// Units that the application asks for at once; it reads on while there are more. `memory` grows by the first of them that it
            /// reads in a round trip.
            read_size: u32 [1 ..= 1_000_000_000] = 1_000_000_000,
        }
        /// QUIC (RFC 9000 section 13.2), and what its sender can request (ACK_FREQUENCY, draft-ietf-quic-ack-frequency).
        Quic = "quic" {
            /// Packets that an ACK may cover: the extension's Ack-Eliciting Threshold plus one.
            segments: u32 [1 ..= 1_000_000] = 2,
            /// Longest delay of an ACK.
            max_ack_delay: Time = Time::from_secs(0.025),
            /// Reordering Threshold: packets received after a missing one that cause an ACK at once. 1 acknowledges every packet that
            /// is out of order at once; 0 never.
            reordering: u32 [0 ..= 255] = 1,
            /// Share of its smoothed round trip that the sender requests as the longest delay, at most `max_ack_delay`; 0 requests
            /// none.
            rtt_share: f64 [0.0 ..= 10.0] = 0.0,
            /// Packet number above which an ACK may cover `later` packets instead; 0: `segments` all the time. Without packet numbers,
            /// so many packets. A request of the sender ends it.
            first: u32 [0 ..= 1_000_000] = 0,
            /// Packets that an ACK may cover after `first`.
            later: u32 [1 ..= 1_000_000] = 10,
            /// Which packets with a congestion mark (CE) are acknowledged at once.
            marks: MarkAnswer = MarkAnswer::First,
            /// Bytes read in order after which the receiver sends a window update of the stream; 0 sends none. It takes an ACK along. If an
            /// ACK has just left, it is a packet of its own.
            stream_update: u32 [0 ..= 1_000_000_000] = 0,
            /// The same for the connection's window.
            connection_update: u32 [0 ..= 1_000_000_000] = 0,
            /// Whether two window updates that are due at once leave as two packets.
            updates_apart: bool = false,
            /// Step of the program's timer. Each packet sets the timer again, to a whole number of `tick`s from now: the first that is not
            /// before the ACK is due. An ACK can so be up to a `tick` late. 0s is exact.
            tick: Time = Time::ZERO,
            /// Whether the policy reads packet numbers, which no retransmission repeats. Only for a sender with `recovery = "rfc9002"`,
            /// where it is true if left out.
            packet_numbers: bool = false,
            /// An attack (RFC 9000 section 21.4): each ACK covers so many packets that have not come, and no more than half of what came.
            /// Lost ones among them are never sent again. 0 is honest.
            #[neutral(value = 0)]
            ahead: u32 [0 ..= 1_000_000] = 0,
        }
        /// Every `segments`-th segment, until the sender requests another number (`ack_request`).
        Requested = "requested" {
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.1),
            /// In-order segments that an ACK may cover before a request comes.
            segments: u32 [1 ..= 127] = 2,
            /// Most segments that an ACK covers, whatever is requested.
            most: u32 [1 ..= 127] = 127,
        }
        /// ACK congestion control: an ACK every d segments. A RED queue with `ecn` can mark its ACKs. The sender echoes a mark on its
        /// next segment, which doubles d, at most once a round trip. A round trip without a mark reduces d by one.
        Acc = "acc" {
            /// Most segments that an ACK covers, at most half the sender's window.
            d_max: u32 [1 ..= 1_000_000] = 16,
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.1),
        }
        /// ACK congestion control as smartacking's section 2 has it: an ACK every d segments. Each delivered segment with a congestion
        /// mark doubles d, whether a queue set it or the sender echoes that of an ACK. A round trip without one reduces d by one. The
        /// sender answers no mark of its data.
        AccDelivered = "acc-delivered" {
            /// Share of the sender's window that an ACK covers at most.
            window_share: f64 [0.01 ..= 1.0] = 0.5,
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.1),
        }
        /// ACK congestion control as in ns-2.35 (`TCPSink/Asym`). A round trip ends when the sender has an ACK that left after the last
        /// change of d. An ACK covers at most half of what the sender may have outstanding, which segments carry (`carry_allowance`).
        AccNs2 = "acc-ns2" {
            /// Most segments that an ACK covers.
            d_max: u32 [1 ..= 1_000_000] = 5,
            /// Longest delay of an ACK.
            timer: Time = Time::from_secs(0.1),
        }
        /// A policy in Python that the program passes to the run (`acklab.AckPolicy`).
        Python = "python" {
            /// Its name among those that are passed.
            name: String = String::new(),
            /// Keyword arguments of its constructor.
            parameters: Parameters = Parameters::default(),
        }
    }
}

impl AckPolicyKind {
    /// How the policy knows the sender's phase, if it reads it.
    pub fn phase_source(&self) -> Option<PhaseSource> {
        match *self {
            AckPolicyKind::Daass { phase, .. } => Some(phase),
            AckPolicyKind::Divide { when, phase, .. } => (when != DivideWhen::Always).then_some(phase),
            _ => None,
        }
    }

    /// True if its ACKs tell the receiver's window.
    pub fn tells_window(&self) -> bool {
        matches!(self, AckPolicyKind::Linux { memory: 1.., .. })
    }

    /// Whether segments must carry their sender's window and round trip for it.
    pub fn asks_for_window(&self) -> bool {
        match *self {
            AckPolicyKind::Smart { rtt, window, .. } => rtt == RttSource::Sender || window == WindowSource::Sender,
            AckPolicyKind::Periodic { rtt, .. } => rtt == RttSource::Sender,
            AckPolicyKind::Quic { rtt_share, .. } => rtt_share > 0.0,
            AckPolicyKind::Acc { .. } | AckPolicyKind::AccDelivered { .. } | AckPolicyKind::Restore { .. } => true,
            _ => false,
        }
    }

    /// True if it takes requests of the sender, and says so in the handshake.
    pub fn takes_requests(&self) -> bool {
        matches!(self, AckPolicyKind::Requested { .. } | AckPolicyKind::Quic { .. })
    }

    /// True if its ACKs cover packet numbers that have not come.
    pub fn is_ahead(&self) -> bool {
        matches!(self, AckPolicyKind::Quic { ahead: 1.., packet_numbers: true, .. })
    }

    /// Whether its ACKs ask queues for congestion marks.
    #[inline]
    pub fn asks_for_marks(&self) -> bool {
        matches!(self, AckPolicyKind::Acc { .. } | AckPolicyKind::AccNs2 { .. }) || self.reads_marks()
    }

    /// Whether it reads the marks of data itself, so that segments ask for them and ACKs tell none.
    #[inline]
    pub fn reads_marks(&self) -> bool {
        matches!(self, AckPolicyKind::AccDelivered { .. })
    }

    /// True if segments must carry how much their sender may have outstanding.
    pub fn asks_for_allowance(&self) -> bool {
        matches!(self, AckPolicyKind::AccNs2 { .. })
    }
}
