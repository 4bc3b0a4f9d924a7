"""Estimates of a scenario's parameters from one direction of a capture, each with its interval and how well it is determined.

The bottleneck's rate is that of packet bunches (Paxson 1997, chapter 14), the base delay the least round trip, the limits those of
:mod:`acklab.captures` (T-RAT, Zhang et al. 2002). What does not show is *not determined*, and keeps a value that does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from .errors import FitError

if TYPE_CHECKING:
    from ...captures import Analysis

Row = Mapping[str, Any]
#: Share of the time in which an application may be idle: its pauses are not replayed.
MOST_IDLE = 0.1
#: Fewest acknowledged segments.
LEAST_SEGMENTS = 100
#: Header bytes of IPv4 and TCP, and of the timestamps option.
HEADERS, STAMPS = 40, 12
#: Quantile of the normal distribution for 95 % intervals.
NORMAL = 1.96


@dataclass(frozen=True)
class Value:
    """A parameter: its value in a unit, an interval of it, and how it was found.

    ``determined`` is False where the capture does not show it: the value then only stands for "large enough", or for a default.
    """

    name: str
    value: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    determined: bool = True
    how: str = ""


@dataclass(frozen=True)
class Measured:
    """What the capture shows of one direction, and what is compared with a simulation."""

    row: Row
    values: Mapping[str, Value]
    place: str
    """Where the capture was taken: ``sender`` or ``receiver``."""
    acked: pl.DataFrame
    """``time_s`` from the first data, and ``ack_bytes``: what is acknowledged, as it grows."""
    acks: int
    """ACKs of new data."""

    @property
    def end_s(self) -> float:
        """From the first data to the last ACK of new data."""
        return float(self.acked["time_s"][-1])

    @property
    def bytes(self) -> int:
        """Payload acknowledged."""
        return int(self.acked["ack_bytes"][-1])


def direction(found: Analysis, only: str | None = None) -> Row:
    """The row of the direction with most data, or of the connection with that number.

    Raises:
        FitError: there is none.
    """
    from ...captures.select import matches

    rows = [row for row in found.summary()["connections"] if row["acked_bytes"] and (only is None or matches(row, only))]
    if not rows:
        raise FitError("no connection with acknowledged data" + (f" is of {only}" if only else ""))
    return max(rows, key=lambda row: row["acked_bytes"])


def measure(found: Analysis, row: Row) -> Measured:
    """Estimates of a direction.

    Raises:
        FitError: the capture does not show enough for a scenario; the message says what is missing.
    """
    _check(row)
    place = "sender" if row["vantage"] in ("sender", "both") else "receiver"
    acked = progress(found, row)
    wire = (row["segment_bytes"] + HEADERS + STAMPS * ("timestamps" in row["options"])) / row["segment_bytes"]
    values = [
        _rate(found, row, wire),
        _delay(row, wire),
        _queue(row, wire, place),
        _loss(row),
        *_policy(row),
        _window(found, row),
        _first_window(row),
        Value("mss", row["segment_bytes"], "B", how="largest payload"),
    ]
    return Measured(row, {one.name: one for one in values}, place, acked, row["new_acks"])


def _check(row: Row) -> None:
    """Refuses what no scenario can replay."""
    if row["vantage"] not in ("sender", "receiver", "both"):
        raise FitError(f"where the capture was taken is not known, or between the ends ({row['vantage']}): the path has no two parts here")
    if row["limit"] == "unknown":
        raise FitError(row["headline"])
    if row["acked_bytes"] < LEAST_SEGMENTS * row["segment_bytes"]:
        raise FitError(f"only {row['acked_bytes']} bytes were acknowledged; {LEAST_SEGMENTS} segments are needed")
    if row["path_rtt_min_s"] is None:
        raise FitError("the path's round trip is not in the capture (no handshake, or its clock is too coarse)")
    idle = (row["application_limited_s"] + row["closed_limited_s"]) / row["limits_s"]
    if idle > MOST_IDLE:
        raise FitError(f"an application limits {idle:.0%} of the time (it does not send, or does not read): its pauses are not replayed")


def progress(found: Analysis, row: Row) -> pl.DataFrame:
    """What is acknowledged over time, from the first data."""
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    acks = pl.DataFrame(found.acks).filter(mine & (pl.col("acked_bytes") > 0)).sort("time_s")
    data = pl.DataFrame(found.segments).filter(mine & (pl.col("payload_bytes") > 0))
    if not acks.height or not data.height:
        raise FitError("data or ACKs are missing in the capture")
    start = float(data["time_s"].min())  # type: ignore[arg-type]
    return acks.select(time_s=(pl.col("time_s") - start).clip(0.0), ack_bytes=pl.col("acked_bytes").cum_sum().cast(pl.Int64))


def _rate(found: Analysis, row: Row, wire: float) -> Value:
    if row["bottleneck_bps"] is not None:
        how = f"{row['bottleneck_trains']} trains of {row['bottleneck_from']} that met a queue"
        return Value("rate", row["bottleneck_bps"], "bps", row["bottleneck_low_bps"], row["bottleneck_high_bps"], True, how)
    throughput = pl.DataFrame(found.throughput).filter((pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"]))
    most = float(throughput["goodput_bps"].max() or 0.0) * wire  # type: ignore[arg-type]
    queued = row["path_limited_s"] / row["limits_s"]
    if queued > 0.5:
        mean = row["goodput_bps"] * wire
        return Value("rate", mean, "bps", mean, most, True, f"a queue stood for {queued:.0%} of the time; mean rate, no train shows it alone")
    return Value("rate", max(10 * most, 1e6), "bps", most, None, False, "no queue stood; at least the largest rate that passed")


def _delay(row: Row, wire: float) -> Value:
    least = row["path_rtt_min_s"]
    shake = row["handshake_rtt_s"]
    return Value("rtt", least, "s", least, max(least, shake or least), True, "least round trip" + ("" if shake is None else ", handshake"))


def _queue(row: Row, wire: float, place: str) -> Value:
    """What waits at most: the longest round trip beyond the least, at the bottleneck's rate."""
    rate = row["bottleneck_bps"]
    if rate is None or place != "sender" or row["rtt_p95_s"] is None:
        return Value("queue", None, "packets", determined=False, how="no round trips through a queue of known rate here")
    packet = row["segment_bytes"] * wire
    most, usual = (max((span - row["path_rtt_min_s"]) * rate / 8 / packet, 1.0) for span in (row["rtt_max_s"], row["rtt_p95_s"]))
    lost = row["fast_recoveries"] > 0
    how = "longest round trip, with losses" if lost else "no loss: at least as long as the longest round trip"
    return Value("queue", math.ceil(most), "packets", usual, math.ceil(1.1 * most) if lost else None, lost, how)


def _loss(row: Row) -> Value:
    """Share of segments that were repeated, with Wilson's interval."""
    lost, sent = row["resent"] + row["late"], max(row["segments"], 1)
    share = min(lost / sent, 1.0)
    centre, width = share + NORMAL**2 / (2 * sent), NORMAL * math.sqrt(share * (1 - share) / sent + NORMAL**2 / (4 * sent**2))
    norm = 1 + NORMAL**2 / sent
    return Value("loss", share, "", max((centre - width) / norm, 0.0), (centre + width) / norm, lost > 0, f"{lost} of {sent} segments repeated")


def _policy(row: Row) -> list[Value]:
    name, every = row["policy"], row["ack_every"]
    known = name in ("every", "delayed", "quick-then-delayed", "by-phase")
    timer = Value(
        "timer", row["timer_s"], "s", row["timer_low_s"], row["timer_high_s"], row["timer_s"] is not None,
        "waits of lone segments" if row["timer_s"] is not None else "too few lone segments waited",
    )  # fmt: skip
    return [Value("policy", name, determined=known, how=row["finding"].partition(".")[0]), Value("segments an ACK", every, determined=every is not None), timer]


def _window(found: Analysis, row: Row) -> Value:
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    offered = pl.DataFrame(found.acks).filter(mine)["window_bytes"]
    most = int(offered.max() or 0)  # type: ignore[call-overload]
    limits = row["window_limited_s"] > 0.05 * row["limits_s"]
    how = "largest advertised; it limits" if limits else "largest advertised; it does not limit, so any larger one fits as well"
    return Value("window", most, "B", most, most if limits else None, limits, how)


def _first_window(row: Row) -> Value:
    first = row["initial_window_bytes"]
    if not first:
        return Value("initial window", 10, "segments", determined=False, how="no handshake")
    return Value("initial window", max(round(first / row["segment_bytes"]), 1), "segments", how="data within the first round trip")
