"""Two downloads of one control, the second of which begins later: throughput, delay, shares, and the time to a fair one."""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Any

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn
from acklab.study.intervals import Sample

from ..paths2026.runs import Few, acks_per_mb, latency_ms
from ..paths2026.told import sample, spread, told
from .setting import ACKS, CONTROLS, PATHS, QUEUES, STUDY, scenario

FAIR = 0.4
"""Of both downloads' bytes: from here on a share is fair."""
LEAST, LONGEST = 90.0, 2.0
"""A good cell's throughput in percent of the path's largest, and its p99 in idle round trips."""
SEEDS = 5
TICKS = (10, 20, 50, 100, 200, 500, 700, 1000)
"""Of the axis of p99, in milliseconds; a panel has those between its ends."""
MARKERS = {"drop-tail": "s", "fq-codel": "o", "dual-pi2": "^"}
COLUMNS = ("goodput_mbps", "p99_ms", "weaker_share", "fair_s", "unfair", "rtt_ms", "acks_per_mb")


class Reader:
    """Numbers from a run."""

    names = COLUMNS

    def __call__(self, line: bytes) -> tuple[float, ...]:
        run = json.loads(line)
        downs = [flow for flow in run["flows"] if flow["name"].startswith("down")]
        pings = [flow for flow in run["flows"] if flow["name"].startswith("ping") and flow["start_s"] < run["end_s"]]
        found = [float(check["found"]) for check in run["checks"]]
        return measured(
            found[0::2], found[1::2], [check["at_s"] for check in run["checks"]][0::2], downs, pings, run["end_s"]
        )


def measured(
    first: list[float], second: list[float], at: list[float], downs: list[Any], pings: list[Any], end: float
) -> tuple[float, ...]:
    """A run's numbers from both downloads' bytes at the instants ``at``, and from the table of flows."""
    begin, middle = at[0], len(at) // 2
    fair, never = at[-1] - begin, 1.0
    for n in range(len(at) - 1):
        both = first[n + 1] - first[n] + second[n + 1] - second[n]
        if both > 0 and (second[n + 1] - second[n]) / both >= FAIR:
            fair, never = at[n + 1] - begin, 0.0
            break
    late = (first[-1] - first[middle], second[-1] - second[middle])
    rate = 8e-6 * (first[-1] - first[0] + second[-1] - second[0]) / (at[-1] - at[0])
    rtt = 1e3 * sum(flow["mean_rtt_s"] or math.nan for flow in downs) / len(downs)
    weaker = min(late) / sum(late) if sum(late) else math.nan
    return rate, latency_ms(pings, end, 99), weaker, fair, never, rtt, acks_per_mb(downs)


def _one(path: str, queue: str, control: str, acks: str, seed: int) -> str:
    return scenario(path, queue, control, acks, seed)


PAIRS = Few(
    "pairs",
    "two endless downloads of one control, the second of which begins later, and small requests",
    {"path": tuple(PATHS), "queue": tuple(QUEUES), "control": tuple(CONTROLS), "acks": tuple(ACKS)},
    _one,
    Reader(),
    full=SEEDS,
)
Cell = dict[str, str]


def percent(grid: Grid, **cell: str) -> Sample:
    """Throughput of a cell, in percent of the largest mean of its path."""
    most = max(
        _mean(grid, "goodput_mbps", **{**cell, **dict(zip(("queue", "control", "acks"), one, strict=True))})
        for one in _cells(grid)
    )
    return Sample.of([100 * value / most for value in sample(grid, "goodput_mbps", **cell).values])


def _cells(grid: Grid) -> list[tuple[str, str, str]]:
    return list(product(grid.axes["queue"], grid.axes["control"], grid.axes["acks"]))


def _mean(grid: Grid, column: str, **cell: str) -> float:
    return sample(grid, column, **cell).value


def failures(grid: Grid, **cell: str) -> list[str]:
    """Which parts of the criterion a cell fails."""
    idle = 1e3 * PATHS[cell["path"]].rtt_s
    parts = {
        "throughput": percent(grid, **cell).value >= LEAST,
        "p99": _mean(grid, "p99_ms", **cell) <= LONGEST * idle,
        "share": _mean(grid, "weaker_share", **cell) >= FAIR,
        "time": _mean(grid, "unfair", **cell) == 0,
    }
    return [name for name, holds in parts.items() if not holds]


def change(grid: Grid, column: str, acks: str, **cell: str) -> tuple[float, bool]:
    """By which part a policy's mean differs from that with delayed ACKs, and whether the pairs of seeds distinguish them."""
    other, delayed = sample(grid, column, acks=acks, **cell), sample(grid, column, acks="delayed", **cell)
    low, high = spread(Sample.of([a - b for a, b in zip(other.values, delayed.values, strict=True)]))
    return other.value / delayed.value - 1, low > 0 or high < 0


@STUDY.figure("pairs", "", "Throughput and delay of two downloads of one control", "1", [PAIRS])
def pairs(grid: Grid) -> Drawn:
    listed = [
        [
            "path",
            "queue",
            "control",
            "throughput (%)",
            "p99 (ms)",
            "own RTT (ms)",
            "weaker share",
            "fair after (s)",
            "never fair",
            "good, or fails",
        ]
    ]
    panels = []
    for path in grid.axes["path"]:
        lines = []
        for queue, control in product(grid.axes["queue"], grid.axes["control"]):
            cell = {"path": path, "queue": queue, "control": control, "acks": "delayed"}
            rate, p99 = percent(grid, **cell), sample(grid, "p99_ms", **cell)
            shown = [told(sample(grid, column, **cell)) for column in ("p99_ms", "rtt_ms", "weaker_share", "fair_s")]
            never = int(sum(sample(grid, "unfair", **cell).values))
            listed.append(
                [
                    path,
                    QUEUES[queue][0],
                    CONTROLS[control].name,
                    told(rate),
                    *shown,
                    str(never),
                    ", ".join(failures(grid, **cell)) or "good",
                ]
            )
            name = f"{CONTROLS[control].name}, {QUEUES[queue][0]}" if path == grid.axes["path"][0] else ""
            half = (spread(rate)[1] - spread(rate)[0]) / 2
            lines.append(
                Line(
                    name, [p99.value], [rate.value], CONTROLS[control].colour, "", marker=MARKERS[queue], spread=[half]
                )
            )
        low, high = 0.85 * min(line.x[0] for line in lines), 1.2 * max(line.x[0] for line in lines)
        x = Axis(
            "p99 of small requests (ms)",
            log=True,
            low=low,
            high=high,
            ticks=[tick for tick in TICKS if low <= tick <= high],
        )
        marks = [Mark(LONGEST * 1e3 * PATHS[path].rtt_s, "", vertical=True), Mark(LEAST, "")]
        panels.append(
            Panel(PATHS[path].name, x, Axis("throughput (%)" if not panels else "", low=0, high=110), lines, marks)
        )
    about = (
        "Throughput of two downloads over the p99 of small requests; delayed ACKs. Good is above and left of both lines"
    )
    chart = Lines("pairs", about, panels)
    return Drawn(
        [chart],
        {"pairs": grid.frame()},
        (),
        "",
        _one("lte", "dual-pi2", "prague", "delayed", 1),
        listed=listed,
    )


@STUDY.figure("acks", "", "What the ACK policy changes", "1", [PAIRS])
def acks(grid: Grid) -> Drawn:
    others = [name for name in grid.axes["acks"] if name != "delayed"]
    listed = [
        [
            "path",
            "queue",
            "control",
            *(f"{ACKS[name][0]}: {what}" for name in others for what in ("throughput (%)", "p99 (%)")),
        ]
    ]
    for path, queue, control in product(grid.axes["path"], grid.axes["queue"], grid.axes["control"]):
        cells = []
        for name, column in product(others, ("goodput_mbps", "p99_ms")):
            part, apart = change(grid, column, name, path=path, queue=queue, control=control)
            cells.append(f"{100 * part:+.0f}" + ("" if apart else "?"))
        listed.append([path, QUEUES[queue][0], CONTROLS[control].name, *cells])
    return Drawn(
        [],
        {},
        (),
        "Change against delayed ACKs; ? is not distinguished by the seeds.",
        _one("geo", "fq-codel", "cubic", "sixteen", 1),
        listed=listed,
    )
