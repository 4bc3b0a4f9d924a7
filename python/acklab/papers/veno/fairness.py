"""Who gives way to whom: every pairing of Reno, SACK, Veno and CUBIC on one bottleneck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import polars as pl

from ...report.charts import Axis, Bar, Bars, Dot, DotPanel, Dots
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Compared, Drawn
from ...reproduce.readers import ManyFlows
from ...study.intervals import Sample, jackknife
from .registry import PAPER
from .setting import FIGURE_6, SECONDS, shared

SENDERS: Mapping[str, Mapping[str, Any]] = {
    "Reno": {"recovery": "reno", "control": "reno"},
    "SACK": {"recovery": "sack", "control": "reno"},
    "SACK Veno": {"recovery": "sack", "control": "veno"},
    "SACK CUBIC": {"recovery": "sack", "control": "cubic"},
}
COLOUR = {"Reno": "reno", "SACK": "sack", "SACK Veno": "veno", "SACK CUBIC": "cubic"}
PAIRINGS = tuple(f"{a} and {b}" for a, b in combinations_with_replacement(SENDERS, 2))
OF_EACH = 2
WITH = (0.0, 0.01)
LEVEL = 0.95


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    rates = columns["segments_acked"] / SECONDS
    jain = rates.sum() ** 2 / (len(rates) * (rates**2).sum())
    return float(rates[0::2].mean()), float(rates[1::2].mean()), float(jain)


def _scenario(pairing: str, loss: float, seed: int) -> str:
    return shared([SENDERS[name] for name in pairing.split(" and ")] * OF_EACH, loss, seed, FIGURE_6)


RUNS = Replications(
    "pairings",
    f"{OF_EACH} connections of one kind beside {OF_EACH} of another, every pairing",
    {"pairing": PAIRINGS, "loss": WITH},
    _scenario,
    ManyFlows(["first", "second", "jain"], ["segments_acked"], [], _reduce, ("G", "H")),
)


def rate_beside(grid: Grid, who: str, beside: str, loss: float) -> Array:
    """Segments per second of a flow of one kind among flows of another, one value for each seed."""
    pairing, column = (f"{who} and {beside}", "first"), (f"{beside} and {who}", "second")
    key, name = pairing if pairing[0] in PAIRINGS else column
    return grid.at(pairing=key, loss=loss)[name]


def harm(grid: Grid, who: str, by: str, loss: float) -> Sample:
    """What the other kind takes from a flow, in percent of what it has beside its own kind (Ware et al. 2019)."""
    alone, among = rate_beside(grid, who, who, loss), rate_beside(grid, who, by, loss)
    return jackknife(len(alone), lambda seeds: float(100 * (1 - among[seeds].mean() / alone[seeds].mean())))


@PAPER.figure(
    "fairness",
    "",
    "Every pairing: Jain's index, and the harm one does to the other",
    "3.4",
    [RUNS],
    evidence="evidence",
)
def fairness(grid: Grid) -> Drawn:
    rows = list(PAIRINGS)
    panels, charts, table = [], [], []
    for loss in WITH:
        title = "no random loss" if loss == 0 else "1 % random loss"
        dots = []
        for row, pairing in enumerate(rows):
            jain = Sample.of(grid.at(pairing=pairing, loss=loss)["jain"].tolist())
            interval = jain.interval(LEVEL)
            dots.append(Dot(row, jain.value, (interval.low, interval.high), "blue" if loss == 0 else "orange"))
            table.append({"pairing": pairing, "loss": loss, "quantity": "jain", "of": "", "by": "", "value": jain.value,
                          "low": interval.low, "high": interval.high})  # fmt: skip
        # From where one of two kinds has twice the other's: 9/10, rounded down.
        least = min(0.85, min(dot.interval[0] for dot in dots) - 0.01)
        panels.append(DotPanel(f"Jain's index, {title}", dots, "right", (least, 1.01)))
        groups = []
        for by in SENDERS:
            found = {who: harm(grid, who, by, loss) for who in SENDERS}
            half = [found[who].interval(LEVEL).half_width for who in SENDERS]
            groups.append(Bar(f"beside\n{by}", [found[who].value for who in SENDERS], half))
            table += [
                {"pairing": f"{who} beside {by}", "loss": loss, "quantity": "harm_percent", "of": who, "by": by,
                 "value": s.value, "low": s.interval(LEVEL).low, "high": s.interval(LEVEL).high}
                for who, s in found.items()
            ]  # fmt: skip
        charts.append(
            Bars(
                f"harm-{'none' if loss == 0 else 'loss'}",
                f"Harm: what a flow loses beside another kind, of what it has beside its own ({title}; 95 % intervals)",
                list(SENDERS),
                [COLOUR[name] for name in SENDERS],
                groups,
                Axis("harm (%)"),
            )
        )
    compared = [
        Compared(
            f"harm of SACK Veno to {who}, {'no random loss' if p == 0 else '1 %'}",
            "",
            f"{_shown(harm(grid, who, 'SACK Veno', p))}",
        )
        for who in ("Reno", "SACK")
        for p in WITH
    ]
    compared += [
        Compared(
            f"harm of SACK CUBIC to SACK, {'no random loss' if p == 0 else '1 %'}",
            "",
            _shown(harm(grid, "SACK", "SACK CUBIC", p)),
        )
        for p in WITH
    ]
    return Drawn(
        [Dots("jain", f"Jain's index of {2 * OF_EACH} flows, 95 % intervals", rows, panels), *charts],
        {"fairness": pl.DataFrame(table)},
        compared,
        "Two flows of each kind on Figure 6's bottleneck. A bar below zero is a gain: the flow has more beside the other kind than "
        "beside its own. All but Reno have the same recovery, so between them harm is the congestion control's alone; Reno's "
        "includes that of its recovery.",
        _scenario("SACK and SACK Veno", 0.01, 1),
    )


def _shown(sample: Sample) -> str:
    interval = sample.interval(LEVEL)
    return f"{sample.value:.0f} % ({interval.low:.0f} to {interval.high:.0f})"
