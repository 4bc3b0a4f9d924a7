"""Section 3: delayed filtering of a single connection, and Figures 7 to 9 in numbers."""

from __future__ import annotations

import numpy as np

from ...reproduce.measure import Measurement
from .registry import PAPER
from .runs import SINGLE, Recorded

GRID = np.arange(3.0, 10.0001, 0.05)


@PAPER.claim("fig7.good", SINGLE)
def delayed_against_the_best_threshold(recorded: Recorded) -> Measurement:
    ratio = recorded["delayed"].acked(GRID) / recorded[30].acked(GRID)
    return Measurement(
        {"least": float(ratio.min()), "end": float(ratio[-1])},
        f"acknowledged by 5 s: {recorded['delayed'].acked(5.0):.0f} against {recorded[30].acked(5.0):.0f}",
    )


@PAPER.claim("presence", SINGLE)
def presence_rate(recorded: Recorded) -> Measurement:
    ratio = recorded["presence"].acked(GRID) / recorded["delayed"].acked(GRID)
    return Measurement(
        {"least": float(ratio.min())},
        "weighted by time; the listing as printed adds up events",
    )


@PAPER.claim("fig9.same", SINGLE)
def same_onset(recorded: Recorded) -> Measurement:
    static, delayed = recorded[30].onset, recorded["delayed"].onset
    return Measurement(
        {"apart": delayed - static}, f"{static:.2f} s with delta = 30, {delayed:.2f} s with delayed filtering"
    )
