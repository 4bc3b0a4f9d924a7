"""Estimates of a scenario's parameters from one direction of a capture, each with its interval and how well it is determined.

What the capture does not show is *not determined*, and has a value that makes no difference, or a common one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from ...captures.text import limit
from ...text.templates import fact, sentence
from .estimates import Writes, initial_window, lost, policy, rate, share, timer, window, writes
from .place import FitError, Place, Row, Value, of_direction, place, wire

if TYPE_CHECKING:
    from ...captures import Analysis

#: Fewest acknowledged segments.
MIN_SEGMENTS = 30
#: Share of the time for which a receiving application may have kept the window closed.
MAX_CLOSED = 0.1
#: Share of the acknowledged bytes that the capture may lack.
MAX_LACKING = 0.05


@dataclass(frozen=True)
class Measured:
    """What a capture shows of one direction."""

    row: Row
    place: Place
    values: Mapping[str, Value]
    lost: Sequence[Sequence[int]]
    """Numbers of the lost data packets, from 0, in the order in which they left; several readings where that order is not certain."""
    writes: Writes
    """The application's writes: seconds from the first data, bytes. Empty where it always had more to send."""
    curve: pl.DataFrame
    """``time_s`` from the first data and ``ack_bytes``, what is acknowledged, as it grows."""
    start_s: float
    """The first data, in seconds from the first packet of the capture."""

    repairing: bool = False
    """True if the last ACK reports a gap: the capture ends while losses are repaired."""

    @property
    def end_s(self) -> float:
        """From the first data to the last ACK of new data, in seconds."""
        return float(self.curve["time_s"][-1])

    @property
    def bytes(self) -> int:
        """Payload acknowledged."""
        return int(self.curve["ack_bytes"][-1])


def direction(found: Analysis, only: str | None = None) -> Row:
    """The row of the direction with most acknowledged data, of the connections that ``only`` names.

    Raises:
        FitError: there is none.
    """
    from ...captures.text import matches

    rows = found.rows()
    if not rows:
        raise FitError("no TCP connection with data is in the capture")
    rows = [row for row in rows if row["acked_bytes"] and (only is None or matches(row, only))]
    if not rows:
        raise FitError("no connection with acknowledged data" + (f" is of {only}" if only else " is in the capture"))
    return max(rows, key=lambda row: row["acked_bytes"])


def elsewhere(found: Analysis, row: Row) -> str:
    """What to try where ``row`` cannot be fitted: the connection with most data of the others that can be; empty without any."""
    for other in sorted(found.rows(), key=lambda one: -one["acked_bytes"]):
        if other["connection"] == row["connection"]:
            continue
        try:
            _check(other)
            place(other)
        except FitError:
            continue
        return f". Of the other connections #{other['connection']} has most data that can be fitted: --only '#{other['connection']}'"
    return ""


def same(found: Analysis, row: Row) -> Row | None:
    """The row of the same direction in another analysis of the same file."""
    rows = found.rows()
    return next(
        (one for one in rows if (one["connection"], one["direction"]) == (row["connection"], row["direction"])), None
    )


def measure(found: Analysis, row: Row) -> Measured:
    """Estimates of a direction.

    Raises:
        FitError: the capture does not show enough for a scenario; the message says what is missing.
    """
    _check(row)
    where = place(row)
    data, acks = _packets(found, row)
    new = acks.filter(pl.col("acked_bytes") > 0)
    start = float(data["time_s"][0])
    curve = new.select(
        time_s=(pl.col("time_s") - start).clip(0.0), ack_bytes=pl.col("acked_bytes").cum_sum().cast(pl.Int64)
    )
    missing = lost(data, row, where)
    listed = writes(data, acks, row, where)
    speed = rate(row, data, new, where)
    values = [
        speed,
        _delay(row),
        _queue(row, speed, where, new),
        share(row, len(missing[0]), where.behind),
        *policy(row, timer(row, data, new, where)),
        window(row, acks, where),
        initial_window(row, listed[0][1] if listed else None),
        Value(
            "payload of a segment",
            row["segment_bytes"],
            "B",
            row["segment_bytes"],
            row["segment_bytes"],
            how=fact("how-payload"),
        ),
    ]
    if listed:
        values.append(
            Value(
                "application",
                len(listed),
                "writes",
                how=fact("how-writes"),
            )
        )
    else:
        values.append(Value("application", "always sends", how=fact("how-no-pause")))
    return Measured(
        row, where, {one.name: one for one in values}, missing, listed, curve, start, acks["sack_blocks"][-1] > 0
    )


def _check(row: Row) -> None:
    """Refuses what no scenario can replay."""
    if not row["segment_bytes"] or row["acked_bytes"] < MIN_SEGMENTS * row["segment_bytes"]:
        raise FitError(f"only {row['acked_bytes']} bytes were acknowledged; a fit needs {MIN_SEGMENTS} segments")
    if row["lacking_bytes"] > MAX_LACKING * row["acked_bytes"]:
        raise FitError(
            f"{row['lacking_bytes'] / row['acked_bytes']:.0%} of the acknowledged bytes are not in the capture (at most {MAX_LACKING:.0%})"
        )
    if row["limit"] == "unknown" or not row["limits_s"]:
        raise FitError(sentence(limit(row)))
    closed = row["closed_limited_s"] / row["limits_s"]
    if closed > MAX_CLOSED:
        raise FitError(
            f"the receiving application kept the window closed for {closed:.0%} of the time; no scenario has a reader that pauses"
        )


def _packets(found: Analysis, row: Row) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The direction's packets with payload, and its ACKs."""
    data = of_direction(found.segments, row).filter(
        (pl.col("payload_bytes") > 0) & (pl.col("kind").cast(pl.String) != "keep-alive")
    )
    acks = of_direction(found.acks, row)
    if not data.height or not acks.filter(pl.col("acked_bytes") > 0).height:
        raise FitError("data or ACKs are missing in the capture")
    return data, acks


def _delay(row: Row) -> Value:
    least, shake = row["path_rtt_min_s"], row["handshake_rtt_s"]
    return Value("round trip", least, "s", 0.98 * least, max(least, shake or 0.0), True, fact("how-least-trip"))


def _queue(row: Row, speed: Value, where: Place, acks: pl.DataFrame) -> Value:
    """What waits at most: the longest round trip of a plain ACK beyond the least, at the bottleneck's rate.

    Such a packet waited for the whole queue, and for a part of the packet in transmission, and was then transmitted itself.
    """
    trips = acks.filter(pl.col("plain") & pl.col("rtt_s").is_not_null())["rtt_s"]
    if not speed.determined or where.behind or not trips.len():
        why = "how-behind" if where.behind else "how-no-rate"
        return Value("queue", None, "packets", determined=False, how=fact(why))
    packet = row["segment_bytes"] * wire(row)
    most = max(round((float(trips.max()) - row["path_rtt_min_s"]) * speed.value / 8 / packet - 1.5), 1)  # type: ignore[arg-type]
    lost = row["fast_recoveries"] > 0
    how = fact("how-longest-lossy" if lost else "how-longest")
    return Value("queue", most, "packets", max(most - 2, 1), math.ceil(1.1 * most) + 2 if lost else None, lost, how)
