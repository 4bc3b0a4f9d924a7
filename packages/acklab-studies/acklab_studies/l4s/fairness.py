"""Scenario 1: the first flow's share, and what both have together."""

from __future__ import annotations

import json

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Branches, Warm
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from ..later import sample, spread, told
from .setting import FROM_S, PAIRS_MS, PAPER, QUEUES, RATES_MBPS, SECONDS, pair

PRINTED: dict[tuple[int, str], tuple[float, ...]] = {
    (50, "pfifo"): (46.8, 39.8, 49.4, 47.0, 50.9, 36.3),
    (50, "fqcodel"): (49.9, 49.6, 50.0, 47.5, 49.5, 45.7),
    (50, "dualpi2"): (48.9, 43.5, 52.2, 31.1, 50.4, 22.7),
    (10, "pfifo"): (48.4, 32.8, 49.2, 61.3, 51.1, 50.9),
    (10, "fqcodel"): (49.9, 49.1, 49.8, 44.5, 49.5, 44.8),
    (10, "dualpi2"): (51.9, 38.0, 49.1, 29.2, 46.2, 13.1),
}
"""Shares of the first flow by rate and queue, in the order of the pairs."""
NAMES = tuple(f"{first}-{second}" for first, second in PAIRS_MS)
TITLES = {"pfifo": "FIFO", "fqcodel": "FQ-CoDel", "dualpi2": "DualPI2"}


class Read:
    """The share of the first flow (%) and the sum of the rates (Mb/s) after the warm-up."""

    names = ("share", "sum")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        before, after = (json.loads(part)["flows"] for part in line.split(b"\n"))
        first, second = (
            8e-6 * (late["bytes"] - early["bytes"]) / SECONDS for early, late in zip(before, after, strict=True)
        )
        return 100 * first / (first + second), first + second


def _scenario(rate: int, queue: str, pair_ms: str, seed: int) -> str:
    return pair(rate, queue, *PAIRS_MS[NAMES.index(pair_ms)], seed)


FAIRNESS = Branches(
    "two CUBIC flows",
    "two CUBIC flows through one queue, by rate, queue and round trips",
    {"rate": RATES_MBPS, "queue": tuple(QUEUES), "pair_ms": NAMES},
    _scenario,
    Read(),
    most_seeds=8,
    warm=lambda rate, queue, pair_ms, seed: Warm((rate, queue, pair_ms, seed), FROM_S),
)


ONE_RUN = "The table has one run a row, so how much of a difference is chance there is not known."
OWN_QUEUE = "With a queue a flow, the flow of 160 ms lacks what it does not fill after a reduction; why Linux's filled more was not examined."
OVERHEAD = "The overhead that htb counts is not stated."


def _shares(grid: Grid, rate: int, queue: str) -> Measurement:
    shares = {name: sample(grid, "share", rate=rate, queue=queue, pair_ms=name) for name in NAMES}
    return Measurement(shares, note=OWN_QUEUE if queue == "fqcodel" else ONE_RUN)


@PAPER.claim("pfifo.50", FAIRNESS)
def through_a_fifo_at_50(grid: Grid) -> Measurement:
    return _shares(grid, 50, "pfifo")


@PAPER.claim("fqcodel.50", FAIRNESS)
def through_fq_codel_at_50(grid: Grid) -> Measurement:
    return _shares(grid, 50, "fqcodel")


@PAPER.claim("dualpi2.50", FAIRNESS)
def through_dualpi2_at_50(grid: Grid) -> Measurement:
    return _shares(grid, 50, "dualpi2")


@PAPER.claim("pfifo.10", FAIRNESS)
def through_a_fifo_at_10(grid: Grid) -> Measurement:
    return _shares(grid, 10, "pfifo")


@PAPER.claim("fqcodel.10", FAIRNESS)
def through_fq_codel_at_10(grid: Grid) -> Measurement:
    return _shares(grid, 10, "fqcodel")


@PAPER.claim("dualpi2.10", FAIRNESS)
def through_dualpi2_at_10(grid: Grid) -> Measurement:
    return _shares(grid, 10, "dualpi2")


def _sums(grid: Grid, rate: int) -> Measurement:
    cells = ((queue, name) for queue in QUEUES for name in NAMES)
    sums = {f"{queue}, {name}": sample(grid, "sum", rate=rate, queue=queue, pair_ms=name) for queue, name in cells}
    return Measurement({"sum": sums}, note=OVERHEAD)


@PAPER.claim("sum.50", FAIRNESS)
def together_at_50(grid: Grid) -> Measurement:
    return _sums(grid, 50)


@PAPER.claim("sum.10", FAIRNESS)
def together_at_10(grid: Grid) -> Measurement:
    return _sums(grid, 10)


@PAPER.figure("fairness", "Scenario 1", "The first flow's share, printed and simulated", "fairness", [FAIRNESS])
def fairness(grid: Grid) -> Drawn:
    places = tuple(range(1, len(NAMES) + 1))
    panels, compared = [], []
    for rate in RATES_MBPS:
        for queue in QUEUES:
            found = [sample(grid, "share", rate=rate, queue=queue, pair_ms=name) for name in NAMES]
            printed = PRINTED[rate, queue]
            lines = [
                Line("printed", places, printed, "orange", marker="o"),
                Line(
                    "acklab",
                    places,
                    [one.value for one in found],
                    "blue",
                    marker="s",
                    spread=[spread(one) for one in found],
                ),
            ]
            x = Axis("round trips (ms)", ticks=places, words=list(NAMES))
            panels.append(
                Panel(
                    f"{TITLES[queue]}, {rate} Mb/s",
                    x,
                    Axis("share of the first (%)", low=0, high=75),
                    lines,
                    [Mark(50, "equal")],
                )
            )
            compared += [
                Compared(f"{rate} Mb/s, {TITLES[queue]}, {name} ms", f"{value:g} %", told(one, "%"))
                for name, value, one in zip(NAMES, printed, found, strict=True)
            ]
    return Drawn(
        [Lines("fairness", "the share of the first flow by the round trips of both (95 % intervals)", panels)],
        {"fairness": grid.frame()},
        compared,
        "The table has one run a row. Where the round trips are equal, what differs from 50 % there is chance.",
        pair(50, "dualpi2", 160, 10, 1),
    )
