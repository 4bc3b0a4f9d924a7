"""Charts of a dataset: bands over a key, heat maps over two, and distributions. Its public name is ``acklab.dataset``."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..plot.palette import slots_for
from ..report.charts import Axis, Chart, Heat, Line, Lines, Panel, Surface
from ..results.directory import replacing
from ..text.numbers import counted
from ..text.terminal import not_known
from .axes import Column, log_spaced
from .intervals import LEAST_SEEDS, interval, sample
from .keys import counting, worded
from .store import QueryError, StoreError, invalid, tables, write
from .sweep_page import axis_ends, scaled, some, spoken, word

__all__ = ["QueryError", "StoreError", "plot", "write"]

#: Columns whose names do not say what they hold. RFC 5681's flight size is what is not acknowledged, whether it is on the way or lost.
CALLED = {
    "flight_segments": "outstanding",
    "flight_bytes": "outstanding",
    "cwnd_estimate_segments": "cwnd, as the receiver estimates it",
}


def values_of(found: pl.DataFrame, column: str, most: int, what: str) -> list[Any]:
    """The values of a column in order; one None where no column is asked for.

    Raises:
        QueryError: there are more than ``most``.
    """
    if not column:
        return [None]
    values = found[column].unique().sort().to_list()
    if len(values) > most:
        raise QueryError(f"--{what} {column} has {len(values):,} values; at most {most}")
    return values


def equals(column: str, value: Any) -> Any:
    """The expression that a column, if any, has a value."""
    return pl.lit(True) if not column else pl.col(column).eq_missing(pl.lit(value))


def named(column: str, value: Any) -> str:
    """A value's name in titles and legends."""
    if not column:
        return ""
    one = _column(column, [value])
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{spoken(one)} {word(one, 0) if number else value}"


def by_value(name: str, values: pl.Series, called: str = "") -> tuple[Axis, float]:
    """An axis by value, and what the values are multiplied with; ``called`` instead of the column's name."""
    found = values.unique().sort().to_list()
    column = _column(name, found)
    factor, unit = scaled(column)
    log = name != "time_s" and log_spaced(found)
    ticks = [factor * found[place] for place in some(len(found), 6)] if log else None
    return Axis(
        _label(column, unit, called), log=log, ticks=ticks, words=[f"{tick:.3g}" for tick in ticks or ()]
    ), factor


def by_place(name: str, values: Sequence[Any]) -> tuple[Axis, list[str]]:
    """An axis by place, with some of the values beside it, and what each place is called."""
    column, chosen = _column(name, values), _evenly(len(values), 8)
    factor, unit = scaled(column) if column.is_number else (1.0, "")
    words = [f"{value * factor:.4g}" if column.is_number else str(value) for value in values]
    return Axis(_label(column, unit), ticks=chosen, words=[words[place] for place in chosen]), words


def _evenly(count: int, most: int) -> list[int]:
    """At most so many places of ``count`` with one step between them, the last among them where a step of about that size allows it.

    >>> _evenly(21, 8), _evenly(5, 8), _evenly(12, 8)
    ([0, 4, 8, 12, 16, 20], [0, 1, 2, 3, 4], [0, 2, 4, 6, 8, 10])
    """
    least = max(1, ceil((count - 1) / (most - 1)))
    step = next((one for one in range(least, 2 * least) if (count - 1) % one == 0), least)
    return list(range(0, count, step))


def _label(column: Column, unit: str, called: str = "") -> str:
    """
    >>> _label(Column("min_rtt", "s", [1.0]), "ms"), _label(Column("flight_segments", "", [1]), "")
    ('min RTT (ms)', 'outstanding (segments)')
    """
    stem, counted = counting(column.name) if column.is_number else (column.name, "")
    what = (
        called
        or CALLED.get(column.title)
        or " ".join({"rtt": "RTT", "rto": "RTO"}.get(one, one) for one in worded(stem).split())
    )
    unit = unit or counted
    return f"{what} ({unit})" if unit else what


def _column(name: str, values: Sequence[Any]) -> Column:
    """A column by its name, which may end in its unit."""
    if name == "name":  # as flows' tables call the flow
        return Column("flow", "", values)
    stem, _, unit = name.rpartition("_")
    return Column(stem, unit, values) if stem and unit in ("bps", "s", "bytes") else Column(name, "", values)


#: Most steps of a line. Of more values each step drawn is exact, and the line is nowhere lower than the distribution by more than 1/400.
STEPS = 400


def distribution(rows: pl.LazyFrame, value: str, color: str, facet: str, lines: int, panels: int) -> Lines:
    """The empirical distribution of ``value``: of n rows k/n at the k-th value, and from there to the next.

    Rows without a value count among the n. At most so many ``lines`` and ``panels``.

    Raises:
        QueryError: there is no value, or too many lines or panels.
    """
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


#: What is measured: of a dataset the first that every row has, over time the first that any has; and over time, by what.
MEASURED = ("completion_s", "goodput_bps", "bytes", "cwnd_segments", "cwnd_bytes", "queue_packets", "flight_bytes")
NAMES = ("flow", "link", "connection", "direction")
#: Tables over time that are looked at first: of a run, of a capture, of a qlog file.
FIRST = ("series", "segments", "metrics")
#: Most lines, and most panels.
MAX_GUESSED_LINES, MAX_GUESSED_PANELS = 9, 6


def guess(tables: Mapping[str, Any], x: str = "", y: str = "") -> dict[str, str]:
    """Names of columns for ``x``, ``y``, ``color`` and ``facet``, and of the ``table``.

    A dataset has its varied key of most numbers along the bottom, the others as lines and panels. Other tables are drawn over time.
    ``x`` and ``y`` stay as they are given.

    Raises:
        QueryError: nothing suggests itself; the message lists the columns.
    """
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
    among = [name for name in NAMES if name in names]
    return rows.filter(pl.col(value).is_not_null().any().over(among)) if among else rows


def _apart(rows: pl.LazyFrame, names: Sequence[str]) -> dict[str, str]:
    """Names of columns for lines and panels: those of more than one value; else a flow or a link."""
    among = [name for name in NAMES if name in names]
    counts = rows.select(pl.col(name).n_unique() for name in among).collect().row(0, named=True) if among else {}
    several = [name for name in among if counts[name] > 1] or [name for name in among if name in ("flow", "link")]
    return dict(zip(("color", "facet"), several, strict=False))


def _varied(rows: pl.LazyFrame, schema: pl.Schema, axes: list[str], x: str) -> dict[str, str]:
    counts = rows.select(pl.col(axis).n_unique() for axis in axes).collect().row(0, named=True) if axes else {}
    several = [axis for axis in axes if counts[axis] > 1]
    numbers = [axis for axis in several if schema[axis].is_numeric()]
    if not numbers and not x:
        return {}
    x = x or max(numbers, key=lambda axis: int(counts[axis]))
    found = {"x": x}
    for key, most in (("color", MAX_GUESSED_LINES), ("facet", MAX_GUESSED_PANELS)):
        rest = [axis for axis in several if axis not in found.values() and counts[axis] <= most]
        if rest:
            found[key] = max(rest, key=lambda axis: int(counts[axis]))
    # A mean over a download, an upload and requests says nothing of any of them.
    flows = int(rows.select(pl.col("name").n_unique()).collect().item()) if "name" in schema.names() else 1
    free = next(
        (
            key
            for key, most in (("color", MAX_GUESSED_LINES), ("facet", MAX_GUESSED_PANELS))
            if key not in found and flows <= most
        ),
        None,
    )
    return {**found, free: "name"} if free and flows > 1 else found


def _measured(rows: pl.LazyFrame, schema: pl.Schema, found: Mapping[str, str], whole: bool = True) -> str:
    """The first quantity that every row has, if ``whole``; else the first that any row has."""
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


KINDS = ("band", "heat", "cdf")
ENDINGS = (".png", ".pdf", ".svg", ".html")
#: Most lines of a panel, panels, and places on an axis of a heat map.
MOST_LINES, MOST_PANELS, MOST_PLACES = 9, 12, 400
#: Columns of tables over time that hold samples: what is between two of them is not known.
SAMPLES = ("rtt_s", "latest_rtt_s", "delay_s", "hold_s")
#: The largest number that is drawn: its square, which an interval needs, is a double.
MOST = 1e150


@dataclass(frozen=True)
class Asked:
    """What is to be drawn, by the names of columns."""

    kind: str
    x: str
    y: str = ""
    color: str = ""
    facet: str = ""
    called: str = ""
    """What is measured, where the column's name does not say it."""

    def check(self, known: Sequence[str]) -> None:
        """Refuses what cannot be drawn.

        Raises:
            QueryError: a column is missing, or is not there.
        """
        needed = {"band": ("x", "y"), "heat": ("x", "y", "color"), "cdf": ("x",)}
        if self.kind not in needed:
            raise QueryError(not_known("kind", self.kind, KINDS))
        for column in (self.x, self.y, self.color, self.facet):
            if column and (column not in known or "\0" in column):
                raise QueryError(not_known("column", column, known))
        for key in needed[self.kind]:
            if not getattr(self, key):
                meant = {
                    "heat": "a heat map shows the mean of --color over --x and --y",
                    "band": "a band shows the mean of --y over --x",
                }
                raise QueryError(
                    f"--kind {self.kind} needs --{key}: {meant.get(self.kind, 'the distribution of --x is drawn')}"
                )
        if self.kind == "cdf" and self.y:
            raise QueryError("--kind cdf has no --y: the distribution of --x is drawn")
        if self.kind == "heat" and self.x == self.y:
            raise QueryError(f"--x and --y are both {self.x}; a heat map needs two columns")

    @property
    def value(self) -> str:
        """The column that is measured."""
        return {"band": self.y, "heat": self.color, "cdf": self.x}[self.kind]

    @property
    def by(self) -> list[str]:
        """The columns that distinguish the marks."""
        keys = {"band": [self.x, self.color], "heat": [self.x, self.y], "cdf": [self.color]}[self.kind]
        return [key for key in dict.fromkeys([*keys, self.facet]) if key]


def plot(
    place: str | os.PathLike[str],
    *,
    x: str = "",
    y: str = "",
    color: str = "",
    facet: str = "",
    kind: str = "band",
    table: str = "flows",
    out: str | os.PathLike[str] | None = None,
    width: float | None = None,
    caption: bool = True,
) -> Chart:
    """Draws a table.

    ``band``: the mean of ``y`` over ``x``, with the 95 % interval over the seeds, a line for each ``color``. ``heat``: the mean of ``color``
    over ``x`` and ``y``. ``cdf``: the share of rows in which ``x`` is at most so much (k of n at the k-th value), a line for each ``color``. Each value of ``facet`` is a panel.
    Where a row has no value, no mean is drawn; a distribution ends below 1. A row without a place on an axis is left out, and the
    chart says how many are.

    Args:
        place: a dataset's directory or URL, the directory of any results, or a Parquet file.
        x: a column; without any column :func:`guess` chooses.
        y: a column.
        color: a column.
        facet: a column.
        kind: ``band``, ``heat`` or ``cdf``.
        table: which table.
        out: a file to write, which ends in .png, .pdf, .svg or .html.
        width: of a picture, in pixels of a 96th of an inch.
        caption: whether a picture says below what it shows.

    Raises:
        QueryError: this cannot be drawn.
        StoreError: there are no tables, or a package is missing.
        OSError: the file cannot be written.
    """
    if out is not None and Path(out).suffix not in ENDINGS:
        raise QueryError(f"{out}: a picture's name ends in {', '.join(ENDINGS)}")
    found = tables(place)
    if kind == "band" and not (x and y) and (table == "flows" or table in found):
        x, y, color, facet, table = _filled(
            found if table == "flows" else {table: found[table]}, table, x, y, color, facet
        )
    if table == "flows" and table not in found and len(found) == 1:
        table = next(iter(found))  # of a Parquet file of any name
    if table not in found:
        raise QueryError(not_known("table", table, [*found]))
    asked = Asked(kind, *(called(name, found[table].schema.names) for name in (x, y, color, facet)))
    if asked.value == "cwnd_segments" and "connection" in found[table].schema.names:
        asked = replace(asked, called="cwnd, as a receiver estimates it")  # a capture does not show the sender's own
    rows = pl.scan_pyarrow_dataset(found[table])
    asked.check(found[table].schema.names)
    if not rows.collect_schema()[asked.value].is_numeric():
        raise QueryError(f"{asked.value} is no column of numbers")
    rows, told = _placed(rows, asked)
    chart = (
        distribution(rows, asked.x, asked.color, asked.facet, MOST_LINES, MOST_PANELS)
        if kind == "cdf"
        else _means(rows, asked)
    )
    chart = replace(chart, about=chart.about + told)
    if invalid(place):
        chart = _warned(chart, "Invalid live run")
    if out is not None:
        _write(chart, Path(out), width, caption)
    return chart


def _filled(
    found: Mapping[str, Any], table: str, x: str, y: str, color: str, facet: str
) -> tuple[str, str, str, str, str]:
    """What was asked of a band, and for columns that were not asked for what suggests itself.

    Raises:
        QueryError: nothing suggests itself, or a column is not there; the message lists columns.
    """
    given = [name for name in (x, y, color, facet) if name]
    having = {
        name: data
        for name, data in found.items()
        if all(called(one, data.schema.names) in data.schema.names for one in given)
    }
    if not having:
        return x, y, color, facet, table  # the check names what is not there
    guessed = guess(having, x, y)
    free = [] if color or facet else [guessed.get(key, "") for key in ("color", "facet")]
    color, facet = ("" if one in (x, y) else one for one in free) if free else (color, facet)
    return x or guessed["x"], y or guessed["y"], color, facet, guessed["table"]


def _warned(chart: Chart, said: str) -> Chart:
    """A chart that says this, in its description and over each of its panels."""
    parts = "surfaces" if isinstance(chart, Heat) else "panels"
    panels = [replace(panel, title=". ".join(filter(None, [said, panel.title]))) for panel in getattr(chart, parts)]
    return replace(chart, about=f"{said}. {chart.about}", **{parts: panels})


def _placed(rows: pl.LazyFrame, asked: Asked) -> tuple[pl.LazyFrame, str]:
    """The rows that have a place on the axes, and how many others are left out.

    Raises:
        QueryError: there are no such rows, or a value cannot be drawn.
    """
    schema = rows.collect_schema()
    axes = {"band": [asked.x], "heat": [asked.x, asked.y], "cdf": []}[asked.kind]
    for name in dict.fromkeys(asked.by):
        kind = schema[name]
        if not (
            kind.is_numeric()
            or isinstance(
                kind, (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Null)
            )
        ):
            raise QueryError(f"{name} holds neither numbers, texts, dates, nor true and false")
        if kind.is_decimal() or not kind.is_numeric():
            rows = rows.with_columns(pl.col(name).cast(pl.Float64 if kind.is_decimal() else pl.String))
    numbers = [name for name in dict.fromkeys([asked.value, *axes]) if schema[name].is_numeric()]
    values = {name: pl.col(name).cast(pl.Float64).fill_nan(None) for name in numbers}
    there = pl.all_horizontal(values.get(name, pl.col(name)).is_not_null() for name in axes) if axes else pl.lit(True)
    largest = [value.abs().max().alias(f"\0{name}") for name, value in values.items()]
    total, out, *most = rows.select(pl.len(), (~there).sum().alias("\0out"), *largest).collect().row(0)
    for name, number in zip(numbers, most, strict=True):
        if number is not None and number > MOST:
            raise QueryError(f"{name} holds a number of size {number:g}; a chart has numbers up to {MOST:g}")
    if total == out:
        raise QueryError("there are no rows" if not out else f"no row has a value of {' and '.join(axes)}")
    return rows.filter(there), f"; {counted(out, 'row')} without {' or '.join(axes)} left out" if out else ""


def _means(rows: pl.LazyFrame, asked: Asked) -> Chart:
    """Bands or heat maps."""
    names = rows.collect_schema().names()
    value = pl.col(asked.value).cast(pl.Float64)
    sampled = asked.x == "time_s" and asked.value in SAMPLES
    if sampled:
        rows = rows.filter(value.is_not_null())
    elif asked.x == "time_s":
        rows = with_values(rows, names, asked.value)
    steps = _is_stepwise(rows, names, asked)
    one = value.last() if steps else value.mean()  # of several changes at an instant the last one holds
    lacking = value.last().is_null().cast(pl.UInt32) if steps else (value.is_null() | value.is_nan()).sum()
    told = [lacking.alias("\0missing"), one.alias("\0mean"), pl.len().alias("\0rows")]
    # The seeds are what is independent: flows of a run are not, nor are points that share their seeds.
    seeds = ["seed"] if "seed" in names and "seed" not in asked.by else []
    each = rows.group_by(*asked.by, *seeds).agg(told)
    summed = [pl.col(name).sum() for name in ("\0missing", "\0rows")]
    found = each.group_by(asked.by).agg(*summed, pl.col("\0mean")).sort(asked.by).collect()
    if not len(found):
        raise QueryError("there are no rows")
    other = [*_others(names, asked), *_flows(rows, names, asked)]
    gaps = int((found["\0missing"] > 0).sum())
    single = steps or found["\0rows"].max() == 1
    label = by_value(asked.value, found["\0mean"].explode().drop_nulls().drop_nans(), asked.called)[0].label
    what = label.rpartition(" (")[0] or label
    about = f"Mean of {what} over {' and '.join([*(['the seeds'] if seeds else ['the rows']), *other])}"
    points = sampled and not seeds
    if points or steps:
        about = f"{what}{',' * (',' in what)} over time: {'its samples' if points else 'each value holds until the next change'}"
    elif single:
        about = f"{what}: {'one run' if seeds else 'one value'} at each place"
    about = about[:1].upper() + about[1:]
    if gaps:
        about += f"; no {'value' if steps or single else 'mean'} at {gaps:,} of {len(found):,} places, where a row has no value"
    means, halves = [], []
    for missing, values in found.select("\0missing", "\0mean").iter_rows():
        one = None if missing else sample(values)
        means.append(math.nan if one is None else one.value)
        halves.append(interval(one).half_width if one is not None and one.count >= LEAST_SEEDS else math.nan)
    if all(math.isnan(mean) for mean in means):
        raise QueryError(f"{asked.value} has no mean anywhere: everywhere a row has no value")
    found = found.with_columns(pl.Series("\0mean", means), pl.Series("\0half", halves))
    return (
        _heat(found, asked, about, single)
        if asked.kind == "heat"
        else _bands(found, asked, about, single or points, steps, points)
    )


def _others(names: Sequence[str], asked: Asked) -> list[str]:
    """The axes of the sweep that the chart does not show: between the columns point and seed."""
    if "point" not in names or "seed" not in names:
        return []
    axes = names[names.index("point") + 1 : names.index("seed")]
    return [name for name in axes if name not in asked.by]


def _flows(rows: pl.LazyFrame, names: Sequence[str], asked: Asked) -> list[str]:
    """That the means are over flows, too: of a dataset, whose flows have names."""
    if "name" not in names or "seed" not in names or "name" in asked.by:
        return []
    count = int(rows.select(pl.col("name").n_unique()).collect().item())
    return [f"{count:,} flows"] if count > 1 else []


def _is_stepwise(rows: pl.LazyFrame, names: Sequence[str], asked: Asked) -> bool:
    """Whether the rows are one run's changes of a state over time, a line for each flow or link: such a value holds until the next."""
    if asked.kind != "band" or asked.x != "time_s" or "seed" in names or asked.value in SAMPLES:
        return False
    among = [name for name in NAMES if name in names and name not in asked.by]
    return not among or max(rows.select(pl.col(name).n_unique() for name in among).collect().row(0)) == 1


def _bands(found: pl.DataFrame, asked: Asked, about: str, single: bool, steps: bool, points: bool) -> Chart:
    if not found[asked.x].dtype.is_numeric():
        raise QueryError(f"{asked.x} is no column of numbers; draw --kind cdf, with --color {asked.x}")
    keys = values_of(found, asked.color, MOST_LINES, "color")
    across, factor = by_value(asked.x, found[asked.x])
    up, scale = by_value(asked.value, found["\0mean"].drop_nans(), asked.called)
    seen = found["\0half"].is_not_nan().any()
    wide = seen and float(found["\0half"].fill_nan(0.0).max()) > 0  # type: ignore[arg-type]
    low, high = axis_ends(scale * found["\0mean"].to_numpy(), scale * found["\0half"].to_numpy())
    up = replace(
        up, label=up.label if single else f"mean of {up.label}", low=low, high=high, log=False, ticks=None, words=()
    )
    panels = []
    for facet in values_of(found, asked.facet, MOST_PANELS, "facet"):
        lines = []
        for key, slot in zip(keys, slots_for(map(str, keys)), strict=True):
            part = found.filter(equals(asked.facet, facet) & equals(asked.color, key)).sort(asked.x)
            half = scale * part["\0half"].to_numpy() if seen else None  # also one of no width, which a sentence needs
            title = named(asked.color, key)
            mark, dash = ("o", " ") if points else ("o" if len(part) <= 40 and not steps else "", "-")
            x, y = factor * part[asked.x].cast(pl.Float64).to_numpy(), scale * part["\0mean"].to_numpy()
            lines.append(Line(title, x, y, slot if title else "blue", dash, mark, band=half, step=steps))
        panels.append(Panel(named(asked.facet, facet), across, up, lines))
    few = f"; fewer than {LEAST_SEEDS} seeds have no interval" if "the seeds" in about else ""
    same = "; every seed gave the same value: no interval"
    told = "; the band is the 95 % interval over the seeds" if wide else same if seen else few if not single else ""
    return Lines("band", about + told, panels)


def _heat(found: pl.DataFrame, asked: Asked, about: str, single: bool) -> Chart:
    across, up = (values_of(found, key, MOST_PLACES, name) for key, name in ((asked.x, "x"), (asked.y, "y")))
    for name, places in ((asked.x, across), (asked.y, up)):
        if len(places) < 2:
            raise QueryError(f"{name} has one value only; a heat map needs two along each side")
    z, scale = by_value(asked.value, found["\0mean"].drop_nans(), asked.called)
    surfaces = []
    for facet in values_of(found, asked.facet, MOST_PANELS, "facet"):
        grid = np.full((len(across), len(up)), math.nan)
        part = found.filter(equals(asked.facet, facet)).select(asked.x, asked.y, "\0mean")
        for x, y, mean in part.iter_rows():
            grid[across.index(x), up.index(y)] = scale * mean
        surfaces.append(Surface(named(asked.facet, facet), range(len(across)), range(len(up)), grid))
    low, high = float(found["\0mean"].drop_nans().min()), float(found["\0mean"].drop_nans().max())  # type: ignore[arg-type]
    span = (scale * low, scale * high) if high > low else (scale * low - 0.5, scale * high + 0.5)
    z = Axis(z.label if single else f"mean of {z.label}", low=span[0], high=span[1])
    (x_axis, x_words), (y_axis, y_words) = by_place(asked.x, across), by_place(asked.y, up)
    rows = -(-len(surfaces) // 3)
    return Heat("heat", about, surfaces, x_axis, y_axis, z, rows=rows, height=3.4, cells=(x_words, y_words))


def _write(chart: Chart, path: Path, width: float | None, caption: bool) -> None:
    from ..report.pieces import document, embedded, header, save

    if path.suffix != ".html":
        # A picture alone says what it shows, as the page does.
        save(chart, path, note=f"{chart.about}." if caption else "", width=width)
        return
    top = header(chart.about.partition(";")[0], "acklab plot", "", quick=False)
    body = f'{top}</header><main><section class="card">{embedded(chart, wide=True)}</section></main>'
    with replacing(path) as scratch:
        scratch.write_text(document(chart.about, body), encoding="utf-8")
