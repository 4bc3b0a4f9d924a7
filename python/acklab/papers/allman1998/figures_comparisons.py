"""Figures 7 and 8, Tables 1 and 2."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Chart, Heat, Line, Lines, Panel, Surface
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from .registry import PAPER
from .runs import SURFACE, TIME
from .section3_comparisons import ALTERNATIVES, INITIAL_WINDOW_2, OCCUPANCY, RENO, SMALL, improvement
from .setting import MECHANISMS, NAMES, QUEUES, SEGMENTS

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
