"""Section 5.1: what single connections do (Figures 3 to 7)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from ...reproduce.grid import Array
from ...reproduce.measure import Measurement, Number
from .recorded import Connection, Recorded
from .registry import PAPER
from .runs import EIGHT, FIG3, FIG5, FIG6, FIG7, FIXED
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


@PAPER.claim("check.timeline_span")
def least_spans() -> Measurement:
    least = {name: p / 100 * SEGMENTS * 0.008 / c for name, p, c in
             (("fig3b", 61, 9), ("fig4b", 27, 5), ("fig5b", 68, 20), ("fig5b-edge", 68, 10), ("fig3a", 29, 9),
              ("fig4a", 23, 5), ("fig4c", 22, 5), ("fig4d", 25, 5), ("fig5a", 49, 20), ("fig5a-edge", 49, 10))}  # fmt: skip
    return Measurement(least)


@PAPER.claim("fig3a.stall1", FIG3)
def first_ack_waits(runs: Runs) -> Measurement:
    c = runs["newreno"]["f1"]
    return Measurement({"delay": 1000 * float(c.acks[0] - c.arrivals[0])})


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


@PAPER.claim("check.growth", FIG3)
def not_doubling(runs: Runs) -> Measurement:
    ratios = growth(runs["newreno"]["f1"])
    return Measurement({"growth": float(np.exp(np.mean(np.log(ratios))))})


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


@PAPER.claim("fig3b.oneack", FIG3, beside=[FIXED])
def about_one_ack_a_window(runs: Runs, fixed: Runs) -> Measurement:
    counts, told = {}, {}
    for scheme, run in (("smart", runs["smart"]), ("smart-paced", runs["smart-paced"]), ("fixed", fixed["fixed"])):
        c = run["f1"]
        spans = full(run, c, 9, float(c.time[-1]))
        cwnd = [float(np.mean(c.on_grid(b, e)[1])) for b, e in spans]
        windows = [
            len(c.acks[(c.acks >= b) & (c.acks < e)]) / ((e - b) / (w / 1125))
            for (b, e), w in zip(spans, cwnd, strict=True)
        ]
        counts[scheme] = (middle(windows), min(windows, default=float("nan")), spans)
        told[scheme] = [
            f"{n:.1f} ({w / (w - bdp(9, 0.1)):.1f})"
            for n, w in zip(windows[:2] + windows[-2:], cwnd[:2] + cwnd[-2:], strict=True)
        ]
    spans = counts["smart"][2]
    busy = runs["smart"].utilisation(spans[0][0], spans[-1][1], 9) if spans else float("nan")
    c = runs["smart"]["f1"]
    late = float(c.time[-1]) - 1.0
    return Measurement(
        {"acks": counts["smart"][0], "utilisation": runs["smart"].utilisation(late, late + 0.9, 9)},
        f"over {len(spans)} half seconds of a full link; least {counts['smart'][1]:.1f}, and with pacing {counts['smart-paced'][0]:.1f} "
        f"(use from the first to the last of these spans {busy:.3f}). It follows from the paper's own formula: a delay of "
        f"W ISAT - RTT comes to W/(W - BDP) ACKs a window of W. Measured (and so expected) in the first and last two of the half seconds: {told['smart']}, with pacing {told['smart-paced']}. "
        "If the sender's edge is much faster than the link, W is at most 1.5 products (half a product of room), so there are three or more. Slower edges "
        f"spread what an ACK lets go, and W may be larger. That keep-alives wait in the queue is not the cause: with the round trip fixed at the first the median is {counts['fixed'][0]:.1f}",
    )


@PAPER.claim("fig3b.slowcwnd", FIG3)
def window_grows_slowly(runs: Runs) -> Measurement:
    def grown(scheme: str) -> list[float]:
        c = runs[scheme]["f1"]
        return [c.slope(*s) for s in full(runs[scheme], c, 9, float(c.time[-1]))]

    smart, n = grown("smart"), runs["newreno"]["f1"]
    end = float(n.time[-1])
    newreno = middle([n.slope(b, b + 1.0) for b in np.arange(end - 8, end - 1.5, 1.0)])
    return Measurement(
        {"growth": {"smart": middle(smart), "newreno": newreno}},
        f"median of {len(smart)} half seconds of a full link, {middle(smart) / newreno:.2f} of NewReno's; with pacing {middle(grown('smart-paced')):.2f}. Growth is "
        "an ACK's worth for each ACK, a segment while slow start lasts, and there are more ACKs than one a window, for the reason that claim fig3b.oneack gives",
    )


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


AFTER_TIMEOUTS = (
    "What remains far off follows a timeout: the sender halves ssthresh twice, at the fast retransmit and at the timeout, the receiver "
    "sees one loss, so it takes the slow start that follows for a longer one"
)


@PAPER.claim("fig6.est", FIG6)
def estimate_is_near(runs: Runs) -> Measurement:
    error = {s: float(runs[s]["f1"].errors(clear_s=0.2).mean()) for s in EIGHT}
    everything = {s: round(float(runs[s]["f1"].errors().mean()), 3) for s in EIGHT}
    middle = {s: round(float(np.median(runs[s]["f1"].errors())), 3) for s in EIGHT}
    return Measurement({"error": error}, "every 10 ms from the first second on, without losses until two round trips after their "
                       f"repair; with them {everything}, medians {middle}. {AFTER_TIMEOUTS}")  # fmt: skip


@PAPER.claim("fig7.est", FIG7)
def estimate_is_near_among_four(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    errors = {f"{s} at {c}": float(run["f1"].errors().mean()) for (c, s), run in runs.items()}
    clear = {f"{s} at {c}": round(float(run["f1"].errors(clear_s=0.12).mean()), 3) for (c, s), run in runs.items()}
    middle = {f"{s} at {c}": round(float(np.median(run["f1"].errors())), 3) for (c, s), run in runs.items()}
    return Measurement({"error": errors}, f"losses included, every 10 ms from the first second on; without them, until two round trips after "
                       f"their repair, {clear}; medians {middle}. {AFTER_TIMEOUTS}")  # fmt: skip


@PAPER.claim("fig7.smooth", FIG7)
def pacing_smooths(runs: Mapping[tuple[int, str], Recorded]) -> Measurement:
    def spread(c: int, s: str) -> float:
        connection = runs[c, s]["f1"]
        _, cwnd, _ = connection.on_grid(2.0, float(connection.time[-1]))
        return float(cwnd.std() / cwnd.mean())

    return Measurement({"spread": {f"{c} Mb/s": {s: spread(c, s) for s in ("smart", "smart-paced")} for c in (8, 4)}})
