"""What columns and their values are called on the axes and in the legends of a dataset's charts."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from ...figures.charts import Axis
from ..sweep.axes import Column, log_spaced
from ..sweep.names import counting, worded
from ..sweep.picture import scaled, some, spoken, word
from .tables import QueryError

if TYPE_CHECKING:
    import polars as pl

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
    import polars as pl

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
