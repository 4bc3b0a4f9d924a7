"""Sections 5.1 and 5.2: Figures 3 to 7."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...report.charts import Axis, Chart, Line, Lines, Mark, Panel
from ...reproduce.experiments import Traces
from ...reproduce.grid import Array
from ...reproduce.measure import Measurement, Number
from ...reproduce.paper import Compared, Drawn
from .runs import EIGHT, FIG3, FIG5, FIG6, FIG7, FIG15, FIG17, Connection, Recorded
from .setting import PAPER, SCHEMES, SEGMENTS, bdp, one_zero, parking_lot, tcp_udp, two_two

Runs = Mapping[str, Recorded]
SMART = ("smart", "smart-paced", "extended")
FITTED = {"3": 61.0, "4": 27.0, "5": 68.0}
"""Percent of the file that the smartacking connection of each figure has delivered at its end."""

RATIOS = {
    ("3", "smart"): 61 / 29,
    ("4", "smart"): 27 / 23,
    ("4", "paced"): 22 / 23,
    ("4", "smart-paced"): 25 / 23,
    ("5", "smart"): 68 / 49,
}
"""The printed shares over NewReno's."""


def span(runs: Runs, figure: str) -> float:
    """A figure's end: when its smartacking connection has delivered what the paper prints."""
    return runs["smart"]["f1"].reaches(FITTED[figure], SEGMENTS)


def share(runs: Runs, figure: str, scheme: str) -> float:
    """Percent of the file delivered by the figure's end."""
    return runs[scheme]["f1"].share(span(runs, figure), SEGMENTS)


def delivered(runs: Runs, figure: str, scheme: str) -> Measurement:
    """The share, its ratio to NewReno's where the ledger asks for it, and the span it was read at."""
    parts: dict[str, Number] = {"share": share(runs, figure, scheme)}
    ratio = share(runs, figure, scheme) / share(runs, figure, "newreno")
    if scheme != "newreno":
        parts["ratio"] = abs(ratio / RATIOS[figure, scheme] - 1)
    return Measurement(parts)


def growth(c: Connection) -> list[float]:
    """Ratio of cwnd from one round trip to the next, from the end of the first stall to the first drop."""
    begin = float(c.acks[0]) + 0.05
    end = float(c.drops[0]) if len(c.drops) else begin + 1
    grid = np.arange(begin, end, 0.1)
    cwnd = c.cwnd[np.searchsorted(c.time, grid, side="right") - 1]
    return [float(b / a) for a, b in itertools.pairwise(cwnd)]


@PAPER.claim("fig3a.double", FIG3)
def grows_by_half(runs: Runs) -> Measurement:
    ratios = growth(runs["newreno"]["f1"])
    return Measurement({"growth": float(np.exp(np.mean(np.log(ratios))))})  # fmt: skip


def timeouts(c: Connection, until: float) -> int:
    """Retransmission timeouts up to an instant: cwnd falls to one segment."""
    seen = c.time < until
    ones = (c.cwnd[seen][1:] <= 1.0) & (c.cwnd[seen][:-1] > 1.0)
    return int(ones.sum())


@PAPER.claim("fig3a.rto", FIG3)
def one_timeout(runs: Runs) -> Measurement:
    return Measurement({"timeouts": timeouts(runs["newreno"]["f1"], span(runs, "3"))})


@PAPER.claim("fig3b.nostall", FIG3)
def no_stall(runs: Runs) -> Measurement:
    c, end = runs["smart"]["f1"], span(runs, "3")
    lost = c.drops[c.drops < end]
    return Measurement(
        {"timeouts": timeouts(c, end), "delay": 1000 * float(c.acks[0] - c.arrivals[0]), "drops": len(lost)},
    )


def full(run: Recorded, c: Connection, mbps: float, end: float, rtt: float = 0.1) -> list[tuple[float, float]]:
    """Half seconds in which the bottleneck never rested, outside slow start and repairs."""
    spans = []
    for begin in np.arange(1.0, end - 0.5, 0.5):
        near = c.drops[(c.drops > begin - 1.0) & (c.drops < begin + 0.5)]
        if run.utilisation(begin, begin + 0.5, mbps) > 0.985 and not len(near):
            spans.append((float(begin), float(begin + 0.5)))
    return spans


def middle(values: Sequence[float]) -> float:
    """The median; NaN for none."""
    return float(np.median(values)) if len(values) else float("nan")


@PAPER.claim("fig3b.oneack", FIG3)
def about_one_ack_a_window(runs: Runs) -> Measurement:
    run, end = runs["smart"], span(runs, "3")
    c, spans = run["f1"], full(run, run["f1"], 9, end)
    windows = [
        len(c.acks[(c.acks >= b) & (c.acks < e)]) / ((e - b) / (float(np.mean(c.on_grid(b, e)[1])) / 1125))
        for b, e in spans
    ]
    busy = run.utilisation(spans[0][0], end, 9) if spans else float("nan")
    return Measurement(
        {"acks": middle(windows), "utilisation": busy},
    )


@PAPER.claim("fig3b.slowcwnd", FIG3)
def window_grows_slowly(runs: Runs) -> Measurement:
    c, spans = runs["smart"]["f1"], full(runs["smart"], runs["smart"]["f1"], 9, span(runs, "3"))
    before = c.slope(0.2, spans[0][0]) if spans else float("nan")
    return Measurement({"growth": {"before": before, "full": middle([c.slope(*s) for s in spans])}})


@PAPER.claim("fig4.reverse", FIG6, FIG3)
def fewer_acks_more_data(runs: Runs, nine: Runs) -> Measurement:
    gains = {
        "five": share(runs, "4", "smart") / share(runs, "4", "newreno"),
        "nine": share(nine, "3", "smart") / share(nine, "3", "newreno"),
    }
    acks = {s: runs[s]["f1"].ack_share(0, float("inf")) for s in ("smart", "newreno")}
    return Measurement(
        {"acks": acks["smart"], "share": {s: share(runs, "4", s) for s in ("smart", "newreno")}, "gain": gains},
    )


@PAPER.claim("fig4.pacing", FIG6)
def pacing_costs_a_little(runs: Runs) -> Measurement:
    values: dict[str, Number] = {s: share(runs, "4", s) for s in ("smart", "smart-paced", "newreno", "paced")}
    return Measurement({"share": values})


@PAPER.claim("fig5.stalls", FIG5)
def stalls(runs: Runs) -> Measurement:
    end = span(runs, "5")
    found = {}
    for scheme, run in runs.items():
        c = run["f1"]
        found[scheme] = int(c.acks[0] - c.arrivals[0] >= 0.15) + timeouts(c, end)
    return Measurement({"newreno": found["newreno"], "smart": found["smart"]})


def stretches(c: Connection) -> list[tuple[Array, Array]]:
    """Time and cwnd, every 10 ms, of each stretch of congestion avoidance without a drop, the longest first."""
    marks = [1.0, *[float(t) for t in c.drops if t > 1.0], float(c.time[-1])]
    found = []
    for begin, end in itertools.pairwise(marks):
        grid, cwnd, _ = c.on_grid(begin, end)
        if len(grid) < 100:
            continue
        # From its lowest point after the repair on, and without slow start.
        start = int(np.argmin(cwnd[: max(1, len(cwnd) // 2)]))
        grid, cwnd = grid[start:], cwnd[start:]
        steep = np.diff(cwnd[::20]) > 4
        if steep.any():
            skip = 20 * (int(np.nonzero(steep)[0].max()) + 2)
            grid, cwnd = grid[skip:], cwnd[skip:]
        if len(grid) > 100:
            found.append((grid, cwnd))
    return sorted(found, key=lambda s: -len(s[0]))


def halves(c: Connection, at: float, most: int | None = None) -> tuple[float, float]:
    """Growth a round trip below and above a window of ``at`` segments, over the longest stretches, weighed by their length."""
    slopes: tuple[list[float], list[float]] = ([], [])
    weights: tuple[list[int], list[int]] = ([], [])
    for grid, cwnd in stretches(c)[:most]:
        for side, part in enumerate((cwnd < at, cwnd >= at)):
            if part.sum() >= 50:
                slopes[side].append(c.slope(float(grid[part][0]), float(grid[part][-1])))
                weights[side].append(int(part.sum()))
    lower, upper = (
        float(np.average(s, weights=w)) if s else float("nan") for s, w in zip(slopes, weights, strict=True)
    )
    return lower, upper


@PAPER.claim("fig6.linear", FIG6)
def others_grow_alike(runs: Runs) -> Measurement:
    ratios: dict[str, Number] = {}
    for s in ("newreno", "paced", "every", "abc", "acc"):
        c = runs[s]["f1"]
        found = stretches(c)
        lower, upper = (
            halves(c, float((found[0][1].min() + found[0][1].max()) / 2), 1) if found else (float("nan"), float("nan"))
        )
        ratios[s] = upper / lower
    return Measurement({"ratio": ratios})


@PAPER.claim("fig6.flat", FIG6)
def smart_grows_less_when_full(runs: Runs) -> Measurement:
    ratios: dict[str, Number] = {}
    for s in SMART:
        lower, upper = halves(runs[s]["f1"], bdp(5, 0.1) * 1.06)
        ratios[s] = upper / lower
    return Measurement({"ratio": ratios})


ROUND_S = 0.1
"""Of 1-0."""


@PAPER.claim("fig6.full", FIG6)
def the_link_stays_full(runs: Runs) -> Measurement:
    def length(scheme: str) -> float:
        run = runs[scheme]
        begins = np.arange(1.0, float(run["f1"].time[-1]) - ROUND_S, ROUND_S)
        busy = itertools.groupby(run.utilisation(b, b + ROUND_S, 5) > 0.985 for b in begins)
        lengths = [ROUND_S * len(list(group)) for full, group in busy if full]
        return float(np.mean(lengths)) if lengths else 0.0

    plain, paced = ("newreno", "smart", "extended"), ("paced", "smart-paced")
    return Measurement({"plain": {s: length(s) for s in plain}, "paced": {s: length(s) for s in paced}})


@PAPER.claim("fig6.est", FIG6)
def estimate_is_near(runs: Runs) -> Measurement:
    error = {s: float(runs[s]["f1"].errors().mean()) for s in EIGHT}
    return Measurement({"error": error})  # fmt: skip


@PAPER.claim("fig7.est", FIG7)
def estimate_is_near_among_four(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    errors = {f"{s} at {c}": float(run["f1"].errors().mean()) for (c, s), run in runs.items()}
    return Measurement({"error": errors})  # fmt: skip


@PAPER.claim("fig7.smooth", FIG7)
def pacing_smooths(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    def spread(c: int, s: str) -> float:
        connection = runs[c, s]["f1"]
        spans = full(runs[c, s], connection, c, float(connection.time[-1]), 0.06)
        if not spans:
            return float("nan")
        cwnd = np.concatenate([connection.on_grid(*span)[1] for span in spans])
        return float(cwnd.std() / cwnd.mean())

    return Measurement({"spread": {f"{c} Mb/s": {s: spread(c, s) for s in ("smart", "smart-paced")} for c in (8, 4)}})


# --- The percentages of Figures 3 to 5


def percentage(figure: str, scheme: str, name: str, of: Traces) -> None:
    """Registers the claim on a printed share of the file."""
    PAPER.claim(f"fig{name}.pct", of)(lambda runs: delivered(runs, figure, scheme))


percentage("3", "newreno", "3a", FIG3)
percentage("3", "smart", "3b", FIG3)
percentage("4", "newreno", "4a", FIG6)
percentage("4", "smart", "4b", FIG6)
percentage("4", "paced", "4c", FIG6)
percentage("4", "smart-paced", "4d", FIG6)
percentage("5", "newreno", "5a", FIG5)
percentage("5", "smart", "5b", FIG5)


# --- Figures 3 to 7, 15 and 17: timelines, and windows beside their estimates


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


def errors(runs: Mapping[str, Recorded]) -> pl.DataFrame:
    """The estimator's error by configuration."""
    rows = []
    for name, run in runs.items():
        for flow, c in run.connections.items():
            found = c.errors()
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
