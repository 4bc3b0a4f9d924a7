"""Figures of completion times and fairness (8 to 19), and what the paper leaves for later."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Line, Lines, Panel
from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Compared, Drawn
from .changing import crossover
from .dynamics import errors
from .runs import (
    ASYMMETRIC,
    BUFFER,
    CAPACITIES,
    FAIR_SCHEMES,
    FOURTH,
    HIGH,
    LONG,
    ONE,
    ONE_ZERO,
    PARKING,
    QUICK,
    RED_10,
    RED_LONG,
    RED_PARKING,
    RED_SCHEMES,
    TWO_TWO,
    UDP,
    Recorded,
)
from .setting import PAPER, SCHEMES, Setting, asymmetric, one_zero, parking_lot, tcp_udp, two_two
from .times import indices

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


@PAPER.figure("figure-9", "Figure 9", "Smartacking and byte counting", "5.2", [ONE_ZERO, TWO_TWO])
def figure_9(one: Grid, two: Grid) -> Drawn:
    schemes = ("newreno", "abc", "every", "paced", "smart-paced")
    panels = [panel("(a) 1-0", one, schemes, "t1", True), panel("(b) 2-2", two, schemes, "forward", True)]
    return Drawn([Lines("figure-9", "Completion time relative to NewReno's", panels)], {"1-0": frame(one), "2-2": frame(two)}, (),
                 "2-2: the mean of the two forward connections.", two_two(8, "abc"))  # fmt: skip


@PAPER.figure("figure-10", "Figure 10", "Completion times, Different-RTT", "5.2", [LONG])
def figure_10(grid: Grid) -> Drawn:
    schemes = ("newreno", "paced", "smart", "smart-paced", "extended", "smart-fair")
    panels = [panel("mean of four", grid, schemes, "mean"), panel("relative to NewReno", grid, schemes, "mean", True)]
    return Drawn(
        [Lines("figure-10", "Round trips of 60 and 120 ms", panels)],
        {"times": frame(grid)},
        (),
        "The scale of the paper's figure is not in its text.",
        two_two(8, "smart", long=True),
    )


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


@PAPER.figure("figure-12", "Figure 12", "RED routers", "5.3", [RED_10, RED_LONG])
def figure_12(one: Grid, two: Grid) -> Drawn:
    panels = [
        panel("(a) 1-0", one, RED_SCHEMES, "t1", True),
        panel("(b) Different-RTT", two, RED_SCHEMES, "mean", True),
    ]
    remark = "The paper labels the axis in seconds from 0.6 to 1.1, which no file of 80 Mbit can take: it must be relative. Means over seeds."
    return Drawn(
        [Lines("figure-12", "RED: completion time relative to NewReno's", panels)],
        {"1-0": frame(one), "Different-RTT": frame(two)},
        (),
        remark,
        one_zero(9, "smart", True),
    )


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


@PAPER.figure("figure-14", "Figure 14", "On-off UDP cross traffic", "5.5", [UDP])
def figure_14(grid: Grid) -> Drawn:
    schemes = ("newreno", "paced", "every", "acc", "smart", "smart-paced")
    panels = [panel("connection 1", grid, schemes, "t1"), panel("relative to NewReno", grid, schemes, "t1", True)]
    remark = "ACC's routers are RED from half of the drop-tail queue on, which drops data there, too; the others' are drop-tail."
    return Drawn([Lines("figure-14", "TCP-UDP", panels)], {"times": frame(grid)}, (), remark, tcp_udp(8, "smart-paced"))


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
            Line(SCHEMES[s].name, grid.axes["mbps"], average(indices(grid, s), 1), SCHEMES[s].colour, SCHEMES[s].dash)
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


# --- What the paper leaves for later: smartacking with SACK recovery, and with ACK filtering


WITH_SACK = Setting(recovery="sack")
FILTERS: dict[str, dict[str, Any]] = {
    "no filter": {},
    "one ACK waits": {"filter": {"kind": "static", "threshold": 1}},
    "CAKE-style": {"filter": {"kind": "cake"}},
}
FILTERED = ("newreno", "smart", "smart-paced")


def filtered(kbps: float, scheme: str, kind: str) -> str:
    """The Asymmetric configuration with a filter on the queue of ACKs."""
    tree = json.loads(asymmetric(kbps, scheme))
    tree["link"][1]["back"]["queue"] |= FILTERS[kind]
    return json.dumps(tree, separators=(",", ":"))


SACK = Sweep(
    "1-0 with SACK",
    "SACK recovery instead of NewReno's",
    {"scheme": ("newreno", "every", "smart", "smart-paced"), "mbps": CAPACITIES},
    lambda scheme, mbps: one_zero(mbps, scheme, setting=WITH_SACK),
    ONE,
    {"mbps": QUICK},
)
FILTER = Sweep(
    "Asymmetric with filters",
    "ACK filters before the slow way back",
    {"filter": tuple(FILTERS), "scheme": FILTERED, "kbps": tuple(range(5, 31))},
    lambda filter, scheme, kbps: filtered(kbps, scheme, filter),
    ONE,
    {"kbps": (5, 10, 20, 30)},
)


def _recorded(effort: Effort) -> dict[str, str]:
    schemes = ("smart",) if effort.quick else ("newreno", "smart", "smart-paced")
    return {
        f"1-0, {c} Mb/s, SACK, {SCHEMES[s].name}": records(
            one_zero(c, s, setting=WITH_SACK, estimate=True), "packets", "series"
        )
        for c in (5, 9)
        for s in schemes
    }


ESTIMATES = Traces("estimates with SACK", "1-0 with SACK, packet by packet", _recorded, Recorded)


@PAPER.figure("sack", "", "With SACK recovery", "6", [SACK, ESTIMATES], evidence="evidence")
def with_sack(grid: Grid, runs: dict[str, Recorded]) -> Drawn:
    names = {
        "newreno": "delayed ACKs",
        "every": "AckEvery",
        "smart": "smartacking",
        "smart-paced": "smartacking, paced",
    }
    lines = [
        Line(names[s], grid.axes["mbps"], grid.at(scheme=s)["t1"], SCHEMES[s].colour, SCHEMES[s].dash) for s in names
    ]
    relative = [
        Line(
            names[s],
            grid.axes["mbps"],
            grid.at(scheme=s)["t1"] / grid.at(scheme="newreno")["t1"],
            SCHEMES[s].colour,
            SCHEMES[s].dash,
        )
        for s in names
    ]
    gain = 100 * (1 - grid.at(scheme="smart")["t1"] / grid.at(scheme="newreno")["t1"])
    table = errors(runs)
    compared = [
        Compared(
            row["configuration"],
            "not in the paper",
            f"estimate's error: median {100 * row['median_error']:.1f} %, p95 {100 * row['p95_error']:.0f} %",
        )
        for row in table.to_dicts()
    ]
    remark = (
        f"With SACK the sender repairs its slow start within a few round trips, and most of what smartacking gains over NewReno is gone: the "
        f"reduction against delayed ACKs is {gain.min():.0f} to {gain.max():.0f} %, {gain.mean():.0f} % in the mean. The receiver's "
        "estimator is the one for NewReno: after a single reduction, as SACK's, it follows the window without being told which it is."
    )
    chart = Lines(
        "sack",
        "1-0 with SACK recovery",
        [
            Panel("completion times", Axis(CAPACITY), SECONDS, lines),
            Panel("relative to delayed ACKs", Axis(CAPACITY), RELATIVE, relative),
        ],
    )
    return Drawn([chart], {"times": grid.frame().rename({"mbps": "capacity_mbps"}), "errors": table}, compared, remark)


@PAPER.figure("filtering", "", "With ACK filtering", "6", [FILTER], evidence="evidence")
def with_filters(grid: Grid) -> Drawn:
    panels = []
    for kind in FILTERS:
        part = grid.at(filter=kind)
        lines = [
            Line(SCHEMES[s].name, grid.axes["kbps"], part.at(scheme=s)["t1"], SCHEMES[s].colour, SCHEMES[s].dash)
            for s in FILTERED
        ]
        panels.append(
            Panel(kind, Axis("reverse path capacity (kb/s)"), Axis("completion time (s)", low=0, high=35), lines)
        )
    mean = {(kind, s): float(np.nanmean(grid.at(filter=kind, scheme=s)["t1"])) for kind in FILTERS for s in FILTERED}
    compared = [
        Compared(f"{SCHEMES[s].name}, {kind}: mean over the rates", "not in the paper", f"{time:.1f} s")
        for (kind, s), time in mean.items()
    ]
    base = mean["no filter", "newreno"]
    remark = (
        f"A filter keeps the newest ACK in the queue, so an ACK a segment costs the slow link nothing: NewReno's mean over the rates falls "
        f"from {base:.1f} to {mean['one ACK waits', 'newreno']:.1f} s, below smartacking's without a filter "
        f"({mean['no filter', 'smart']:.1f} s, paced {mean['no filter', 'smart-paced']:.1f} s). To smartacking it adds nothing "
        f"({mean['one ACK waits', 'smart']:.1f} s, paced {mean['one ACK waits', 'smart-paced']:.1f} s): what its late ACKs save on the slow "
        "link the filter saves for everybody, and the bursts they let go remain. The combination the paper hopes for is not one."
    )
    chart = Lines("filtering", "Asymmetric, with a filter before the slow way back", panels)
    return Drawn([chart], {"times": grid.frame().rename({"kbps": "reverse_kbps"})}, compared, remark)
