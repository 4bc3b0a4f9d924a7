"""What recorded connections did: windows and their estimates, segments delivered, ACKs, the bottleneck's idle times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.grid import Array

STEP_S = 0.01
"""Windows are compared on a grid of time, so that many ACKs in a moment do not count more than few."""


@dataclass(frozen=True, eq=False)
class Connection:
    """One connection of a run."""

    row: dict[str, Any]
    """Its row of the flows table."""
    time: Array
    cwnd: Array
    estimate: Array
    arrivals: Array
    """Instants at which segments reached the receiver."""
    in_order: Array
    """Segments delivered in order after each arrival."""
    acks: Array
    """Instants at which ACKs left the receiver."""
    acked: Array
    """Number each of them bears."""
    drops: Array
    """Instants at which the bottlenecks dropped segments of it."""
    repairs: list[tuple[float, float]]
    """For each drop, when it happened and when that segment arrived after all."""
    sent: tuple[Array, Array]
    """Instants and numbers of segments leaving the sender."""
    numbers: Array
    """Number of the segment of each of the arrivals."""
    acks_back: tuple[Array, Array]
    """Instants at which ACKs reached the sender, and their numbers."""

    def share(self, at: float, of: int) -> float:
        """Percentage of the file delivered in order at an instant."""
        place = int(np.searchsorted(self.arrivals, at, side="right"))
        return 100.0 * float(self.in_order[place - 1]) / of if place else 0.0

    def reaches(self, percent: float, of: int) -> float:
        """When so much of the file is delivered in order."""
        return float(self.arrivals[int(np.searchsorted(self.in_order, percent / 100 * of))])

    def on_grid(self, begin: float, end: float) -> tuple[Array, Array, Array]:
        """Time, cwnd and its estimate every 10 ms."""
        grid = np.arange(begin, end, STEP_S)
        place = np.clip(np.searchsorted(self.time, grid, side="right") - 1, 0, None)
        return grid, self.cwnd[place], self.estimate[place]

    def errors(self, after_s: float = 1.0, clear_s: float = 0.0) -> Array:
        """|estimate - cwnd| / cwnd from ``after_s`` after the start on; with ``clear_s`` without losses, each from its drop to
        so long after its repair has arrived."""
        begin, end = float(self.row["first_data_s"]) + after_s, float(self.time[-1])
        grid, cwnd, estimate = self.on_grid(begin, end)
        error = np.abs(estimate - cwnd) / cwnd
        if clear_s:
            clear = np.ones(len(grid), dtype=bool)
            for at, repaired in self.repairs:
                clear[np.searchsorted(grid, at) : np.searchsorted(grid, repaired + clear_s)] = False
            error = error[clear]
        return np.asarray(error[~np.isnan(error)])

    def ack_share(self, begin: float, end: float) -> float:
        """ACKs for each segment that arrived in a span."""
        count = [int(np.sum((times >= begin) & (times < end))) for times in (self.acks, self.arrivals)]
        return count[0] / count[1] if count[1] else float("nan")

    def slope(self, begin: float, end: float) -> float:
        """Growth of cwnd in a span, in segments a round trip of what the window takes."""
        grid, cwnd, _ = self.on_grid(begin, end)
        if len(grid) < 10:
            return float("nan")
        rate = np.sum((self.arrivals >= begin) & (self.arrivals < end)) / (end - begin)
        return float(np.polyfit(grid, cwnd, 1)[0] * np.mean(cwnd) / rate)


class Recorded:
    """The connections of a run by name, and what its bottleneck did."""

    def __init__(self, result: Any) -> None:
        rows = pl.DataFrame(result.flows).to_dicts()
        packets = pl.DataFrame(result.packets).with_columns(pl.col("link", "event", "kind", "flow").cast(pl.String))
        series = pl.DataFrame(result.series).with_columns(pl.col("flow").cast(pl.String))
        self.end_s = float(result.end_s)
        own, curves = _by_flow(packets), _by_flow(series)
        self.connections = {
            row["name"]: _connection(row, own[row["name"]], curves.get(row["name"], series.clear()))
            for row in rows
            if row["acks_received"] > 0
        }
        bottleneck = (
            packets.filter(link="A->B", event="dequeue") if "A->B" in packets["link"].unique() else packets.clear()
        )
        self.served = bottleneck["time_s"].to_numpy()
        self.served_bytes = bottleneck["size_bytes"].to_numpy()
        self.sends = {
            row["name"]: own.get(row["name"], packets.clear()).filter(kind="datagram", event="enqueue", link=f"{row['from']}->A")["time_s"]
            .to_numpy() for row in rows
        }  # fmt: skip

        asked = (
            packets.filter(kind="probe", event="enqueue")
            .filter(pl.col("link").str.starts_with("R"))["time_s"]
            .to_numpy()
        )
        came = (
            packets.filter(kind="reply", event="deliver")
            .filter(pl.col("link").str.contains("->R"))["time_s"]
            .to_numpy()
        )
        place = np.searchsorted(asked, came, side="left") - 1
        self.probes = came - asked[place] if len(asked) else came
        """Round trips that keep-alives saw; each answer is to the last one sent before it."""

    def smoothed_probes(self) -> Array:
        """The same smoothed with gain 1/8, as the receiver smooths them."""
        smoothed = self.probes[:1].tolist()
        for probe in self.probes[1:]:
            smoothed.append(0.875 * smoothed[-1] + 0.125 * float(probe))
        return np.array(smoothed)

    def __getitem__(self, name: str) -> Connection:
        return self.connections[name]

    def utilisation(self, begin: float, end: float, mbps: float) -> float:
        """Share of a span in which the bottleneck was sending."""
        inside = (self.served >= begin) & (self.served < end)
        return float(self.served_bytes[inside].sum() * 8 / (mbps * 1e6 * (end - begin)))


def _by_flow(table: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """A table's rows by the flow's name; to filter all rows for each flow takes most of a reading's time."""
    return {str(name): rows for (name,), rows in table.partition_by("flow", as_dict=True).items()}


def _connection(row: dict[str, Any], mine: pl.DataFrame, own: pl.DataFrame) -> Connection:
    """A connection from the flow's packets and series."""
    data = mine.filter(
        (pl.col("kind") == "data") & (pl.col("event") == "deliver") & pl.col("link").str.ends_with(f"->{row['to']}")
    )
    acks = mine.filter(
        (pl.col("kind") == "ack") & (pl.col("event") == "enqueue") & pl.col("link").str.starts_with(f"{row['to']}->")
    )
    sent = mine.filter(
        (pl.col("kind") == "data") & (pl.col("event") == "enqueue") & pl.col("link").str.starts_with(f"{row['from']}->")
    )
    back = mine.filter(
        (pl.col("kind") == "ack") & (pl.col("event") == "deliver") & pl.col("link").str.ends_with(f"->{row['from']}")
    )
    dropped = mine.filter(event="drop", kind="data")
    return Connection(
        row,
        own["time_s"].to_numpy(),
        own["cwnd_segments"].to_numpy(),
        own["cwnd_estimate_segments"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        data["time_s"].to_numpy(),
        _in_order(data["seq"].to_list()),
        acks["time_s"].to_numpy(),
        acks["ack"].to_numpy(),
        dropped["time_s"].to_numpy(),
        _repairs(dropped, data),
        (sent["time_s"].to_numpy(), sent["seq"].to_numpy()),
        data["seq"].to_numpy(),
        (back["time_s"].to_numpy(), back["ack"].to_numpy()),
    )  # fmt: skip


def _repairs(dropped: pl.DataFrame, data: pl.DataFrame) -> list[tuple[float, float]]:
    """When each segment was dropped, and when it arrived for the last time. A segment that had arrived before its drop is left out."""
    came = dict(zip(data["seq"].to_list(), data["time_s"].to_list(), strict=True))
    pairs = zip(dropped["time_s"].to_list(), dropped["seq"].to_list(), strict=True)
    return [(at, came[number]) for at, number in pairs if came.get(number, 0.0) > at]


def _in_order(numbers: list[int]) -> Array:
    """Segments in order after each arrival."""
    expected, waiting, counts = 0, set[int](), []
    for number in numbers:
        waiting.add(number)
        while expected in waiting:
            waiting.remove(expected)
            expected += 1
        counts.append(expected)
    return np.array(counts, dtype=np.int64)
