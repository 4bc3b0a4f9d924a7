"""The sentence of a sweep's page that says where a metric jumps along a swept number, or becomes 0, if the runs distinguish it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from ...figures.stats import ALPHA, split, t_quantile
from ...text.numbers import listing
from ..compare.metrics import Metric
from .axes import Axis, Column
from .picture import spoken, word
from .text import cell

if TYPE_CHECKING:
    from .design import Design

#: A line needs so many places; more lines than this are not told one by one.
LEAST_PLACES, MOST_LINES = 4, 3
#: A jump is this share of its line's range or more, and so many times as large as the line's next change.
SHARE, TIMES = 1 / 3, 3

Row = dict[str, Any]


class Line(NamedTuple):
    """The points along the swept number at one combination of the other axes."""

    name: str
    places: list[int]
    rows: list[Row]


class Found(NamedTuple):
    """Between which two points of a line a metric jumps, or where it becomes 0."""

    line: Line
    at: int
    """The point before."""


def jumps(metric: Metric, subject: tuple[str, bool], rows: Sequence[Row], design: Design) -> tuple[str, bool]:
    """The sentence, or nothing, and whether it tells where the metric is 0; ``subject`` is its name, and whether that is a plural."""
    axes = design.plan.axes
    wide = [place for place, axis in enumerate(axes) if axis.columns[0].is_number and len(axis) >= LEAST_PLACES]
    if not wide or len({row["n"] for row in rows} & {2, 3, 4}) or any(row["mean"] is None for row in rows):
        return "", False  # without intervals several runs cannot say how sure a difference of means is
    x = max(wide, key=lambda place: len(axes[place]))
    lines = _lines(rows, design, axes, x)
    if len(lines) > MOST_LINES:
        return "", False
    looks = sum(len(line.rows) - 1 for line in lines)
    zero = [_zero(line, looks) for line in lines]
    found = zero if all(zero) else [_jump(line, looks) for line in lines]
    told = [one for one in found if one]
    if len(told) < len(lines):
        return "", False
    column, (name, several) = axes[x].columns[0], subject
    if all(zero):
        return (
            f"{name} {'are' if several else 'is'} 0 {listing([_since(one, column, first=not k) for k, one in enumerate(told)])}.",
            True,
        )
    rises = {one.line.rows[one.at]["mean"] < one.line.rows[one.at + 1]["mean"] for one in told}
    verb = "jump" if len(rises) > 1 else "rise" if rises == {True} else "fall"
    parts = [_between(metric, one, column, first=not k) for k, one in enumerate(told)]
    sure = (
        ""
        if rows[0]["low"] is None or all(row["low"] == row["high"] for row in rows)
        else " (the intervals on both sides do not overlap)"
    )
    return f"{name} {verb}{'' if several else 's'} {listing(parts)}{sure}.", False


def _lines(rows: Sequence[Row], design: Design, axes: Sequence[Axis], x: int) -> list[Line]:
    """The rows, a line for each combination of the other axes, each in the order of the swept number."""
    others = [place for place, axis in enumerate(axes) if place != x and len(axis) > 1]
    values = axes[x].columns[0].cells
    order = sorted(range(len(values)), key=lambda place: float(values[place]))
    by_places = {tuple(design.places(point)): row for point, row in enumerate(rows)}
    lines = []
    for chosen in product(*(range(len(axes[place])) for place in others)):
        at = dict(zip(others, chosen, strict=True))
        name = ", ".join(
            f"{spoken(axes[place].columns[0])} {word(axes[place].columns[0], which)}" for place, which in at.items()
        )
        points = [
            by_places[tuple(here if place == x else at.get(place, 0) for place in range(len(axes)))] for here in order
        ]
        lines.append(Line(name, order, points))
    return lines


def _half(row: Row, looks: int) -> float:
    """Half the interval of a mean, wide enough for so many pairs of neighbours."""
    if row["low"] is None or row["high"] == row["mean"]:
        return 0.0
    freedom = row["n"] - 1
    wider = t_quantile((1 + split(looks)) / 2, freedom) / t_quantile(1 - ALPHA / 2, freedom)
    return float(row["high"] - row["mean"]) * wider


def _jump(line: Line, looks: int) -> Found | None:
    """The line's largest change, if it separates all values before it from all after it, and stands out."""
    means = [row["mean"] for row in line.rows]
    sizes = [abs(after - before) for before, after in zip(means, means[1:], strict=False)]
    at = max(range(len(sizes)), key=sizes.__getitem__)
    before, after = means[: at + 1], means[at + 1 :]
    separate = max(before) < min(after) or min(before) > max(after)
    others = max(size for place, size in enumerate(sizes) if place != at)
    apart = sizes[at] > _half(line.rows[at], looks) + _half(line.rows[at + 1], looks)
    large = sizes[at] >= SHARE * (max(means) - min(means)) and sizes[at] >= TIMES * others
    return Found(line, at) if separate and apart and large else None


def _zero(line: Line, looks: int) -> Found | None:
    """Where a metric that is never below 0 becomes 0 and stays there, or rises from 0, with two points or more on each side."""
    means = [row["mean"] for row in line.rows]
    changes = [
        place for place, (one, other) in enumerate(zip(means, means[1:], strict=False)) if (one == 0) != (other == 0)
    ]
    if min(means) < 0 or len(changes) != 1 or not 1 <= changes[0] <= len(means) - 3:
        return None
    at = changes[0]
    edge = line.rows[at if means[at] else at + 1]
    return Found(line, at) if edge["mean"] > _half(edge, looks) else None


def _since(one: Found, column: Column, first: bool) -> str:
    """From which value on the metric is 0, or up to which, and what it is beside that."""
    before, after = (word(column, one.line.places[place]) for place in (one.at, one.at + 1))
    falls = one.line.rows[one.at + 1]["mean"] == 0
    here, beside, row = (after, before, one.line.rows[one.at]) if falls else (before, after, one.line.rows[one.at + 1])
    key = f"{spoken(column)} " if first else ""
    where = f"from {key}{here} on" if falls else f"up to {key}{here}"
    return f"{where} ({one.line.name + '; ' if one.line.name else ''}{cell(row)} at {beside})"


def _between(metric: Metric, one: Found, column: Column, first: bool) -> str:
    """Between which values the metric jumps, and from what to what."""
    low, high = (word(column, one.line.places[place]) for place in (one.at, one.at + 1))
    unit = high.partition(" ")[2]
    low = low.removesuffix(f" {unit}") if unit else low
    ends = f"{cell(one.line.rows[one.at])} to {cell(one.line.rows[one.at + 1])} {metric.quantity.unit}".rstrip()
    return f"from {ends} between {spoken(column) + ' ' if first else ''}{low} and {high}{f' ({one.line.name})' if one.line.name else ''}"
