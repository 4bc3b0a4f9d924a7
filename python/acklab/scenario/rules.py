"""The rules of senders and receivers. One to one with the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B). What is
left at None is left out of the file, so the simulator's default holds.

Written by tools/builder.py from the JSON Schema (``make builder``); changes belong in the Rust types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._part import Part
from .mechanisms import AckPolicy, Control, Credit, Halving, IdleRestart, Recovery, RecoveryExit

Window = int | str
"""The receiver's advertised window: whole segments (as the papers count) or bytes."""


Frto = Literal["off", "rfc5682", "linux"]
"""Whether a timeout is examined by sending new data before anything but its segment is sent again. Only `rfc6675` and
`rack` ask.

- "off": It is not.
- "rfc5682": F-RTO with SACK (RFC 5682 section 3): the second ACK decides.
- "linux": The first decides if it acknowledges more than what was sent again (Linux).
"""


Nagle = Literal["off", "on", "minshall"]
"""When the data's end, smaller than a segment, has to wait.

- "off": Never.
- "on": While anything is unacknowledged (RFC 896).
- "minshall": While a small segment is unacknowledged (Minshall's variant, as Linux has it).
"""


PartialAckTimer = Literal["first", "each"]
"""Which partial ACKs restart NewReno's retransmission timer (RFC 6582 section 4).

- "first": Only the first of a recovery ("impatient").
- "each": Each ("slow but steady").
"""


RecoveryWindow = Literal["at-once", "rate-halving", "prr-crb", "prr-ssrb", "prr", "prr-linux"]
"""How the window falls to ssthresh in a recovery.

- "at-once": At once: nothing but the first hole is sent until that much is in flight.
- "rate-halving": By one segment for two ACKs (rate halving, as Linux before PRR); only `fack` has it.
- "prr-crb": By proportional rate reduction; below ssthresh no more is sent than was delivered (RFC 6937's PRR-CRB).
- "prr-ssrb": The same; below ssthresh one segment more with each ACK, as in slow start (RFC 6937's PRR-SSRB).
- "prr": The same; one segment more only while the cumulative ACK advances and no further loss shows (RFC 9937).
- "prr-linux": The same in whole segments, shares of the window instead of what was in flight (Linux).
"""


RtoFloor = Literal["before-backoff", "after-backoff", "variance"]
"""What the RTO's floor is applied to.

- "before-backoff": max(RTO, floor) x backoff (RFC 6298 (2.4) then (5.5)).
- "after-backoff": max(RTO x backoff, floor), as before ns-2.27.
- "variance": (smoothed round trip + max(4 deviations, floor)) x backoff (Linux).
"""


RttFilter = Literal["integer", "rfc6298", "linux"]
"""How the retransmission timer filters round-trip samples.

- "integer": Whole ticks in scaled integers (Jacobson 1988, as BSD and ns-2 code it).
- "rfc6298": Seconds in real numbers (RFC 6298 section 2).
- "linux": The same, where the deviation counts at its most in a round trip, sinks by a quarter a round trip, and is
  spared a round trip that is suddenly short (Linux).
"""


SackPartial = Literal["pipe-twice", "two-segments", "two-segments-past-end"]
"""What FF96 SACK recovery does on a partial ACK.

- "pipe-twice": Takes two segments off `pipe`, so that recovery is never slower than slow start.
- "two-segments": Sends two segments whatever `pipe` says.
- "two-segments-past-end": The same even past the end of the data, as ns-2 does: it then acknowledges more than it was
  given to send.
"""


SecondFastRetransmit = Literal["always", "never", "unless-timeout"]
"""When three duplicate ACKs may trigger fast retransmit a second time for the same window of data.

- "always": Always.
- "never": Never: only once the cumulative ACK has passed `recover` (RFC 6582 section 3.2).
- "unless-timeout": Blocked only when the last reduction was a timeout: the rule of 1997.
"""


SequenceUnit = Literal["segments", "bytes"]
"""What one sequence unit is.

- "segments": One whole segment, as in the papers' simulator.
- "bytes": One byte, as on the wire.
"""


SlowStart = Literal["standard", "hystart++", "hystart"]
"""How the initial slow start ends.

- "standard": With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
- "hystart++": Or when the round-trip time grows: first at a quarter of the pace, and after five rounds of that for
  good, if it has not fallen again (HyStart++, RFC 9406). What an ACK is worth stays `credit`'s.
- "hystart": Or, with CUBIC, of which it is a part, when ACKs come as one train for half a round trip, or the round trip
  has grown by an eighth (HyStart, Ha and Rhee 2011, as Linux has it): then at the window reached.
"""


TimerRestart = Literal["after-rtt-update", "before-rtt-update"]
"""Whether an ACK restarts the timer with the RTO from before or after its own sample.

- "after-rtt-update": The sample counts at once.
- "before-rtt-update": The sample counts from the next restart on, as before ns-2.27.
"""


Undo = Literal["off", "timestamps", "dsack", "both"]
"""What shows that a loss was none, so that the reduction is taken back. Only `rfc6675`, `rack` and `fack` ask.

- "off": Nothing.
- "timestamps": An ACK that advances and echoes a time before the first retransmission (Eifel, RFC 3522); needs
  timestamps.
- "dsack": Reports of everything that was sent again as duplicates (RFC 3708); needs the receiver's `dsack`.
- "both": Either (Linux).
"""


UnsentAck = Literal["ignore", "restart"]
"""What an ACK of data that was never sent does.

- "ignore": Nothing: it is not looked at (RFC 9293 section 3.10.7.4).
- "restart": The window begins again with one segment: the receiver is lying.
"""


Validation = Literal["off", "linux"]
"""Whether a window grows that is not used.

- "off": It does.
- "linux": Only if it stopped the sender, in slow start if half of it was out; after an RTO in which the application
  used less, it shrinks half way to what was used (RFC 2861, as Linux).
"""


@dataclass(kw_only=True, repr=False)
class Sender(Part):
    """A flow's sender: a stack, and the rules in which it differs from it."""

    stack: str | None = None
    """Stack the other rules are taken from: "ns2-1998", "ns2-2.35", "rfc", "linux", or a [stack.NAME] of this file;
    "rfc" where left out.
    """
    recovery: Recovery | None = None
    """How losses are repaired."""
    control: Control | Mapping[str, Any] | None = None
    """What credit and losses do to the window."""
    credit: Credit | Mapping[str, Any] | None = None
    """What an arriving ACK is worth."""
    packet: int | None = None
    """Bytes in a full segment: payload, where `header` is added on the wire; else the wire size."""
    window: Window | None = None
    """The receiver's advertised window."""
    control_size: int | None = None
    """Bytes of a SYN or FIN segment."""
    dup_thresh: int | None = None
    """Duplicate ACKs that signal a loss."""
    duplicates_restart_timer: bool | None = None
    """Whether duplicate ACKs restart the timer, too (ns-2's TCP/Linux; RFC 6298 has it for new data only). Only `fack`
    asks.
    """
    ecn: bool | None = None
    """Whether segments may be marked instead of dropped, and marks are answered like losses (RFC 3168); where a
    scenario leaves it out, also whether the control is `dctcp`.
    """
    fin: bool | None = None
    """Whether it closes with a FIN, which occupies the last."""
    first_loss_resets_initial_window: bool | None = None
    """Whether losing the very first segment reduces the initial window to one segment (RFC 5681 section 3.1)."""
    frto: Frto | None = None
    """Whether a timeout is examined by sending new data before anything but its segment is sent again, and taken back
    if it was spurious. Only `rfc6675` and `rack` ask.
    """
    halving: Halving | None = None
    """What is halved on loss."""
    handshake_ack: bool | None = None
    """Whether a bare ACK answers the SYN's answer before data follows, also where there is data (Linux)."""
    header: int | None = None
    """Bytes of TCP/IP header added to every data segment."""
    idle_restart: IdleRestart | None = None
    """What an idle connection does to its window."""
    inflate_when_blocked: bool | None = None
    """Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno)."""
    inflation_limit: bool | None = None
    """Whether duplicate ACKs inflate the window by no more than what was outstanding when recovery began: the defence
    against spoofed ones.
    """
    initial_rto: str | None = None
    """RTO before the first sample."""
    initial_ssthresh: float | None = None
    """Initial ssthresh, in segments; 0 means the advertised window."""
    initial_window: float | None = None
    """Initial window, in segments."""
    limited_transmit: bool | None = None
    """Whether the first duplicate ACKs release one new segment each (RFC 3042)."""
    limited_transmit_new_only: bool | None = None
    """Whether that segment must be new (RFC 3042); ns-2 sends the next in order, even after a timeout."""
    max_ack_delay: str | None = None
    """How long `rfc9002` presumes that its receiver holds an ACK; where a scenario leaves it out, what policy `quic` is
    asked for.
    """
    max_burst: int | None = None
    """Most segments sent in response to one event; 0 is no limit."""
    max_rto: str | None = None
    """RTO's ceiling."""
    min_rto: str | None = None
    """RTO's floor; never below two ticks."""
    nagle: Nagle | None = None
    """When the data's end, smaller than a segment, waits for ACKs; only where bytes are counted."""
    options_in_packet: bool | None = None
    """Whether the timestamp option takes its room from the payload (RFC 6691) instead of growing the segment."""
    pacing: float | None = None
    """Spacing of segments: this fraction of the smoothed RTT is shared out over a window; 0 sends in bursts."""
    pacing_burst: int | None = None
    """Segments that pacing sends at once, before a pause for all of them; 1 spaces each."""
    packet_numbers: bool | None = None
    """Whether segments bear packet numbers, and ACKs say how long the highest was held, which is taken off its round
    trip. Only with `rfc9002`; where a scenario leaves it out, whether the receiver's policy is `quic`.
    """
    partial_ack_timer: PartialAckTimer | None = None
    """Which partial ACKs restart NewReno's timer."""
    partial_deflation: bool | None = None
    """Whether a partial ACK deflates NewReno's window (RFC 6582 section 3.2 step 3)."""
    recovery_exit: RecoveryExit | None = None
    """The window with which NewReno leaves recovery."""
    recovery_window: RecoveryWindow | None = None
    """How the window falls to ssthresh in a recovery. Only `rfc6675`, `rack` and `fack` ask."""
    rto_floor: RtoFloor | None = None
    """What the floor applies to."""
    rtt_filter: RttFilter | None = None
    """Smoothing of round-trip samples."""
    sack_partial: SackPartial | None = None
    """What FF96 SACK does on a partial ACK."""
    second_fast_retransmit: SecondFastRetransmit | None = None
    """When fast retransmit may repeat within one window of data."""
    sequence: SequenceUnit | None = None
    """What one sequence unit is: a byte, or a whole segment."""
    skip: int | None = None
    """About one new segment in so many is left out until it is asked for, to catch receivers that acknowledge what they
    have not got; 0 never.
    """
    slow_start: SlowStart | None = None
    """How the initial slow start ends."""
    slow_start_at_ssthresh: bool | None = None
    """Whether a window equal to ssthresh, as a reduction leaves it, is still in slow start (RFC 5681 section 3.1 lets a
    sender choose; Linux): one segment more after each recovery.
    """
    sws_avoidance: bool | None = None
    """Whether a window with less room than a segment sends nothing (RFC 9293 section 3.8.6.2.1); without it, small
    segments fill it. Only where bytes are counted.
    """
    syn: bool | None = None
    """Whether the connection opens with a SYN, which occupies the first sequence unit."""
    tell_phase: bool | None = None
    """Whether segments say if their sender is in slow start; where a scenario leaves it out, whether the receiver asks.
    """
    tell_window: bool | None = None
    """Whether segments carry cwnd and the smoothed RTT; where a scenario leaves it out, whether the receiver asks."""
    tick: str | None = None
    """Granularity of the clock that times segments."""
    tick_phase: str | None = None
    """Phase of that clock: the host's age at time 0, modulo the tick."""
    timer_restart: TimerRestart | None = None
    """Whether a sample counts for the timer its own ACK restarts."""
    timer_tick: str | None = None
    """Tick in which a kernel's timers count (1/HZ), and by which `rack` sets its three as Linux does; 0s sets them
    exactly, as RFC 8985 does.
    """
    timestamp_bytes: int | None = None
    """Bytes the timestamp option adds to a segment that has a header."""
    timestamps: bool | None = None
    """Whether segments carry timestamps and every new ACK gives a round-trip sample (RFC 7323)."""
    undo: Undo | None = None
    """What shows that a loss was none, so that the reduction is taken back. Only `rfc6675`, `rack` and `fack` ask."""
    unsent_ack: UnsentAck | None = None
    """What an ACK of data that was never sent does."""
    validation: Validation | None = None
    """Whether a window grows that is not used."""
    window_before_syn_ack: float | None = None
    """Window until the SYN is acknowledged, in segments."""


Estimate = Literal["off", "timestamps", "probe"]
"""An estimate of the sender's window beside an ACK policy that has none, for the `series` records.

- "off": None.
- "timestamps": With the round trip from echoed timestamps, which sends nothing.
- "probe": With the round trip from keep-alives, one a second.
"""


@dataclass(kw_only=True, repr=False)
class Receiver(Part):
    """A flow's receiver: a stack, and the rules in which it differs from it."""

    stack: str | None = None
    """Stack the other rules are taken from: "ns2-1998", "ns2-2.35", "rfc", "linux", or a [stack.NAME] of this file; the
    sender's where left out.
    """
    ack: AckPolicy | Mapping[str, Any] | None = None
    """When arriving segments are acknowledged."""
    ack_size: int | None = None
    """Bytes of an ACK without SACK blocks."""
    dsack: bool | None = None
    """Whether the ACK of a segment with nothing new reports it in its first block (DSACK, RFC 2883); where a scenario
    leaves it out, whether the sender's recovery reads that.
    """
    echo_each_mark: bool | None = None
    """Whether each ACK echoes the marks of what it covers, and a change is told at once (RFC 8257 section 3.2), instead
    of one mark on every ACK until its sender has answered (RFC 3168 section 6.1.3); where a scenario leaves it out,
    whether the sender's control is `dctcp`.
    """
    estimate: Estimate | None = None
    """Whether the sender's window is estimated for the `series` records, where the policy does not do it."""
    estimate_initial: int | None = None
    """The window with which that estimate begins, in segments."""
    immediate_on_gap: bool | None = None
    """Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2)."""
    immediate_on_repeat: bool | None = None
    """Whether a segment with nothing new is acknowledged at once (RFC 9293 section 3.10.7.4); ns-2 may hold its ACK."""
    immediate_on_syn: bool | None = None
    """Whether the SYN, or unit 0 without one, is acknowledged at once."""
    max_sack_blocks: int | None = None
    """Most SACK blocks on one ACK, 0 to 3."""
    packet_numbers: bool | None = None
    """Whether segments bear packet numbers, which none repeats, and policy `quic` goes by them; where a scenario leaves
    it out, whether the policy is `quic` and the sender's recovery `rfc9002`.
    """
    purge_stale_sack: bool | None = None
    """Whether blocks that the cumulative ACK has passed are forgotten (RFC 2018); ns-2 may repeat them."""
    sack: bool | None = None
    """Whether ACKs carry SACK blocks; where a scenario leaves it out, whether the sender's recovery reads them."""
    sack_block_bytes: int | None = None
    """Bytes each SACK block adds."""


@dataclass(kw_only=True, repr=False)
class Stack(Part):
    """A derived stack: another stack with some rules of either side replaced."""

    base: str | None = None
    """Stack this one is derived from: "ns2-1998", "ns2-2.35", "rfc", "linux", or a [stack.NAME] of this file; "rfc"
    where left out.
    """
    recovery: Recovery | None = None
    """How losses are repaired."""
    control: Control | Mapping[str, Any] | None = None
    """What credit and losses do to the window."""
    credit: Credit | Mapping[str, Any] | None = None
    """What an arriving ACK is worth."""
    packet: int | None = None
    """Bytes in a full segment: payload, where `header` is added on the wire; else the wire size."""
    window: Window | None = None
    """The receiver's advertised window."""
    ack: AckPolicy | Mapping[str, Any] | None = None
    """When arriving segments are acknowledged."""
    ack_size: int | None = None
    """Bytes of an ACK without SACK blocks."""
    control_size: int | None = None
    """Bytes of a SYN or FIN segment."""
    dsack: bool | None = None
    """Whether the ACK of a segment with nothing new reports it in its first block (DSACK, RFC 2883); where a scenario
    leaves it out, whether the sender's recovery reads that.
    """
    dup_thresh: int | None = None
    """Duplicate ACKs that signal a loss."""
    duplicates_restart_timer: bool | None = None
    """Whether duplicate ACKs restart the timer, too (ns-2's TCP/Linux; RFC 6298 has it for new data only). Only `fack`
    asks.
    """
    echo_each_mark: bool | None = None
    """Whether each ACK echoes the marks of what it covers, and a change is told at once (RFC 8257 section 3.2), instead
    of one mark on every ACK until its sender has answered (RFC 3168 section 6.1.3); where a scenario leaves it out,
    whether the sender's control is `dctcp`.
    """
    ecn: bool | None = None
    """Whether segments may be marked instead of dropped, and marks are answered like losses (RFC 3168); where a
    scenario leaves it out, also whether the control is `dctcp`.
    """
    estimate: Estimate | None = None
    """Whether the sender's window is estimated for the `series` records, where the policy does not do it."""
    estimate_initial: int | None = None
    """The window with which that estimate begins, in segments."""
    fin: bool | None = None
    """Whether it closes with a FIN, which occupies the last."""
    first_loss_resets_initial_window: bool | None = None
    """Whether losing the very first segment reduces the initial window to one segment (RFC 5681 section 3.1)."""
    frto: Frto | None = None
    """Whether a timeout is examined by sending new data before anything but its segment is sent again, and taken back
    if it was spurious. Only `rfc6675` and `rack` ask.
    """
    halving: Halving | None = None
    """What is halved on loss."""
    handshake_ack: bool | None = None
    """Whether a bare ACK answers the SYN's answer before data follows, also where there is data (Linux)."""
    header: int | None = None
    """Bytes of TCP/IP header added to every data segment."""
    idle_restart: IdleRestart | None = None
    """What an idle connection does to its window."""
    immediate_on_gap: bool | None = None
    """Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2)."""
    immediate_on_repeat: bool | None = None
    """Whether a segment with nothing new is acknowledged at once (RFC 9293 section 3.10.7.4); ns-2 may hold its ACK."""
    immediate_on_syn: bool | None = None
    """Whether the SYN, or unit 0 without one, is acknowledged at once."""
    inflate_when_blocked: bool | None = None
    """Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno)."""
    inflation_limit: bool | None = None
    """Whether duplicate ACKs inflate the window by no more than what was outstanding when recovery began: the defence
    against spoofed ones.
    """
    initial_rto: str | None = None
    """RTO before the first sample."""
    initial_ssthresh: float | None = None
    """Initial ssthresh, in segments; 0 means the advertised window."""
    initial_window: float | None = None
    """Initial window, in segments."""
    limited_transmit: bool | None = None
    """Whether the first duplicate ACKs release one new segment each (RFC 3042)."""
    limited_transmit_new_only: bool | None = None
    """Whether that segment must be new (RFC 3042); ns-2 sends the next in order, even after a timeout."""
    max_ack_delay: str | None = None
    """How long `rfc9002` presumes that its receiver holds an ACK; where a scenario leaves it out, what policy `quic` is
    asked for.
    """
    max_burst: int | None = None
    """Most segments sent in response to one event; 0 is no limit."""
    max_rto: str | None = None
    """RTO's ceiling."""
    max_sack_blocks: int | None = None
    """Most SACK blocks on one ACK, 0 to 3."""
    min_rto: str | None = None
    """RTO's floor; never below two ticks."""
    nagle: Nagle | None = None
    """When the data's end, smaller than a segment, waits for ACKs; only where bytes are counted."""
    options_in_packet: bool | None = None
    """Whether the timestamp option takes its room from the payload (RFC 6691) instead of growing the segment."""
    pacing: float | None = None
    """Spacing of segments: this fraction of the smoothed RTT is shared out over a window; 0 sends in bursts."""
    pacing_burst: int | None = None
    """Segments that pacing sends at once, before a pause for all of them; 1 spaces each."""
    packet_numbers: bool | None = None
    """Whether segments bear packet numbers, which none repeats, and policy `quic` goes by them; where a scenario leaves
    it out, whether the policy is `quic` and the sender's recovery `rfc9002`.
    """
    partial_ack_timer: PartialAckTimer | None = None
    """Which partial ACKs restart NewReno's timer."""
    partial_deflation: bool | None = None
    """Whether a partial ACK deflates NewReno's window (RFC 6582 section 3.2 step 3)."""
    purge_stale_sack: bool | None = None
    """Whether blocks that the cumulative ACK has passed are forgotten (RFC 2018); ns-2 may repeat them."""
    recovery_exit: RecoveryExit | None = None
    """The window with which NewReno leaves recovery."""
    recovery_window: RecoveryWindow | None = None
    """How the window falls to ssthresh in a recovery. Only `rfc6675`, `rack` and `fack` ask."""
    rto_floor: RtoFloor | None = None
    """What the floor applies to."""
    rtt_filter: RttFilter | None = None
    """Smoothing of round-trip samples."""
    sack: bool | None = None
    """Whether ACKs carry SACK blocks; where a scenario leaves it out, whether the sender's recovery reads them."""
    sack_block_bytes: int | None = None
    """Bytes each SACK block adds."""
    sack_partial: SackPartial | None = None
    """What FF96 SACK does on a partial ACK."""
    second_fast_retransmit: SecondFastRetransmit | None = None
    """When fast retransmit may repeat within one window of data."""
    sequence: SequenceUnit | None = None
    """What one sequence unit is: a byte, or a whole segment."""
    skip: int | None = None
    """About one new segment in so many is left out until it is asked for, to catch receivers that acknowledge what they
    have not got; 0 never.
    """
    slow_start: SlowStart | None = None
    """How the initial slow start ends."""
    slow_start_at_ssthresh: bool | None = None
    """Whether a window equal to ssthresh, as a reduction leaves it, is still in slow start (RFC 5681 section 3.1 lets a
    sender choose; Linux): one segment more after each recovery.
    """
    sws_avoidance: bool | None = None
    """Whether a window with less room than a segment sends nothing (RFC 9293 section 3.8.6.2.1); without it, small
    segments fill it. Only where bytes are counted.
    """
    syn: bool | None = None
    """Whether the connection opens with a SYN, which occupies the first sequence unit."""
    tell_phase: bool | None = None
    """Whether segments say if their sender is in slow start; where a scenario leaves it out, whether the receiver asks.
    """
    tell_window: bool | None = None
    """Whether segments carry cwnd and the smoothed RTT; where a scenario leaves it out, whether the receiver asks."""
    tick: str | None = None
    """Granularity of the clock that times segments."""
    tick_phase: str | None = None
    """Phase of that clock: the host's age at time 0, modulo the tick."""
    timer_restart: TimerRestart | None = None
    """Whether a sample counts for the timer its own ACK restarts."""
    timer_tick: str | None = None
    """Tick in which a kernel's timers count (1/HZ), and by which `rack` sets its three as Linux does; 0s sets them
    exactly, as RFC 8985 does.
    """
    timestamp_bytes: int | None = None
    """Bytes the timestamp option adds to a segment that has a header."""
    timestamps: bool | None = None
    """Whether segments carry timestamps and every new ACK gives a round-trip sample (RFC 7323)."""
    undo: Undo | None = None
    """What shows that a loss was none, so that the reduction is taken back. Only `rfc6675`, `rack` and `fack` ask."""
    unsent_ack: UnsentAck | None = None
    """What an ACK of data that was never sent does."""
    validation: Validation | None = None
    """Whether a window grows that is not used."""
    window_before_syn_ack: float | None = None
    """Window until the SYN is acknowledged, in segments."""
