"""Distributions: the share of rows with at most each value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...figures.charts import Axis, Line, Lines, Panel
from ...plot.palette import slots_for
from ...text.counts import counted
from .labels import by_value, equals, named, values_of
from .tables import QueryError

if TYPE_CHECKING:
    import polars as pl

#: Most steps of a line. Of more values each step drawn is exact, and the line is nowhere lower than the distribution by more than 1/400.
STEPS = 400


def distribution(rows: pl.LazyFrame, value: str, color: str, facet: str, lines: int, panels: int) -> Lines:
    """The empirical distribution of ``value``: of n rows k/n at the k-th value, and from there to the next.

    Rows without a value count among the n. At most so many ``lines`` and ``panels``.

    Raises:
        QueryError: there is no value, or too many lines or panels.
    """
    import polars as pl

    by = [key for key in dict.fromkeys([color, facet]) if key]
    column = pl.col(value).cast(pl.Float64).fill_nan(None)
    found = (
        rows.group_by(by or [pl.lit(0).alias("\0all")])
        .agg(pl.len().alias("\0rows"), column.drop_nulls().sort().alias("\0values"))
        .collect()
    )
    found = found.with_columns(pl.col("\0values").list.len().alias("\0count"))
    found = found.sort(by) if by else found
    if not len(found) or not found["\0count"].sum():
        raise QueryError(f"{value} has no value in any row")
    each = _each(rows)
    hues = values_of(found, color, lines, "color")
    ends = [found["\0values"].list.min().min(), found["\0values"].list.max().max()]
    across, factor = by_value(value, pl.Series(ends))
    room = 0.02 * (ends[1] - ends[0]) or 0.02 * abs(ends[1]) or 1.0
    ends = [ends[0] - room, ends[1] + room]
    across = replace(across, log=False, ticks=None, words=(), low=factor * ends[0], high=factor * ends[1])
    drawn = []
    for part in values_of(found, facet, panels, "facet"):
        curves = []
        for key, slot in zip(hues, slots_for(map(str, hues)), strict=True):
            one = found.filter(equals(facet, part) & equals(color, key))
            if not len(one) or not one["\0count"][0]:
                continue
            x, y = steps(one["\0values"][0].to_numpy(), int(one["\0rows"][0]))
            title = named(color, key)
            # A line rises from 0 at its first value, and goes on to the right at its last share.
            x, y = np.array([x[0], *x, ends[1]]), np.array([0.0, *y, y[-1]])
            curves.append(Line(title, factor * x, y, slot if title else "blue", step=True))
        drawn.append(Panel(named(facet, part), across, Axis(f"share of {each}s", low=0.0, high=1.02), curves))
    total, missing = int(found["\0rows"].sum()), int((found["\0rows"] - found["\0count"]).sum())
    told = f"; {counted(missing, each)} without one, so a line ends below 1" if missing else ""
    what = across.label.rpartition(" (")[0] or across.label
    return Lines("cdf", f"Share of the {counted(total, each)} whose {what} is at most so much{told}", drawn)


def _each(rows: pl.LazyFrame) -> str:
    """What a row is: of a dataset a run, or one of the flows of a run."""
    import polars as pl

    names = rows.collect_schema().names()
    if not {"point", "seed", "name"} <= set(names):
        return "row"
    return "run" if int(rows.select(pl.col("name").n_unique()).collect().item()) == 1 else "flow"


def steps(values: Any, rows: int) -> tuple[Any, Any]:
    """The places of a distribution's steps, and the share of the rows from each on; ``values`` are sorted.

    >>> [found.tolist() for found in steps(np.array([1.0, 2.0, 2.0, 5.0]), 4)]
    [[1.0, 2.0, 5.0], [0.25, 0.75, 1.0]]
    """
    x, counts = np.unique(values, return_counts=True)
    y = np.cumsum(counts) / rows
    if len(x) > STEPS:
        chosen = np.unique(np.searchsorted(y, y[-1] * np.arange(1, STEPS + 1) / STEPS - 1e-12).clip(max=len(x) - 1))
        chosen = np.unique([0, *chosen])
        x, y = x[chosen], y[chosen]
    return x, y
