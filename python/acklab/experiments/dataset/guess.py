"""Axes for a chart of which none were asked for: what varied along the bottom, how long it took up the side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .tables import QueryError

if TYPE_CHECKING:
    import polars as pl

#: What is measured: of a dataset the first that every row has, over time the first that any has; and over time, by what.
MEASURED = ("completion_s", "goodput_bps", "bytes", "cwnd_segments", "cwnd_bytes", "queue_packets", "flight_bytes")
NAMES = ("flow", "link", "connection", "direction")
#: Tables over time that are looked at first: of a run, of a capture, of a qlog file.
FIRST = ("series", "segments", "metrics")
#: Most lines, and most panels.
MOST_LINES, MOST_PANELS = 9, 6


def guess(tables: Mapping[str, Any], x: str = "", y: str = "") -> dict[str, str]:
    """Names of columns for ``x``, ``y``, ``color`` and ``facet``, and of the ``table``.

    A dataset has its varied key of most numbers along the bottom, the others as lines and panels. Other tables are drawn over time.
    ``x`` and ``y`` stay as they are given.

    Raises:
        QueryError: nothing suggests itself; the message lists the columns.
    """
    import polars as pl

    for table, data in sorted(tables.items(), key=lambda one: FIRST.index(one[0]) if one[0] in FIRST else len(FIRST)):
        rows = pl.scan_pyarrow_dataset(data)
        schema = rows.collect_schema()
        names = schema.names()
        across, up = called(x, names), called(y, names)
        if "point" in names and "seed" in names:
            found = _varied(
                rows,
                schema,
                [name for name in names[names.index("point") + 1 : names.index("seed")] if name != up],
                across,
            )
            measured = up or _measured(rows, schema, found)
        elif "time_s" in names:
            measured = up or _measured(rows, schema, {}, whole=False)
            found = {"x": across or "time_s", **(_apart(with_values(rows, names, measured), names) if measured else {})}
        else:
            continue
        if "x" in found and measured:
            return {**found, "y": measured, "table": table}
    told = "; ".join(
        f"{table}: {_listed(pl.scan_pyarrow_dataset(data).collect_schema())}" for table, data in tables.items()
    )
    raise QueryError(
        f"nothing says what to draw; give --x and --y, or --kind cdf and --x. Columns of numbers of each --table: {told}"
    )


def called(name: str, known: Sequence[str]) -> str:
    """A column by its name; it may be left without its unit, as ``--vary up=...`` of a sweep names ``up_bps``."""
    if name == "flow" and name not in known and "name" in known:
        return "name"
    others = [one for one in known if one.rpartition("_")[0] == name] if name and name not in known else []
    return others[0] if len(others) == 1 else name


def with_values(rows: pl.LazyFrame, names: Collection[str], value: str) -> pl.LazyFrame:
    """The rows of those flows, links and directions that have a value at any time."""
    import polars as pl

    among = [name for name in NAMES if name in names]
    return rows.filter(pl.col(value).is_not_null().any().over(among)) if among else rows


def _apart(rows: pl.LazyFrame, names: Sequence[str]) -> dict[str, str]:
    """Names of columns for lines and panels: those of more than one value; else a flow or a link."""
    import polars as pl

    among = [name for name in NAMES if name in names]
    counts = rows.select(pl.col(name).n_unique() for name in among).collect().row(0, named=True) if among else {}
    several = [name for name in among if counts[name] > 1] or [name for name in among if name in ("flow", "link")]
    return dict(zip(("color", "facet"), several, strict=False))


def _varied(rows: pl.LazyFrame, schema: pl.Schema, axes: list[str], x: str) -> dict[str, str]:
    import polars as pl

    counts = rows.select(pl.col(axis).n_unique() for axis in axes).collect().row(0, named=True) if axes else {}
    several = [axis for axis in axes if counts[axis] > 1]
    numbers = [axis for axis in several if schema[axis].is_numeric()]
    if not numbers and not x:
        return {}
    x = x or max(numbers, key=lambda axis: int(counts[axis]))
    found = {"x": x}
    for key, most in (("color", MOST_LINES), ("facet", MOST_PANELS)):
        rest = [axis for axis in several if axis not in found.values() and counts[axis] <= most]
        if rest:
            found[key] = max(rest, key=lambda axis: int(counts[axis]))
    # A mean over a download, an upload and requests says nothing of any of them.
    flows = int(rows.select(pl.col("name").n_unique()).collect().item()) if "name" in schema.names() else 1
    free = next(
        (key for key, most in (("color", MOST_LINES), ("facet", MOST_PANELS)) if key not in found and flows <= most),
        None,
    )
    return {**found, free: "name"} if free and flows > 1 else found


def _measured(rows: pl.LazyFrame, schema: pl.Schema, found: Mapping[str, str], whole: bool = True) -> str:
    """The first quantity that every row has, if ``whole``; else the first that any row has."""
    import polars as pl

    known = [
        name for name in MEASURED if name in schema.names() and schema[name].is_numeric() and name not in found.values()
    ]
    if not known:
        return ""
    empty = rows.select(pl.col(name).null_count() for name in known).collect().row(0, named=True)
    total = int(rows.select(pl.len()).collect().item())
    full = [name for name in known if not empty[name]] if whole else []
    return next(iter(full or [name for name in known if empty[name] < total]), "")


def _listed(schema: pl.Schema) -> str:
    return ", ".join(name for name, kind in schema.items() if kind.is_numeric()) or "none"
