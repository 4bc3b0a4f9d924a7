"""One flow after one loss: the window over time, by what an ACK is worth and by how many segments it covers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.experiments import Effort, Traces, records
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from .closed import recovery_s, window
from .setting import CREDITS, PAPER, RATIOS, RTT_S, W_MAX, one

BETA = 0.7
HALF = 0.5
RENO_W_MAX, RENO_RTT_S = 50, 0.02
RENO_S = 0.4
FEW = (2, 10)


@dataclass(frozen=True)
class Regrown:
    """The window from the end of the recovery on; ``w_max`` is the flight that the loss met (RFC 9438, section 4.6)."""

    w_max: float
    least: float
    time_s: list[float]
    cwnd: list[float]

    def at(self, t: float) -> float:
        """The window ``t`` seconds after the end of the recovery."""
        return max((w for s, w in zip(self.time_s, self.cwnd, strict=True) if s <= t), default=self.least)

    def regained(self, t: float) -> float:
        """The share of what the loss took that is back after ``t`` seconds."""
        return (self.at(t) - self.least) / (self.w_max - self.least)


def _read(result: Any) -> Regrown:
    series = pl.DataFrame(result.series).select("time_s", "cwnd_segments").drop_nulls()
    time, cwnd = series["time_s"].to_list(), series["cwnd_segments"].to_list()
    cut = next(i for i in range(1, len(cwnd)) if cwnd[i] < 0.95 * cwnd[i - 1])
    least = min(cwnd[cut:])
    begin = next(i for i in range(cwnd.index(least, cut), len(cwnd)) if cwnd[i] > least)
    kept = [i for i in range(begin, len(cwnd)) if i == begin or cwnd[i] != cwnd[i - 1]]
    return Regrown(least / BETA, least, [time[i] - time[begin] for i in kept], [cwnd[i] for i in kept])


def _cells(effort: Effort) -> Mapping[Hashable, str]:
    cells: dict[Hashable, str] = {}
    for name, kind in CREDITS.items():
        cells |= {("cubic", name, r): records(one(kind, r), "series") for r in RATIOS}
        cells |= {("reno", name, r): records(one(kind, r, RENO_W_MAX, RENO_RTT_S, 1.5), "series") for r in FEW}
    return cells


GROWTH = Traces("CUBIC after a loss", "one flow, one loss, by credit and ACK ratio", _cells, _read)
Runs = Mapping[Any, Regrown]


def lag_s(credit: str, ratio: int) -> float:
    """T of the closed form."""
    return RTT_S * (ratio if credit == "one step an ACK" else 1)


def predicted(run: Regrown, t: float, lag: float) -> float:
    """The share regained by the closed form."""
    return (window(t, run.w_max, run.least, RTT_S, lag) - run.least) / (run.w_max - run.least)


def _half(run: Regrown) -> float:
    return HALF * recovery_s(run.w_max, run.least)


@PAPER.claim("growth.closed", GROWTH)
def growth_follows_the_closed_form(runs: Runs) -> Measurement:
    ratios, told = {}, []
    for r in RATIOS:
        run = runs["cubic", "one step an ACK", r]
        share, model = run.regained(_half(run)), predicted(run, _half(run), lag_s("one step an ACK", r))
        ratios[f"{r} an ACK"] = share / model
        told.append(f"{100 * share:.0f} % ({100 * model:.0f} %)")
    return Measurement(
        {"ratio": ratios},
        f"at K/2, regained and by the closed form, with 1, 2, 10 and 40 segments an ACK: {', '.join(told)}",
    )


@PAPER.claim("growth.depends", GROWTH)
def growth_depends_on_the_ratio(runs: Runs) -> Measurement:
    shares = {f"{r}": 100 * (run := runs["cubic", "one step an ACK", r]).regained(_half(run)) for r in RATIOS}
    return Measurement({"regained": shares})


@PAPER.claim("growth.counted", GROWTH)
def counting_removes_the_dependence(runs: Runs) -> Measurement:
    shares = {r: (run := runs["cubic", "segments counted", r]).regained(_half(run)) for r in RATIOS}
    return Measurement({"ratio": {f"{r} an ACK": shares[r] / shares[1] for r in RATIOS[1:]}})


@PAPER.claim("growth.reno", GROWTH)
def the_reno_friendly_region_counts(runs: Runs) -> Measurement:
    found = {name: {r: runs["reno", name, r].regained(RENO_S) for r in FEW} for name in CREDITS}
    return Measurement(
        {"ratio": {f"{r} an ACK": found["one step an ACK"][r] / found["segments counted"][r] for r in FEW}}
    )


@PAPER.figure("growth", "Growth", "The window after a loss, by what an ACK is worth", "growth", [GROWTH])
def growth(runs: Runs) -> Drawn:
    panels, compared, tables = [], [], []
    colours = dict(zip(RATIOS, ("blue", "green", "orange", "red"), strict=True))
    for name in CREDITS:
        lines = []
        for r in RATIOS:
            run = runs["cubic", name, r]
            every = max(1, len(run.time_s) // 200)
            lines.append(Line(f"{r} an ACK", run.time_s[::every], run.cwnd[::every], colours[r]))
            model = [window(t, run.w_max, run.least, RTT_S, lag_s(name, r)) for t in run.time_s[::every]]
            lines.append(Line("", run.time_s[::every], model, colours[r], dash=":"))
            half = _half(run)
            compared.append(
                Compared(
                    f"{name}, {r} an ACK: regained at K/2",
                    f"{100 * predicted(run, half, lag_s(name, r)):.1f} % (closed form)",
                    f"{100 * run.regained(half):.1f} %",
                )
            )
            tables.append(
                pl.DataFrame({"time_s": run.time_s[::every], "cwnd_segments": run.cwnd[::every]}).with_columns(
                    credit=pl.lit(name), ratio=pl.lit(r)
                )
            )
        panels.append(Panel(name, Axis("time since the recovery (s)", low=0), Axis("cwnd (segments)"), lines))
    return Drawn(
        [
            Lines(
                "growth",
                f"One loss at {W_MAX} segments, a round trip of {RTT_S * 1000:g} ms; dotted, the closed form",
                panels,
            )
        ],
        {"growth": pl.concat(tables)},
        compared,
        "Where segments are counted, each curve is CUBIC's own. It begins lower where ACKs are rare: the loss meets less in flight.",
        one("ack-counting", 40),
    )
