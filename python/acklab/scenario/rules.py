"""The rules of senders and receivers, by the names a scenario file uses.

Every rule is optional: what is left out comes from the stack (``acklab schema --stacks`` prints each stack's table).
Times and byte counts are texts with their unit (``"200ms"``, ``"64kB"``); windows are in segments unless they are a
text in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._part import Part

StackName = str
"""``"rfc"`` (the default), ``"ns2-2.35"``, ``"ns2-1998"``, or a name from the scenario's ``stacks``."""


@dataclass(kw_only=True, repr=False)
class Ack(Part):
    """When the receiver acknowledges."""

    policy: Literal["every", "delayed"]
    """``"every"`` segment at once, or ``"delayed"`` (RFC 1122 section 4.2.3.2)."""
    timer: str | None = None
    """delayed: longest delay of an ACK, a time."""
    segments: int | None = None
    """delayed: in-order segments an ACK may cover."""
    heartbeat: bool | None = None
    """delayed: a free-running timer (BSD) instead of one started by the first segment held."""
    phase: str | None = None
    """delayed: instant of the heartbeat's first beat, a time."""


@dataclass(kw_only=True, repr=False)
class Credit(Part):
    """What an arriving ACK is worth to the sender."""

    kind: Literal["ack-counting", "rfc5681"]
    """``"ack-counting"``: one segment an ACK; ``"rfc5681"``: what it covers, at most one segment in slow start."""


@dataclass(kw_only=True, repr=False)
class SenderRules(Part):
    """Everything in which senders differ."""

    recovery: Literal["tahoe", "reno", "newreno", "sack", "rfc6675"] | None = None
    """How losses are repaired."""
    control: Literal["reno"] | None = None
    """What credit and losses do to the window."""
    credit: Credit | Mapping[str, Any] | None = None
    """What an arriving ACK is worth."""
    packet: int | None = None
    """Bytes in a full segment: payload, where ``header`` is added on the wire; else the wire size."""
    window: int | str | None = None
    """The receiver's advertised window: segments, or bytes as a text."""
    sequence: Literal["segments", "bytes"] | None = None
    """What one sequence unit is."""
    header: int | None = None
    """Bytes of TCP/IP header added to every data segment."""
    control_size: int | None = None
    """Bytes of a SYN or FIN segment."""
    timestamps: bool | None = None
    """Whether segments carry timestamps and every new ACK gives a round-trip sample (RFC 7323)."""
    timestamp_bytes: int | None = None
    """Bytes the timestamp option adds to a segment that has a header."""
    options_in_packet: bool | None = None
    """Whether the timestamp option takes its room from the payload (RFC 6691)."""
    syn: bool | None = None
    """Whether the connection opens with a SYN."""
    fin: bool | None = None
    """Whether it closes with a FIN."""
    initial_window: float | None = None
    """Initial window, segments."""
    window_before_syn_ack: float | None = None
    """Window until the SYN is acknowledged, segments."""
    first_loss_resets_initial_window: bool | None = None
    """Whether losing the very first segment reduces the initial window to one segment."""
    initial_ssthresh: float | None = None
    """Initial ssthresh, segments; 0 means the advertised window."""
    tick: str | None = None
    """Granularity of the clock that times segments, a time."""
    tick_phase: str | None = None
    """Phase of that clock, a time."""
    rtt_filter: Literal["integer", "rfc6298"] | None = None
    """Smoothing of round-trip samples."""
    initial_rto: str | None = None
    """RTO before the first sample, a time."""
    min_rto: str | None = None
    """RTO's floor, a time."""
    max_rto: str | None = None
    """RTO's ceiling, a time."""
    rto_floor: Literal["before-backoff", "after-backoff"] | None = None
    """Whether the floor comes before or after backoff."""
    timer_restart: Literal["after-rtt-update", "before-rtt-update"] | None = None
    """Whether a sample counts for the timer its own ACK restarts."""
    idle_restart: Literal["timer", "timer-keeps-window", "rfc5681", "off"] | None = None
    """What an idle connection does to its window."""
    halving: Literal["precise", "integer", "flight-size"] | None = None
    """What is halved on loss."""
    dup_thresh: int | None = None
    """Duplicate ACKs that signal a loss."""
    limited_transmit: bool | None = None
    """Whether the first duplicate ACKs release one new segment each (RFC 3042)."""
    limited_transmit_new_only: bool | None = None
    """Whether that segment must be new; ns-2 sends the next in order, even after a timeout."""
    max_burst: int | None = None
    """Most segments sent in response to one event; 0 is no limit."""
    second_fast_retransmit: Literal["always", "never", "unless-timeout"] | None = None
    """When fast retransmit may repeat within one window of data."""
    inflate_when_blocked: bool | None = None
    """Whether a duplicate ACK inflates the window even when fast retransmit was blocked."""
    partial_ack_timer: Literal["first", "each"] | None = None
    """Which partial ACKs restart NewReno's timer."""
    partial_deflation: bool | None = None
    """Whether a partial ACK deflates NewReno's window."""
    recovery_exit: Literal["keep", "min-flight", "rfc6582"] | None = None
    """The window with which NewReno leaves recovery."""
    sack_partial: Literal["pipe-twice", "two-segments", "two-segments-past-end"] | None = None
    """What FF96 SACK does on a partial ACK."""


@dataclass(kw_only=True, repr=False)
class ReceiverRules(Part):
    """Everything in which receivers differ."""

    ack: Ack | Mapping[str, Any] | None = None
    """When arriving segments are acknowledged."""
    ack_size: int | None = None
    """Bytes of an ACK without SACK blocks."""
    sack: bool | None = None
    """Whether ACKs carry SACK blocks; left out: whether the sender's recovery reads them."""
    sack_block_bytes: int | None = None
    """Bytes each SACK block adds."""
    max_sack_blocks: int | None = None
    """Most SACK blocks on one ACK, 0 to 3."""
    purge_stale_sack: bool | None = None
    """Whether blocks that the cumulative ACK has passed are forgotten."""
    immediate_on_gap: bool | None = None
    """Whether a segment that fills a gap is acknowledged at once."""
    immediate_on_syn: bool | None = None
    """Whether the SYN, or unit 0 without one, is acknowledged at once."""


@dataclass(kw_only=True, repr=False)
class _OnStack(Part):
    stack: StackName | None = None
    """Where every rule not given here comes from."""


@dataclass(kw_only=True, repr=False)
class Sender(SenderRules, _OnStack):
    """A flow's sender: a stack, and the rules in which it differs from it."""


@dataclass(kw_only=True, repr=False)
class Receiver(ReceiverRules, _OnStack):
    """A flow's receiver: a stack, and the rules in which it differs from it."""


@dataclass(kw_only=True, repr=False)
class _OnBase(Part):
    base: StackName | None = None
    """The stack this one is derived from."""


@dataclass(kw_only=True, repr=False)
class Stack(ReceiverRules, SenderRules, _OnBase):
    """A derived stack: another stack with some of its rules replaced."""
