"""Figures 6 and 7: Veno and SACK side by side, and each congestion control beside each other one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from statistics import fmean
from typing import Any

import polars as pl

from ...report.charts import Axis, Bar, Bars, Dot, DotPanel, Dots, Line, Lines, Mark, Panel
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid, ManyFlows
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife
from .setting import COLOURS, CONTROLS, FIGURE_6, FIGURE_7, NAMES, PAPER, SECONDS, Bottleneck, control, shared

PAIRS = (1, 2, 4, 8, 16)
WITH = (0.0, 0.01)


def _reader(path: Bottleneck) -> ManyFlows:
    def reduce(columns: dict[str, Array]) -> Sequence[float]:
        share = columns["segments_acked"] / SECONDS / (path.segments_per_s / len(columns["segments_acked"]))
        losses = columns["fast_retransmits"]
        return (
            float(share[0::2].mean()),
            float(share[1::2].mean()),
            float(losses[0::2].mean()),
            float(losses[1::2].mean()),
        )

    names = ["veno", "sack", "veno_losses", "sack_losses"]
    return ManyFlows(names, ["segments_acked", "fast_retransmits"], [], reduce, ("G", "H"))


def _scenario(path: Bottleneck) -> Callable[..., str]:
    def scenario(pairs: int, loss: float, seed: int) -> str:
        return shared([{"control": control(name)} for name in ("veno", "sack")] * pairs, loss, seed, path)

    return scenario


SLOW = Replications(
    "figure 6",
    "n SACK Veno beside n SACK, 1.6 Mb/s",
    {"pairs": PAIRS, "loss": WITH},
    _scenario(FIGURE_6),
    _reader(FIGURE_6),
    {"pairs": (1, 2, 8)},
)
FAST = Replications(
    "figure 7",
    "n SACK Veno beside n SACK, 16 Mb/s",
    {"pairs": PAIRS, "loss": WITH},
    _scenario(FIGURE_7),
    _reader(FIGURE_7),
    {"pairs": (1, 4)},
    most_seeds=20,
)


def shares(grid: Grid, pairs: int, loss: float) -> dict[str, Sample]:
    """Throughput of each kind over the fair share, one value for each seed."""
    found = grid.at(pairs=pairs, loss=loss)
    return {name: Sample.of(found[name].tolist()) for name in CONTROLS}


def _each(grid: Grid, loss: float, most: int = max(PAIRS), least: int = 1) -> dict[str, dict[str, Sample]]:
    return {f"{n} and {n}": shares(grid, n, loss) for n in grid.axes["pairs"] if least <= n <= most}


def _both(cells: dict[str, dict[str, Sample]]) -> dict[str, Sample]:
    return {f"{NAMES[kind]}, {label}": found[kind] for label, found in cells.items() for kind in CONTROLS}


def _lead(cells: dict[str, dict[str, Sample]]) -> Sample:
    """Veno's share less SACK's, averaged over cells, one value for each seed."""
    each = [found["veno"].minus(found["sack"]).values for found in cells.values()]
    return Sample.of([fmean(values) for values in zip(*each, strict=True)])


def _said(grid: Grid, loss: float) -> str:
    found = {n: shares(grid, n, loss) for n in grid.axes["pairs"]}
    return "shares of SACK Veno and SACK " + ", ".join(
        f"{f['veno'].value:.2f} and {f['sack'].value:.2f} ({n} and {n})" for n, f in found.items()
    )


@PAPER.claim("fig6a", SLOW)
def few_flows_share_fairly(grid: Grid) -> Measurement:
    return Measurement({"share": _both(_each(grid, 0.0, most=2))}, _said(grid, 0.0))


@PAPER.claim("fig6.many", SLOW, FAST)
def veno_gets_more_under_loss(grid: Grid, fast: Grid) -> Measurement:
    cells = {f"{key}, no random loss": found for key, found in _each(grid, 0.0, least=4).items()}
    cells |= {f"{key}, 1 %": found for key, found in _each(grid, 0.01).items()}
    cells |= {f"{key}, 1 %, 16 Mb/s": found for key, found in _each(fast, 0.01).items()}
    above = sum(found["veno"].value > found["sack"].value for found in cells.values())
    return Measurement(
        {"share": cells, "lead": {"high loss": _lead(cells), "low loss": _lead(_each(grid, 0.0, most=2))}},
        f"no random loss, {_said(grid, 0.0)}. With 1 %, {_said(grid, 0.01)}; through 16 Mb/s {_said(fast, 0.01)}. Veno has more than SACK in {above} of {len(cells)} cells. Where "
        "it has less than the fair share, the two together leave part of the link idle",
    )


@PAPER.claim("fig7a", FAST)
def fair_on_the_fast_link(grid: Grid) -> Measurement:
    most = max(grid.axes["pairs"])
    veno, sack = (grid.at(pairs=most, loss=0.0)[f"{name}_losses"].mean() for name in ("veno", "sack"))
    return Measurement(
        {"share": _both(_each(grid, 0.0))},
        f"{_said(grid, 0.0)}. With {most} and {most} a SACK flow has {sack:.0f} fast retransmits, a Veno flow {veno:.0f}. The receivers delay "
        "ACKs: with ACKs for every segment Veno has 1.17 and 1.22 of the fair share with 8 and 16 pairs. Of 512 readings searched together (`acklab infer veno`, four "
        "nudged runs each) 320 have Veno's share of 8 pairs within the tolerance",
    )


def _draw(number: int, path: Bottleneck, grid: Grid) -> Drawn:
    panels, compared = [], []
    for loss in WITH:
        found = {n: shares(grid, n, loss) for n in grid.axes["pairs"]}
        lines = [
            Line(
                NAMES[name],
                list(found),
                [f[name].value for f in found.values()],
                COLOURS[name],
                marker="o",
                spread=[f[name].interval(0.95).half_width for f in found.values()],
            )
            for name in CONTROLS
        ]
        title = "no random loss" if loss == 0 else "1 % random loss"
        x = Axis("connections of each kind", log=True, ticks=grid.axes["pairs"])
        panels.append(Panel(title, x, Axis("throughput over fair share", low=0), lines, [Mark(1, "fair")]))
        compared += [
            Compared(f"{n} and {n}, {title}", "", f"{f['veno'].value:.2f} and {f['sack'].value:.2f}")
            for n, f in found.items()
        ]
    about = f"SACK Veno beside SACK, {path.rate_bps / 1e6:g} Mb/s with {path.places} packets (95 % intervals)"
    return Drawn([Lines(f"figure-{number}", about, panels)], {"shares": grid.frame()}, compared)


@PAPER.figure("figure-6", "Figure 6", "SACK Veno beside SACK, 1.6 Mb/s", "3.4", [SLOW])
def figure_6(grid: Grid) -> Drawn:
    return _draw(6, FIGURE_6, grid)


@PAPER.figure("figure-7", "Figure 7", "SACK Veno beside SACK, 16 Mb/s", "3.4", [FAST])
def figure_7(grid: Grid) -> Drawn:
    return _draw(7, FIGURE_7, grid)


# --- Who gives way to whom: every pairing of Reno, SACK, Veno and CUBIC on one bottleneck


SENDERS: Mapping[str, Mapping[str, Any]] = {
    "Reno": {"recovery": "reno", "control": "reno"},
    "SACK": {"recovery": "sack", "control": "reno"},
    "SACK Veno": {"recovery": "sack", "control": "veno"},
    "SACK CUBIC": {"recovery": "sack", "control": "cubic"},
}
COLOUR = {"Reno": "reno", "SACK": "sack", "SACK Veno": "veno", "SACK CUBIC": "cubic"}
PAIRINGS = tuple(f"{a} and {b}" for a, b in combinations_with_replacement(SENDERS, 2))
OF_EACH = 2
LEVEL = 0.95


def _reduce(columns: dict[str, Array]) -> Sequence[float]:
    rates = columns["segments_acked"] / SECONDS
    jain = rates.sum() ** 2 / (len(rates) * (rates**2).sum())
    return float(rates[0::2].mean()), float(rates[1::2].mean()), float(jain)


def _pairing(pairing: str, loss: float, seed: int) -> str:
    return shared([SENDERS[name] for name in pairing.split(" and ")] * OF_EACH, loss, seed, FIGURE_6)


RUNS = Replications(
    "pairings",
    f"{OF_EACH} connections of one kind beside {OF_EACH} of another, every pairing",
    {"pairing": PAIRINGS, "loss": WITH},
    _pairing,
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
        _pairing("SACK and SACK Veno", 0.01, 1),
    )


def _shown(sample: Sample) -> str:
    interval = sample.interval(LEVEL)
    return f"{sample.value:.0f} % ({interval.low:.0f} to {interval.high:.0f})"
