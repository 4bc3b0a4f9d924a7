"""What the ledgers of later work (2018 to 2026) share: scenarios as text, samples over seeds, and their spread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from acklab.reproduce.grid import Grid
from acklab.study.intervals import Sample, jackknife

LEVEL = 0.95
"""Of the intervals that figures draw; a claim's verdict has its own."""


def text(scenario: Mapping[str, Any]) -> str:
    """As one line of JSON."""
    return json.dumps(scenario, separators=(",", ":"))


def sample(grid: Grid, column: str, **cell: Any) -> Sample:
    """A quantity of one cell, one value for each seed."""
    return Sample.of(grid.at(**cell)[column].tolist())


def gain(grid: Grid, column: str, by: Mapping[str, Any], over: Mapping[str, Any], **cell: Any) -> Sample:
    """How much one mean exceeds another, in percent: one pseudo-value a seed."""
    upper, lower = grid.at(**cell, **by)[column], grid.at(**cell, **over)[column]
    return jackknife(len(upper), lambda seeds: float(100 * (upper[seeds].mean() / lower[seeds].mean() - 1)))


def spread(one: Sample) -> float:
    """Half the length of the interval."""
    return one.interval(LEVEL).half_width


def told(one: Sample, units: str = "") -> str:
    """An estimate with its interval, for a table."""
    interval = one.interval(LEVEL)
    return f"{one.value:.3g} ({interval.low:.3g} to {interval.high:.3g}) {units}".rstrip()
