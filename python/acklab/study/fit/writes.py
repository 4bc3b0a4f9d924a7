"""When the sending application wrote, as far as its pauses show it.

New data may leave long after the last departure and the last ACK: later than a millisecond and a quarter of the round trip. They did
not wait for the network, so they were written then. This is the rule by which ``analyze`` finds an idle application, after T-RAT (Zhang,
Breslau, Paxson and Shenker, SIGCOMM 2002). What an application wrote while the network was busy does not show; it counts as written
with the departure before.

New data after a part of a segment may also show a write, because the application had no more before. But a sender that fills the
receiver's window ends with a part, too. So a part that ends where an ACK's window ended is the window's.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from .place import Place
from .value import Row

#: A wait of the application is longer than this, and than this share of the round trip.
LEAST_S, OF_ROUND_TRIP = 1e-3, 0.25
#: Pauses are listed if they take this share of the time.
IDLE = 0.02
#: Most writes of a scenario.
MOST = 50_000

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
    return found if len(found) <= MOST else []


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
