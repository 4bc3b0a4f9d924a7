"""What Figures 10 to 12 leave unsaid, swept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Swing, Tornado
from ...reproduce.experiments import Sweep
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from .registry import PAPER
from .section4 import READ
from .setting import HIGH, LARGE_BUFFER, SMALL, SMALL_BUFFER, Many

COMPARED = ("none", "classic", "fifo", "rr")
SAMPLE: Mapping[str, Sequence[Any]] = {"algorithm": COMPARED, "sources": (2, 6, 12, 20), "seed": (1, 2, 3)}
DURATION_S = 200

VARIED: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "forward buffer": [("50", {"forward_packets": 50}), ("250", {"forward_packets": 250})],
    "window": [("20", {"window": 20}), ("250", {"window": 250}), ("none", {"window": HIGH})],
    "first ssthresh": [("10", {"ssthresh": 10.0}), ("32", {"ssthresh": 32.0})],
    "least RTO": [("0.2 s", {"min_rto": "200ms"})],
    "share of fair share": [("100 %", {"share": 1.0})],
    "window of the rate": [("100 ms", {"rate_window": "100ms"}), ("1 s", {"rate_window": "1s"})],
    "pause": [("0.1 s", {"wait": "100ms"}), ("10 s", {"wait": "10s"})],
    "round trip": [("0.1 s", {"rtt_s": 0.1}), ("0.4 s", {"rtt_s": 0.4})],
    "segments an ACK covers": [("2", {"d": 2})],
    "access links": [("10 Mb/s", {"access_rate": "10Mbps"})],
}
"""Every choice that section 4 leaves open, with other values."""


def sweep(setting: Many, name: str) -> Sweep:
    """A part of Figure 11 or 12 in another setting."""

    def scenario(algorithm: str, sources: int, seed: int) -> str:
        return setting.scenario(algorithm, sources, seed, DURATION_S)

    return Sweep(name, f"part of Figures 11 and 12: {name}", SAMPLE, scenario, READ)


BUFFERS = {"large": LARGE_BUFFER, "small": SMALL_BUFFER}
BASE = {buffer: sweep(setting, f"{buffer} buffer") for buffer, setting in BUFFERS.items()}
VARIATIONS = {
    (buffer, parameter, label): sweep(replace(setting, **change), f"{buffer} buffer, {parameter} {label}")
    for buffer, setting in BUFFERS.items()
    for parameter, values in VARIED.items()
    for label, change in values
}
HEADLINES = (("none", "over no filter"), ("classic", "over classic"), ("fifo", "over FIFO"))


def advantage(grid: Grid, other: str, quantity: str = "throughput") -> float:
    """By how many percent round robin exceeds another algorithm, averaged over sources and seeds."""
    mean = {a: float(np.nanmean(grid.at(algorithm=a)[quantity])) for a in ("rr", other)}
    return 100 * (mean["rr"] / mean[other] - 1)


@PAPER.figure(
    "unsaid",
    "",
    "What Figures 11 and 12 leave unsaid",
    "4",
    [*BASE.values(), *VARIATIONS.values()],
    evidence="evidence",
    slow=True,
)
def unsaid(*grids: Grid) -> Drawn:
    base = dict(zip(BASE, grids, strict=False))
    changed = dict(zip(VARIATIONS, grids[len(BASE) :], strict=True))
    charts, rows = [], []
    for buffer in BUFFERS:
        panels = []
        for other, title in HEADLINES:
            swings = []
            for parameter, values in VARIED.items():
                ends = [(label, advantage(changed[buffer, parameter, label], other)) for label, _ in values]
                swings.append(Swing(parameter, ends))
                rows += [
                    {"buffer": buffer, "over": other, "parameter": parameter, "value": l, "percent": v} for l, v in ends
                ]
            swings.append(Swing("average over", [("time", advantage(base[buffer], other, "pooled"))]))
            panels.append((title, advantage(base[buffer], other), None, swings))
        figure = "Figure 11, large buffer" if buffer == "large" else f"Figure 12, buffer of {SMALL}"
        charts.append(
            Tornado(
                f"unsaid-{buffer}",
                f"{figure}: advantage of per-connection filtering with round robin",
                panels,
                "advantage (%)",
            )
        )
    return Drawn(
        charts,
        {"advantages": pl.DataFrame(rows)},
        remark="Each row changes one choice and runs 2, 6, 12 and 20 sources again; the line in the middle is the page's setting. To the "
        'left of 0 round robin is worse. "Average over time" divides all bytes by all transfer times, instead of averaging the files\' '
        "throughputs, in which a connection that completes many files weighs more than one that completes few.",
    )
