"""Figures of completion times and fairness (8 to 19), and what the paper leaves for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Panel
from ...reproduce.experiments import Sweep
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Compared, Drawn
from .changing import crossover
from .runs import (
    ASYMMETRIC,
    BUFFER,
    FAIR_SCHEMES,
    FOURTH,
    HIGH,
    LONG,
    ONE_ZERO,
    PARKING,
    RED_10,
    RED_LONG,
    RED_PARKING,
    RED_SCHEMES,
    TWO_TWO,
    UDP,
    VERSIONS,
)
from .setting import PAPER, SCHEMES, asymmetric, one_zero, parking_lot, tcp_udp, two_two

CAPACITY = "bottleneck link capacity (Mb/s)"
SECONDS = Axis("completion time (s)", low=0)
RELATIVE = Axis("relative completion time")


def average(values: Array, times: int) -> Array:
    """The mean over seeds, if there are some."""
    return np.asarray(values.mean(axis=-1) if values.ndim > times else values)


def line(grid: Grid, scheme: str, column: str, axis: str = "mbps", relative: bool = False, **chosen: object) -> Line:
    """A scheme's times over an axis."""
    part = grid.at(scheme=scheme, **chosen)
    values = average(part[column], 1)
    if relative:
        values = values / average(grid.at(scheme="newreno", **chosen)[column], 1)
    kind = SCHEMES[scheme]
    return Line(kind.name, grid.axes[axis], values, kind.colour, kind.dash, "o" if kind.fair else "", width=1.3)


def panel(
    title: str,
    grid: Grid,
    schemes: Sequence[str],
    column: str,
    relative: bool = False,
    axis: str = "mbps",
    label: str = CAPACITY,
    **chosen: object,
) -> Panel:
    """A line for each scheme."""
    lines = [line(grid, s, column, axis, relative, **chosen) for s in schemes]
    return Panel(title, Axis(label), RELATIVE if relative else SECONDS, lines)


def frame(grid: Grid) -> pl.DataFrame:
    """A grid as a table, units in names."""
    renamed = {
        "mbps": "capacity_mbps",
        "kbps": "reverse_kbps",
        "buffer": "buffer_bdp",
        "mean": "mean_s",
        "forward": "forward_s",
        "shortest": "shortest_s",
    }
    renamed |= {f"t{k}": f"t{k}_s" for k in (1, 2, 3, 4)}
    made = grid.frame()
    return made.rename({k: v for k, v in renamed.items() if k in made.columns})


PLAIN = ("newreno", "paced", "smart", "smart-paced")


@PAPER.figure("figure-8", "Figure 8", "Completion times, 1-0", "5.2", [ONE_ZERO])
def figure_8(grid: Grid) -> Drawn:
    panels = [
        panel("(a) completion times", grid, PLAIN, "t1"),
        panel("(b) relative to NewReno", grid, PLAIN, "t1", True),
    ]
    best = 100 * (1 - (grid.at(scheme="smart")["t1"] / grid.at(scheme="newreno")["t1"]).min())
    return Drawn([Lines("figure-8", "1-0, half a bandwidth-delay product of buffer", panels)], {"times": frame(grid)},
                 [Compared("largest reduction", "20 %", f"{best:.0f} %")], "", one_zero(9, "smart"))  # fmt: skip


def over_capacities(
    number: int,
    title: str,
    section: str,
    needs: Mapping[str, Sweep],
    about: str,
    panels: Mapping[str, tuple[str, Sequence[str], str, bool]],
    remark: str,
    scenario: str,
) -> None:
    """Registers a figure of times over capacities.

    ``needs`` are its experiments by the name of their table; a panel has one of these names, its schemes, a column, and whether it is relative.
    """

    @PAPER.figure(f"figure-{number}", f"Figure {number}", title, section, [*needs.values()])
    def draw(*grids: Grid) -> Drawn:
        named = dict(zip(needs, grids, strict=True))
        drawn = [panel(title, named[name], *rest) for title, (name, *rest) in panels.items()]
        tables = {name: frame(grid) for name, grid in named.items()}
        return Drawn([Lines(f"figure-{number}", about, drawn)], tables, (), remark, scenario)


BYTES = ("newreno", "abc", "every", "paced", "smart-paced")
UNDER_UDP = ("newreno", "paced", "every", "acc", "smart", "smart-paced")

over_capacities(
    9, "Smartacking and byte counting", "5.2", {"1-0": ONE_ZERO, "2-2": TWO_TWO}, "Completion time relative to NewReno's",
    {"(a) 1-0": ("1-0", BYTES, "t1", True), "(b) 2-2": ("2-2", BYTES, "forward", True)},
    "2-2: the mean of the two forward connections.", two_two(8, "abc"),
)  # fmt: skip
over_capacities(
    10, "Completion times, Different-RTT", "5.2", {"times": LONG}, "Round trips of 60 and 120 ms",
    {"mean of four": ("times", VERSIONS, "mean", False), "relative to NewReno": ("times", VERSIONS, "mean", True)},
    "The scale of the paper's figure is not in its text.", two_two(8, "smart", long=True),
)  # fmt: skip


@PAPER.figure("figure-11", "Figure 11", "The bottleneck's buffer, 2-2", "5.2", [BUFFER])
def figure_11(grid: Grid) -> Drawn:
    schemes = ("newreno", "paced", "every", "smart", "smart-paced")
    label = "buffer (bandwidth-delay products)"
    panels = [panel(f"{c} Mb/s", grid, schemes, "mean", axis="buffer", label=label, mbps=c) for c in (7, 15)]
    panels = [Panel(p.title, p.x, Axis("mean completion time (s)"), p.lines) for p in panels]
    return Drawn(
        [Lines("figure-11", "2-2 with the buffer varied", panels)],
        {"times": frame(grid)},
        (),
        "",
        two_two(7, "smart", buffer=1.0),
    )


over_capacities(
    12, "RED routers", "5.3", {"1-0": RED_10, "Different-RTT": RED_LONG}, "RED: completion time relative to NewReno's",
    {"(a) 1-0": ("1-0", RED_SCHEMES, "t1", True), "(b) Different-RTT": ("Different-RTT", RED_SCHEMES, "mean", True)},
    "The paper labels the axis in seconds from 0.6 to 1.1, which no file of 80 Mbit can take: it must be relative. Means over seeds.",
    one_zero(9, "smart", True),
)  # fmt: skip


@PAPER.figure("figure-13", "Figure 13", "A slow way back", "5.4", [ASYMMETRIC])
def figure_13(grid: Grid) -> Drawn:
    schemes = ("newreno", "acc", "smart", "smart-paced", "fixed")
    panels = [panel("completion times", grid, schemes, "t1", axis="kbps", label="reverse path capacity (kb/s)"),
              Panel("ACKs for a segment", Axis("reverse path capacity (kb/s)"), Axis("ACKs sent / segments sent", low=0),
                    [Line(SCHEMES[s].name, grid.axes["kbps"], grid.at(scheme=s)["acks_sent"] / grid.at(scheme=s)["segments_sent"],
                          SCHEMES[s].colour, SCHEMES[s].dash) for s in schemes])]  # fmt: skip
    compared = [Compared("smartacking is faster than ACC from", "21 kb/s", f"{crossover(grid, 'smart', 'acc'):.0f} kb/s"),
                Compared("smartacking is faster than NewReno from", "20 kb/s", f"{crossover(grid, 'smart', 'newreno'):.0f} kb/s")]  # fmt: skip
    return Drawn(
        [Lines("figure-13", "Asymmetric", panels)],
        {"times": frame(grid)},
        compared,
        "31 kb/s stands for: not up to 30.",
        asymmetric(10, "smart"),
    )


over_capacities(
    14, "On-off UDP cross traffic", "5.5", {"times": UDP}, "TCP-UDP",
    {"connection 1": ("times", UNDER_UDP, "t1", False), "relative to NewReno": ("times", UNDER_UDP, "t1", True)},
    "", tcp_udp(8, "smart-paced"),
)  # fmt: skip


@PAPER.figure("figure-16", "Figure 16", "200 connections", "5.6", [HIGH])
def figure_16(grid: Grid) -> Drawn:
    segments = grid.axes["segments"][0]
    lines = [Line(SCHEMES[s].name, grid.axes["mbps"], grid.at(scheme=s, segments=segments)["mean"], SCHEMES[s].colour, SCHEMES[s].dash, "o")
             for s in ("newreno", "smart", "smart-paced")]  # fmt: skip
    chart = Lines("figure-16", "High-Multiplexing", [Panel("mean of 200 connections", Axis(CAPACITY), SECONDS, lines)])
    return Drawn([chart], {"times": frame(grid)}, (), f"Files of {segments} segments.", two_two(16, "smart"))


@PAPER.figure("figure-18", "Figure 18", "Fairness in the Parking-Lot", "5.7", [PARKING, RED_PARKING])
def figure_18(tail: Grid, red: Grid) -> Drawn:
    panels = []
    for title, grid in (("(a) drop-tail", tail), ("(b) RED", red)):
        lines = [
            Line(
                SCHEMES[s].name,
                grid.axes["mbps"],
                average(grid.at(scheme=s)["fairness"], 1),
                SCHEMES[s].colour,
                SCHEMES[s].dash,
            )
            for s in FAIR_SCHEMES
        ]
        panels.append(Panel(title, Axis("shared link capacity (Mb/s)"), Axis("fairness index"), lines))
    return Drawn(
        [Lines("figure-18", "Fairness of completion times", panels)],
        {"drop-tail": frame(tail), "red": frame(red)},
        (),
        "",
        parking_lot(8, "smart"),
    )


@PAPER.figure("figure-19", "Figure 19", "Beside three NewReno connections", "5.7", [FOURTH])
def figure_19(grid: Grid) -> Drawn:
    kinds = ("newreno", "paced", "smart", "smart-paced")
    panels = []
    for title, column in (("(a) the fourth", "t2"), ("(b) NewReno in the same direction", "t1")):
        base = grid.at(fourth="newreno")[column]
        lines = [
            Line(
                SCHEMES[s].name, grid.axes["mbps"], grid.at(fourth=s)[column] / base, SCHEMES[s].colour, SCHEMES[s].dash
            )
            for s in kinds
        ]
        panels.append(Panel(title, Axis(CAPACITY), Axis("time over that beside NewReno"), lines))
    return Drawn(
        [Lines("figure-19", "TCP-friendliness, 2-2; the legend names the fourth", panels)],
        {"times": frame(grid)},
        (),
        "",
        two_two(8, "newreno", fourth="smart"),
    )
