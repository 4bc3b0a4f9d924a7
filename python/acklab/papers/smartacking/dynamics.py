"""Section 5.1: what single connections do (Figures 3 to 7)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from ...reproduce.grid import Array
from ...reproduce.measure import Measurement, Number
from .recorded import Connection, Recorded
from .registry import PAPER
from .runs import EIGHT, FIG3, FIG5, FIG6, FIG7
from .setting import SEGMENTS, bdp

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
    told = f"{ratio:.2f} times NewReno's, at {span(runs, figure):.2f} s, {span(runs, figure) / 14:.3f} s a band, fitted to smartacking's {FITTED[figure]:.0f} %"
    return Measurement(parts, told)


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
    return Measurement({"growth": float(np.exp(np.mean(np.log(ratios))))}, f"over {len(ratios)} round trips, {min(ratios):.2f} to {max(ratios):.2f}")  # fmt: skip


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
        f"drops at {', '.join(f'{t:.2f}' for t in lost)} s" if len(lost) else "",
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
        f"over {len(spans)} half seconds of a full link until {end:.2f} s",
    )


@PAPER.claim("fig3b.slowcwnd", FIG3)
def window_grows_slowly(runs: Runs) -> Measurement:
    c, spans = runs["smart"]["f1"], full(runs["smart"], runs["smart"]["f1"], 9, span(runs, "3"))
    before = c.slope(0.2, spans[0][0]) if spans else float("nan")
    return Measurement({"growth": {"before": before, "full": middle([c.slope(*s) for s in spans])}})


@PAPER.claim("fig4.reverse", FIG6, FIG3)
def fewer_acks_more_data(runs: Runs, nine: Runs) -> Measurement:
    end = span(runs, "4")
    gains = {
        "five": share(runs, "4", "smart") / share(runs, "4", "newreno"),
        "nine": share(nine, "3", "smart") / share(nine, "3", "newreno"),
    }
    acks = {s: runs[s]["f1"].ack_share(0, float("inf")) for s in ("smart", "newreno")}
    return Measurement(
        {"acks": acks["smart"], "share": {s: share(runs, "4", s) for s in ("smart", "newreno")}, "gain": gains},
        f"over the whole file; NewReno {acks['newreno']:.2f}; by {end:.1f} s smartacking {runs['smart']['f1'].ack_share(0, end):.2f}",
    )


@PAPER.claim("fig4.pacing", FIG6)
def pacing_costs_a_little(runs: Runs) -> Measurement:
    values: dict[str, Number] = {s: share(runs, "4", s) for s in ("smart", "smart-paced", "newreno", "paced")}
    return Measurement({"share": values}, f"by {span(runs, '4'):.2f} s")


@PAPER.claim("fig5.stalls", FIG5)
def stalls(runs: Runs) -> Measurement:
    end = span(runs, "5")
    found = {}
    for scheme, run in runs.items():
        c = run["f1"]
        found[scheme] = int(c.acks[0] - c.arrivals[0] >= 0.15) + timeouts(c, end)
    return Measurement({"newreno": found["newreno"], "smart": found["smart"]}, f"by {end:.2f} s")


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
    return Measurement(
        {"ratio": ratios}, "segments a round trip in the upper over the lower half of the longest sawtooth"
    )


@PAPER.claim("fig6.flat", FIG6)
def smart_grows_less_when_full(runs: Runs) -> Measurement:
    ratios: dict[str, Number] = {}
    told = []
    for s in SMART:
        lower, upper = halves(runs[s]["f1"], bdp(5, 0.1) * 1.06)
        ratios[s] = upper / lower
        told.append(f"{s} {lower:.2f} and {upper:.2f}")
    return Measurement(
        {"ratio": ratios},
        f"segments a round trip below and above a window of one bandwidth-delay product and what an ACK's delay takes: {', '.join(told)}",
    )


@PAPER.claim("fig6.full", FIG6)
def the_link_stays_full(runs: Runs) -> Measurement:
    def share(scheme: str) -> float:
        begins = np.arange(1.0, float(runs[scheme]["f1"].time[-1]) - 0.5, 0.5)
        return float(np.mean([runs[scheme].utilisation(b, b + 0.5, 5) > 0.985 for b in begins]))

    plain, paced = ("newreno", "smart", "extended"), ("paced", "smart-paced")
    return Measurement({"plain": {s: share(s) for s in plain}, "paced": {s: share(s) for s in paced}})


@PAPER.claim("fig6.est", FIG6)
def estimate_is_near(runs: Runs) -> Measurement:
    error = {s: float(runs[s]["f1"].errors(clear_s=0.2).mean()) for s in EIGHT}
    everything = {s: round(float(runs[s]["f1"].errors().mean()), 3) for s in EIGHT}
    middle = {s: round(float(np.median(runs[s]["f1"].errors())), 3) for s in EIGHT}
    return Measurement({"error": error}, "every 10 ms from the first second on, without losses until two round trips after their "
                       f"repair; with them {everything}, medians {middle}")  # fmt: skip


@PAPER.claim("fig7.est", FIG7)
def estimate_is_near_among_four(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    errors = {f"{s} at {c}": float(run["f1"].errors().mean()) for (c, s), run in runs.items()}
    clear = {f"{s} at {c}": round(float(run["f1"].errors(clear_s=0.12).mean()), 3) for (c, s), run in runs.items()}
    middle = {f"{s} at {c}": round(float(np.median(run["f1"].errors())), 3) for (c, s), run in runs.items()}
    return Measurement({"error": errors}, f"losses included, every 10 ms from the first second on; without them, until two round trips after "
                       f"their repair, {clear}; medians {middle}")  # fmt: skip


@PAPER.claim("fig7.smooth", FIG7)
def pacing_smooths(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    def spread(c: int, s: str) -> float:
        connection = runs[c, s]["f1"]
        _, cwnd, _ = connection.on_grid(2.0, float(connection.time[-1]))
        return float(cwnd.std() / cwnd.mean())

    return Measurement({"spread": {f"{c} Mb/s": {s: spread(c, s) for s in ("smart", "smart-paced")} for c in (8, 4)}})
