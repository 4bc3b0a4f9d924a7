"""Figures 2 to 16 and Tables 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Chart, Heat, Line, Lines, Mark, Panel, Surface
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, split
from .section3 import ALTERNATIVES, INITIAL_WINDOW_2, LARGER, OCCUPANCY, RENO, SMALL, Recorded, improvement, thresholds
from .section4 import COMPETING, DROP_TAIL_RUNS, RED_RUNS, at, averaged, by_mechanism
from .section5 import DISPLAYS, SESSIONS, WRITES, Display, Sessions, display, of
from .setting import (
    MECHANISMS,
    NAMES,
    OVERSHOOT,
    OVERSHOOT_QUEUES,
    PAPER,
    QUEUES,
    RED,
    SEGMENTS,
    SURFACE,
    TIME,
    WINDOW,
    transfer,
)

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


# --- Figures 7 and 8, Tables 1 and 2


SMALL_SIZE = Axis("transfer (kB)", low=0, high=200)


@PAPER.figure("figure-7", "Figure 7", "Loss-free transfers", "3", [*RENO.values(), INITIAL_WINDOW_2])
def figure_7(*grids: Grid) -> Drawn:
    surfaces, two = dict(zip(MECHANISMS, grids, strict=False)), grids[-1]
    seconds = Axis("transfer time (s)", low=0)
    dashes = {"every": "-", "daass": ":", "delayed": "-", "lbc": "-", "ubc": ":"}
    time = {m: s.at(queue=22, segments=SMALL)[TIME] for m, s in surfaces.items()}
    one = [Line(NAMES[m], SMALL, t, m, dashes[m], width=2 if dashes[m] == ":" else 1.4) for m, t in time.items()]
    again = [Line(NAMES[m], SMALL, two.at(mechanism=m)[TIME], m, dashes[m]) for m in two.axes["mechanism"]]
    panels = [
        Panel("initial window of 1 segment", SMALL_SIZE, seconds, one),
        Panel("initial window of 2 segments", SMALL_SIZE, seconds, again),
    ]
    frame = pl.DataFrame({"segments": SMALL, **{f"{m}_s": t for m, t in time.items()}})
    gap = [(time["lbc"] - time["every"])[i] * 1e3 for i in (0, 7)]
    return Drawn(
        [Lines("figure-7", "Transfer time without loss", panels)],
        {"times": frame},
        [
            Compared(
                "LBC behind ACK every", "one delayed-ACK timer", f"{gap[0]:.0f} ms at 5 kB, {gap[1]:.0f} ms at 75 kB"
            )
        ],
    )


@PAPER.figure("figure-8", "Figure 8", "Length of the gateway's queue", "3", [OCCUPANCY])
def figure_8(shares: Mapping[Hashable, Mapping[int, float]]) -> Drawn:
    lengths = range(14, 23)
    groups = [Bar(str(k), [100 * shares[m].get(k, 0.0) for m in MECHANISMS]) for k in lengths]
    chart = Bars(
        "figure-8",
        "Share of the time with so many waiting packets, one transfer of 995 kB",
        [NAMES[m] for m in MECHANISMS],
        MECHANISMS,
        groups,
        Axis("share of the time (%)", low=0),
    )
    longest = max(max(s) for s in shares.values())
    frame = pl.DataFrame(
        {
            "waiting_packets": range(longest + 1),
            **{f"{m}_share": [shares[m].get(k, 0.0) for k in range(longest + 1)] for m in MECHANISMS},
        }
    )
    compared = [
        Compared(
            NAMES[m],
            "20 dominates" if m == "every" else "19 and 20 share nearly all",
            ", ".join(f"{k}: {100 * shares[m].get(k, 0.0):.0f} %" for k in (19, 20)),
        )
        for m in MECHANISMS
    ]
    return Drawn([chart], {"occupancy": frame}, compared)


PRINTED = {
    "reno": {"every": (12, 28), "daass": (7, 28), "ubc": (-9, 18), "lbc": (8, 19)},
    "sack": {"every": (9, 28), "daass": (5, 20), "ubc": (3, 17), "lbc": (3, 17)},
}
"""Tables 1 and 2: all transfers, short ones."""


def _table(number: int, recovery: str, title: str) -> None:
    needs = [SURFACE[recovery, m] for m in MECHANISMS]

    @PAPER.figure(f"table-{number}", f"Table {number}", title, "3", needs)
    def draw(*grids: Grid) -> Drawn:
        surfaces = dict(zip(MECHANISMS, grids, strict=True))
        gains = {m: improvement(surfaces["delayed"], surfaces[m]) for m in ALTERNATIVES}
        short = {m: improvement(surfaces["delayed"], surfaces[m], short=True) for m in ALTERNATIVES}
        compared, rows, groups = [], [], []
        for place, (name, found) in enumerate((("all", gains), ("short", short))):
            for m in ALTERNATIVES:
                ours, paper = float(np.median(found[m])), PRINTED[recovery][m][place]
                ns2 = PAPER.ns2.get(f"allman1998.table{number}.{m}.{name}", "")
                compared.append(Compared(f"{NAMES[m]}, {name}", f"{paper} %", f"{ours:.1f} %", ns2))
                rows.append({"mechanism": m, "transfers": name, "paper_percent": float(paper), "ours_percent": ours})
                groups.append(Bar(f"{NAMES[m]}\n{name}", [paper, ours]))
        bars = Bars(
            f"table-{number}", title, ["paper", "ours"], ["orange", "blue"], groups, Axis("median improvement (%)")
        )
        maps = Heat(
            f"table-{number}-cells",
            "Improvement over delayed ACKs, transfer by transfer",
            [Surface(NAMES[m], QUEUES, SEGMENTS, g) for m, g in gains.items()],
            Axis("queue (packets)", ticks=(5, 10, 15, 20)),
            Axis("transfer (kB)", low=0, high=1000),
            Axis("improvement (%)", low=-60, high=60),
            diverging=True,
            rows=2,
            height=1.9,
        )
        charts: list[Chart] = [bars, maps]
        return Drawn(charts, {"medians": pl.DataFrame(rows)}, compared)


_table(1, "reno", "Reno: median improvement over delayed ACKs")
_table(2, "sack", "SACK: median improvement over delayed ACKs")


# --- Figures 9 to 14 and Table 3; Figures 15 and 16


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
