"""Figures 3 to 7, 15 and 17: timelines, and windows beside their estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Chart, Line, Lines, Mark, Panel
from ...reproduce.experiments import Experiment
from ...reproduce.grid import Array
from ...reproduce.paper import Compared, Drawn
from .dynamics import FITTED, Runs, share, span
from .recorded import Connection, Recorded
from .registry import PAPER
from .runs import EIGHT, FIG3, FIG5, FIG6, FIG7, FIG15, FIG17
from .setting import SCHEMES, one_zero, parking_lot, tcp_udp, two_two

BANDS, DRAWN = 14, 4
"""Bands of a timeline; every so many segments and ACKs are drawn."""


def strokes(leave: Array, come: Array, band: float, up: bool) -> tuple[list[float], list[float]]:
    """Lines from one edge of a band to the other, as one broken line; one that crosses a band's end goes on in the next."""
    x: list[float] = []
    y: list[float] = []
    for begin, end in zip(leave.tolist(), come.tolist(), strict=True):
        for k in range(int(begin // band), min(int(end // band), BANDS - 1) + 1):
            x += [begin - k * band, end - k * band, float("nan")]
            y += [k + (0.92 if up else 0.08), k + (0.08 if up else 0.92), float("nan")]
    return x, y


def timeline(c: Connection, title: str, until: float) -> Panel:
    """A timeline of 14 bands: data from the upper edge down, ACKs from the lower edge up."""
    band = until / BANDS
    first = {int(n): float(t) for t, n in zip(c.sent[0][::-1], c.sent[1][::-1], strict=True)}
    come = [(first[int(n)], float(t)) for t, n in zip(c.arrivals, c.numbers, strict=True) if t < until][::DRAWN]
    data = np.array(come) if come else np.zeros((0, 2))
    data = data[
        data[:, 1] - data[:, 0] < 1.0
    ]  # a segment that was sent again is drawn from its last sending, or not at all
    back: dict[int, float] = {}
    for t, n in zip(*c.acks_back, strict=True):
        back.setdefault(int(n), float(t))
    acks = [
        (float(t), back[int(n)])
        for t, n in zip(c.acks, c.acked, strict=True)
        if int(n) in back and 0 < back[int(n)] - t < 1.0
    ]
    lines = [Line("data", *strokes(data[:, 0], data[:, 1], band, False), "slate", width=0.25)]
    told = (
        np.array([a for a in acks if a[0] < until][:: DRAWN if len(acks) > 3000 else 1]) if acks else np.zeros((0, 2))
    )
    if len(told):
        lines.append(Line("ACKs", *strokes(told[:, 0], told[:, 1], band, True), "ink", width=0.4))
    return Panel(
        title, Axis(f"time within a band (s), {BANDS} bands", low=0, high=band), Axis("band", low=BANDS, high=0), lines
    )


def _timelines(
    number: str, name: str, runs: Runs, schemes: Sequence[str], paper: Sequence[int], about: str, text: str
) -> Drawn:
    until = span(runs, number)
    charts: list[Chart] = []
    for k in range(0, len(schemes), 2):
        pair = schemes[k : k + 2]
        panels = [timeline(runs[s]["f1"], f"{SCHEMES[s].name}, {share(runs, number, s):.0f} %", until) for s in pair]
        charts.append(Lines(f"{name}{'-' + str(k // 2 + 1) if k else ''}", about, panels, height=4.2))
    compared = [
        Compared(f"{SCHEMES[s].name}: share of the file", f"{p} %", f"{share(runs, number, s):.1f} %")
        for s, p in zip(schemes, paper, strict=True)
    ]
    rows = [
        {"scheme": s, "time_s": float(t), "segments": int(n)}
        for s in schemes for t, n in zip(runs[s]["f1"].arrivals[::10], runs[s]["f1"].in_order[::10], strict=True)
    ]  # fmt: skip
    remark = (
        f"The paper does not print how long a band is. Here the figure ends when {SCHEMES['smart'].name} has delivered the paper's "
        f"{FITTED[number]:.0f} %, at {until:.2f} s, {until / BANDS:.3f} s a band. Every fourth segment is drawn."
    )
    return Drawn(charts, {"delivered": pl.DataFrame(rows)}, compared, remark, text)


@PAPER.figure("figure-3", "Figure 3", "Timelines at 9 Mb/s", "5.1", [FIG3])
def figure_3(runs: Runs) -> Drawn:
    return _timelines(
        "3",
        "figure-3",
        runs,
        ("newreno", "smart"),
        (29, 61),
        "1-0, 9 Mb/s: data (grey) and ACKs (black)",
        one_zero(9, "smart"),
    )


@PAPER.figure("figure-4", "Figure 4", "Timelines at 5 Mb/s", "5.1", [FIG6])
def figure_4(runs: Runs) -> Drawn:
    schemes = ("newreno", "smart", "paced", "smart-paced")
    return _timelines(
        "4",
        "figure-4",
        runs,
        schemes,
        (23, 27, 22, 25),
        "1-0, 5 Mb/s: data (grey) and ACKs (black)",
        one_zero(5, "smart"),
    )


@PAPER.figure("figure-5", "Figure 5", "Timelines of 2-2 at 20 Mb/s", "5.1", [FIG5])
def figure_5(runs: Runs) -> Drawn:
    return _timelines(
        "5",
        "figure-5",
        runs,
        ("newreno", "smart"),
        (49, 68),
        "2-2, 20 Mb/s, connection 1: data (grey) and ACKs (black)",
        two_two(20, "smart"),
    )


def window(c: Connection, title: str, high: float | None = None, until: float | None = None) -> Panel:
    """cwnd and its estimate over time."""
    grid, cwnd, estimate = c.on_grid(0.0, min(until or float("inf"), float(c.time[-1])))
    lines = [Line("cwnd at the sender", grid[::3], cwnd[::3], "ink", width=1.0)]
    if not np.isnan(estimate).all():
        lines.append(Line("estimate at the receiver", grid[::3], estimate[::3], "sky", ":", width=1.2))
    return Panel(title, Axis("time (s)", low=0), Axis("window (segments)", low=0, high=high), lines)


def errors(runs: Mapping[str, Recorded], after: float = 1.0) -> pl.DataFrame:
    """The estimator's error by configuration."""
    rows = []
    for name, run in runs.items():
        for flow, c in run.connections.items():
            found = c.errors(after)
            if len(found):
                rows.append({"configuration": name, "connection": flow, "median_error": float(np.median(found)),
                             "p95_error": float(np.percentile(found, 95)), "mean_error": float(found.mean())})  # fmt: skip
    return pl.DataFrame(rows)


@PAPER.figure("figure-6", "Figure 6", "Windows and their estimates, 1-0 at 5 Mb/s", "5.1", [FIG6])
def figure_6(runs: Runs) -> Drawn:
    charts: list[Chart] = []
    schemes = [s for s in EIGHT if s in runs]
    for k in range(0, len(schemes), 2):
        panels = [window(runs[s]["f1"], SCHEMES[s].name) for s in schemes[k : k + 2]]
        charts.append(Lines(f"figure-6-{k // 2 + 1}", "1-0, 5 Mb/s", panels, height=2.0))
    remark = "One bandwidth-delay product is 62.5 segments, the queue has room for 31. Where the receiver does not smartack, its estimator runs beside its ACK policy and sends nothing."
    return Drawn(charts, {"errors": errors(runs)}, (), remark, one_zero(5, "newreno", estimate=True))


@PAPER.figure("figure-7", "Figure 7", "Windows and their estimates, 2-2 at 8 and 4 Mb/s", "5.1", [FIG7])
def figure_7(runs: Mapping[tuple[int, str], Recorded]) -> Drawn:
    charts: list[Chart] = []
    for s in ("newreno", "paced", "smart", "smart-paced"):
        panels = [window(runs[c, s]["f1"], f"{SCHEMES[s].name}, {c} Mb/s") for c in (8, 4)]
        charts.append(Lines(f"figure-7-{s}", "2-2, connection 1", panels, height=1.9))
    named = {f"{SCHEMES[s].name}, {c} Mb/s": run for (c, s), run in runs.items()}
    return Drawn(charts, {"errors": errors(named)}, (), "Connection 1 of four.", two_two(8, "smart"))


@PAPER.figure("figure-15", "Figure 15", "Windows and their estimates while UDP comes and goes, 5 Mb/s", "5.5", [FIG15])
def figure_15(runs: Runs) -> Drawn:
    def busy(panel: Panel) -> Panel:
        marks = [Mark(0.2 + 5 * k, "UDP on" if k % 2 == 0 else "off", vertical=True) for k in range(10)]
        return Panel(panel.title, panel.x, panel.y, panel.lines, marks)

    charts: list[Chart] = [
        Lines(
            f"figure-15-{s}", "TCP-UDP, 5 Mb/s", [busy(window(runs[s]["f1"], SCHEMES[s].name, until=45.0))], height=2.3
        )
        for s in ("paced", "smart-paced", "acc")
    ]
    remark = "Instants are those at which the UDP flow of the same direction is switched. ACC is ours beside the paper's two."
    return Drawn(charts, {"errors": errors(runs)}, (), remark, tcp_udp(5, "smart-paced"))


@PAPER.figure("figure-17", "Figure 17", "Windows in the Parking-Lot, 4 Mb/s", "5.7", [FIG17])
def figure_17(runs: Runs) -> Drawn:
    shades = ("blue", "orange", "green", "purple")
    panels = []
    for s in ("newreno", "smart"):
        lines = []
        for k, shade in enumerate(shades, 1):
            grid, cwnd, _ = runs[s][f"f{k}"].on_grid(0.0, float(runs[s][f"f{k}"].time[-1]))
            lines.append(Line(f"connection {k}", grid[::8], cwnd[::8], shade, width=0.8))
        panels.append(Panel(SCHEMES[s].name, Axis("time (s)", low=0), Axis("cwnd (segments)", low=0), lines))
    rows = [
        {"scheme": s, "connection": k, "completion_s": runs[s][f"f{k}"].row["completion_s"]}
        for s in ("newreno", "smart")
        for k in (1, 2, 3, 4)
    ]
    return Drawn(
        [Lines("figure-17", "Parking-Lot, 4 Mb/s", panels)],
        {"completions": pl.DataFrame(rows)},
        (),
        "",
        parking_lot(4, "smart"),
    )


CONFIGURATIONS: Sequence[Experiment] = (FIG3, FIG6, FIG5, FIG7, FIG15)


@PAPER.figure("estimator", "", "How near the estimate is", "3", CONFIGURATIONS, evidence="evidence")
def estimator(three: Runs, six: Runs, five: Runs, seven: Mapping[tuple[int, str], Recorded], fifteen: Runs) -> Drawn:
    named: dict[str, Recorded] = {f"1-0, 9 Mb/s, {SCHEMES[s].name}": r for s, r in three.items()}
    named |= {f"1-0, 5 Mb/s, {SCHEMES[s].name}": r for s, r in six.items()}
    named |= {f"2-2, 20 Mb/s, {SCHEMES[s].name}": r for s, r in five.items()}
    named |= {f"2-2, {c} Mb/s, {SCHEMES[s].name}": r for (c, s), r in seven.items()}
    named |= {f"TCP-UDP, 5 Mb/s, {SCHEMES[s].name}": r for s, r in fifteen.items()}
    table = errors(named)
    by = table.group_by("configuration", maintain_order=True).agg(
        pl.col("median_error").mean(), pl.col("p95_error").mean()
    )
    rows = by.to_dicts()
    compared = [
        Compared(
            r["configuration"],
            "not printed",
            f"median {100 * r['median_error']:.1f} %, p95 {100 * r['p95_error']:.0f} %",
        )
        for r in rows
    ]
    places = list(range(len(rows)))
    panel = Panel(
        "|estimate - cwnd| / cwnd",
        Axis("configuration, in the table's order"),
        Axis("relative error", low=0, high=1.5),
        [Line("median", places, [r["median_error"] for r in rows], "sky", "", "o"),
         Line("95th percentile", places, [min(r["p95_error"], 1.5) for r in rows], "orange", "", "D")],
    )  # fmt: skip
    remark = (
        "Every 10 ms from the first second after a connection's start, losses and repairs included; the mean of a run's connections. "
        "The 95th percentile is what happens around losses: the estimate falls a round trip after the window, and after a timeout it starts from nothing."
    )
    return Drawn(
        [Lines("estimator", "The estimator's error by configuration", [panel])], {"errors": table}, compared, remark
    )
