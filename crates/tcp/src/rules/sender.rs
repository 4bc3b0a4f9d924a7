//! The sender's rule table.

use acklab_packet::Time;

use super::{
    ControlKind, CreditKind, Frto, Halving, IdleRestart, Nagle, PartialAckTimer, RecoveryExit, RecoveryKind,
    RecoveryWindow, RtoFloor, RttFilter, SackPartial, SecondFastRetransmit, Sequence, SlowStart, TimerRestart, Undo,
    UnsentAck, Validation, Window, rule_table,
};

rule_table! {
    /// Everything in which senders differ. Sizes in bytes, windows in segments, times in seconds.
    SenderRules, SenderPatch {
        /// What one sequence unit is: a byte, or a whole segment.
        sequence: Sequence,
        /// Bytes in a full segment: payload, where `header` is added on the wire; else the wire size.
        packet: u32 [1..=1_000_000],
        /// Bytes of TCP/IP header added to every data segment.
        header: u32 [0..=1_000_000],
        /// Bytes of a SYN or FIN segment.
        control_size: u32 [1..=1_000_000],
        /// Whether segments carry timestamps and every new ACK gives a round-trip sample (RFC 7323).
        timestamps: bool,
        /// Bytes the timestamp option adds to a segment that has a header.
        timestamp_bytes: u32 [0..=1_000_000],
        /// Whether the timestamp option takes its room from the payload (RFC 6691) instead of growing the segment.
        options_in_packet: bool,
        /// Whether the connection opens with a SYN, which occupies the first sequence unit.
        syn: bool,
        /// Whether a bare ACK answers the SYN's answer before data follows, also where there is data (Linux).
        handshake_ack: bool,
        /// Whether it closes with a FIN, which occupies the last.
        fin: bool,
        /// The receiver's advertised window.
        window: Window,
        /// Initial window, in segments.
        initial_window: f64 [1.0..=1e9],
        /// Window until the SYN is acknowledged, in segments.
        window_before_syn_ack: f64 [1.0..=1e9],
        /// Whether losing the very first segment reduces the initial window to one segment (RFC 5681 section 3.1).
        first_loss_resets_initial_window: bool,
        /// Initial ssthresh, in segments; 0 means the advertised window.
        initial_ssthresh: f64 [0.0..=1e9],
        /// Whether a window equal to ssthresh, as a reduction leaves it, is still in slow start (RFC 5681 section 3.1 lets
        /// a sender choose; Linux): one segment more after each recovery.
        slow_start_at_ssthresh: bool,
        /// How losses are repaired.
        recovery: RecoveryKind,
        /// What credit and losses do to the window.
        control: ControlKind,
        /// How the initial slow start ends.
        slow_start: SlowStart,
        /// What an arriving ACK is worth.
        credit: CreditKind,
        /// Granularity of the clock that times segments.
        tick: Time,
        /// Phase of that clock: the host's age at time 0, modulo the tick.
        tick_phase: Time,
        /// Tick in which a kernel's timers count (1/HZ), and by which `rack` sets its three as Linux does; 0s sets them exactly, as RFC 8985 does.
        timer_tick: Time,
        /// Smoothing of round-trip samples.
        rtt_filter: RttFilter,
        /// RTO before the first sample.
        initial_rto: Time,
        /// RTO's floor; never below two ticks.
        min_rto: Time,
        /// RTO's ceiling.
        max_rto: Time,
        /// What the floor applies to.
        rto_floor: RtoFloor,
        /// Whether a sample counts for the timer its own ACK restarts.
        timer_restart: TimerRestart,
        /// Whether duplicate ACKs restart the timer, too (ns-2's TCP/Linux; RFC 6298 has it for new data only). Only `fack`
        /// asks.
        duplicates_restart_timer: bool,
        /// What an idle connection does to its window.
        idle_restart: IdleRestart,
        /// Whether a window grows that is not used.
        validation: Validation,
        /// What is halved on loss.
        halving: Halving,
        /// Whether segments may be marked instead of dropped, and marks are answered like losses (RFC 3168); where a scenario leaves
        /// it out, also whether the control is `dctcp`.
        ecn: bool,
        /// Whether segments say if their sender is in slow start; where a scenario leaves it out, whether the receiver asks.
        tell_phase: bool,
        /// Whether segments carry cwnd and the smoothed RTT; where a scenario leaves it out, whether the receiver asks.
        tell_window: bool,
        /// Spacing of segments: this fraction of the smoothed RTT is shared out over a window; 0 sends in bursts.
        pacing: f64 [0.0 ..= 10.0],
        /// Segments that pacing sends at once, before a pause for all of them; 1 spaces each.
        pacing_burst: u32 [1..=1_000_000],
        /// When the data's end, smaller than a segment, waits for ACKs; only where bytes are counted.
        nagle: Nagle,
        /// Whether a window with less room than a segment sends nothing (RFC 9293 section 3.8.6.2.1); without it, small
        /// segments fill it. Only where bytes are counted.
        sws_avoidance: bool,
        /// Duplicate ACKs that signal a loss.
        dup_thresh: u32 [1..=1_000_000],
        /// Whether the first duplicate ACKs release one new segment each (RFC 3042).
        limited_transmit: bool,
        /// Whether that segment must be new (RFC 3042); ns-2 sends the next in order, even after a timeout.
        limited_transmit_new_only: bool,
        /// Most segments sent in response to one event; 0 is no limit.
        max_burst: u32,
        /// When fast retransmit may repeat within one window of data.
        second_fast_retransmit: SecondFastRetransmit,
        /// Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno).
        inflate_when_blocked: bool,
        /// Whether duplicate ACKs inflate the window by no more than what was outstanding when recovery began: the defence
        /// against spoofed ones.
        inflation_limit: bool,
        /// What an ACK of data that was never sent does.
        unsent_ack: UnsentAck,
        /// About one new segment in so many is left out until it is asked for, to catch receivers that acknowledge what
        /// they have not got; 0 never.
        skip: u32 [0..=1_000_000],
        /// Which partial ACKs restart NewReno's timer.
        partial_ack_timer: PartialAckTimer,
        /// Whether a partial ACK deflates NewReno's window (RFC 6582 section 3.2 step 3).
        partial_deflation: bool,
        /// The window with which NewReno leaves recovery.
        recovery_exit: RecoveryExit,
        /// Whether segments bear packet numbers, and ACKs say how long the highest was held, which is taken off its round trip.
        /// Only with `rfc9002`; where a scenario leaves it out, whether the receiver's policy is `quic`.
        packet_numbers: bool,
        /// How long `rfc9002` presumes that its receiver holds an ACK; where a scenario leaves it out, what policy `quic` is
        /// asked for.
        max_ack_delay: Time,
        /// How the window falls to ssthresh in a recovery. Only `rfc6675`, `rack` and `fack` ask.
        recovery_window: RecoveryWindow,
        /// What shows that a loss was none, so that the reduction is taken back. Only `rfc6675`, `rack` and `fack` ask.
        undo: Undo,
        /// Whether a timeout is examined by sending new data before anything but its segment is sent again, and taken back if it was
        /// spurious. Only `rfc6675` and `rack` ask.
        frto: Frto,
        /// What FF96 SACK does on a partial ACK.
        sack_partial: SackPartial,
    }
}
