"""Cells as words: a mean over the seeds with half its 95 % interval."""

from __future__ import annotations

import math
from typing import Any

from acklab.reproduce.grid import Grid
from acklab.study.intervals import Sample


def sample(grid: Grid, column: str, **at: Any) -> Sample:
    """One cell's values over the seeds."""
    return Sample.of(grid.at(**at)[column].tolist())


def spread(one: Sample) -> tuple[float, float]:
    """A 95 % interval; a single value is its own."""
    if len(set(one.values)) == 1:
        return one.value, one.value
    interval = one.interval(0.95)
    return interval.low, interval.high


def told(one: Sample) -> str:
    """The mean, and half its interval unless the digits shown hide it."""
    if math.isnan(one.value):
        return "-"
    low, high = spread(one)
    half = (high - low) / 2
    if one.value == half == 0:
        return "0"
    places = 3 if abs(one.value) < 1 else 2 if abs(one.value) < 10 else 1 if abs(one.value) < 100 else 0
    shown = f"{one.value:.{places}f}"
    return f"{shown} ± {half:.{places}f}" if half >= 0.5 * 10**-places else shown
