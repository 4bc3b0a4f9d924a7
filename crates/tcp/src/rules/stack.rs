//! The named stacks and their values.

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;

/// A named table of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Stack {
    /// Sender and receiver of the papers: ns-1.4, as far as ns-2.35 can be set to it (docs/oracle).
    #[serde(rename = "ns2-1998")]
    Ns2In1998,
    /// ns-2.35 with its own defaults.
    #[serde(rename = "ns2-2.35")]
    Ns2At235,
    /// The standards of today: RFC 5681, 6298, 6582, 6675, 6928, 7323.
    #[serde(rename = "rfc")]
    Rfc,
    /// A Linux kernel of today with its defaults (docs/oracle/kernel.md compares the two).
    #[serde(rename = "linux")]
    Linux,
    /// A QUIC endpoint: RFC 9000 section 13.2 and RFC 9002, with quinn's datagrams (tests/oracle/quinn compares the two).
    #[serde(rename = "quic")]
    Quic,
}

impl Stack {
    /// Every stack, oldest first.
    pub const ALL: [Stack; 5] = [Stack::Ns2In1998, Stack::Ns2At235, Stack::Rfc, Stack::Linux, Stack::Quic];

    /// The name a scenario uses.
    pub fn name(self) -> &'static str {
        match self {
            Stack::Ns2In1998 => "ns2-1998",
            Stack::Ns2At235 => "ns2-2.35",
            Stack::Rfc => "rfc",
            Stack::Linux => "linux",
            Stack::Quic => "quic",
        }
    }

    /// The sender's table.
    pub fn sender(self) -> SenderRules {
        match self {
            Stack::Ns2At235 => ns2_sender(),
            Stack::Ns2In1998 => SenderRules {
                header: 0,
                syn: false,
                initial_window: 1.0,
                window_before_syn_ack: 1.0,
                tick: Time::from_secs(0.1),
                initial_rto: Time::from_secs(6.0),
                min_rto: Time::ZERO,
                max_rto: Time::from_secs(64.0),
                rto_floor: RtoFloor::AfterBackoff,
                timer_restart: TimerRestart::BeforeRttUpdate,
                halving: Halving::Integer,
                limited_transmit: false,
                ..ns2_sender()
            },
            Stack::Rfc => SenderRules {
                sequence: named("bytes"),
                packet: 1460,
                header: 40,
                control_size: 40,
                timestamps: true,
                timestamp_bytes: 12,
                options_in_packet: true,
                syn: true,
                handshake_ack: false,
                fin: false,
                marks_end: false,
                fin_beyond_window: false,
                window: Window::Bytes(Bytes::new(6_291_456)),
                initial_window: 10.0,
                window_before_syn_ack: 1.0,
                first_loss: FirstLoss::OneSegment,
                initial_ssthresh: 0.0,
                slow_start_at_ssthresh: false,
                recovery: named("rfc6675"),
                control: named("reno"),
                controls: Controls::Published,
                credit: CreditKind::Rfc5681 {},
                tick: Time::from_secs(0.001),
                rtt_filter: RttFilter::Rfc6298 {},
                initial_rto: Time::from_secs(1.0),
                min_rto: Time::from_secs(1.0),
                max_rto: Time::from_secs(60.0),
                rto_floor: RtoFloor::BeforeBackoff,
                timer_restart: TimerRestart::AfterRttUpdate,
                linear_syn_timeouts: 0,
                idle_restart: IdleRestart::Rfc5681,
                validation: Validation::Off,
                halving: Halving::FlightSize,
                timeout_ssthresh: TimeoutSsthresh::FirstOfSegment,
                duplicate_acks: DuplicateAcks::Outstanding,
                ecn: false,
                mark_form: MarkForm::Rfc3168,
                ect1: false,
                accurate_ecn: false,
                beta_ecn: 0.0,
                test_marks: 0,
                ace: AceRule::Rfc9768,
                carry_phase: false,
                carry_window: false,
                carry_allowance: false,
                ack_request: AckRequest::Off {},
                pacing: Pacing::Off {},
                segmentation: Segmentation::Off,
                send_memory: 4_194_304,
                reads_window: false,
                dup_thresh: 3,
                limited_transmit: true,
                limited_transmit_new_only: true,
                max_burst: 0,
                second_fast_retransmit: SecondFastRetransmit::Never,
                unsent_ack: UnsentAck::Ignore,
                skip: 0,
                skip_growth: 1.0,
                skip_windows: 0.0,
                recovery_exit: RecoveryExit::Rfc6582,
                fault: SenderFault::None,
            },
            Stack::Linux => SenderRules {
                // A SYN has twenty bytes of options (`tcp_syn_options`), and its answer is acknowledged at once
                // (`tcp_rcv_synsent_state_process`).
                control_size: 60,
                handshake_ack: true,
                // A FIN goes with the last data (`tcp_send_fin`).
                marks_end: true,
                sequence: Sequence::Bytes { nagle: Nagle::Minshall, sws_avoidance: true, pieces: PieceEffect::Slide },
                control: ControlKind::Cubic {
                    c: 0.4,
                    beta: 0.7,
                    fast_convergence: true,
                    reno_friendly: true,
                    alpha_rises: false,
                    alpha: 0.0,
                    seek: 0.05,
                    slow_start: CubicSlowStart::HyStart,
                },
                controls: Controls::Linux,
                // A window grows by the segments an ACK completes (tcp_ack's `acked`).
                credit: CreditKind::SegmentCounter {},
                recovery: RecoveryKind::Rack {
                    window: RecoveryWindow::PrrLinux,
                    undo: Undo::Both,
                    frto: Frto::Linux,
                    reordering: Reordering::Linux,
                    search: LossSearch::Linux,
                    undo_evidence: UndoEvidence::Segments,
                    marks: Marks::Prr,
                    rtt_samples: RttSamples::Linux,
                    loss_counts: LossCounts::Unreported,
                    timeout_cwnd: TimeoutCwnd::InFlight,
                    probe: TailProbe::Linux,
                    tick: Time::from_secs(0.004),
                    phase: Time::ZERO,
                    timer_margin: Time::from_secs(0.002),
                    timestamp_unit: Time::from_secs(0.001),
                },
                // The ACK that ends a recovery counts (`tcp_cong_control`).
                recovery_exit: RecoveryExit::Keep,
                rtt_filter: RttFilter::Linux {},
                rto_floor: RtoFloor::Variance,
                validation: Validation::Linux,
                idle_restart: IdleRestart::Linux,
                linear_syn_timeouts: 4,
                first_loss: FirstLoss::Linux,
                // Segments are timed in microseconds.
                tick: Time::from_secs(1e-6),
                min_rto: Time::from_secs(0.2),
                max_rto: Time::from_secs(120.0),
                halving: Halving::Cwnd,
                timeout_ssthresh: TimeoutSsthresh::FirstOfWindow,
                ..Stack::Rfc.sender()
            },
            Stack::Quic => SenderRules {
                recovery: named("rfc9002"),
                // Datagrams of 1200 bytes; 33 of them are the short header, the tag and a STREAM frame's header, and UDP and
                // IPv4 come on top. RFC 9002 section 7.2 begins with min(10 datagrams, max(2, 14720 bytes)).
                packet: 1167,
                header: 61,
                timestamps: false,
                initial_window: 10.0,
                credit: CreditKind::Ubc { growth: Growth::Whole },
                halving: Halving::Precise,
                // Section 7.7: a window in four fifths of a round trip, in bursts no larger than the initial window.
                pacing: Pacing::Spread { share: 0.8, burst: 10, round_trip: PacedTrip::Smoothed },
                // Sections 6.2.1 and 6.2.2: smoothed round trip and four deviations, at least 1 ms; 333 ms before any.
                tick: Time::from_secs(1e-6),
                min_rto: Time::from_secs(0.001),
                rto_floor: RtoFloor::Variance,
                initial_rto: Time::from_secs(0.999),
                idle_restart: IdleRestart::Off,
                ..Stack::Rfc.sender()
            },
        }
    }

    /// The receiver's table.
    pub fn receiver(self) -> ReceiverRules {
        let delayed = |secs| AckPolicyKind::Delayed {
            timer: Time::from_secs(secs),
            segments: 2,
            heartbeat: false,
            phase: Time::ZERO,
        };
        let rfc = ReceiverRules {
            ack: delayed(0.2),
            estimate: EstimateKind::Off {},
            ack_size: 40,
            sack: true,
            sack_block_bytes: 8,
            sack_head_bytes: 0,
            syn_options_bytes: 0,
            syn_answer: SynAnswer::Once {},
            max_sack_blocks: 3,
            purge_stale_sack: true,
            retain: true,
            dsack: false,
            echo_each_mark: false,
            feedback: Feedback::Classic,
            accecn_option: AccEcnOption::Always,
            change_acks: ChangeAcks::Marks,
            marked_acks: 2,
            marks_told: 1.0,
            false_dsacks: false,
            paws: false,
            immediate_on_gap: true,
            immediate_on_repeat: true,
            immediate_on_syn: true,
        };
        let ns2 = ReceiverRules { purge_stale_sack: false, immediate_on_repeat: false, ..rfc.clone() };
        match self {
            Stack::Ns2In1998 => ReceiverRules { immediate_on_gap: false, immediate_on_syn: false, ..ns2 },
            Stack::Ns2At235 => ReceiverRules { ack: delayed(0.1), ..ns2 },
            Stack::Rfc => rfc,
            // ACKs carry timestamps.
            Stack::Linux => ReceiverRules {
                ack: named("linux"),
                ack_size: 52,
                dsack: true,
                paws: true,
                change_acks: ChangeAcks::Both,
                marked_acks: 0,
                syn_answer: named("repeated"),
                ..rfc
            },
            Stack::Quic => ReceiverRules {
                ack: named("quic"),
                // A datagram of 37 bytes; a range of an ACK frame takes two.
                ack_size: 65,
                sack_block_bytes: 2,
                ..rfc
            },
        }
    }
}

/// ns-2.35's defaults for its one-way senders; what is not here is as in `rfc`.
fn ns2_sender() -> SenderRules {
    SenderRules {
        sequence: Sequence::Segments {},
        packet: 1000,
        timestamps: false,
        timestamp_bytes: 10,
        options_in_packet: false,
        window: Window::Segments(20),
        initial_window: 2.0,
        recovery: named("reno"),
        credit: CreditKind::AckCounting {},
        tick: Time::from_secs(0.01),
        rtt_filter: named("integer"),
        initial_rto: Time::from_secs(3.0),
        min_rto: Time::from_secs(0.2),
        idle_restart: IdleRestart::Timer,
        halving: Halving::Precise,
        timeout_ssthresh: TimeoutSsthresh::Each,
        duplicate_acks: DuplicateAcks::Unfinished,
        mark_form: MarkForm::Ns2,
        limited_transmit_new_only: false,
        recovery_exit: RecoveryExit::Keep,
        ..Stack::Rfc.sender()
    }
}
