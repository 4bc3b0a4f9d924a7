"""The rate of the bottleneck, or bounds of it.

The best sign are trains of packets that met a queue (``bottleneck_bps`` of an analysis). The next is the usual spacing of packets that
left together (packet pairs: Paxson, "End-to-End Internet Packet Dynamics", SIGCOMM 1997). The largest rate that passed is a lower
bound. A sender that paces its packets gives pairs the spacing of its own pace, which follows its window. So a
spacing counts only if it stayed the same while the throughput changed, if its rate is well above the throughput, or if a queue stood.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...text.templates import fact
from .place import Place
from .value import Row, Value, wire

#: Spacings that agree lie within this factor; they are at least so many, and this share of all.
ALIKE, LEAST, SHARE = 1.02, 12, 0.2
#: Shortest spacing that is counted: a capture's clock has steps of a microsecond.
SHORTEST_S = 20e-6
#: A spacing shows the bottleneck if its rate is this much above the largest rate that passed in a round trip. It also does if it is
#: seen in round trips whose rates (their middle four fifths) vary by this factor.
ABOVE = 1.3
#: Share of the time for which a queue stood, from which on the path's rate was used up.
QUEUED = 0.05
#: Where no bound from above is known, the scenario has this many times the largest rate that passed.
AMPLE = 10.0


def rate(row: Row, data: pl.DataFrame, acks: pl.DataFrame, place: Place) -> Value:
    """The bottleneck's rate in bits of IP packets a second.

    Args:
        row: the direction.
        data: its packets with payload, in order.
        acks: its ACKs of new data, in order.
        place: where they were captured.
    """
    if row["bottleneck_bps"] is not None:
        packets = "ACKs" if row["bottleneck_from"] == "acks" else row["bottleneck_from"]
        how = fact("how-trains", trains=row["bottleneck_trains"], packets=packets)
        return Value(
            "rate", row["bottleneck_bps"], "bps", row["bottleneck_low_bps"], row["bottleneck_high_bps"], True, how
        )
    trip = max(row["path_rtt_min_s"], 0.01)
    most = passed(data, acks, wire(row), trip, place.behind)
    times, rates = _data_rates(data, row) if place.behind else _ack_rates(data, acks, row)
    spaced = mode(rates)
    queued = (row["path_limited_s"] or 0.0) > QUEUED * (row["limits_s"] or 1.0)
    if spaced is not None:
        middle, low, high, count = spaced
        varied = _varied(times[(rates >= low) & (rates <= high)], acks if acks.height > 2 else data, trip)
        if middle > (0.95 if queued or varied > ABOVE else ABOVE) * most:
            return Value("rate", middle, "bps", low, high, True, fact("how-spacings", spacings=count))
    if queued and (row["path_limited_s"] or 0.0) > 0.5 * row["limits_s"]:
        return Value(
            "rate",
            most,
            "bps",
            0.9 * most,
            1.1 * most,
            False,
            fact("how-queued"),
        )
    return Value("rate", max(AMPLE * most, 1e6), "bps", most, None, False, fact("how-passed", times=AMPLE))


def passed(data: pl.DataFrame, acks: pl.DataFrame, factor: float, window_s: float, behind: bool) -> float:
    """Largest rate over about a round trip, in bits a second: of data behind the bottleneck, of plain ACKs before it.

    Behind it, all data after the first packet passed within the whole time, which is a bound, too.
    """
    best = 0.0
    plain = acks.filter(pl.col("plain"))
    for frame, column in ((data, "payload_bytes"),) if behind else ((plain, "acked_bytes"),):
        if frame.height < 3:
            continue
        time, bytes_ = frame["time_s"].to_numpy(), np.cumsum(frame[column].to_numpy().astype(float))
        ends = np.searchsorted(time, time + window_s, side="right") - 1
        span = time[ends] - time
        whole = (ends > np.arange(len(time))) & (span > 0.5 * window_s)
        if whole.any():
            best = float(np.quantile((bytes_[ends] - bytes_)[whole] / span[whole], 0.95)) * 8 * factor
        if behind:
            best = max(best, float(bytes_[-1] - bytes_[0]) * 8 * factor / max(float(time[-1] - time[0]), window_s))
    if not best and data.height > 1:
        best = (
            float(data["payload_bytes"].sum()) * 8 * factor / max(float(data["time_s"][-1] - data["time_s"][0]), 1e-3)
        )
    return best


def mode(
    rates: Any, alike: float = ALIKE, least: int = LEAST, share: float = SHARE
) -> tuple[float, float, float, int] | None:
    """Where most of positive numbers are: their median, least, largest and number; None where fewer than ``least`` agree, or a ``share``."""
    rates = np.sort(rates)
    if len(rates) < least:
        return None
    ends = np.searchsorted(rates, rates * alike, side="right")
    counts = ends - np.arange(len(rates))
    first = int(np.argmax(counts))
    found = rates[first : ends[first]]
    if len(found) < least or len(found) < share * len(rates):
        return None
    return float(np.median(found)), float(found[0]), float(found[-1]), len(found)


def _varied(times: Any, frame: pl.DataFrame, window_s: float) -> float:
    """By which factor the throughput of a round trip varies over some instants, in their middle four fifths."""
    time = frame["time_s"].to_numpy()
    bytes_ = np.append(
        0.0,
        np.cumsum(frame["acked_bytes" if "acked_bytes" in frame.columns else "payload_bytes"].to_numpy().astype(float)),
    )
    passed_ = (
        bytes_[np.searchsorted(time, times, side="right")]
        - bytes_[np.searchsorted(time, times - window_s, side="right")]
    )
    low, high = np.quantile(passed_, (0.1, 0.9))
    return float(high / max(low, 1.0))


def _data_rates(data: pl.DataFrame, row: Row) -> tuple[Any, Any]:
    """Instants and rates of the spacings of data behind the bottleneck."""
    if data.height < 2:
        return np.array([]), np.array([])
    time = data["time_s"].to_numpy()
    gaps = np.diff(time)
    payload = data["payload_bytes"].to_numpy()[1:].astype(float)
    full = (payload >= row["segment_bytes"]) & (gaps >= SHORTEST_S)
    return time[1:][full], 8 * payload[full] * wire(row) / gaps[full]


def _ack_rates(data: pl.DataFrame, acks: pl.DataFrame, row: Row) -> tuple[Any, Any]:
    """Instants and rates of the spacings of ACKs, where what they acknowledge left together."""
    if acks.height < 2 or data.height < 2:
        return np.array([]), np.array([])
    ends = (data["seq_bytes"].cast(pl.Int64) + data["payload_bytes"].cast(pl.Int64)).to_numpy()
    order = np.maximum.accumulate(ends)
    left = data["time_s"].to_numpy()
    numbers = acks["ack_bytes"].cast(pl.Int64).to_numpy()
    sent = left[np.minimum(np.searchsorted(order, numbers, side="left"), len(left) - 1)]
    time = acks["time_s"].to_numpy()
    gaps, apart = np.diff(time), np.diff(sent)
    bytes_ = acks["acked_bytes"].to_numpy()[1:].astype(float)
    good = (apart < 0.2 * gaps) & (gaps >= SHORTEST_S) & (np.mod(bytes_, row["segment_bytes"]) == 0)
    return time[1:][good], 8 * bytes_[good] * wire(row) / gaps[good]
