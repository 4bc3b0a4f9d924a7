"""The experiments that the sections share."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from ...reproduce.experiments import Effort, Replications, Sweep, Traces, records
from .recorded import Recorded
from .setting import Setting, asymmetric, one_zero, parking_lot, tcp_udp, two_two

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
DROP_TAIL_SCHEMES = (
    "newreno",
    "paced",
    "every",
    "abc",
    "abc-4",
    "sabc",
    "acc",
    "smart",
    "smart-paced",
    "extended",
    "fixed",
    "told",
)

ONE_ZERO = Sweep(
    "1-0", "every scheme over every capacity", {"scheme": DROP_TAIL_SCHEMES, "mbps": CAPACITIES},
    lambda scheme, mbps: one_zero(mbps, scheme), ONE, {"mbps": QUICK},
)  # fmt: skip
SCHEMES_22 = ("newreno", "paced", "every", "abc", "smart", "smart-paced", "extended", "smart-fair")
TWO_TWO = Sweep(
    "2-2", "two connections each way", {"scheme": SCHEMES_22, "mbps": CAPACITIES_22},
    lambda scheme, mbps: two_two(mbps, scheme), FOUR, {"mbps": QUICK_22},
)  # fmt: skip
LONG = Sweep(
    "Different-RTT", "round trips of 60 and 120 ms", {"scheme": SCHEMES_22, "mbps": CAPACITIES_22},
    lambda scheme, mbps: two_two(mbps, scheme, long=True), FOUR, {"mbps": QUICK_22},
)  # fmt: skip
BUFFER = Sweep(
    "buffers", "2-2 with the bottleneck's buffer varied",
    {"mbps": (7, 15), "scheme": ("newreno", "paced", "every", "smart", "smart-paced", "fixed"), "buffer": BUFFERS},
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
    {"scheme": ("newreno", "acc", "smart", "smart-paced", "fixed", "fixed-paced"), "kbps": tuple(range(5, 31))},
    lambda scheme, kbps: asymmetric(kbps, scheme), ONE, {"kbps": (5, 10, 15, 18, 20, 22, 25, 30)},
)  # fmt: skip
UDP = Sweep(
    "TCP-UDP", "on-off cross traffic", {"scheme": ("newreno", "paced", "every", "acc", "smart", "smart-paced"), "mbps": CAPACITIES_22},
    lambda scheme, mbps: tcp_udp(mbps, scheme), TWO, {"mbps": QUICK_22},
)  # fmt: skip
HIGH = Sweep(
    "High-Multiplexing", "200 connections",
    {"scheme": ("newreno", "every", "smart", "smart-paced"), "mbps": (8, 16, 24), "segments": (10_000,)},
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
SHORTER = Sweep(
    "100 ms", "smartacking with a longest delay of 100 and 200 ms",
    {"delay": ("200ms", "100ms"), "scheme": ("newreno", "smart", "smart-paced"), "mbps": CAPACITIES},
    lambda delay, scheme, mbps: one_zero(mbps, scheme, setting=Setting(max_delay=delay)), ONE, {"mbps": QUICK},
)  # fmt: skip


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
