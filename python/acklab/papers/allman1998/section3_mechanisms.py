"""Section 3.3: delayed ACKs after slow start, unlimited and limited byte counting (Figures 4, 5 and 6)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ..trace import Transfer
from .registry import PAPER
from .runs import SURFACE, TIME, every_fourth, traces
from .section3_baseline import LARGER
from .setting import transfer

# --- 3.3.1 delayed ACKs after slow start


@PAPER.claim("fig4a", SURFACE["reno", "daass"], SURFACE["reno", "every"])
def daass_resembles_every(daass: Grid, every: Grid) -> Measurement:
    correlation = float(np.corrcoef(daass[TIME].ravel(), every[TIME].ravel())[0, 1])
    return Measurement({"correlation": correlation})


def median_time(surface: Grid, queue: int, sizes: tuple[int, ...] = LARGER) -> float:
    """Median over the sizes."""
    return float(np.median(surface.at(queue=queue, segments=sizes)[TIME]))


@PAPER.claim("fig4b.q8", SURFACE["sack", "daass"])
def daass_rises_at_8(surface: Grid) -> Measurement:
    return Measurement({"time": {str(q): median_time(surface, q) for q in (8, 9)}})


DAASS_RECOVERY = traces(
    "DAASS at 5",
    "large SACK transfers with DAASS through a queue of 5, packet by packet",
    {n: transfer("sack", "daass", 5, n) for n in LARGER},
    lambda result: Transfer(result).lost_in_recovery(),
    quick=every_fourth,
)


@PAPER.claim("fig4b.q5", SURFACE["sack", "daass"], DAASS_RECOVERY)
def daass_rises_at_5(surface: Grid, lost: Mapping[Hashable, int]) -> Measurement:
    return Measurement(
        {
            "time": {str(q): median_time(surface, q) for q in (5, 6)},
            "lost": {f"size {n}": count for n, count in lost.items()},
        }
    )


# --- 3.3.2 unlimited byte counting


def roughness(surface: Grid) -> float:
    """Mean second difference of the time over the queue's size, as a share of the median; mean over sizes."""
    time = surface[TIME]
    bends: Array = np.abs(time[2:] - 2 * time[1:-1] + time[:-2]).mean(axis=0)
    return float((bends / np.median(time, axis=0)).mean())


@PAPER.claim("fig5a", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"], SURFACE["reno", "delayed"])
def ubc_is_rough(ubc: Grid, lbc: Grid, delayed: Grid) -> Measurement:
    rough = [roughness(surface) for surface in (ubc, lbc, delayed)]
    return Measurement(
        {"ratio": rough[0] / rough[1]},
        f"roughness {rough[0]:.4f} with UBC, {rough[1]:.4f} with LBC, {rough[2]:.4f} with delayed ACKs",
    )


@PAPER.claim("fig5a.loss", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"])
def ubc_loses_more(ubc: Grid, lbc: Grid) -> Measurement:
    return Measurement({"drops": {"ubc": float(ubc["drops"].sum()), "lbc": float(lbc["drops"].sum())}})


@PAPER.claim("fig5b", SURFACE["reno", "ubc"], SURFACE["sack", "ubc"])
def ubc_is_smooth_with_sack(reno: Grid, sack: Grid) -> Measurement:
    return Measurement({"ratio": roughness(reno) / roughness(sack)})


# --- 3.3.3 limited byte counting


@PAPER.claim("fig6.smooth", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"])
def limit_helps(ubc: Grid, lbc: Grid) -> Measurement:
    hit = (ubc["drops"] > 0) | (lbc["drops"] > 0)
    return Measurement({"time": {"ubc": float(np.median(ubc[TIME][hit])), "lbc": float(np.median(lbc[TIME][hit]))}})


def repeats(result: Any) -> tuple[int, float]:
    """Second fast retransmits within a window, and from the last of them to the timeout."""
    trace = Transfer(result)
    pairs = trace.repeated_fast_retransmits()
    if not pairs:
        return 0, 0.0
    idle = [t.time_s - pairs[0][1].time_s for t in trace.timeouts if t.time_s > pairs[0][1].time_s]
    return len(pairs), min(idle, default=0.0)


LBC_RECOVERY = traces(
    "LBC recovery",
    "large Reno transfers with LBC through queues of 4 to 10, packet by packet",
    {(q, n): transfer("reno", "lbc", q, n) for q in range(4, 11) for n in LARGER},
    repeats,
    quick=lambda key: every_fourth(key[1]),
)

Repeats = Mapping[tuple[int, int], tuple[int, float]]


def share_repeating(found: Repeats, queue: int) -> float:
    """Share of sizes with a second fast retransmit in one window."""
    return float(np.mean([count > 0 for (q, _), (count, _) in found.items() if q == queue]))


def idle(found: Repeats) -> str:
    """How long senders wait for the timer after a second fast retransmit."""
    waits = [wait for (q, _), (_, wait) in found.items() if q in (7, 8, 9) and wait > 0]
    return f"median wait for the timer {np.median(waits):.2f} s" if waits else "no such wait"


@PAPER.claim("fig6.q7_9", LBC_RECOVERY, SURFACE["reno", "lbc"])
def second_fast_retransmit(found: Repeats, surface: Grid) -> Measurement:
    times = ", ".join(f"{median_time(surface, q):.2f}" for q in range(6, 12))
    return Measurement(
        {"share": {f"at {q}": share_repeating(found, q) for q in (7, 8, 9)}},
        f"{idle(found)}; median times at 6 to 11: {times} s",
    )


@PAPER.claim("fig6.q6", LBC_RECOVERY)
def no_second_below_7(found: Repeats) -> Measurement:
    return Measurement({"share": {f"at {q}": share_repeating(found, q) for q in (4, 5, 6)}})


@PAPER.claim("fig6.q10", SURFACE["reno", "lbc"], LBC_RECOVERY)
def faster_at_10(surface: Grid, found: Repeats) -> Measurement:
    return Measurement(
        {"time": {str(q): median_time(surface, q) for q in (7, 8, 9, 10)}},
        f"share of sizes with a second fast retransmit at 10: {share_repeating(found, 10):.2f}",
    )


@PAPER.claim("fig6.sack", SURFACE["sack", "ubc"], SURFACE["sack", "lbc"])
def limit_changes_nothing_with_sack(ubc: Grid, lbc: Grid) -> Measurement:
    return Measurement({"share": float((ubc[TIME] == lbc[TIME]).mean())})
