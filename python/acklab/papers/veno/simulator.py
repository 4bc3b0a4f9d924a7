"""Figure 5: Veno and SACK in ns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Heat, Line, Lines, Mark, Panel, Surface
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Array, Grid, ManyFlows
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...reproduce.resample import RankCorrelation, rank_correlation, spearman
from ...study.intervals import Sample, jackknife
from .hosts import FIGURE_3, READING, gain, named
from .setting import (
    CONTROLS,
    FEW_LOSSES,
    FIGURE_5,
    LOSSES,
    NAMES,
    PAPER,
    SECONDS,
    shared,
)
from .setting import control as written

CONNECTIONS = (1, 2, 4, 8, 16, 20)


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    acked = columns["segments_acked"].sum()
    signals = columns["timeouts"].sum() + columns["fast_retransmits"].sum()
    return (
        float(acked),
        float(100 * acked / (SECONDS * FIGURE_5.segments_per_s)),
        float(columns["timeouts"].sum() / max(signals, 1.0)),
        float(columns["acks_dropped"].sum()),
    )


READ_MANY = ManyFlows(
    ["segments_acked", "utilisation", "timeout_share", "acks_lost"],
    ["segments_acked", "timeouts", "fast_retransmits", "acks_dropped"],
    [],
    _reduce,
    ("G", "H"),
)


def _scenario(control: str, connections: int, loss: float, seed: int, beta: float = 3.0) -> str:
    return shared([{"control": written(control, beta)}] * connections, loss, seed, within_s=0.0)


FIGURE_5_RUNS = Replications(
    "figure 5",
    "connections of one kind over one lossy bottleneck",
    {"control": CONTROLS, "connections": CONNECTIONS, "loss": LOSSES},
    _scenario,
    READ_MANY,
    {"connections": (1, 4, 16, 20), "loss": FEW_LOSSES},
)


PROSE = Replications(
    "figure 5 by the prose",
    "one Veno connection that slows down above a backlog of 1",
    {"loss": LOSSES},
    lambda loss, seed: _scenario("veno", 1, loss, seed, beta=1.0),
    READ_MANY,
    {"loss": FEW_LOSSES},
)


def utilisation(grid: Grid, **at: Any) -> Sample:
    """In percent, one value for each seed."""
    return Sample.of(grid.at(**at)["utilisation"].tolist())


@PAPER.claim("fig5.1pct", FIGURE_5_RUNS)
def gain_at_one_percent(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, connections=1, loss=1e-2)})


@PAPER.claim("fig5.001pct", FIGURE_5_RUNS)
def gain_at_one_in_ten_thousand(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, connections=1, loss=1e-4)})


def average_gain(grid: Grid, connections: Sequence[int]) -> Sample:
    """The mean of the gains over losses and numbers of connections."""
    veno, sack = (grid.at(control=n, connections=list(connections))["segments_acked"] for n in ("veno", "sack"))

    def statistic(seeds: list[int]) -> float:
        ratio = veno[..., seeds].mean(axis=-1) / sack[..., seeds].mean(axis=-1)
        return float(100 * (ratio.mean() - 1))

    return jackknife(veno.shape[-1], statistic)


@PAPER.claim("fig5.avg", FIGURE_5_RUNS)
def average_over_losses(grid: Grid) -> Measurement:
    return Measurement({"gain": average_gain(grid, [1])})


@PAPER.claim("fig5.n", FIGURE_5_RUNS)
def gain_shrinks(grid: Grid) -> Measurement:
    veno, sack = (grid.at(control=n)["segments_acked"] for n in ("veno", "sack"))
    numbers = grid.axes["connections"]

    def correlation(place: int) -> RankCorrelation:
        return rank_correlation(lambda own, other: spearman(numbers, own / other), veno[:, place], sack[:, place])

    return Measurement(
        {"spearman": {f"loss {named(loss)}": correlation(i) for i, loss in enumerate(grid.axes["loss"])}}
    )


@PAPER.claim("fig5.always", FIGURE_5_RUNS)
def veno_at_least_sack(grid: Grid) -> Measurement:
    cells = {
        f"{n} at {named(p)}": {c: utilisation(grid, control=c, connections=n, loss=p) for c in CONTROLS}
        for n in grid.axes["connections"]
        for p in grid.axes["loss"]
    }
    return Measurement({"utilisation": cells})


def _timeouts(result: Any) -> float:
    """The share of timeouts among signals of loss."""
    flows = pl.DataFrame(result.flows)
    timeouts, fast = flows["timeouts"].sum(), flows["fast_retransmits"].sum()
    return float(timeouts / (timeouts + fast))


def _many(effort: Effort) -> Mapping[Hashable, str]:
    numbers, losses = ((20,) if effort.quick else (20, 32)), ((1e-2,) if effort.quick else (1e-3, 1e-2, 1e-1))
    return {
        (name, n, p): records(_scenario(name, n, p, 1), "series") for name in CONTROLS for n in numbers for p in losses
    }


MANY = Traces("more than sixteen", "20 and 32 connections", _many, _timeouts)


@PAPER.claim("fig5.16", MANY)
def timeouts_dominate_beyond_sixteen(runs: Mapping[Any, float]) -> Measurement:
    return Measurement({"timeouts": {f"{NAMES[n]}, {k} at {named(p)}": share for (n, k, p), share in runs.items()}})


@PAPER.claim("abs.72", FIGURE_3, FIGURE_5_RUNS)
def largest_gain(dummynet: Grid, ns: Grid) -> Measurement:
    found = [gain(dummynet, **READING), *(gain(ns, connections=1, loss=p) for p in ns.axes["loss"])]
    return Measurement({"gain": max(found, key=lambda one: one.value)})


@PAPER.figure("figure-5", "Figure 5", "Utilisation over loss and number of connections", "3.3", [FIGURE_5_RUNS, PROSE])
def figure_5(grid: Grid, prose: Grid) -> Drawn:
    numbers, losses = grid.axes["connections"], grid.axes["loss"]
    exponents = [float(np.log10(p)) for p in losses]
    mean = {c: grid.at(control=c)["utilisation"].mean(axis=-1) for c in CONTROLS}
    places = list(range(len(numbers)))
    surfaces = [Surface(NAMES[c], exponents, places, mean[c].T) for c in CONTROLS]
    y = Axis("connections", ticks=places, words=[str(n) for n in numbers])
    heat = Heat(
        "figure-5",
        "Share of the link that is used for new data",
        surfaces,
        Axis("loss (log10)", ticks=(-4, -3, -2, -1)),
        y,
        Axis("utilisation (%)", low=0, high=100),
    )
    lines = [
        Line(
            str(n),
            losses,
            [gain(grid, connections=n, loss=p).value for p in losses],
            colour,
            marker="o",
            spread=[gain(grid, connections=n, loss=p).interval(0.95).half_width for p in losses],
        )
        for n, colour in zip(numbers, ("blue", "orange", "green", "purple", "red", "slate"), strict=False)
    ]
    x = Axis("loss", log=True)
    base = grid.at(control="sack", connections=1)
    other = [
        100 * float(prose.at(loss=p)["segments_acked"].mean() / base.at(loss=p)["segments_acked"].mean() - 1)
        for p in losses
    ]
    lines.append(Line("1 (prose)", losses, other, "pink", dash="--"))
    gains = Lines(
        "figure-5-gain",
        "Gain of SACK Veno over SACK, by number of connections (95 % intervals)",
        [Panel("", x, Axis("gain (%)"), lines, [Mark(100 * (np.sqrt(3) - 1), "square-root law")])],
    )
    return Drawn(
        [heat, gains],
        {"utilisation": grid.frame()},
        [
            Compared("gain at 1 %, one connection", "72 %", f"{gain(grid, connections=1, loss=1e-2).value:.0f} %",
                     "+53 % over a like stack"),
            Compared("gain at 0.01 %, one connection", "5 %", f"{gain(grid, connections=1, loss=1e-4).value:.1f} %"),
            Compared("on average", "44 %", f"{average_gain(grid, [1]).value:.0f} %"),
        ],
        scenario=_scenario("veno", 1, 1e-2, 1),
    )  # fmt: skip
