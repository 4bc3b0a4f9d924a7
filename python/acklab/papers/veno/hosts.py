"""Figures 1, 3 and 4: hosts over a modem and over dummynet."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from statistics import pstdev
from typing import Any

import numpy as np
import polars as pl

from ...report.charts import Axis, Bar, Bars, Line, Lines, Mark, Panel
from ...reproduce.experiments import Effort, Replications, Traces, records
from ...reproduce.grid import Grid, OneFlow
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife
from .setting import (
    COLOURS,
    CONTROLS,
    FEW_LOSSES,
    LOSSES,
    MODEM_BPS,
    MODEM_MSS,
    NAMES,
    PAPER,
    PASSES,
    REPETITIONS,
    SECONDS,
    dummynet,
    modem,
)

FROM, TO = 20.0, 80.0
"""The interval Figure 1 shows, in seconds."""


@dataclass(frozen=True)
class Shown:
    """What Figure 1 shows of a run, between 20 and 80 s."""

    series: pl.DataFrame
    rate_bps: list[float]
    """What the modem delivered in each second."""

    @property
    def cuts(self) -> list[float]:
        """What each reduction left of the window."""
        windows = self.series["cwnd_segments"].to_list()
        return [b / a for a, b in itertools.pairwise(windows) if b < 0.9 * a]

    @property
    def mean_window(self) -> float:
        """Averaged over time."""
        time, windows = self.series["time_s"].to_list(), self.series["cwnd_segments"].to_list()
        spans = [b - a for a, b in itertools.pairwise(time)]
        return sum(w * s for w, s in zip(windows, spans, strict=False)) / sum(spans)


def _shown(result: Any) -> Shown:
    series = pl.DataFrame(result.series).filter(pl.col("time_s").is_between(FROM, TO))
    packets = pl.DataFrame(result.packets).select("time_s", "link", "event", "len")
    sent = packets.filter((pl.col("event").cast(pl.String) == "enqueue") & (pl.col("link").cast(pl.String) == "S->R"))
    seconds = sent["time_s"].floor().to_list()
    counts = {second: 0 for second in range(int(FROM), int(TO))}
    for second in seconds:
        if second in counts:
            counts[int(second)] += 1
    return Shown(series, [8.0 * MODEM_MSS * count for count in counts.values()])


def _cells(effort: Effort) -> Mapping[Hashable, str]:
    runs = range(3 if effort.quick else REPETITIONS)
    cells = {(name, k, 3.0): records(modem(name, k), "series", "packets") for name in CONTROLS for k in runs}
    return {**cells, **{("veno", k, 1.0): records(modem("veno", k, beta=1.0), "series", "packets") for k in runs}}


MODEM = Traces("modem", "512 kB over a modem, ten times; SACK, Veno, and Veno by its prose", _cells, _shown)
Runs = Mapping[Any, Shown]


def repeated(runs: Runs, name: str, quantity: Any, beta: float = 3.0) -> Sample:
    """A quantity of each repetition."""
    return Sample.of([quantity(run) for (which, _, b), run in runs.items() if (which, b) == (name, beta)])


def cycles(runs: Runs, name: str, beta: float = 3.0) -> Sample:
    """Losses within the minute shown."""
    return repeated(runs, name, lambda run: len(run.cuts), beta)


@PAPER.claim("fig1.cycles", MODEM)
def cycles_in_a_minute(runs: Runs) -> Measurement:
    found = {name: cycles(runs, name) for name in CONTROLS}

    def ratio(chosen: list[int]) -> float:
        veno, sack = (sum(found[name].values[i] for i in chosen) for name in ("veno", "sack"))
        return veno / sack

    return Measurement({**found, "ratio": jackknife(found["veno"].count, ratio)})


@PAPER.claim("fig1.halved", MODEM)
def all_cuts_are_halvings(runs: Runs) -> Measurement:
    cuts = [cut for (name, _, beta), run in runs.items() if name == "veno" and beta == 3 for cut in run.cuts]
    return Measurement({"share": 100.0 * sum(abs(cut - 0.5) < 1e-9 for cut in cuts) / len(cuts)})


@PAPER.claim("fig1.smooth", MODEM)
def higher_and_smoother(runs: Runs) -> Measurement:
    window = {name: repeated(runs, name, lambda run: run.mean_window) for name in CONTROLS}
    spread = {name: repeated(runs, name, lambda run: pstdev(run.rate_bps) / 1e3) for name in CONTROLS}
    return Measurement({"window": window, "spread": spread})


@PAPER.figure("figure-1", "Figure 1", "Window, sending rate and backlog over a modem", "2", [MODEM])
def figure_1(runs: Runs) -> Drawn:
    time = Axis("time (s)", low=FROM, high=TO)
    one = {name: runs[name, 0, 3.0] for name in CONTROLS}
    window = [
        Line(NAMES[name], run.series["time_s"], run.series["cwnd_segments"], COLOURS[name], step=True)
        for name, run in one.items()
    ]
    rate = [
        Line(
            NAMES[name],
            [FROM + 0.5 + i for i in range(len(run.rate_bps))],
            [r / 1e3 for r in run.rate_bps],
            COLOURS[name],
        )
        for name, run in one.items()
    ]
    veno = one["veno"].series
    backlog = [Line("Veno's N", veno["time_s"], veno["backlog_segments"], "purple", step=True)]
    panels = [
        Panel("congestion window", time, Axis("window (segments)", low=0), window),
        Panel("sending rate", time, Axis("rate (kb/s of payload)", low=0), rate),
        Panel("estimated backlog", time, Axis("N (segments)", low=0), backlog),
    ]
    tables = {"series": pl.concat([run.series.with_columns(control=pl.lit(NAMES[name])) for name, run in one.items()])}
    return Drawn(
        [Lines("figure-1", f"Between {FROM:g} and {TO:g} s of 512 kB over {MODEM_BPS / 1e3:g} kb/s", panels)],
        tables,
        [
            Compared("losses of SACK", "about 5", f"{cycles(runs, 'sack').value:.1f}"),
            Compared("losses of SACK Veno", "about 3", f"{cycles(runs, 'veno').value:.1f}"),
            Compared("the same, slowing down above 1 (prose)", "", f"{cycles(runs, 'veno', 1.0).value:.1f}"),
        ],
        "One repetition is drawn, the numbers are means of all. The buffer of 9 packets is inferred from the cycles, delayed ACKs from Figure 3's receiver.",
        modem("veno", 0),
    )


# --- Section 3.2: one connection over dummynet (Figures 3 and 4)


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


@PAPER.claim("fig3.rates", FIGURE_3)
def rates_over_dummynet(grid: Grid) -> Measurement:
    return Measurement({n: rate(grid, control=n, **READING) for n in CONTROLS})


@PAPER.claim("fig3.72", FIGURE_3)
def gain_over_dummynet(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, **READING)})


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
        "",
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
            "less loss": rate(grid, control=n, loss=a),
            "more loss": rate(grid, control=n, loss=b),
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
