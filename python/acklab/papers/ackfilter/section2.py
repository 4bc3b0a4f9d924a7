"""Section 2: static filtering, its model, and Figures 4 to 6 in numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...reproduce.grid import Grid
from ...reproduce.measure import Measurement
from .registry import PAPER
from .runs import FORWARD, LONG, SINGLE, SIZES, Recorded
from .setting import DELTAS, FORWARD_BPS, MODEL, PACKET
from .trace import Slow, T

LATE = (30, 100, 500)
"""Thresholds that filter only once the reverse link is full."""
PLATEAU_BPS = MODEL.acks_per_s * MODEL.d * 8 * PACKET


@PAPER.claim("queue", SINGLE)
def queue_of_a_burst(recorded: Recorded) -> Measurement:
    run = recorded["none"]
    bursts = range(1, 6)
    return Measurement(
        {
            "excess": {
                f"burst of {run.burst(n, run.arrivals)}": run.burst_queue(n)
                - MODEL.burst_queue(run.burst(n, run.arrivals))
                for n in bursts
            }
        }
    )


def first_round(run: Slow) -> int:
    """Round trip in which the first ACK is erased."""
    return int((run.onset - T / 2) / T)


@PAPER.claim("n0", SINGLE)
def start_of_filtering(recorded: Recorded) -> Measurement:
    late = {f"delta {d}": first_round(recorded[d]) - MODEL.first_filtered(d) for d in (1, 3, 30)}
    rounds = ", ".join(f"{first_round(recorded[d])} at delta {d}" for d in (1, 3, 30))
    return Measurement({"rounds": late}, f"first ACK erased in round trip {rounds}; the model has 1, 2.58, 5.91")


def rounds_of(run: Slow, last: int) -> Iterable[tuple[int, float, int]]:
    """Round trip, window at its end, ACKs that left in it."""
    for n in range(1, last + 1):
        yield n, float(run.cwnd((n + 1) * T)), run.burst(n, run.departures)


@PAPER.claim("N", SINGLE)
def model_against_simulation(recorded: Recorded) -> Measurement:
    found = list(rounds_of(recorded[1], 8))
    return Measurement(
        {
            "W": {f"n = {n}": w / MODEL.window(n, 1) for n, w, _ in found},
            "N": {f"n = {n}": acks / MODEL.acks(n, 1) for n, _, acks in found},
        },
        "later the finite forward rate lets more ACKs through than the model has (see the figure of the model)",
    )


@PAPER.claim("fig2_3", SINGLE)
def each_burst_has_one_more(recorded: Recorded) -> Measurement:
    acks = [n for _, _, n in rounds_of(recorded[1], 9)]
    return Measurement({"more": {f"n = {n + 1}": acks[n + 1] - acks[n] - 1 for n in range(8)}})


@PAPER.claim("fig4.slow", SINGLE)
def small_thresholds_grow_slower(recorded: Recorded) -> Measurement:
    at_2 = {d: float(recorded[d].cwnd(2.0)) for d in DELTAS}
    grid = np.arange(0.2, 1.5001, 0.01)
    windows = np.array([recorded[d].cwnd(grid) for d in LATE])
    spread = ((windows.max(axis=0) - windows.min(axis=0)) / windows.mean(axis=0)).max()
    return Measurement(
        {"window": {"1": at_2[1], "3": at_2[3], "rest": min(at_2[d] for d in LATE)}, "spread": float(spread)},
        "the rest are the thresholds from 30 on; 10 and 20, below the optimum, lie between: "
        + ", ".join(f"{at_2[d]:.0f} at {d}" for d in DELTAS),
    )


@PAPER.claim("fig4.grow", SINGLE)
def linear_growth(recorded: Recorded) -> Measurement:
    grid = np.arange(2.0, 3.0001, 0.01)
    slopes = {f"delta {d}": float(np.polyfit(grid, recorded[d].cwnd(grid), 1)[0]) for d in LATE}
    return Measurement({"slope": slopes}, "fitted from 2 to 3 s")


@PAPER.claim("fig5.sat", SINGLE)
def final_plateau(recorded: Recorded) -> Measurement:
    grid = np.arange(9.0, 10.0001, 0.01)
    rates = {f"delta {d}": float(recorded[d].throughput(grid).mean()) / 1e3 for d in DELTAS}
    return Measurement(
        {"plateau": rates},
        f"the forward link carries {FORWARD_BPS / 1e3:,.0f} kb/s; with the printed 1000 kb/s it would need 125 ACK/s, fewer than the "
        "312.5 the reverse link carries, so that no ACK would ever be filtered",
    )


@PAPER.claim("fig5.d30", SINGLE)
def reverse_link_full_with_more(recorded: Recorded) -> Measurement:
    return Measurement(
        {"time": {f"delta {d}": recorded[d].passes(0.95 * PLATEAU_BPS) for d in LATE}}, "95 % of the plateau"
    )


def plateau(run: Slow, level_bps: float = PLATEAU_BPS) -> tuple[float, float]:
    """From when to when the throughput is within 5 % of what the reverse link lets through."""
    return run.passes(0.95 * level_bps), run.passes(1.05 * level_bps)


@PAPER.claim("fig5.d1", SINGLE)
def intermediate_saturation_with_1(recorded: Recorded) -> Measurement:
    start, end = plateau(recorded[1])
    return Measurement({"time": start, "length": end - start})


@PAPER.claim("fig5.plateau", SINGLE)
def height_of_the_plateau(recorded: Recorded) -> Measurement:
    start, end = plateau(recorded[500])
    grid = np.arange(start + T, end - T, 0.01)
    return Measurement(
        {"rate": float(recorded[500].throughput(grid).mean()) / (8 * PACKET)}, f"delta 500, {start:.2f} to {end:.2f} s"
    )


@PAPER.claim("fig5.500", SINGLE)
def end_of_the_plateau(recorded: Recorded) -> Measurement:
    lengths = {str(d): plateau(recorded[d])[1] - plateau(recorded[d])[0] for d in LATE}
    resumes = plateau(recorded[500])[1]
    return Measurement(
        {"filtering": recorded[500].onset, "resumes": resumes, "length": lengths},
    )


@PAPER.claim("fig5.rtt", SINGLE)
def longest_round_trip(recorded: Recorded) -> Measurement:
    longest = {d: float(recorded[d].round_trips[1].max()) for d in (1, 3, 30, 100, 500)}
    ratios = {f"delta {d}": rtt / MODEL.rtt_limits(d)[1] for d, rtt in longest.items()}
    arriving = MODEL.growth * MODEL.acks_per_s
    told = ", ".join(
        f"{longest[d]:.3f} s at {d} (so computed: {MODEL.rtt_filtering(d, arriving):.3f})" for d in (100, 500)
    )
    return Measurement(
        {"ratio": ratios},
        "holds up to 30, where the link still falls idle between bursts; beyond, 625 ACK/s arrive without a pause as filtering starts, each "
        f"erases the oldest, and an ACK waits delta/625 s instead of delta/312.5 s: {told}. Round trips without what segments waited "
        "for the forward link",
    )


@PAPER.claim("fig6.order", SINGLE)
def best_threshold(recorded: Recorded) -> Measurement:
    acked = {d: float(recorded[d].acked(5.0)) for d in DELTAS}
    best = max(acked.values())
    return Measurement(
        {
            "argmax": min(d for d in DELTAS if acked[d] == best),
            "near": acked[30] / best,
            "acked": {str(d): acked[d] for d in (1, 3, 30, 100, 500)},
        },
        "acknowledged by 5 s: " + ", ".join(f"{acked[d]:.0f} at {d}" for d in DELTAS),
    )


@PAPER.claim("text.long_transfers", LONG)
def long_transfers(grid: Grid) -> Measurement:
    ample, finite = (grid.at(forward=f)["completion_s"] for f in FORWARD)
    names = grid.axes["filter"]
    one, optimum = names.index("1"), names.index("30")
    longest = [n for n in SIZES if n >= 10_000]
    crossing = next((n for n in SIZES if finite[one, SIZES.index(n)] <= finite[optimum, SIZES.index(n)]), None)
    cells = {
        f"{n // 1000} MB": {"1": float(finite[one, SIZES.index(n)]), "30": float(finite[optimum, SIZES.index(n)])}
        for n in longest
    }
    lead = ample[one, -1] - ample[optimum, -1]
    where = f"the smallest transfer that 1 finishes first has {crossing} kB" if crossing else "1 finishes none first"
    return Measurement(
        {"time": cells},
        f"with a forward buffer of {FORWARD[1]} packets, so that slow start ends; {where}. With section 2.4's, which is never full, slow "
        f"start never ends, both fill the forward link and 1 stays {lead:.2f} s behind for ever",
    )
