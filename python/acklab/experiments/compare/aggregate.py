"""Aggregates of a table's rows: sum, mean, min, max and percentiles."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

#: Every aggregate by name, with its meaning.
NAMES = {
    "sum": "the values of all rows, added up",
    "mean": "the sum over the number of rows; every row counts the same",
    "min": "the least value",
    "max": "the largest value",
    "pN": "the N-th percentile: the least value that N % of the rows do not exceed (p50, p99, p99.9)",
}
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")


def known(name: str) -> bool:
    """Whether there is such an aggregate."""
    return name in NAMES.keys() - {"pN"} or (_PERCENTILE.fullmatch(name) is not None and float(name[1:]) > 0)


def aggregate(name: str, values: Sequence[float]) -> float:
    """The aggregate of some rows' values; NaN of none, and NaN where it depends on a value that is missing (NaN) or not
    known to be finite (infinity).

    >>> aggregate("p50", [3.0, 1.0, 2.0, math.inf]), aggregate("mean", [1.0, 2.0, math.inf])
    (2.0, nan)
    """
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    found = _aggregate(name, values)
    return found if math.isfinite(found) else math.nan


def _aggregate(name: str, values: Sequence[float]) -> float:
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name.startswith("p"):
        rank = math.ceil(round(float(name[1:]) * len(values) / 100, 9))
        return sorted(values)[max(rank, 1) - 1]
    total = math.fsum(values)
    return total / len(values) if name == "mean" else total
