"""Figures 1 to 6: the path's thresholds, and transfer time over the queue's size and the transfer's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Chart, Heat, Line, Lines, Mark, Panel, Surface
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from .registry import PAPER
from .runs import OVERSHOOT, OVERSHOOT_QUEUES, SURFACE, TIME
from .section2 import Recorded
from .section3_baseline import LARGER, thresholds
from .setting import QUEUES, SEGMENTS, transfer

QUEUE = Axis("queue (packets)", ticks=(5, 10, 15, 20))
SIZE = Axis("transfer (kB)", low=0, high=1000)
SECONDS = Axis("transfer time (s)", low=0)
SLICES = (75, 405, 995)
SLICE_DASHES = (":", "--", "-")


@PAPER.figure("figure-1", "Figure 1", "The path, and what slow start loses in its queue", "3", [OVERSHOOT])
def figure_1(recorded: Recorded) -> Drawn:
    panels = []
    rows = []
    for mechanism, title in (("every", "ACK every"), ("delayed", "delayed ACKs")):
        drops = {q: [s for lost in recorded[mechanism, q].overshoot().values() for s in lost] for q in OVERSHOOT_QUEUES}
        points = [(q, seq) for q, lost in drops.items() for seq in lost]
        x, y = ([p[i] for p in points] for i in (0, 1))
        lines = [Line("dropped", x, y, mechanism, dash="", marker="o")]
        marks = [
            Mark(q + 0.5, f"losses in two windows: {q} or less", vertical=True)
            for q in (8 if mechanism == "every" else 7,)
        ]
        panels.append(
            Panel(
                title,
                Axis("queue (packets)", low=3, high=25, ticks=(5, 10, 15, 20, 25)),
                Axis("segment dropped", low=0, high=1.15 * max(y)),
                lines,
                marks,
            )
        )
        rows += [{"mechanism": mechanism, "queue_packets": q, "segment": seq} for q, seq in points]
    expected = {"every": (22, 21, 20, 8), "delayed": (21, 20, 19, 7)}
    words = {
        "none": "loss-free from",
        "single": "one drop at",
        "multiple": "several drops up to",
        "two": "two windows up to",
    }
    compared = [
        Compared(f"{mechanism}: {words[key]}", f"{paper} packets", f"{ours} packets")
        for mechanism, values in expected.items()
        for paper, (key, ours) in zip(values, thresholds(recorded, mechanism).items(), strict=True)
    ]
    chart = Lines("figure-1", "Segments that slow start loses, by the queue's size", panels)
    return Drawn([chart], {"drops": pl.DataFrame(rows)}, compared, scenario=transfer("reno", "every", 22, 995))


def heat(name: str, about: str, surfaces: Sequence[tuple[str, Grid]]) -> Heat:
    """Transfer time as colour."""
    panels = [Surface(title, QUEUES, SEGMENTS, grid[TIME]) for title, grid in surfaces]
    return Heat(name, about, panels, QUEUE, SIZE, Axis("transfer time (s)", low=0, high=12))


def slices(name: str, about: str, surfaces: Sequence[tuple[str, Grid, str]], marks: Sequence[Mark] = ()) -> Lines:
    """Time over the queue at three sizes, one panel a surface, and over the size at the queues the paper names."""
    panels = []
    for title, grid, colour in surfaces:
        lines = [
            Line(f"{n} kB", QUEUES, grid.at(segments=n)[TIME], colour, dash, width=1.3)
            for n, dash in zip(SLICES, SLICE_DASHES, strict=True)
        ]
        panels.append(Panel(f"{title}, by queue", QUEUE, SECONDS, lines, list(marks)))
    return Lines(name, about, panels)


def by_size(name: str, about: str, surfaces: Sequence[tuple[str, Grid]], queues: Sequence[int]) -> Lines:
    """Time over the transfer's size at a few queues."""
    shades = ("slate", "blue", "orange", "green", "purple")
    panels = []
    for title, grid in surfaces:
        lines = [
            Line(f"queue {q}", SEGMENTS, grid.at(queue=q)[TIME], shade, width=1.1)
            for q, shade in zip(queues, shades, strict=False)
        ]
        panels.append(Panel(f"{title}, by size", SIZE, SECONDS, lines))
    return Lines(name, about, panels)


def tables(surfaces: Sequence[tuple[str, Grid]]) -> dict[str, pl.DataFrame]:
    """The surfaces as tables."""
    renamed = {"queue": "queue_packets", "last_data_s": "time_s"}
    return {name: grid.frame().rename(renamed) for name, grid in surfaces}


def _pair(
    number: str, mechanism: str, title: str, section: str, queues: Sequence[int], marks: Sequence[Mark] = ()
) -> None:
    """A figure with a surface for Reno and one for SACK."""

    @PAPER.figure(
        f"figure-{number}", f"Figure {number}", title, section, [SURFACE["reno", mechanism], SURFACE["sack", mechanism]]
    )
    def draw(reno: Grid, sack: Grid) -> Drawn:
        both = [("(a) Reno", reno), ("(b) SACK", sack)]
        charts: list[Chart] = [
            heat(f"figure-{number}", f"{title}: transfer time over queue and transfer size", both),
            slices(f"figure-{number}-by-queue", "Slices", [(t, g, mechanism) for t, g in both], marks),
            by_size(f"figure-{number}-by-size", "Slices at the queues the paper speaks of", both, queues),
        ]
        surfaces = tables([(f"{r}-{mechanism}", g) for r, g in (("reno", reno), ("sack", sack))])
        return Drawn(charts, surfaces, medians(both), scenario=transfer("sack", mechanism, 8, 405))


def medians(surfaces: Sequence[tuple[str, Grid]]) -> list[Compared]:
    """Median times of large transfers around the thresholds, where the paper tells which is larger."""
    found = []
    for title, grid in surfaces:
        part = grid.at(segments=LARGER)
        values = ", ".join(f"{q}: {np.median(part.at(queue=q)[TIME]):.2f}" for q in (5, 6, 7, 8, 9, 10, 19, 20, 21, 22))
        found.append(Compared(f"{title}: median time of transfers above 200 kB by queue (s)", "not printed", values))
    return found


_pair(
    "2",
    "every",
    "ACK every segment",
    "3",
    (22, 21, 20, 9, 8),
    [Mark(8.5, "8", vertical=True), Mark(20.5, "20", vertical=True)],
)
_pair(
    "3",
    "delayed",
    "Delayed ACKs",
    "3",
    (22, 20, 19, 8, 7),
    [Mark(7.5, "7", vertical=True), Mark(19.5, "19", vertical=True)],
)
_pair(
    "4",
    "daass",
    "Delayed ACKs after slow start",
    "3",
    (22, 20, 9, 8, 5),
    [Mark(8.5, "8", vertical=True), Mark(5.5, "5", vertical=True)],
)
_pair("5", "ubc", "Unlimited byte counting", "3", (22, 19, 12, 9, 6))


@PAPER.figure(
    "figure-6", "Figure 6", "Limited byte counting, Reno", "3", [SURFACE["reno", "lbc"], SURFACE["reno", "ubc"]]
)
def figure_6(lbc: Grid, ubc: Grid) -> Drawn:
    both = [("LBC", lbc), ("UBC, for comparison", ubc)]
    marks = [Mark(6.5, "7", vertical=True), Mark(9.5, "9", vertical=True)]
    charts: list[Chart] = [
        heat("figure-6", "Limited byte counting with Reno: transfer time over queue and transfer size", both),
        slices("figure-6-by-queue", "Slices", [("LBC", lbc, "lbc"), ("UBC", ubc, "ubc")], marks),
        by_size("figure-6-by-size", "Slices at the queues the paper speaks of", both, (22, 10, 9, 7, 6)),
    ]
    return Drawn(charts, tables([("reno-lbc", lbc)]), medians(both))
