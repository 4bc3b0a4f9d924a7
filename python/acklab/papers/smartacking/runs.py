"""The experiments, and what is read from recorded ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.experiments import Effort, Replications, Sweep, Traces, records
from ...reproduce.grid import Array
from .setting import Setting, asymmetric, one_zero, parking_lot, tcp_udp, two_two

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

    def errors(self) -> Array:
        """|estimate - cwnd| / cwnd from the first segment on."""
        grid, cwnd, estimate = self.on_grid(float(self.row["first_data_s"]), float(self.time[-1]))
        error = np.abs(estimate - cwnd) / cwnd
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
        (sent["time_s"].to_numpy(), sent["seq"].to_numpy()),
        data["seq"].to_numpy(),
        (back["time_s"].to_numpy(), back["ack"].to_numpy()),
    )  # fmt: skip


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


# --- The experiments that the sections share


CAPACITIES = tuple(range(1, 13))
"""Of the 1-0 configuration, Mb/s."""
CAPACITIES_22 = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24)
QUICK, QUICK_22 = (2, 5, 9, 12), (4, 8, 16, 24)
BUFFERS = (0.3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


class Times:
    """Completion times of a run's TCP connections by place, their mean, that of the first direction, and totals."""

    TOTALS = ("fairness", "acks_sent", "segments_sent", "retransmits", "timeouts")

    def __init__(self, connections: int) -> None:
        self.connections = connections
        self.names = (*(f"t{k + 1}" for k in range(connections)), "mean", "forward", "shortest", *self.TOTALS)

    def __call__(self, line: bytes) -> tuple[float, ...]:
        flows = [flow for flow in json.loads(line)["flows"] if flow["acks_sent"] > 0]
        times = [float("nan") if flow["completion_s"] is None else flow["completion_s"] for flow in flows]
        first = flows[0]["from"]
        ahead = [t for flow, t in zip(flows, times, strict=True) if _ahead(flow["from"]) == _ahead(first)]
        totals = [float(sum(flow[key] for flow in flows)) for key in self.TOTALS[1:]]
        fairness = float(np.sum(times) ** 2 / (len(times) * np.sum(np.square(times))))
        listed = times[: self.connections] + [float("nan")] * (self.connections - len(times))
        return (*listed, float(np.mean(times)), float(np.mean(ahead)), min(times), fairness, *totals)


def _ahead(node: str) -> bool:
    """Whether a sender's connections go from A to B: numbers 1 and 2."""
    return node[1:].split(".")[0] in ("1", "2")


ONE, TWO, FOUR = Times(1), Times(2), Times(4)
ONE_ZERO = Sweep(
    "1-0", "one connection, over every capacity", {"scheme": ("newreno", "paced", "every", "abc", "sabc", "smart", "smart-paced"), "mbps": CAPACITIES},
    lambda scheme, mbps: one_zero(mbps, scheme), ONE, {"mbps": QUICK},
)  # fmt: skip
TWO_TWO = Sweep(
    "2-2", "two connections each way",
    {"scheme": ("newreno", "paced", "every", "abc", "sabc", "smart", "smart-paced"), "mbps": CAPACITIES_22},
    lambda scheme, mbps: two_two(mbps, scheme), FOUR, {"mbps": QUICK_22},
)  # fmt: skip
VERSIONS = ("newreno", "paced", "smart", "smart-paced", "extended", "smart-fair")
LONG = Sweep(
    "Different-RTT", "round trips of 60 and 120 ms", {"scheme": VERSIONS, "mbps": CAPACITIES_22},
    lambda scheme, mbps: two_two(mbps, scheme, long=True), FOUR, {"mbps": QUICK_22},
)  # fmt: skip
BUFFER = Sweep(
    "buffers", "2-2 with the bottleneck's buffer varied",
    {"mbps": (7, 15), "scheme": ("newreno", "paced", "every", "smart", "smart-paced"), "buffer": BUFFERS},
    lambda mbps, scheme, buffer: two_two(mbps, scheme, buffer=buffer), FOUR, {"buffer": (0.3, 0.5, 1.0, 2.0, 3.0)},
)  # fmt: skip
RED_SCHEMES = ("newreno", "newreno-fair", "smart", "smart-fair", "extended")
RED_10 = Replications(
    "1-0 with RED", "RED routers, 1-0", {"scheme": RED_SCHEMES, "mbps": (1, 2, 4, 6, 8, 10, 12)},
    lambda scheme, mbps, seed: one_zero(mbps, scheme, True, seed), ONE, {"mbps": (2, 9)}, most_seeds=20,
)  # fmt: skip
RED_LONG = Replications(
    "Different-RTT with RED", "RED routers, round trips of 60 and 120 ms",
    {"scheme": RED_SCHEMES, "mbps": (2, 4, 8, 12, 16, 20, 24)},
    lambda scheme, mbps, seed: two_two(mbps, scheme, red=True, long=True, seed=seed), FOUR, {"mbps": (4, 16)}, most_seeds=20,
)  # fmt: skip
ASYMMETRIC = Sweep(
    "Asymmetric", "5 to 30 kb/s for ACKs",
    {"scheme": ("newreno", "acc", "smart", "smart-paced", "fixed"), "kbps": tuple(range(5, 31))},
    lambda scheme, kbps: asymmetric(kbps, scheme), ONE, {"kbps": (5, 10, 15, 18, 20, 22, 25, 30)},
)  # fmt: skip
UDP = Sweep(
    "TCP-UDP", "on-off cross traffic", {"scheme": ("newreno", "paced", "every", "acc", "smart", "smart-paced"), "mbps": CAPACITIES_22},
    lambda scheme, mbps: tcp_udp(mbps, scheme), TWO, {"mbps": QUICK_22},
)  # fmt: skip
HIGH = Sweep(
    "High-Multiplexing", "200 connections",
    {"scheme": ("newreno", "smart", "smart-paced"), "mbps": (8, 16, 24), "segments": (10_000,)},
    lambda scheme, mbps, segments: two_two(mbps, scheme, copies=50, segments=segments), FOUR,
    {"mbps": (16,), "segments": (500,)},
)  # fmt: skip
FAIR_SCHEMES = ("newreno", "paced", "smart", "smart-paced", "smart-fair")
PARKING = Sweep(
    "Parking-Lot", "three shared links", {"scheme": FAIR_SCHEMES, "mbps": CAPACITIES},
    lambda scheme, mbps: parking_lot(mbps, scheme), FOUR, {"mbps": (2, 4, 8)},
)  # fmt: skip
RED_PARKING = Replications(
    "Parking-Lot with RED", "three shared links, RED", {"scheme": FAIR_SCHEMES, "mbps": CAPACITIES},
    lambda scheme, mbps, seed: parking_lot(mbps, scheme, True, seed), FOUR, {"mbps": (2, 4, 8)}, most_seeds=20,
)  # fmt: skip
FOURTH = Sweep(
    "friendliness", "three NewReno, and a fourth of another kind",
    {"fourth": ("newreno", "paced", "smart", "smart-paced"), "mbps": CAPACITIES_22},
    lambda fourth, mbps: two_two(mbps, "newreno", fourth=fourth), FOUR, {"mbps": QUICK_22},
)  # fmt: skip
SHORTER = [
    Sweep(
        f"100 ms, {name}", f"{name} with a longest delay of 100 and 200 ms",
        {"delay": ("200ms", "100ms"), "scheme": ("newreno", "smart", "smart-paced"), axis: values},
        lambda delay, scheme, scenario=scenario, **at: scenario(*at.values(), scheme, setting=Setting(max_delay=delay)),
        reader, quick,
    )
    for name, axis, values, scenario, reader, quick in (
        ("1-0", "mbps", CAPACITIES, one_zero, ONE, {"mbps": QUICK}),
        ("2-2", "mbps", CAPACITIES_22, two_two, FOUR, {"mbps": QUICK_22}),
        ("Different-RTT", "mbps", CAPACITIES_22, partial(two_two, long=True), FOUR, {"mbps": QUICK_22}),
        ("Asymmetric", "kbps", tuple(range(5, 31, 5)), asymmetric, ONE, {"kbps": (5, 15, 30)}),
    )
]  # fmt: skip


def traces(
    name: str, about: str, cells: Mapping[Hashable, Callable[[], str]], quick: Sequence[Hashable] = ()
) -> Traces:
    """Recorded runs by key."""

    def recorded(effort: Effort) -> Mapping[Hashable, str]:
        chosen = quick if effort.quick and quick else cells
        return {key: records(cells[key](), "packets", "series") for key in chosen}

    return Traces(name, about, recorded, Recorded)


def _one(mbps: int, scheme: str) -> Callable[[], str]:
    return lambda: one_zero(mbps, scheme, estimate=True)


def _two(mbps: int, scheme: str) -> Callable[[], str]:
    return lambda: two_two(mbps, scheme, estimate=True)


FIG3 = traces(
    "Figure 3", "1-0 at 9 Mb/s, packet by packet", {s: _one(9, s) for s in ("newreno", "smart", "smart-paced")}
)
EIGHT = ("newreno", "paced", "every", "abc", "acc", "smart", "smart-paced", "extended")
FIG6 = traces("Figures 4 and 6", "1-0 at 5 Mb/s, packet by packet", {s: _one(5, s) for s in EIGHT})
FIG5 = traces("Figure 5", "2-2 at 20 Mb/s, packet by packet", {s: _two(20, s) for s in ("newreno", "smart")})
FIG7 = traces(
    "Figure 7", "2-2 at 8 and 4 Mb/s, packet by packet",
    {(c, s): _two(c, s) for c in (8, 4) for s in ("newreno", "paced", "smart", "smart-paced")},
)  # fmt: skip
FIG15 = traces(
    "Figure 15", "TCP-UDP at 5 Mb/s, packet by packet",
    {s: (lambda s=s: tcp_udp(5, s, estimate=True)) for s in ("paced", "smart-paced", "acc")},  # type: ignore[misc]
)  # fmt: skip
FIG17 = traces(
    "Figure 17", "Parking-Lot at 4 Mb/s, packet by packet",
    {s: (lambda s=s: parking_lot(4, s)) for s in ("newreno", "smart")},  # type: ignore[misc]
)  # fmt: skip
FIG13 = traces(
    "Figure 13", "Asymmetric with smartacking, packet by packet",
    {k: (lambda k=k: asymmetric(k, "smart")) for k in (5, 8, 11, 14, 21, 26)},  # type: ignore[misc]
)  # fmt: skip
