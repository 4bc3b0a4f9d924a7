"""Section 2.3: both over a modem (Figure 1)."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import polars as pl

from ...report.charts import Axis, Line, Lines, Panel
from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.measure import Measurement
from ...reproduce.paper import Compared, Drawn
from ...study.intervals import Sample, jackknife
from .registry import PAPER
from .setting import COLOURS, CONTROLS, MODEM_BPS, MODEM_MSS, NAMES, REPETITIONS, modem

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


def averaged(runs: Runs, name: str, quantity: Any, beta: float = 3.0) -> float:
    """A quantity, averaged over the repetitions."""
    return fmean(quantity(run) for (which, _, b), run in runs.items() if (which, b) == (name, beta))


def repeated(runs: Runs, name: str, quantity: Any, beta: float = 3.0) -> Sample:
    """A quantity of each repetition."""
    return Sample.of([quantity(run) for (which, _, b), run in runs.items() if (which, b) == (name, beta)])


def cycles(runs: Runs, name: str, beta: float = 3.0) -> float:
    """Losses within the minute shown."""
    return averaged(runs, name, lambda run: len(run.cuts), beta)


@PAPER.claim("fig1.cycles", MODEM)
def cycles_in_a_minute(runs: Runs) -> Measurement:
    found = {name: repeated(runs, name, lambda run: len(run.cuts)) for name in CONTROLS}

    def ratio(chosen: list[int]) -> float:
        veno, sack = (sum(found[name].values[i] for i in chosen) for name in ("veno", "sack"))
        return veno / sack

    return Measurement(
        {**found, "ratio": jackknife(found["veno"].count, ratio)},
        f"with the prose's threshold of 1 Veno has {cycles(runs, 'veno', 1.0):.1f}",
    )


@PAPER.claim("fig1.halved", MODEM)
def all_cuts_are_halvings(runs: Runs) -> Measurement:
    cuts = [cut for (name, _, beta), run in runs.items() if name == "veno" and beta == 3 for cut in run.cuts]
    return Measurement({"share": 100.0 * sum(abs(cut - 0.5) < 1e-9 for cut in cuts) / len(cuts)})


@PAPER.claim("fig1.smooth", MODEM)
def higher_and_smoother(runs: Runs) -> Measurement:
    window = {name: repeated(runs, name, lambda run: run.mean_window) for name in CONTROLS}
    spread = {name: repeated(runs, name, lambda run: pstdev(run.rate_bps) / 1e3) for name in CONTROLS}
    return Measurement(
        {"window": window, "spread": spread},
        f"mean windows {window['veno'].value:.2f} and {window['sack'].value:.2f} segments; the rate's deviation from second to second "
        f"{spread['veno'].value:.2f} and {spread['sack'].value:.2f} kb/s. {OTHER_RECEIVER}",
    )


OTHER_RECEIVER = (
    "With delayed ACKs Veno's mean window is the higher one for each buffer from 7 to 20 packets. With ACKs for every segment it is lower or equal "
    "for four of seven buffers from 6 to 20, among them the 12 packets that then give the cycles. Readings tried: 32"
)
"""Of 16 pairs of receiver and buffer, each with both thresholds."""


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
            Compared("losses of SACK", "about 5", f"{cycles(runs, 'sack'):.1f}"),
            Compared("losses of SACK Veno", "about 3", f"{cycles(runs, 'veno'):.1f}"),
            Compared("the same, slowing down above 1 (prose)", "", f"{cycles(runs, 'veno', 1.0):.1f}"),
        ],
        "One repetition is drawn, the numbers are means of all. The buffer of 9 packets is inferred from the cycles, delayed ACKs from Figure 3's receiver.",
        modem("veno", 0),
    )
