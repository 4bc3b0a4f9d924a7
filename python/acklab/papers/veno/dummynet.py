"""Section 3.2: one connection over dummynet (Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Grid
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...reproduce.readers import OneFlow
from ...study.intervals import Sample, jackknife
from .registry import PAPER
from .setting import COLOURS, CONTROLS, FEW_LOSSES, LOSSES, NAMES, PASSES, SECONDS, dummynet

READ = OneFlow(["segments_acked", "timeouts", "fast_retransmits", "acks_dropped"])


def rate(grid: Grid, **at: Any) -> Sample:
    """Segments per second, one value for each seed."""
    return Sample.of((grid.at(**at)["segments_acked"] / SECONDS).tolist())


def gain(grid: Grid, better: str = "veno", base: str = "sack", **at: Any) -> Sample:
    """By how much the mean rate of one control exceeds another's, in percent; the rest of both senders is the same."""
    one, other = (grid.at(control=name, **at)["segments_acked"] for name in (better, base))

    def statistic(seeds: list[int]) -> float:
        return float(100 * (one[seeds].mean() / other[seeds].mean() - 1))

    return jackknife(len(one), statistic)


def _figure_3(control: str, passes: str, ack: str, seed: int) -> str:
    return dummynet(control, seed, passes, ack)


FIGURE_3 = Replications(
    "figure 3",
    "one connection over dummynet with 1 % loss each way: passes and receivers",
    {"control": CONTROLS, "passes": PASSES, "ack": ("every", "delayed")},
    _figure_3,
    READ,
)
READING = {"passes": "double", "ack": "delayed"}
"""The reading that has the paper's rates."""

CAPACITY = 800e3 / (8 * 1500)


def _other_readings(grid: Grid) -> str:
    found = {p: {n: rate(grid, control=n, passes=p, ack="delayed").value for n in CONTROLS} for p in PASSES}
    every = gain(grid, passes="double", ack="every").value
    said = {
        p: f"{r['sack']:.1f} and {r['veno']:.1f} packets/s ({100 * (r['veno'] / r['sack'] - 1):+.0f} %)"
        for p, r in found.items()
    }
    return (
        f"passing once, {said['single']}. Twice through the same pipe, {said['shared']}: its queue and server are shared by both "
        f"passes, which carries {CAPACITY / 2:.1f} packets/s at most, fewer than the paper's 38, so that reading is ruled out. With "
        f"ACKs for every segment the gain over two pipes is {every:+.0f} %"
    )


@PAPER.claim("fig3.rates", FIGURE_3)
def rates_over_dummynet(grid: Grid) -> Measurement:
    return Measurement({n: rate(grid, control=n, **READING) for n in CONTROLS}, _other_readings(grid))


@PAPER.claim("fig3.72", FIGURE_3)
def gain_over_dummynet(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, **READING)}, _other_readings(grid))


def _window(result: Any) -> pl.DataFrame:
    return pl.DataFrame(result.series).select("time_s", "cwnd_segments", "state")


def _window_cells(effort: Effort) -> Mapping[Hashable, str]:
    return {
        (name, passes): records(dummynet(name, 1, passes, seconds=100), "series")
        for name in CONTROLS
        for passes in PASSES
    }


WINDOWS = Traces("figure 3 windows", "the same, 100 s of the window", _window_cells, _window)


@PAPER.figure("figure-3", "Figure 3", "The window with 1 % loss", "3.2", [WINDOWS, FIGURE_3])
def figure_3(windows: Mapping[Any, pl.DataFrame], grid: Grid) -> Drawn:
    time, y = Axis("time (s)", low=0, high=100), Axis("window (segments)", low=0)
    panels = [
        Panel(NAMES[n], time, y, [Line("", w["time_s"], w["cwnd_segments"], COLOURS[n], step=True, width=1)])
        for n, w in ((n, windows[n, "double"]) for n in CONTROLS)
    ]
    cells = [(p, a) for p in PASSES for a in ("every", "delayed")]
    short = {"single": "once", "double": "two pipes", "shared": "same ×2"}
    groups = []
    for p, a in cells:
        found = [rate(grid, control=n, passes=p, ack=a) for n in CONTROLS]
        half = [s.interval(0.95).half_width for s in found]
        groups.append(Bar(f"{short[p]}\n{'every' if a == 'every' else 'delayed'}", [s.value for s in found], half))
    bars = Bars(
        "figure-3-readings",
        "Every reading of the listing: how often a packet passes, and which segments are acknowledged (95 % intervals)",
        [NAMES[n] for n in CONTROLS],
        [COLOURS[n] for n in CONTROLS],
        groups,
        Axis("rate (packets/s)", low=0),
    )
    compared = [
        Compared(NAMES[n], f"{paper} packets/s", f"{rate(grid, control=n, **READING).value:.1f} packets/s")
        for n, paper in (("sack", 22), ("veno", 38))
    ]
    compared.append(Compared("gain", "72 %", f"{gain(grid, **READING).value:.0f} %"))
    return Drawn(
        [Lines("figure-3", "Two pipes in a row, delayed ACKs", panels), bars],
        {"rates": grid.frame()},
        compared,
        _other_readings(grid),
        dummynet("veno", 1),
    )


# --- Figure 4


def _figure_4(control: str, loss: float, seed: int) -> str:
    return dummynet(control, seed, "single", rate="1.6Mbps", delay="100ms", places=12, loss=loss)


FIGURE_4 = Replications(
    "figure 4",
    "one connection over dummynet, 1.6 Mb/s and 100 ms each way, losses from 1e-4 to 1e-1",
    {"control": CONTROLS, "loss": LOSSES},
    _figure_4,
    READ,
    {"loss": FEW_LOSSES},
)


def named(loss: float) -> str:
    """A loss as the criteria name it."""
    return f"{loss:g}"


@PAPER.claim("fig4.fade", FIGURE_4)
def rate_falls_with_loss(grid: Grid) -> Measurement:
    cells = {
        f"{NAMES[n]}, {named(a)} to {named(b)}": {
            "less loss": rate(grid, control=n, loss=a).value,
            "more loss": rate(grid, control=n, loss=b).value,
        }
        for n in CONTROLS
        for a, b in zip(grid.axes["loss"], grid.axes["loss"][1:], strict=False)
    }
    return Measurement({"rate": cells})


@PAPER.claim("fig4.order", FIGURE_4)
def sack_suffers_more(grid: Grid) -> Measurement:
    return Measurement(
        {"rate": {f"loss {named(p)}": {n: rate(grid, control=n, loss=p) for n in CONTROLS} for p in grid.axes["loss"]}}
    )


@PAPER.claim("fig4.collapse", FIGURE_4)
def both_collapse(grid: Grid) -> Measurement:
    least, most = min(LOSSES), max(LOSSES)
    shares, rates = {}, {}
    for n in CONTROLS:
        worst = grid.at(control=n, loss=most)
        shares[NAMES[n]] = Sample.of((worst["timeouts"] / (worst["timeouts"] + worst["fast_retransmits"])).tolist())
        rates[NAMES[n]] = rate(grid, control=n, loss=most).over(rate(grid, control=n, loss=least).value)
    return Measurement({"rate": rates, "timeouts": shares})


@PAPER.figure("figure-4", "Figure 4", "Sending rate by loss", "3.2", [FIGURE_4])
def figure_4(grid: Grid) -> Drawn:
    losses = grid.axes["loss"]
    lines = []
    for n in CONTROLS:
        found = [rate(grid, control=n, loss=p) for p in losses]
        spread = [s.interval(0.95).half_width for s in found]
        lines.append(Line(NAMES[n], losses, [s.value for s in found], COLOURS[n], marker="o", spread=spread))
    gains = [gain(grid, loss=p) for p in losses]
    x = Axis("loss each way", log=True)
    bound = Mark(100 * (np.sqrt(3) - 1), "square-root law")
    panels = [
        Panel("rate", x, Axis("rate (packets/s)", low=0), lines, [Mark(1.6e6 / (8 * 1500), "the link")]),
        Panel(
            "gain of Veno",
            x,
            Axis("gain (%)"),
            [
                Line(
                    "SACK Veno over SACK",
                    losses,
                    [g.value for g in gains],
                    COLOURS["veno"],
                    marker="o",
                    spread=[g.interval(0.95).half_width for g in gains],
                )
            ],
            [bound],
        ),
    ]
    return Drawn(
        [Lines("figure-4", "1.6 Mb/s, 100 ms each way, 12 packets (95 % intervals)", panels)],
        {"rates": grid.frame()},
        [Compared(f"gain at {named(p)}", "", f"{g.value:.0f} %") for p, g in zip(losses, gains, strict=True)],
        scenario=_figure_4("veno", 1e-2, 1),
    )
