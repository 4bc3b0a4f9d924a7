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
"""The receiver's advertised window, in segments or in bytes."""


Controls = Literal["published", "linux"]
"""Whose form of CUBIC, Vegas, Veno and Westwood+ is computed.

- "published": That of the RFC or the paper.
- "linux": Linux's, in whole segments, microseconds and ticks of `recovery.tick` (net/ipv4/tcp_cubic.c and its
  neighbours). Its HyStart also looks at reported segments. Of the parameters, it reads CUBIC's but `alpha_rises`,
  Vegas's thresholds, and Veno's `beta`.
"""


@dataclass(kw_only=True, repr=False)
class SpreadPacing(Part):
    """A window is spread over a share of the smoothed round trip (ledger smartacking.m.pacing; RFC 9002 section 7.7).
    """

    kind: Literal["spread"] = "spread"
    burst: int | None = None
    """Segments that leave together; default 1."""
    share: float | None = None
    """Share of the smoothed round trip over which a window is spread; default 1.0."""


Pacing = SpreadPacing | Literal["off", "spread"]
"""Pacing: how a sender spaces its segments.

- "off": `{ kind = "off" }`.
- "spread": `{ kind = "spread" }`.
"""


RtoFloor = Literal["before-backoff", "after-backoff", "variance"]
"""What `min_rto` applies to.

- "before-backoff": max(RTO, min_rto) x backoff (RFC 6298 (2.4), then (5.5)).
- "after-backoff": max(RTO x backoff, min_rto) (ns-2 before 2.27).
- "variance": (SRTT + max(4 RTTVAR, min_rto)) x backoff (Linux).
"""


@dataclass(kw_only=True, repr=False)
class IntegerRttFilter(Part):
    """Scaled integers in whole ticks (Jacobson 1988; BSD and ns-2)."""

    kind: Literal["integer"] = "integer"
    phase: str | None = None
    """Phase of the clock that ticks: the host's age at time 0, modulo `tick`; default "0s"."""


RttFilter = IntegerRttFilter | Literal["integer", "rfc6298", "linux"]
"""Estimate of round trip and RTO.

- "integer": `{ kind = "integer" }`.
- "rfc6298": `{ kind = "rfc6298" }`.
- "linux": `{ kind = "linux" }`.
"""


SecondFastRetransmit = Literal["always", "never", "unless-timeout"]
"""When duplicate ACKs may start fast retransmit a second time in the same window of data.

- "always": Always.
- "never": Not before the cumulative ACK has passed `recover` (RFC 6582 section 3.2).
- "unless-timeout": Unless the last reduction was a timeout (ns-1 in 1997).
"""


Nagle = Literal["off", "on", "minshall"]
"""When the last bytes of the data, smaller than a segment, wait.

- "off": Never.
- "on": While any data is unacknowledged (RFC 896).
- "minshall": While a small segment is unacknowledged (Minshall's variant, Linux).
"""


@dataclass(kw_only=True, repr=False)
class BytesSequence(Part):
    """A byte, as on the wire."""

    kind: Literal["bytes"] = "bytes"
    nagle: Nagle | None = None
    """When the last bytes of the data, smaller than a segment, wait for ACKs; default "off"."""
    sws_avoidance: bool | None = None
    """Whether a window with less room than a segment sends nothing (RFC 9293 section 3.8.6.2.1). Otherwise small
    segments fill it; default true.
    """


SequenceUnit = BytesSequence | Literal["segments", "bytes"]
"""What one sequence number counts.

- "segments": `{ kind = "segments" }`.
- "bytes": `{ kind = "bytes" }`.
"""


TimerRestart = Literal["after-rtt-update", "before-rtt-update"]
"""Which RTO an ACK restarts the timer with: that before, or that after its own round-trip sample.

- "after-rtt-update": The RTO after the sample.
- "before-rtt-update": The RTO before the sample (ns-2 before 2.27).
"""


UnsentAck = Literal["ignore", "restart"]
"""What an ACK of data that was never sent does.

- "ignore": The sender ignores it (RFC 9293 section 3.10.7.4).
- "restart": The sender restarts from a window of one segment, since no honest receiver sends such an ACK (ledger
  divack.m.optimistic_defence).
"""


Validation = Literal["off", "linux"]
"""How a window changes that the sender does not fill (RFC 2861).

- "off": It grows as if it were full.
- "linux": It grows only if it limited the sender; in slow start, also if at least half was in flight. After an RTO
  without that, it is reduced half way to what was used (Linux).
"""


@dataclass(kw_only=True, repr=False)
class Sender(Part):
    """A flow's sender: a stack, and the rules in which it differs from it."""

    stack: str | None = None
    """Stack the other rules are taken from: "ns2-1998", "ns2-2.35", "rfc", "linux", or a [stack.NAME] of this file;
    default "rfc".
    """
    recovery: Recovery | Mapping[str, Any] | None = None
    """How losses are found and repaired."""
    control: Control | Mapping[str, Any] | None = None
    """What credit and losses do to the window."""
    credit: Credit | Mapping[str, Any] | None = None
    """What an ACK of new data is worth."""
    packet: int | None = None
    """Size of a full segment: its payload if `header` is above 0, else its size on the wire."""
    window: Window | None = None
    """The receiver's advertised window."""
    control_size: int | None = None
    """Size of a SYN or FIN segment."""
    controls: Controls | None = None
    """Whose form of it that is."""
    dup_thresh: int | None = None
    """Duplicate ACKs that indicate a loss."""
    ecn: bool | None = None
    """Whether queues may mark segments instead of dropping them, and marks count as losses (RFC 3168). If left out,
    true with `control = "dctcp"`.
    """
    ect1: bool | None = None
    """With `ecn`: whether segments are ECT(1), which a `dual-pi2` queue serves first and marks sooner (RFC 9331). Meant
    for `control = "dctcp"`, whose answer to a mark is small.
    """
    fin: bool | None = None
    """Whether the connection closes with a FIN, which takes the last sequence number."""
    fin_beyond_window: bool | None = None
    """Whether that segment may leave though cwnd is full (Linux 6.1)."""
    first_loss_resets_initial_window: bool | None = None
    """Whether a loss of the very first segment reduces the initial window to one segment (RFC 5681 section 3.1)."""
    halving: Halving | None = None
    """Which quantity a loss halves."""
    handshake_ack: bool | None = None
    """Whether a bare ACK acknowledges the SYN's answer before data follows, also where there is data (Linux)."""
    header: int | None = None
    """TCP/IP header added to every data segment."""
    idle_restart: IdleRestart | None = None
    """What happens to the window of an idle connection."""
    initial_rto: str | None = None
    """RTO before the first sample."""
    initial_ssthresh: float | None = None
    """Initial ssthresh, in segments; 0 is the advertised window."""
    initial_window: float | None = None
    """Initial window, in segments."""
    limited_transmit: bool | None = None
    """Whether the first duplicate ACKs send a new segment each (RFC 3042). `fack` and `rfc9002` do not read it."""
    limited_transmit_new_only: bool | None = None
    """Whether that segment must be new (RFC 3042). In ns-2 it is the next in order, even after a timeout."""
    linear_syn_timeouts: int | None = None
    """Timeouts of the SYN that do not double the RTO (Linux's `tcp_syn_linear_timeouts`)."""
    marks_end: bool | None = None
    """Whether the last segment of a known size says so, as with the FIN that Linux sends on it. It is acknowledged at
    once, and the receiver sends a FIN of its own, until the sender answers (`tcp_send_fin`).
    """
    max_burst: int | None = None
    """Most segments sent in response to one event; 0 is no limit."""
    max_rto: str | None = None
    """Upper bound of the RTO."""
    min_rto: str | None = None
    """Lower bound of the RTO, which is at least two ticks."""
    options_in_packet: bool | None = None
    """Whether the timestamp option reduces the payload (RFC 6691) instead of enlarging the segment."""
    pacing: Pacing | Mapping[str, Any] | None = None
    """How segments are spaced."""
    recovery_exit: RecoveryExit | None = None
    """What happens to the window at the end of a fast recovery."""
    rto_floor: RtoFloor | None = None
    """What `min_rto` applies to."""
    rtt_filter: RttFilter | Mapping[str, Any] | None = None
    """Estimate of the round trip and the RTO."""
    second_fast_retransmit: SecondFastRetransmit | None = None
    """When fast retransmit may repeat within one window of data. `fack`, `rack` and `rfc9002` do not read it."""
    sequence: SequenceUnit | Mapping[str, Any] | None = None
    """What one sequence number counts: a byte, or a whole segment."""
    skip: int | None = None
    """One new segment in about so many is skipped until the receiver asks for it. A receiver that acknowledges it
    anyway is optimistic (ledger divack.m.optimistic_defence). 0 skips none.
    """
    slow_start_at_ssthresh: bool | None = None
    """Whether a window equal to ssthresh, as after a reduction, is in slow start: one segment more after each recovery
    (Linux). RFC 5681 section 3.1 allows both.
    """
    syn: bool | None = None
    """Whether the connection opens with a SYN, which takes the first sequence number."""
    tell_phase: bool | None = None
    """Whether segments carry their sender's phase: slow start or congestion avoidance. If left out, true where the
    receiver reads it.
    """
    tell_window: bool | None = None
    """Whether segments carry cwnd and the smoothed round trip. If left out, true where the receiver reads them."""
    tick: str | None = None
    """Granularity of the clock that times segments."""
    timer_restart: TimerRestart | None = None
    """Which RTO an ACK restarts the timer with."""
    timestamp_bytes: int | None = None
    """Size that the timestamp option adds to a segment with a header."""
    timestamps: bool | None = None
    """Whether segments carry timestamps, so that every ACK of new data gives a round-trip sample (RFC 7323)."""
    unsent_ack: UnsentAck | None = None
    """What an ACK of data that was never sent does."""
    validation: Validation | None = None
    """How a window changes that the sender does not fill."""
    window_before_syn_ack: float | None = None
    """Window until the SYN is acknowledged, in segments."""


@dataclass(kw_only=True, repr=False)
class TimestampsEstimate(Part):
    """With the round trip from echoed timestamps, which sends nothing."""

    kind: Literal["timestamps"] = "timestamps"
    initial: int | None = None
    """The sender's assumed initial window, in segments; default 1."""


@dataclass(kw_only=True, repr=False)
class ProbeEstimate(Part):
    """With the round trip from one keep-alive a second."""

    kind: Literal["probe"] = "probe"
    initial: int | None = None
    """The sender's assumed initial window, in segments; default 1."""


Estimate = TimestampsEstimate | ProbeEstimate | Literal["off", "timestamps", "probe"]
"""An estimate of the sender's window beside a policy that makes none, for the `series` records.

- "off": `{ kind = "off" }`.
- "timestamps": `{ kind = "timestamps" }`.
- "probe": `{ kind = "probe" }`.
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
    """Size of an ACK without SACK blocks."""
    dsack: bool | None = None
    """Whether the ACK of a segment without new data reports it in its first block (DSACK, RFC 2883). If left out, true
    where the sender's recovery reads it.
    """
    echo_each_mark: bool | None = None
    """Whether each ACK echoes the marks of what it covers, and a change is echoed at once (RFC 8257 section 3.2).
    Otherwise every ACK after a mark echoes it until the sender responds (RFC 3168 section 6.1.3). If left out, true
    where the sender's control is `dctcp`.
    """
    estimate: Estimate | Mapping[str, Any] | None = None
    """An estimate of the sender's window for the `series` records, where the policy makes none."""
    immediate_on_gap: bool | None = None
    """Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2)."""
    immediate_on_repeat: bool | None = None
    """Whether a segment without new data is acknowledged at once (RFC 9293 section 3.10.7.4). ns-2 may delay that ACK.
    """
    immediate_on_syn: bool | None = None
    """Whether the first segment is acknowledged at once: the SYN, or unit 0 without one."""
    max_sack_blocks: int | None = None
    """Most SACK blocks on one ACK, 0 to 3."""
    paws: bool | None = None
    """Whether a segment with new data is discarded, and answered, if its timestamp is more than a millisecond older
    than that of the last in order (PAWS, RFC 7323 section 5, as in Linux). If left out, false where the sender has no
    `timestamps`.
    """
    purge_stale_sack: bool | None = None
    """Whether blocks below the cumulative ACK are dropped (RFC 2018). ns-2 may repeat them."""
    sack: bool | None = None
    """Whether ACKs carry SACK blocks. If left out, true where the sender's recovery reads them."""
    sack_block_bytes: int | None = None
    """Size that each SACK block adds."""


@dataclass(kw_only=True, repr=False)
class Stack(Part):
    """A derived stack: another stack with some rules of either side replaced."""

    base: str | None = None
    """Stack this one is derived from: "ns2-1998", "ns2-2.35", "rfc", "linux", or a [stack.NAME] of this file; default
    "rfc".
    """
    recovery: Recovery | Mapping[str, Any] | None = None
    """How losses are found and repaired."""
    control: Control | Mapping[str, Any] | None = None
    """What credit and losses do to the window."""
    credit: Credit | Mapping[str, Any] | None = None
    """What an ACK of new data is worth."""
    packet: int | None = None
    """Size of a full segment: its payload if `header` is above 0, else its size on the wire."""
    window: Window | None = None
    """The receiver's advertised window."""
    ack: AckPolicy | Mapping[str, Any] | None = None
    """When arriving segments are acknowledged."""
    ack_size: int | None = None
    """Size of an ACK without SACK blocks."""
    control_size: int | None = None
    """Size of a SYN or FIN segment."""
    controls: Controls | None = None
    """Whose form of it that is."""
    dsack: bool | None = None
    """Whether the ACK of a segment without new data reports it in its first block (DSACK, RFC 2883). If left out, true
    where the sender's recovery reads it.
    """
    dup_thresh: int | None = None
    """Duplicate ACKs that indicate a loss."""
    echo_each_mark: bool | None = None
    """Whether each ACK echoes the marks of what it covers, and a change is echoed at once (RFC 8257 section 3.2).
    Otherwise every ACK after a mark echoes it until the sender responds (RFC 3168 section 6.1.3). If left out, true
    where the sender's control is `dctcp`.
    """
    ecn: bool | None = None
    """Whether queues may mark segments instead of dropping them, and marks count as losses (RFC 3168). If left out,
    true with `control = "dctcp"`.
    """
    ect1: bool | None = None
    """With `ecn`: whether segments are ECT(1), which a `dual-pi2` queue serves first and marks sooner (RFC 9331). Meant
    for `control = "dctcp"`, whose answer to a mark is small.
    """
    estimate: Estimate | Mapping[str, Any] | None = None
    """An estimate of the sender's window for the `series` records, where the policy makes none."""
    fin: bool | None = None
    """Whether the connection closes with a FIN, which takes the last sequence number."""
    fin_beyond_window: bool | None = None
    """Whether that segment may leave though cwnd is full (Linux 6.1)."""
    first_loss_resets_initial_window: bool | None = None
    """Whether a loss of the very first segment reduces the initial window to one segment (RFC 5681 section 3.1)."""
    halving: Halving | None = None
    """Which quantity a loss halves."""
    handshake_ack: bool | None = None
    """Whether a bare ACK acknowledges the SYN's answer before data follows, also where there is data (Linux)."""
    header: int | None = None
    """TCP/IP header added to every data segment."""
    idle_restart: IdleRestart | None = None
    """What happens to the window of an idle connection."""
    immediate_on_gap: bool | None = None
    """Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2)."""
    immediate_on_repeat: bool | None = None
    """Whether a segment without new data is acknowledged at once (RFC 9293 section 3.10.7.4). ns-2 may delay that ACK.
    """
    immediate_on_syn: bool | None = None
    """Whether the first segment is acknowledged at once: the SYN, or unit 0 without one."""
    initial_rto: str | None = None
    """RTO before the first sample."""
    initial_ssthresh: float | None = None
    """Initial ssthresh, in segments; 0 is the advertised window."""
    initial_window: float | None = None
    """Initial window, in segments."""
    limited_transmit: bool | None = None
    """Whether the first duplicate ACKs send a new segment each (RFC 3042). `fack` and `rfc9002` do not read it."""
    limited_transmit_new_only: bool | None = None
    """Whether that segment must be new (RFC 3042). In ns-2 it is the next in order, even after a timeout."""
    linear_syn_timeouts: int | None = None
    """Timeouts of the SYN that do not double the RTO (Linux's `tcp_syn_linear_timeouts`)."""
    marks_end: bool | None = None
    """Whether the last segment of a known size says so, as with the FIN that Linux sends on it. It is acknowledged at
    once, and the receiver sends a FIN of its own, until the sender answers (`tcp_send_fin`).
    """
    max_burst: int | None = None
    """Most segments sent in response to one event; 0 is no limit."""
    max_rto: str | None = None
    """Upper bound of the RTO."""
    max_sack_blocks: int | None = None
    """Most SACK blocks on one ACK, 0 to 3."""
    min_rto: str | None = None
    """Lower bound of the RTO, which is at least two ticks."""
    options_in_packet: bool | None = None
    """Whether the timestamp option reduces the payload (RFC 6691) instead of enlarging the segment."""
    pacing: Pacing | Mapping[str, Any] | None = None
    """How segments are spaced."""
    paws: bool | None = None
    """Whether a segment with new data is discarded, and answered, if its timestamp is more than a millisecond older
    than that of the last in order (PAWS, RFC 7323 section 5, as in Linux). If left out, false where the sender has no
    `timestamps`.
    """
    purge_stale_sack: bool | None = None
    """Whether blocks below the cumulative ACK are dropped (RFC 2018). ns-2 may repeat them."""
    recovery_exit: RecoveryExit | None = None
    """What happens to the window at the end of a fast recovery."""
    rto_floor: RtoFloor | None = None
    """What `min_rto` applies to."""
    rtt_filter: RttFilter | Mapping[str, Any] | None = None
    """Estimate of the round trip and the RTO."""
    sack: bool | None = None
    """Whether ACKs carry SACK blocks. If left out, true where the sender's recovery reads them."""
    sack_block_bytes: int | None = None
    """Size that each SACK block adds."""
    second_fast_retransmit: SecondFastRetransmit | None = None
    """When fast retransmit may repeat within one window of data. `fack`, `rack` and `rfc9002` do not read it."""
    sequence: SequenceUnit | Mapping[str, Any] | None = None
    """What one sequence number counts: a byte, or a whole segment."""
    skip: int | None = None
    """One new segment in about so many is skipped until the receiver asks for it. A receiver that acknowledges it
    anyway is optimistic (ledger divack.m.optimistic_defence). 0 skips none.
    """
    slow_start_at_ssthresh: bool | None = None
    """Whether a window equal to ssthresh, as after a reduction, is in slow start: one segment more after each recovery
    (Linux). RFC 5681 section 3.1 allows both.
    """
    syn: bool | None = None
    """Whether the connection opens with a SYN, which takes the first sequence number."""
    tell_phase: bool | None = None
    """Whether segments carry their sender's phase: slow start or congestion avoidance. If left out, true where the
    receiver reads it.
    """
    tell_window: bool | None = None
    """Whether segments carry cwnd and the smoothed round trip. If left out, true where the receiver reads them."""
    tick: str | None = None
    """Granularity of the clock that times segments."""
    timer_restart: TimerRestart | None = None
    """Which RTO an ACK restarts the timer with."""
    timestamp_bytes: int | None = None
    """Size that the timestamp option adds to a segment with a header."""
    timestamps: bool | None = None
    """Whether segments carry timestamps, so that every ACK of new data gives a round-trip sample (RFC 7323)."""
    unsent_ack: UnsentAck | None = None
    """What an ACK of data that was never sent does."""
    validation: Validation | None = None
    """How a window changes that the sender does not fill."""
    window_before_syn_ack: float | None = None
    """Window until the SYN is acknowledged, in segments."""
