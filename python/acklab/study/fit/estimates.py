"""What packets show of the path and its ends: the bottleneck's rate, losses, the receiver, the application's writes.

**Rate.** The best sign are trains of packets that met a queue (``bottleneck_bps`` of an analysis). The next is the usual spacing of packets that
left together (packet pairs: Paxson, "End-to-End Internet Packet Dynamics", SIGCOMM 1997). The largest rate that passed is a lower
bound. A sender that paces its packets gives pairs the spacing of its own pace, which follows its window. So a
spacing counts only if it stayed the same while the throughput changed, if its rate is well above the throughput, or if a queue stood.

**Losses.** Before the bottleneck, the last transmission of what was sent again was lost. Behind it, numbers are missing in the order of
arrival: a packet beyond the next expected number shows how many were lost between. A gap that is filled within half a round trip was
reordering (RFC 4653 section 1 discusses such gaps), because a retransmission takes at least a round trip.

**Writes.** New data may leave long after the last departure and the last ACK: later than a millisecond and a quarter of the round trip.
They did not wait for the network, so they were written then. This is the rule by which ``analyze`` finds an idle application, after T-RAT
(Zhang, Breslau, Paxson and Shenker, SIGCOMM 2002). What an application wrote while the network was busy does not show; it counts as written
with the departure before. New data after a part of a segment may also show a write, because the application had no more before. But a
sender that fills the receiver's window ends with a part, too. So a part that ends where an ACK's window ended is the window's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from ...captures.text import policy as policy_of
from ...text.numbers import counted
from ...text.templates import fact
from .place import FitError, Place, Row, Value, wire

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


#: Quantile of the normal distribution for 95 % intervals.
NORMAL = 1.96
#: A share of losses is determined if it is below this many times the lower end of its interval (the upper end is about as far).
SURE = 2.0
#: Most losses that are listed.
MAX_LOSSES = 20_000


def lost(data: pl.DataFrame, row: Row, place: Place) -> list[list[int]]:
    """Numbers of the lost packets, from 0, sorted; ``data`` are the packets with payload in order.

    Behind the losses two orders are possible where a retransmission arrived between the packets around a gap: it left before what was
    lost, or after. Both are returned if they differ.

    Raises:
        FitError: there are too many.
    """
    rows = list(
        zip(data["time_s"], data["seq_bytes"], data["payload_bytes"], data["kind"].cast(pl.String), strict=True)
    )
    unit = max(int(row["segment_bytes"]), 1)
    found = [_behind(rows, unit, place, first) for first in (False, True)] if place.behind else [_before(rows, unit)]
    numbers = [sorted(set(one)) for one in found]
    if len(numbers[0]) > MAX_LOSSES:
        raise FitError(f"{counted(len(numbers[0]), 'packet')} lost (at most {MAX_LOSSES:,})")
    return numbers[:1] if numbers[0] == numbers[-1] else numbers


def _before(rows: list[tuple[float, int, int, str]], unit: int) -> list[int]:
    """Seen before the losses: what is sent again was lost the time before."""
    number, found = 0, list[int]()
    last: dict[int, int] = {}
    for _, seq, payload, kind in rows:
        for part in range(max(math.ceil(payload / unit), 1)):
            key = seq + part * unit
            if kind == "resent" and key in last:
                found.append(last[key])
            last[key] = number
            number += 1
    return found


def _behind(rows: list[tuple[float, int, int, str]], unit: int, place: Place, first: bool) -> list[int]:
    """Seen behind the losses: what is missing in the order of arrival was lost; ``first`` if it left before the retransmissions around it."""
    number, fresh, high = 0, 0, None
    filled = set[int]()
    holes: list[tuple[int, int, float, range]] = []
    found: list[int] = []
    for time, seq, payload, kind in rows:
        if high is not None and seq > high:
            missing = math.ceil((seq - high) / unit)
            begin = fresh if first else number
            holes.append((high, seq, time, range(begin, begin + missing)))
            number += missing
        if high is not None and seq < high:
            hole = next((one for one in holes if one[0] <= seq < one[1]), None) if kind == "late" else None
            if hole is None or time - hole[2] >= place.rtt_s / 2:
                number += 1
            if hole is not None:
                low, end, since, numbers = hole
                at = min((seq - low) // unit, len(numbers) - 1)
                filled.update(numbers[at : at + max(math.ceil(payload / unit), 1)])
                if time - since >= place.rtt_s / 2:
                    found.append(numbers[at])
                if seq + payload >= end:
                    holes.remove(hole)
        else:
            number += max(math.ceil(payload / unit), 1)
            fresh = number
        high = max(high or 0, seq + payload)
    # What is still missing where the capture ends was lost, too, if it could have come by now.
    old = (numbers for _, _, since, numbers in holes if rows[-1][0] - since >= place.rtt_s / 2)
    return found + [one for numbers in old for one in numbers if one not in filled]


def events(numbers: Sequence[int], row: Row) -> int:
    """Losses more than a flight apart from the one before: those within a flight may have one cause."""
    flight = (row["max_flight_bytes"] or 0) / max(row["segment_bytes"], 1)
    return sum(later - earlier > flight for earlier, later in pairwise([-math.inf, *numbers]))


def share(row: Row, count: int, seen: bool) -> Value:
    """Share of the segments that were lost, with Wilson's interval (Wilson, JASA 1927).

    Args:
        row: the direction.
        count: of losses, or of what was sent again.
        seen: whether the capture shows the losses themselves.
    """
    sent = max(row["segments"], 1)
    part = min(count / sent, 1.0)
    centre, width = (
        part + NORMAL**2 / (2 * sent),
        NORMAL * math.sqrt(part * (1 - part) / sent + NORMAL**2 / (4 * sent**2)),
    )
    norm = 1 + NORMAL**2 / sent
    high = (centre + width) / norm
    if not count:
        return Value(
            "loss",
            0.0,
            "share",
            None,
            high,
            False,
            fact("how-no-loss", segments=sent),
        )
    low = max((centre - width) / norm, 0.0)
    how = fact("how-lost" if seen else "how-resent", lost=count, segments=sent)
    return Value("loss", part, "share", low, high, seen and part < SURE * low, how)


#: Shares of the time from which on a window counts as a limit.
LIMITS, SENDER_LIMITS = 0.05, 0.3
#: Waits for more segments are at least so long; so many agree within this factor, and they are this share of all.
LEAST_WAIT_S, LEAST_WAITS, WAITS_ALIKE, WAITS_SHARE = 5e-3, 5, 1.05, 0.4
#: A window that limits is determined if the least advertised is at least this share of the largest.
STEADY = 0.8
#: Segments of an initial window that is not seen.
USUAL = 10
Policy = Mapping[str, Any] | str


def policy(row: Row, wait: Value) -> list[Value]:
    """The policy, its number of segments and its timer."""
    name, every = row["policy"], row["ack_every"]
    known = name in ("every", "delayed", "quick-then-delayed", "by-phase")
    return [
        Value(
            "ACK policy",
            name,
            determined=known,
            how=policy_of(row),
        ),
        Value(
            "segments an ACK",
            every,
            "segments",
            every,
            every,
            every is not None,
        ),
        wait,
    ]


def timer(row: Row, data: pl.DataFrame, acks: pl.DataFrame, place: Place) -> Value:
    """How long the receiver waits with fewer segments than it usually acknowledges, from the first one's arrival."""
    if row["timer_s"] is not None and row["delay_min_s"] is not None:
        return Value("ACK timer", row["timer_s"], "s", row["timer_low_s"], row["timer_high_s"], True, fact("how-lone"))
    none = Value("ACK timer", None, "s", determined=False, how=fact("how-no-waits"))
    if row["policy"] != "delayed" or not row["ack_every"] or row["ack_every"] < 2:
        return none
    if not place.behind and row["path_limited_s"] > QUEUED * row["limits_s"]:
        return none  # the queue's time and the receiver's are one
    first = acks["ack_bytes"].cast(pl.Int64).to_numpy() - acks["acked_bytes"].cast(pl.Int64).to_numpy()
    ends = np.maximum.accumulate((data["seq_bytes"].cast(pl.Int64) + data["payload_bytes"].cast(pl.Int64)).to_numpy())
    arrived = data["time_s"].to_numpy()[np.minimum(np.searchsorted(ends, first, side="right"), data.height - 1)]
    few = (acks["plain"] & (acks["acked_segments"] < row["ack_every"]) & (acks["acked_segments"] > 0)).to_numpy()
    waits = (acks["time_s"].to_numpy() - arrived)[few] - 2 * place.after_s
    found = mode(waits[waits > LEAST_WAIT_S], WAITS_ALIKE, LEAST_WAITS, WAITS_SHARE)
    if found is None:
        return none
    middle, low, high, count = found
    return Value("ACK timer", middle, "s", low, high, True, fact("how-waits", waits=count))


def policies(row: Row, wait: Value) -> dict[str, Policy]:
    """The policies of a scenario that the capture allows, by name; without a timer that the capture shows, the stack's."""
    every = row["ack_every"]
    given = {} if not wait.determined else {"timer": f"{wait.value:.4f}s"}
    if row["policy"] == "every":
        return {"every segment": {"policy": "every"}}
    if row["policy"] == "delayed" and every is not None:
        return {f"every {every} segments": {"policy": "delayed", "segments": every, **given}}
    if row["policy"] in ("quick-then-delayed", "by-phase") and every in (None, 2):
        return {"linux": "linux", "every 2 segments": {"policy": "delayed", "segments": 2, **given}}
    found: dict[str, Policy] = {}
    mean = max(round(row["segments_per_ack"] or 2.0), 1)
    for segments in dict.fromkeys([1, 2, mean]):
        found["every segment" if segments == 1 else f"every {segments} segments"] = (
            {"policy": "every"} if segments == 1 else {"policy": "delayed", "segments": segments, **given}
        )
    return {**found, "linux": "linux"}


def window(row: Row, acks: pl.DataFrame, place: Place) -> Value:
    """The window: the receiver's, or the sender's own limit where that is lower and the capture has what is in flight."""
    spent = row["limits_s"] or 1.0
    if not place.behind and (row["sender_window_limited_s"] or 0.0) > SENDER_LIMITS * spent:
        most = row["max_flight_bytes"]
        return Value("window", most, "B", most, most, True, fact("how-most-in-flight"))
    windows = acks["window_bytes"].cast(pl.Int64)
    least, most = int(windows.min() or 0), int(windows.max() or 0)  # type: ignore[arg-type]
    if (row["window_limited_s"] or 0.0) <= LIMITS * spent:
        return Value(
            "window",
            most,
            "B",
            most,
            None,
            False,
            fact("how-wide"),
        )
    if least < STEADY * most:
        return Value(
            "window",
            most,
            "B",
            least,
            most,
            False,
            fact("how-varies"),
        )
    return Value(
        "window",
        most,
        "B",
        most,
        most,
        True,
        fact("how-limits"),
    )


def initial_window(row: Row, first_write: int | None) -> Value:
    """Segments that left within the first round trip, unless the application had written no more: ``first_write`` bytes."""
    first, unit = row["initial_window_bytes"], row["segment_bytes"]
    if not first:
        return Value(
            "initial window",
            USUAL,
            "segments",
            determined=False,
            how=fact("how-no-handshake", usual=USUAL),
        )
    count = max(round(first / unit), 1)
    if first_write is not None and first_write <= first:
        how = fact("how-small-write", usual=USUAL)
        return Value("initial window", max(count, USUAL), "segments", count, None, False, how)
    return Value("initial window", count, "segments", count, count, True, fact("how-first-trip"))


#: A wait of the application is longer than this, and than this share of the round trip.
LEAST_S, OF_ROUND_TRIP = 1e-3, 0.25
#: Pauses are listed if they take this share of the time.
IDLE = 0.02
#: Most writes of a scenario.
MAX_WRITES = 50_000

Writes = list[tuple[float, int]]


def writes(data: pl.DataFrame, acks: pl.DataFrame, row: Row, place: Place) -> Writes:
    """Seconds from the first data and payload bytes of each write; empty where the application has hardly a pause.

    Args:
        data: the packets with payload, in order.
        acks: every ACK of the direction, in order.
        row: the direction.
        place: where they were captured.
    """
    fresh = data.filter(pl.col("kind").cast(pl.String) == "new")
    if fresh.height < 2:
        return []
    time, every, heard = (
        fresh["time_s"].to_numpy(),
        data["time_s"].to_numpy(),
        acks["time_s"].to_numpy() + 2 * place.before_s,
    )
    before = _latest(every, time, strictly=True)
    idle = time - np.maximum(before, _latest(heard, time + 1e-9))
    ends = np.maximum.accumulate((fresh["seq_bytes"].cast(pl.Int64) + fresh["payload_bytes"].cast(pl.Int64)).to_numpy())
    paused = idle > LEAST_S + OF_ROUND_TRIP * place.rtt_s
    paused |= _small(fresh, idle, row, _at_edge(fresh, acks))
    paused[0] = True
    spent = float(idle[1:][paused[1:]].sum())
    if spent < IDLE * max(float(time[-1] - time[0]), 1e-9):
        return []
    starts = np.flatnonzero(paused)
    first = int(fresh["seq_bytes"][0])
    reached = np.append(ends[starts[1:] - 1], ends[-1])
    sizes = np.diff(np.append(first, reached))
    found = [(float(time[at] - time[0]), int(size)) for at, size in zip(starts, sizes, strict=True) if size > 0]
    return found if len(found) <= MAX_WRITES else []


def _at_edge(fresh: pl.DataFrame, acks: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each packet of new data ends where the window of an ACK ended."""
    ends = fresh["seq_bytes"].cast(pl.Int64) + fresh["payload_bytes"].cast(pl.Int64)
    edges = acks["ack_bytes"].cast(pl.Int64) + acks["window_bytes"].cast(pl.Int64)
    return np.isin(ends.to_numpy(), edges.to_numpy())


def _small(
    fresh: pl.DataFrame,
    idle: np.ndarray[tuple[int], np.dtype[np.float64]],
    row: Row,
    full: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """New data after a part of a segment that did not fill the window, while little was outstanding: the application had no more before."""
    payload = fresh["payload_bytes"].to_numpy()
    part = np.append(False, (payload[:-1] % max(row["segment_bytes"], 1) != 0) & ~full[:-1])
    flight = fresh["flight_bytes"].cast(pl.Int64).to_numpy() - payload.astype(np.int64)
    return np.asarray(part & (flight < 0.5 * np.quantile(flight + payload, 0.95)) & (idle > LEAST_S / 2))


def _latest(
    times: np.ndarray[tuple[int], np.dtype[np.float64]],
    at: np.ndarray[tuple[int], np.dtype[np.float64]],
    strictly: bool = False,
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The latest of sorted ``times`` up to each instant; minus infinity where none is."""
    if not len(times):
        return np.full(len(at), -np.inf)
    places = np.searchsorted(times, at, side="left" if strictly else "right") - 1
    return np.where(places >= 0, times[np.maximum(places, 0)], -np.inf)
