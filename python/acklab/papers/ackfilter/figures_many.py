"""Figures 10 to 12: many sources, five algorithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ...reproduce.grid import Grid
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, split
from .newcomer import MAXMIN, NEW_SEGMENTS, NEWCOMER, PATIENCE_S, taken
from .registry import PAPER
from .section4 import LARGE, SMALL_RUNS, Grids, at, by_algorithm, overall
from .setting import ALGORITHMS, COLOURS, LARGE_BUFFER, NAMES, SMALL

SOURCES_AXIS = Axis("sources", low=0.5, high=20.5, ticks=(1, 5, 10, 15, 20))


def curves(grids: Grids, quantity: str = "throughput", scale: float = 8e-6) -> list[Line]:
    """Means over the seeds with 95 % intervals, corrected for the number of points in the figure."""
    counts = grids["none"].axes["sources"]
    level = split(len(counts) * len(grids))
    lines = []
    for algorithm, grid in grids.items():
        samples = [at(grid, n, quantity) for n in counts]
        spread = [scale * s.interval(level).half_width for s in samples]
        lines.append(
            Line(
                NAMES[algorithm],
                counts,
                [scale * s.value for s in samples],
                COLOURS[algorithm],
                "-",
                "o",
                spread=spread,
            )
        )
    return lines


def relative(grids: Grids) -> list[Line]:
    """The same relative to classic filtering, pairwise by seed, in percent."""
    counts = grids["none"].axes["sources"]
    level = split(len(counts) * len(grids))
    lines = []
    for algorithm, grid in grids.items():
        if algorithm == "classic":
            continue
        samples = []
        for n in counts:
            base = at(grids["classic"], n)
            samples.append(Sample.of([100 * v for v in at(grid, n).minus(base).over(base.value).values]))
        lines.append(
            Line(
                NAMES[algorithm],
                counts,
                [s.value for s in samples],
                COLOURS[algorithm],
                "-",
                "o",
                spread=[s.interval(level).half_width for s in samples],
            )
        )
    return lines


def table(grids: Grids) -> pl.DataFrame:
    """Every mean."""
    rows = []
    for algorithm, grid in grids.items():
        for n in grid.axes["sources"]:
            part = grid.at(sources=n)
            rows.append(
                {
                    "algorithm": algorithm,
                    "sources": n,
                    "seeds": len(part["throughput"]),
                    **{f"{q}": float(np.nanmean(part[q])) for q in part.columns},
                }
            )
    return pl.DataFrame(rows).rename({"throughput": "throughput_Bps"})


def _figure(number: str, title: str, paper: Sequence[tuple[str, str]], needs: Sequence[object]) -> None:
    @PAPER.figure(f"figure-{number}", f"Figure {number}", title, "4", needs)  # type: ignore[arg-type]
    def draw(*grids: Grid) -> Drawn:
        found = by_algorithm(grids)
        y = Axis("Mb/s", low=0)
        panels = [
            Panel("throughput, averaged over files", SOURCES_AXIS, y, curves(found)),
            Panel("relative to classic filtering", SOURCES_AXIS, Axis("difference (%)"), relative(found), [Mark(0.0)]),
            Panel("throughput, averaged over time", SOURCES_AXIS, y, curves(found, "pooled")),
            Panel(
                "fairness of the ACKs' shares", SOURCES_AXIS, Axis("Jain's index", high=1), curves(found, "fairness", 1)
            ),
        ]
        means = {a: 8e-6 * s.value for a, s in overall(found).items()}
        order = ", ".join(f"{NAMES[a]} {means[a]:.3g}" for a in sorted(means, key=lambda a: -means[a]))
        compared = [Compared("averaged over the sources (Mb/s)", paper[0][1], order)]
        fair = ", ".join(f"{NAMES[a]} {s.value:.3f}" for a, s in overall(found, "fairness").items())
        compared.append(Compared("Jain's index of the sources' ACKs, averaged over the sources", "", fair))
        for what, says in paper[1:]:
            compared.append(Compared(what, says, _said(found, what)))
        return Drawn(
            [Lines(f"figure-{number}", f"{title}; bars are 95 % intervals, corrected for their number", panels, 3.2)],
            {"throughput": table(found)},
            compared,
            "Averaged over files, every completed file counts once, however long it took; over time, all bytes are divided by all transfer "
            "times. A queue that favours some connections looks better in the first: those complete many files.",
            scenario=LARGE_BUFFER.scenario("rr", 1, 1),
        )


def _said(found: Grids, what: str) -> str:
    n = found["none"].axes["sources"]
    n = n[-1] if "many" in what else n[0]
    return f"N = {n}: " + ", ".join(f"{NAMES[a]} {8e-6 * at(g, n).value:.3g}" for a, g in found.items())


_figure(
    "11",
    "Large reverse buffer",
    [
        ("order", "round robin best, no filter worst"),
        ("few sources (Mb/s)", "classic below the best"),
        ("many sources (Mb/s)", "classic near round robin"),
    ],
    LARGE,
)
_figure(
    "12",
    f"Reverse buffer of {SMALL}",
    [
        ("order", "round robin best"),
        ("few sources (Mb/s)", "aggregate above classic"),
        ("many sources (Mb/s)", "classic below no filter"),
    ],
    SMALL_RUNS,
)


@PAPER.figure("newcomer", "", "A newcomer among busy connections", "4", [*NEWCOMER, MAXMIN])
def newcomer(*grids: Grid) -> Drawn:
    times = {a: taken(g) for a, g in zip(ALGORITHMS, grids[:-1], strict=True)}
    level = split(len(times))
    bars = []
    for a, t in times.items():
        bars.append(
            Bar(
                NAMES[a], (float(t.mean()), float(np.percentile(t, 95))), (Sample.of(t).interval(level).half_width, 0.0)
            )
        )
    chart = Bars(
        "newcomer",
        f"Time of {NEW_SEGMENTS} kB among 9 busy connections, reverse buffer of {SMALL}",
        ["mean", "95th percentile"],
        ["blue", "sky"],
        bars,
        Axis("time (s)", low=0),
        2.6,
    )
    shares = grids[-1]
    said = {"none": "blocked until the others slow down", "rr": "protected"}
    compared = [
        Compared(
            f"newcomer's time, {NAMES[a]}",
            said.get(a, ""),
            f"{t.mean():.1f} s, 95th percentile {np.percentile(t, 95):.1f} s",
        )
        for a, t in times.items()
    ]
    compared += [
        Compared(
            f"ACKs of a busy connection over C/N, N = {n}, {'paced' if pacing else 'in bursts'}",
            "1",
            f"{shares.at(sources=n, pacing=pacing)['least'].mean():.3f} to {shares.at(sources=n, pacing=pacing)['most'].mean():.3f}",
        )
        for n in shares.axes["sources"]
        for pacing in shares.axes["pacing"]
    ]
    return Drawn([chart], {}, compared, f"A newcomer that is not through after {PATIENCE_S:g} s counts as if it were.")
