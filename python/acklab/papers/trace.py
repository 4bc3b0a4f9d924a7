"""What one recorded transfer did, in the terms papers use: bursts, windows of data, losses within them, recoveries.

A :class:`Transfer` is read from a run with ``packets`` recorded (and ``series``, for what asks for the sender's state).
Sequence numbers count segments.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl


class Ack(NamedTuple):
    """An ACK that reached the sender, and what it set off."""

    time_s: float
    covers: int
    """Segments it newly covers; 0 for a duplicate."""
    released: int
    """Segments sent in response."""
    flight: int
    """Segments between the last ACK and the highest sent, before it."""


class Sent(NamedTuple):
    """A segment leaving the sender."""

    time_s: float
    seq: int
    again: bool
    on: str
    """``new`` ACK, ``duplicate`` ACK, or ``clock`` (start or timeout)."""
    window: int
    """The window of data it belongs to: 0, 1, ..., one a round trip."""
    top: int
    """First sequence number never sent, before it."""
    acked: int
    """First sequence number not acknowledged."""


class Transfer:
    """One sender's view of a transfer between ``S`` and ``R`` through the gateway ``G``."""

    def __init__(self, result: Any) -> None:
        self._result = result
        packets = pl.DataFrame(result.packets).select("time_s", "link", "event", "seq", "ack", "retransmit")
        link, event = pl.col("link").cast(pl.String), pl.col("event").cast(pl.String)
        rows = packets.select(
            "time_s",
            pl.when((link == "S->G") & (event == "enqueue"))
            .then(0)
            .when((link == "G->S") & (event == "deliver"))
            .then(1)
            .when((link == "G->R") & (event == "drop"))
            .then(2)
            .alias("what"),
            pl.coalesce("seq", "ack").alias("number"),
            "retransmit",
        ).filter(pl.col("what").is_not_null())
        self.sent: list[Sent] = []
        self.acks: list[Ack] = []
        self.dropped: list[Sent] = []
        """What the gateway dropped, as it was sent, in the order of the drops."""
        self._read(rows)

    def _read(self, rows: pl.DataFrame) -> None:
        top = una = window = 0
        first_of_window = 0  # the window ends when this segment is acknowledged
        last: dict[int, Sent] = {}
        pending: tuple[float, int, int] | None = None  # the ACK being answered: time, covers, flight
        released = 0
        for time, what, number, again in zip(*(rows[name].to_list() for name in rows.columns), strict=True):
            if what == 0:
                if pending is not None and pending[0] == time:
                    released += 1
                    on = "new" if pending[1] else "duplicate"
                else:
                    on = "clock"
                sent = Sent(time, number, again, on, window, top, una)
                top = max(top, number + 1)
                self.sent.append(sent)
                last[number] = sent
            elif what == 1:
                if pending is not None:
                    self.acks.append(Ack(pending[0], pending[1], released, pending[2]))
                covers = max(0, number - una)
                pending, released = (time, covers, top - una), 0
                una = max(una, number)
                if una > first_of_window:
                    window, first_of_window = window + 1, top
            else:
                self.dropped.append(last[number])
        if pending is not None:
            self.acks.append(Ack(pending[0], pending[1], released, pending[2]))

    @cached_property
    def series(self) -> pl.DataFrame:
        """The sender's state at each change."""
        return pl.DataFrame(self._result.series).with_columns(pl.col("state").cast(pl.String))

    def state_before(self, time_s: float) -> tuple[str, float, float]:
        """State, window and threshold just before an instant."""
        times, states, windows, thresholds = self._columns
        place = bisect_left(times, time_s) - 1
        return (states[place], windows[place], thresholds[place]) if place >= 0 else ("slow-start", 1.0, float("inf"))

    @cached_property
    def _columns(self) -> tuple[list[float], list[str], list[float], list[float]]:
        series = self.series
        names = ("time_s", "state", "cwnd_segments", "ssthresh_segments")
        return tuple(series[name].to_list() for name in names)  # type: ignore[return-value]

    def reaches(self, cwnd: float) -> float:
        """When the window first has so many segments; NaN if it never has."""
        there = self.series.filter(pl.col("cwnd_segments") >= cwnd)["time_s"]
        return float(there[0]) if len(there) else float("nan")

    @cached_property
    def first_repair(self) -> float:
        """When the first segment is sent again; infinite if none is."""
        return next((s.time_s for s in self.sent if s.again), float("inf"))

    def overshoot(self) -> dict[int, list[int]]:
        """Segments dropped before anything was sent again, by window of data."""
        windows: dict[int, list[int]] = {}
        for drop in self.dropped:
            if drop.time_s < self.first_repair:
                windows.setdefault(drop.window, []).append(drop.seq)
        return windows

    def most_in_a_window(self) -> int:
        """Most segments lost from one window of data."""
        counts: dict[int, int] = {}
        for drop in self.dropped:
            counts[drop.window] = counts.get(drop.window, 0) + 1
        return max(counts.values(), default=0)

    @cached_property
    def fast_retransmits(self) -> list[Sent]:
        """Segments sent again because of duplicate ACKs: the first hole, outside what an earlier one is repairing."""
        return [s for s in self.sent if s.again and s.on == "duplicate" and s.seq == s.acked]

    @cached_property
    def timeouts(self) -> list[Sent]:
        """Segments sent again by the timer."""
        return [s for s in self.sent if s.again and s.on == "clock"]

    def repeated_fast_retransmits(self) -> list[tuple[Sent, Sent]]:
        """Pairs of fast retransmits within one window of data: the second hole was sent before the first repair."""
        pairs = []
        for first, second in zip(self.fast_retransmits, self.fast_retransmits[1:], strict=False):
            if second.seq < first.top and second.seq > first.seq:
                pairs.append((first, second))
        return pairs

    def lost_in_recovery(self) -> int:
        """Drops among what was sent from the first fast retransmit until everything sent before it was acknowledged."""
        if not self.fast_retransmits:
            return 0
        start = self.fast_retransmits[0]
        return sum(1 for d in self.dropped if d.time_s >= start.time_s and d.acked < start.top)
