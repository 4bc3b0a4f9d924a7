"""What one source's slow start did to the reverse channel: windows, acknowledged data, waiting and erased ACKs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.grid import Array
from .setting import MODEL, PACKET

T = MODEL.rtt_s
HALF = T / 2


class Slow:
    """A recorded run of section 2.4's scenario; times in seconds, the window in segments."""

    def __init__(self, result: Any) -> None:
        series = pl.DataFrame(result.series)
        self._cwnd = series["time_s"].to_numpy(), series["cwnd_segments"].to_numpy()
        queue = pl.DataFrame(result.queue).filter(pl.col("link").cast(pl.String) == "D->S")
        self.waiting = queue["time_s"].to_numpy(), queue["queue_packets"].to_numpy().astype(float)
        """Waiting ACKs at each change."""
        packets = pl.DataFrame(result.packets).select("time_s", "link", "event", "seq", "ack")
        link, event = pl.col("link").cast(pl.String), pl.col("event").cast(pl.String)

        def rows(where: str, what: str) -> pl.DataFrame:
            return packets.filter((link == where) & (event == what))

        acks = rows("D->S", "deliver")
        self._acked = acks["time_s"].to_numpy(), acks["ack"].cum_max().to_numpy().astype(float)
        self.arrivals = rows("D->S", "enqueue")["time_s"].to_numpy()
        """ACKs reaching the reverse buffer."""
        self.departures = rows("D->S", "dequeue")["time_s"].to_numpy()
        """ACKs leaving it."""
        self.departed = tuple(zip(self.departures.tolist(), rows("D->S", "dequeue")["ack"].to_list(), strict=True))
        self.erased = rows("D->S", "filter")["time_s"].to_numpy()
        self._sent = rows("S->D", "enqueue").select("seq", sent="time_s")
        self._out = rows("S->D", "dequeue").select("seq", out="time_s")
        self._acks = acks.select((pl.col("ack") - 1).alias("seq"), "time_s")

    @staticmethod
    def _at(step: tuple[Array, Array], times: Any, before: float) -> Array:
        place = np.searchsorted(step[0], times, side="right") - 1
        return np.where(place >= 0, step[1][np.maximum(place, 0)], before)

    def cwnd(self, times: Any) -> Array:
        """The window at some instants."""
        return self._at(self._cwnd, times, 1.0)

    def acked(self, times: Any) -> Array:
        """Segments acknowledged by then."""
        return self._at(self._acked, times, 0.0)

    def occupancy(self, times: Any) -> Array:
        """ACKs waiting in the reverse buffer."""
        return self._at(self.waiting, times, 0.0)

    def throughput(self, times: Any) -> Array:
        """Acknowledged data over the last T, bit/s: how section 2.4 measures it."""
        return (self.acked(times) - self.acked(np.asarray(times) - T)) * 8 * PACKET / T

    @cached_property
    def onset(self) -> float:
        """When the first ACK is erased; NaN if none is."""
        return float(self.erased[0]) if len(self.erased) else float("nan")

    @cached_property
    def full(self) -> float:
        """When the reverse link has first carried 95 % of what it can for T, to 10 ms; 0 if it never has."""
        grid = np.arange(0.0, 10.0, 0.01)
        carried = np.searchsorted(self.departures, grid) - np.searchsorted(self.departures, grid - T)
        return float(grid[np.argmax(carried >= 0.95 * MODEL.acks_per_s * T)])

    def passes(self, bps: float) -> float:
        """When the throughput first reaches so much, to 10 ms; NaN if it never does."""
        grid = np.arange(0.0, 10.0, 0.01)
        there = grid[self.throughput(grid) >= bps]
        return float(there[0]) if len(there) else float("nan")

    def burst(self, n: int, times: Array) -> int:
        """How many of ``times`` belong to round trip n, seen at the reverse buffer."""
        start = n * T + HALF
        return int(((times >= start - 1e-9) & (times < start + T - 1e-9)).sum())

    def burst_queue(self, n: int) -> float:
        """Most ACKs waiting in round trip n."""
        start = n * T + HALF
        inside = (self.waiting[0] >= start - 1e-9) & (self.waiting[0] < start + T - 1e-9)
        return float(self.waiting[1][inside].max(initial=0.0))

    @cached_property
    def round_trips(self) -> tuple[Array, Array]:
        """Time of each ACK's arrival, and its round trip without what its segment waited for the forward link."""
        joined = self._acks.join(self._sent, on="seq").join(self._out, on="seq")
        return joined["time_s"].to_numpy(), (joined["time_s"] - joined["out"]).to_numpy()

    def steady_occupancy(self, start: float, end: float) -> tuple[float, float, float]:
        """Least, mean and most waiting between two instants; the mean is weighted by time."""
        times, lengths = self.waiting
        inside = (times >= start) & (times < end)
        edges = np.concatenate([[start], times[inside], [end]])
        values = np.concatenate([[float(self.occupancy(start))], lengths[inside]])
        return float(values.min()), float((values * np.diff(edges)).sum() / (end - start)), float(values.max())
