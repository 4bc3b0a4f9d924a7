"""Figures 9 to 14 and Table 3; Figures 15 and 16."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, split
from .registry import PAPER
from .section4 import COMPETING, DROP_TAIL_RUNS, RED_RUNS, at, averaged, by_mechanism
from .section5 import DISPLAYS, SESSIONS, WRITES, Display, Sessions, display, of
from .setting import NAMES, RED, WINDOW

TRANSFERS = Axis("competing transfers", low=25, high=525)
UNITS = {
    "throughput": ("mean throughput of a transfer (kB/s)", 1e-3, "throughput_Bps"),
    "goodput": ("goodput (%)", 1, "goodput_percent"),
    "queue": ("mean queue (packets)", 1, "queue_packets"),
}


def curves(grids: Sequence[Grid], quantity: str) -> tuple[list[Line], pl.DataFrame]:
    """Means over the seeds with 95 % intervals, corrected for the number of points in the figure."""
    _, scale, column = UNITS[quantity]
    found = by_mechanism(grids)
    flows = grids[0].axes["flows"]
    level = split(len(flows) * len(found))
    lines, rows = [], []
    for mechanism, grid in found.items():
        samples = [at(grid, n, quantity) for n in flows]
        spread = [s.interval(level).half_width for s in samples]
        values = [s.value for s in samples]
        lines.append(
            Line(
                NAMES[mechanism],
                flows,
                [v * scale for v in values],
                mechanism,
                "-",
                "o",
                spread=[w * scale for w in spread],
            )
        )
        rows += [
            {"mechanism": mechanism, "transfers": n, column: v, "half_width": w, "seeds": len(s.values)}
            for n, v, w, s in zip(flows, values, spread, samples, strict=True)
        ]
    return lines, pl.DataFrame(rows)


def relative(grids: Sequence[Grid], quantity: str) -> list[Line]:
    """The same relative to delayed ACKs, in percent: what separates lines that nearly coincide."""
    found = by_mechanism(grids)
    flows = grids[0].axes["flows"]
    level = split(len(flows) * len(found))
    lines = []
    for mechanism, grid in found.items():
        samples = []
        for n in flows:
            base = at(found["delayed"], n, quantity)
            samples.append(Sample.of([100 * v for v in at(grid, n, quantity).minus(base).over(base.value).values]))
        spread = [s.interval(level).half_width for s in samples]
        lines.append(Line(NAMES[mechanism], flows, [s.value for s in samples], mechanism, "-", "o", spread=spread))
    return lines


ORDERS = {
    "9": "ACK every best, delayed ACKs worst, LBC slightly above DAASS",
    "10": "delayed ACKs best, then DAASS, ACK every, LBC",
    "11": "slightly shorter with delayed ACKs",
    "12": "ACK every best, then LBC, DAASS, delayed ACKs",
    "13": "delayed ACKs best, then LBC and DAASS, ACK every worst",
    "14": "shorter than with drop-tail",
}


def _rounded(value: float, half: float) -> str:
    """A mean and half its interval, to the second digit of the latter."""
    if not half or math.isinf(half):
        return f"{value:.3g}"
    places = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{places}f} ± {half:.{places}f}"


def _figure(number: str, quantity: str, gateway: str, title: str) -> None:
    needs = DROP_TAIL_RUNS if gateway == "drop-tail" else RED_RUNS

    @PAPER.figure(f"figure-{number}", f"Figure {number}", title, "4", needs)
    def draw(*grids: Grid) -> Drawn:
        lines, frame = curves(grids, quantity)
        low = 0 if quantity != "goodput" else None
        panels = [
            Panel(gateway if gateway != "red" else "RED", TRANSFERS, Axis(UNITS[quantity][0], low=low), lines),
            Panel(
                "relative to delayed ACKs", TRANSFERS, Axis("difference (%)"), relative(grids, quantity), [Mark(0.0)]
            ),
        ]
        unit, scale, _ = UNITS[quantity]
        level = split(len(COMPETING))
        found = {m: averaged(g, quantity) for m, g in by_mechanism(grids).items()}
        ours = ", ".join(
            f"{NAMES[m]} {_rounded(scale * one.value, scale * one.interval(level).half_width)}"
            for m, one in sorted(found.items(), key=lambda pair: -pair[1].value)
        )
        return Drawn(
            [Lines(f"figure-{number}", f"{title}; bars are 95 % intervals, corrected for their number", panels)],
            {"means": frame},
            [
                Compared(
                    f"{unit}, averaged over the numbers of transfers (± half a 95 % interval, corrected for their number)",
                    ORDERS[number],
                    ours,
                )
            ],
        )


_figure("9", "throughput", "drop-tail", "Throughput, drop-tail")
_figure("10", "goodput", "drop-tail", "Goodput, drop-tail")
_figure("11", "queue", "drop-tail", "Queue, drop-tail")
_figure("12", "throughput", "red", "Throughput, RED")
_figure("13", "goodput", "red", "Goodput, RED")
_figure("14", "queue", "red", "Queue, RED")


@PAPER.figure("table-3", "Table 3", "RED's parameters", "4", RED_RUNS[:1])
def table_3(grid: Grid) -> Drawn:
    names = {"min": "min_th", "max": "max_th", "weight": "w_q", "max_p": "max_p"}
    printed = {"min": "7", "max": "21", "weight": "0.002", "max_p": "0.1"}
    return Drawn([], {}, [Compared(names[k], printed[k], f"{RED[k]:g}") for k in names])


SESSION_TIME = Axis("time (s)", low=0, high=120)


@PAPER.figure("figure-15", "Figure 15", "Typing for two minutes, delayed ACKs", "5", [SESSIONS])
def figure_15(sessions: Sessions) -> Drawn:
    found = of(sessions, "delayed")
    first = found[0]
    lines = [Line("", s.times, s.windows, "slate", step=True, width=0.5) for s in found[1:20]]
    lines += [
        Line("", first.times, first.windows, "delayed", step=True, width=1.8),
        Line("", first.sent, [1.0] * len(first.sent), "ink", dash="", marker="|"),
    ]
    panel = Panel(
        f"one session (and {len(found[1:20])} more in grey); ticks: segments sent",
        SESSION_TIME,
        Axis("window (segments)", low=0),
        lines,
        [Mark(WINDOW, "advertised window"), Mark(30, "30 s", vertical=True)],
    )
    reached = [s.reached_s for s in found]
    ours = (
        f"median {np.nanmedian(reached):.1f} s; within 30 s in {sum(r < 30 for r in reached)} of {len(found)} sessions"
    )
    few = f"{np.mean([s.outstanding for s in found]):.1f} on average just after a segment is sent"
    return Drawn(
        [Lines("figure-15", "Window of a telnet session with ACK counting", [panel])],
        {"windows": pl.DataFrame({"time_s": first.times, "cwnd_segments": first.windows})},
        [Compared("window full", "within 30 s", ours), Compared("outstanding packets", "2 to 3", few)],
    )


@PAPER.figure("figure-16", "Figure 16", "Typing for two minutes, LBC", "5", [SESSIONS])
def figure_16(sessions: Sessions) -> Drawn:
    colours = ("lbc", "sky", "gold")
    lines = []
    for write, colour in zip(WRITES, colours, strict=True):
        found = of(sessions, "lbc", write)[0]
        lines.append(
            Line(f"{write} byte{'s' if write > 1 else ''} a keystroke", found.times, found.windows, colour, step=True)
        )
    panel = Panel(
        "the same session",
        SESSION_TIME,
        Axis("window (segments)", low=0, high=44),
        lines,
        [Mark(WINDOW, "advertised window")],
    )
    ends = ", ".join(f"{np.mean([s.last for s in of(sessions, 'lbc', w)]):.1f} with {w} B" for w in WRITES)
    return Drawn(
        [Lines("figure-16", "Window of a telnet session with LBC", [panel])],
        {},
        [Compared("window after two minutes (segments)", "modest growth all along", ends)],
    )


@PAPER.figure("display", "", "A large file after typing", "5", [DISPLAYS], evidence="evidence")
def large_file(displays: Mapping[tuple[str, str], Display]) -> Drawn:
    rows = [
        {"recovery": recovery, "mechanism": mechanism, **vars(found)}
        for (recovery, mechanism), found in displays.items()
    ]
    said = {"delayed": "a large line-rate burst, which may cause loss", "lbc": "less bursty"}
    compared = [
        Compared(
            f"{row['recovery']}, {NAMES[row['mechanism']]}",
            said[row["mechanism"]],
            f"{row['burst']} segments at once, {row['drops']} dropped, {row['time_s']:.2f} s",
        )
        for row in rows
    ]
    return Drawn([], {"displays": pl.DataFrame(rows)}, compared, scenario=display("delayed"))
