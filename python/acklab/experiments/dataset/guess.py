"""Axes for a chart of which none were asked for: what varied along the bottom, how long it took up the side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .query import QueryError

if TYPE_CHECKING:
    import polars as pl

#: What is measured, the first that every row has; and over time, by what.
MEASURED = ("completion_s", "goodput_bps", "bytes", "cwnd_segments", "queue_packets")
NAMES = ("flow", "link")
#: Most lines, and most panels.
MOST_LINES, MOST_PANELS = 9, 6


def guess(tables: Mapping[str, Any]) -> dict[str, str]:
    """Names of columns for ``x``, ``y``, ``color`` and ``facet``, and of the ``table``.

    A dataset has its varied key of most numbers along the bottom, the others as lines and panels. Other tables are drawn over time.

    Raises:
        QueryError: nothing suggests itself; the message lists the columns.
    """
    import polars as pl

    for table, data in sorted(tables.items(), key=lambda one: one[0] != "series"):
        rows = pl.scan_pyarrow_dataset(data)
        schema = rows.collect_schema()
        names = schema.names()
        if "point" in names and "seed" in names:
            found = _varied(rows, schema, names[names.index("point") + 1 : names.index("seed")])
        elif "time_s" in names:
            found = {"x": "time_s", "color": next((name for name in NAMES if name in names), "")}
        else:
            continue
        measured = _measured(rows, schema, found)
        if "x" in found and measured:
            return {**found, "y": measured, "table": table}
    told = "; ".join(f"{table}: {_listed(pl.scan_pyarrow_dataset(data).collect_schema())}" for table, data in tables.items())
    raise QueryError(f"nothing says what to draw; give --x and --y, or --kind cdf and --x. Columns of numbers of each --table: {told}")


def _varied(rows: pl.LazyFrame, schema: pl.Schema, axes: list[str]) -> dict[str, str]:
    import polars as pl

    counts = rows.select(pl.col(axis).n_unique() for axis in axes).collect().row(0, named=True) if axes else {}
    several = [axis for axis in axes if counts[axis] > 1]
    numbers = [axis for axis in several if schema[axis].is_numeric()]
    if not numbers:
        return {}
    x = max(numbers, key=lambda axis: int(counts[axis]))
    found = {"x": x}
    for key, most in (("color", MOST_LINES), ("facet", MOST_PANELS)):
        rest = [axis for axis in several if axis not in found.values() and counts[axis] <= most]
        if rest:
            found[key] = max(rest, key=lambda axis: int(counts[axis]))
    # A mean over a download, an upload and requests says nothing of any of them.
    flows = int(rows.select(pl.col("name").n_unique()).collect().item()) if "name" in schema.names() else 1
    free = next((key for key, most in (("color", MOST_LINES), ("facet", MOST_PANELS)) if key not in found and flows <= most), None)
    return {**found, free: "name"} if free and flows > 1 else found


def _measured(rows: pl.LazyFrame, schema: pl.Schema, found: Mapping[str, str]) -> str:
    """The first quantity that every row has; else the first that any row has."""
    import polars as pl

    known = [name for name in MEASURED if name in schema.names() and schema[name].is_numeric() and name not in found.values()]
    if not known:
        return ""
    empty = rows.select(pl.col(name).null_count() for name in known).collect().row(0, named=True)
    total = int(rows.select(pl.len()).collect().item())
    whole = [name for name in known if not empty[name]]
    return next(iter(whole or [name for name in known if empty[name] < total]), "")


def _listed(schema: pl.Schema) -> str:
    return ", ".join(name for name, kind in schema.items() if kind.is_numeric()) or "none"
