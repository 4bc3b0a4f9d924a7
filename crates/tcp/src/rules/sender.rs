//! The sender's rule table.

use acklab_packet::Time;

use super::{
    AceRule, AckRequest, ControlKind, Controls, CreditKind, DuplicateAcks, FirstLoss, Halving, IdleRestart, MarkForm,
    Pacing, RecoveryExit, RecoveryKind, RtoFloor, RttFilter, SecondFastRetransmit, Segmentation, SenderFault, Sequence,
    TimeoutSsthresh, TimerRestart, UnsentAck, Validation, Window, rule_table,
};

rule_table! {
    /// Everything in which senders differ. Sizes in bytes, windows in segments, times in seconds.
    SenderRules, SenderPatch {
        /// What one sequence number counts: a byte, or a whole segment.
        sequence: Sequence,
        /// Size of a full segment: its payload if `header` is above 0, else its size on the wire.
        packet: u32 [1..=1_000_000],
        /// TCP/IP header added to every data segment; the size of a packet without data, such as the ACK of a SYN's answer.
        header: u32 [0..=1_000_000],
        /// Size of a SYN or FIN segment.
        control_size: u32 [1..=1_000_000],
        /// Whether segments carry timestamps, so that every ACK of new data gives a round-trip sample (RFC 7323).
        timestamps: bool,
        /// Size that the timestamp option adds to a segment with a header.
        timestamp_bytes: u32 [0..=1_000_000],
        /// Whether the timestamp option reduces the payload (RFC 6691) instead of enlarging the segment.
        options_in_packet: bool,
        /// Whether the connection opens with a SYN, which takes the first sequence number.
        syn: bool,
        /// Whether a bare ACK acknowledges the SYN's answer before data follows, also where there is data (Linux).
        handshake_ack: bool,
        /// Whether the connection closes with a FIN, which takes the last sequence number.
        fin: bool,
        /// Whether the last segment of a known size says so, as with the FIN that Linux sends on it. It is acknowledged at once, and
        /// the receiver sends a FIN of its own, until the sender answers (`tcp_send_fin`).
        marks_end: bool,
        /// Whether that segment may leave though cwnd is full (Linux 6.1).
        fin_beyond_window: bool,
        /// The receiver's advertised window.
        #[neutral(value = "1GB")]
        window: Window,
        /// Initial window, in segments.
        #[neutral(by = "none")]
        initial_window: f64 [1.0..=1e9],
        /// Window until the SYN is acknowledged, in segments.
        window_before_syn_ack: f64 [1.0..=1e9],
        /// How the loss of the flow's first segment changes the window.
        first_loss: FirstLoss,
        /// Initial ssthresh, in segments; 0 is the advertised window.
        initial_ssthresh: f64 [0.0..=1e9],
        /// Whether a window equal to ssthresh, as after a reduction, is in slow start: one segment more after each recovery (Linux).
        /// RFC 5681 section 3.1 allows both.
        slow_start_at_ssthresh: bool,
        /// How losses are found and repaired.
        #[neutral(by = "none")]
        recovery: RecoveryKind,
        /// What credit and losses do to the window.
        #[neutral(by = "none")]
        control: ControlKind,
        /// Whose form of it that is.
        controls: Controls,
        /// What an ACK of new data is worth.
        credit: CreditKind,
        /// Granularity of the clock that times segments.
        tick: Time,
        /// Estimate of the round trip and the RTO.
        rtt_filter: RttFilter,
        /// RTO before the first sample.
        #[neutral(by = "none")]
        initial_rto: Time,
        /// Lower bound of the RTO, which is at least two ticks.
        #[neutral(by = "none")]
        min_rto: Time,
        /// Upper bound of the RTO.
        #[neutral(by = "none")]
        max_rto: Time,
        /// Timeouts of the SYN that do not double the RTO (Linux's `tcp_syn_linear_timeouts`).
        linear_syn_timeouts: u32 [0..=1_000],
        /// What `min_rto` applies to.
        rto_floor: RtoFloor,
        /// Which RTO an ACK restarts the timer with.
        timer_restart: TimerRestart,
        /// What happens to the window of an idle connection.
        #[neutral(value = "off")]
        idle_restart: IdleRestart,
        /// How a window changes that the sender does not fill.
        validation: Validation,
        /// Which quantity a loss halves.
        halving: Halving,
        /// Which timeouts reduce ssthresh.
        timeout_ssthresh: TimeoutSsthresh,
        /// Which repeated ACKs may begin a fast retransmit. Recoveries that find losses by time do not read it.
        duplicate_acks: DuplicateAcks,
        /// Whether queues may mark segments instead of dropping them, and marks count as losses (RFC 3168). If left out, true
        /// with `control = "dctcp"` or `"prague"`.
        ecn: bool,
        /// With `ecn`: whose form of the answer to echoed marks.
        mark_form: MarkForm,
        /// With `ecn`: whether segments are ECT(1), which a `dual-pi2` queue serves first and marks sooner (RFC 9331). Meant for
        /// `control = "dctcp"`, whose answer to a mark is small. If left out, true with `"prague"`.
        ect1: bool,
        /// With `ecn`: whether the SYN asks for accurate ECN, with which ACKs count marks (RFC 9768).
        accurate_ecn: bool,
        /// With `ecn`, in congestion avoidance: share of the window that a mark leaves (ABE, RFC 8511: 0.8 with `reno`, 0.85 with
        /// `cubic`). 0 is what a loss leaves.
        beta_ecn: f64 [0.0..=0.999999],
        /// One segment in about so many leaves marked. A receiver that does not count it hides marks, and no segment may be marked any
        /// more. With accurate ECN, and `ace` `rfc9768` or `linux`, or with QUIC's counts. 0 marks none.
        test_marks: u32 [0..=1_000_000],
        /// How many marks an ACK tells of, with accurate ECN.
        ace: AceRule,
        /// Whether segments carry their sender's phase: slow start or congestion avoidance. If left out, true where the receiver reads it.
        carry_phase: bool,
        /// Whether segments carry cwnd and the smoothed round trip. If left out, true where the receiver reads them.
        carry_window: bool,
        /// Whether segments carry, instead of the window, how many segments may be outstanding, and how many duplicates the newest ACK
        /// has had. If left out, true where the receiver reads it.
        carry_allowance: bool,
        /// Requests how often to acknowledge, if the receiver's policy takes them (`"requested"`, `"quic"`).
        ack_request: AckRequest,
        /// How segments are spaced.
        #[neutral(value = "off")]
        pacing: Pacing,
        /// How segments are grouped that leave together. Only with `recovery = "rack"`, `sequence = "bytes"` and `max_burst = 0`, without
        /// `pacing` and without a control that paces.
        #[neutral(value = "off")]
        segmentation: Segmentation,
        /// With `segmentation` as in Linux: most bytes of memory of the send buffer (`tcp_wmem[2]`). A program writes until so many are
        /// taken, or as many as the window asks for.
        send_memory: u32 [4096..=1_000_000_000],
        /// Whether the window that ACKs tell limits the sender (RFC 9293 section 3.8.6), instead of the constant `window`. If left
        /// out, true where ACKs tell it: the policy `linux` with `memory`.
        #[neutral(value = false)]
        reads_window: bool,
        /// Duplicate ACKs that indicate a loss.
        dup_thresh: u32 [1..=1_000_000],
        /// Whether the first duplicate ACKs send a new segment each (RFC 3042). `fack` and `rfc9002` do not read it.
        limited_transmit: bool,
        /// Whether that segment must be new (RFC 3042). In ns-2 it is the next in order, even after a timeout.
        limited_transmit_new_only: bool,
        /// Most segments sent in response to one event; 0 is no limit.
        max_burst: u32,
        /// When fast retransmit may repeat within one window of data. `fack`, `rack` and `rfc9002` do not read it.
        second_fast_retransmit: SecondFastRetransmit,
        /// What happens to the window at the end of a fast recovery.
        recovery_exit: RecoveryExit,
        /// Which fault of RFC 2525 the sender has.
        #[neutral(value = "none")]
        fault: SenderFault,
        /// What an ACK of data that was never sent does.
        unsent_ack: UnsentAck,
        /// One new segment in about so many is skipped until the receiver asks for it. A receiver that acknowledges it anyway is
        /// optimistic (ledger divack.m.optimistic_defence). 0 skips none.
        skip: u32 [0..=1_000_000],
        /// How many times larger `skip` is after each that was skipped. quic-go and x/net/quic double it.
        skip_growth: f64 [1.0 ..= 16.0],
        /// Windows that are added to `skip` each time, for a sender that numbers its packets (s2n-quic, quiche).
        skip_windows: f64 [0.0 ..= 16.0],
    }
}
