"""Section 3.4: all mechanisms side by side (Figures 7 and 8, Tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from .registry import PAPER
from .runs import READ, SURFACE, TIME
from .setting import MECHANISMS, RECOVERIES, SHORT, Setting, transfer

SMALL = tuple(range(5, 200, 10))
ALL = [SURFACE[recovery, mechanism] for recovery in RECOVERIES for mechanism in MECHANISMS]
ALTERNATIVES = tuple(m for m in MECHANISMS if m != "delayed")

# --- Figure 7


RENO = {m: SURFACE["reno", m] for m in MECHANISMS}


@PAPER.claim("fig7.order", RENO["every"], RENO["lbc"], RENO["delayed"])
def loss_free_order(every: Grid, lbc: Grid, delayed: Grid) -> Measurement:
    time = {
        name: surface.at(queue=22, segments=SMALL)[TIME]
        for name, surface in (("every", every), ("lbc", lbc), ("delayed", delayed))
    }
    cells = {f"size {n}": {name: float(t[i]) for name, t in time.items()} for i, n in enumerate(SMALL)}
    return Measurement({"each": cells, "median": {name: float(np.median(t)) for name, t in time.items()}})


@PAPER.claim("fig7.gap", RENO["every"], RENO["lbc"])
def gap_is_the_timer(every: Grid, lbc: Grid) -> Measurement:
    sizes = [n for n in SMALL if n < SHORT]
    gap = (lbc.at(queue=22, segments=sizes)[TIME] - every.at(queue=22, segments=sizes)[TIME]) / 0.1
    return Measurement({"gap": {f"size {n}": float(g) for n, g in zip(sizes, gap, strict=True)}})


def _two(mechanism: str, segments: int) -> str:
    return transfer("reno", mechanism, 22, segments, Setting(initial_window=2))


INITIAL_WINDOW_2 = Sweep(
    "initial window of 2",
    "short transfers that start with two segments",
    {"mechanism": ("every", "delayed", "lbc", "ubc"), "segments": SMALL},
    _two,
    READ,
)


@PAPER.claim("fig7.iw2", INITIAL_WINDOW_2)
def two_segments_at_first(grid: Grid) -> Measurement:
    every = grid.at(mechanism="every")[TIME]
    ratios = {m: grid.at(mechanism=m)[TIME] / every for m in ("lbc", "ubc")}
    return Measurement(
        {"ratio": {f"{m} {n}": float(r[i]) for m, r in ratios.items() for i, n in enumerate(SMALL)}},
        "with the last ACK as the end, the ratio of "
        f"5 segments is {_last_ack_ratio(grid):.2f}: half the sizes are odd and wait for a timer",
    )


def _last_ack_ratio(grid: Grid) -> float:
    lbc, every = (grid.at(mechanism=m, segments=5)["completion_s"] for m in ("lbc", "every"))
    return float(lbc / every)


# --- Figure 8


def occupancy(result: Any) -> dict[int, float]:
    """Share of the time that the gateway's queue held so many waiting packets, from the start to the end."""
    queue = pl.DataFrame(result.queue).filter(pl.col("link").cast(pl.String) == "G->R")
    held = (
        queue.with_columns(span=pl.col("time_s").shift(-1, fill_value=result.end_s) - pl.col("time_s"))
        .group_by("queue_packets")
        .agg(pl.col("span").sum())
    )
    spans = dict(zip(held["queue_packets"].to_list(), held["span"].to_list(), strict=True))
    spans[0] = spans.get(0, 0.0) + queue["time_s"][0]
    return {int(length): span / result.end_s for length, span in sorted(spans.items())}


def _recorded(effort: Effort) -> dict[Hashable, str]:
    return {m: records(transfer("reno", m, 22, 995), "queue") for m in MECHANISMS}


OCCUPANCY = Traces("queue length", "one long loss-free transfer, every change of the queue", _recorded, occupancy)
Shares = Mapping[Hashable, Mapping[int, float]]


@PAPER.claim("fig8.every", OCCUPANCY)
def twenty_dominates(shares: Shares) -> Measurement:
    most = max(shares["every"], key=lambda length: shares["every"][length])
    return Measurement({"mode": most}, f"{shares['every'][most] * 100:.0f} % of the time")


@PAPER.claim("fig8.delayed", OCCUPANCY)
def nineteen_and_twenty(shares: Shares) -> Measurement:
    both = {m: [100 * shares[m].get(length, 0.0) for length in (19, 20)] for m in MECHANISMS if m != "every"}
    return Measurement(
        {
            "together": {m: sum(pair) for m, pair in both.items()},
            "each": {
                f"{m} {length}": share for m, pair in both.items() for length, share in zip((19, 20), pair, strict=True)
            },
        },
        "of the whole transfer, the empty queue of its first round trips included",
    )


def mean_length(shares: Mapping[int, float]) -> float:
    """Mean of the lengths, by their shares."""
    return sum(length * share for length, share in shares.items()) / sum(shares.values())


@PAPER.claim("fig8.similar", OCCUPANCY)
def queues_alike(shares: Shares) -> Measurement:
    often = {m: max(shares[m], key=lambda length, m=m: shares[m][length]) for m in MECHANISMS}  # type: ignore[misc]
    means = {m: mean_length(shares[m]) for m in MECHANISMS}
    return Measurement(
        {"apart": max(often.values()) - min(often.values())},
        f"most frequent lengths {', '.join(f'{m} {v:g}' for m, v in often.items())}; means over the whole transfer, in which delayed ACKs fill "
        f"the queue later, {', '.join(f'{m} {v:.2f}' for m, v in means.items())}",
    )


# --- Tables 1 and 2


def improvement(delayed: Grid, mechanism: Grid, short: bool = False, time: str = TIME) -> Array:
    """Percent by which each transfer is faster than with delayed ACKs."""
    if short:
        delayed, mechanism = (grid.at(segments=lambda n: n <= SHORT) for grid in (delayed, mechanism))
    return np.asarray(100 * (delayed[time] - mechanism[time]) / delayed[time])


def _table(number: int, recovery: str, mechanism: str, short: bool) -> None:
    @PAPER.claim(
        f"table{number}.{mechanism}.{'short' if short else 'all'}",
        SURFACE[recovery, "delayed"],
        SURFACE[recovery, mechanism],
    )
    def median_improvement(delayed: Grid, alternative: Grid) -> Measurement:
        gains = improvement(delayed, alternative, short)
        low, high = np.percentile(gains, [25, 75])
        return Measurement(
            {"improvement": float(np.median(gains))},
            f"quartiles {low:.1f} and {high:.1f}, mean {gains.mean():.1f}, {(gains < 0).mean() * 100:.0f} % slower, of "
            f"{gains.size} transfers",
        )


for _number, _recovery in ((1, "reno"), (2, "sack")):
    for _mechanism in ALTERNATIVES:
        for _short in (False, True):
            _table(_number, _recovery, _mechanism, _short)


def medians(surfaces: Mapping[tuple[str, str], Grid], short: bool) -> dict[str, dict[str, float]]:
    """Median improvement by recovery and mechanism."""
    return {
        r: {m: float(np.median(improvement(surfaces[r, "delayed"], surfaces[r, m], short))) for m in ALTERNATIVES}
        for r in RECOVERIES
    }


@PAPER.claim("tables.order.all", *ALL)
def order_of_all(*surfaces: Grid) -> Measurement:
    return Measurement(medians(dict(zip(SURFACE, surfaces, strict=True)), short=False))


@PAPER.claim("tables.order.short", *ALL)
def order_of_short(*surfaces: Grid) -> Measurement:
    found = medians(dict(zip(SURFACE, surfaces, strict=True)), short=True)
    parts = {"reno": ("", "-alike", "-counting"), "sack": ("", "-alike")}
    return Measurement({recovery + part: found[recovery] for recovery, several in parts.items() for part in several})
