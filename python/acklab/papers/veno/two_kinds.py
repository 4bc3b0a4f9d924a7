"""Figures 6 and 7: Veno and SACK side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from ...report.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid, ManyFlows
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample
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


@PAPER.claim("fig6a", SLOW)
def few_flows_share_fairly(grid: Grid) -> Measurement:
    return Measurement({"share": _both(_each(grid, 0.0, most=2))})


@PAPER.claim("fig6.many", SLOW, FAST)
def veno_gets_more_under_loss(grid: Grid, fast: Grid) -> Measurement:
    cells = {f"{key}, no random loss": found for key, found in _each(grid, 0.0, least=4).items()}
    cells |= {f"{key}, 1 %": found for key, found in _each(grid, 0.01).items()}
    cells |= {f"{key}, 1 %, 16 Mb/s": found for key, found in _each(fast, 0.01).items()}
    return Measurement(
        {"share": cells, "lead": {"high loss": _lead(cells), "low loss": _lead(_each(grid, 0.0, most=2))}},
    )


@PAPER.claim("fig7a", FAST)
def fair_on_the_fast_link(grid: Grid) -> Measurement:
    return Measurement({"share": _both(_each(grid, 0.0))})


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
