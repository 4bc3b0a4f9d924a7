"""A sweep on a terminal: a row a point, aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...figures.stats import ALIKE, LEAST_SEEDS
from ...results.summary import MOST_ROWS
from ...text.columns import align
from ...text.counts import counted
from ...text.escapes import one_line
from ...text.numbers import estimate, number
from .picture import scaled

if TYPE_CHECKING:
    from .design import Design
    from .result import Swept


def cell(row: dict[str, Any]) -> str:
    """A mean and half its interval."""
    if row["mean"] is None:
        return "-"
    if row["low"] in (None, row["mean"]) and row["mean"] == round(row["mean"]):
        return f"{row['mean']:.0f}"  # a count
    return number(row["mean"], 0.0) if row["low"] is None else estimate(row["mean"], row["low"], row["high"])


def heads(design: Design) -> list[str]:
    """The table's heads: what varies, the runs, the metrics, each with its unit."""
    units = [scaled(column)[1] if column.is_number else "" for column in design.plan.columns_told]
    varied = [
        f"{column.name} ({unit})" if unit else column.name
        for column, unit in zip(design.plan.columns_told, units, strict=True)
    ]
    return [*varied, "runs", *(metric.label for metric in design.metrics)]


def rows(told: Swept, design: Design, most: int) -> Iterator[list[str]]:
    """The table's rows, at most so many points."""
    metrics = len(design.metrics)
    factors = [scaled(column)[0] if column.is_number else None for column in design.plan.columns_told]
    for point in range(min(most, design.plan.points)):
        part = told.summary[point * metrics : (point + 1) * metrics].to_dicts()
        varied = [
            str(value) if factor is None else f"{value * factor:.6g}"
            for value, factor in zip(design.cells(point), factors, strict=True)
        ]
        yield [*varied, str(part[0]["n"]), *(cell(row) for row in part)]


def basis(told: Swept) -> str:
    """What the numbers rest on."""
    plan = told.plan
    seeds = plan.seeds
    if seeds.half_width:
        each = f"{seeds.least} to {seeds.most} seeds a point, until half the 95 % interval is at most {100 * seeds.half_width:g} % of the mean"
    else:
        each = (
            "one seed, no intervals"
            if seeds.most == 1
            else f"{counted(seeds.most, 'seed')}, the same at every point: too few for intervals (at least {LEAST_SEEDS})"
            if seeds.most < LEAST_SEEDS
            else f"{counted(seeds.most, 'seed')} at every point; {ALIKE}"
            if alike(told)
            else f"{seeds.most} seeds, the same at every point; ± is half a 95 % interval"
        )
    return f"{counted(plan.points, 'point')}, {counted(told.runs, 'run')}: {each}"


def alike(told: Swept) -> bool:
    """Whether no seed changed a metric at any point. The mean of equal numbers may be rounded."""
    known = told.summary.filter(told.summary["low"].is_not_null())
    return (
        told.plan.seeds.most >= LEAST_SEEDS
        and known.height > 0
        and bool((known["high"] - known["low"] <= 1e-12 * known["mean"].abs()).all())
    )


def kept(told: Swept) -> Sequence[str]:
    """What an earlier attempt spared."""
    return [f"{told.kept:,} of them done before"] if told.kept else []


def missing(told: Swept) -> Sequence[str]:
    """What a dash means."""
    return ["-: a run has no value there, so there is no mean"] if told.summary["mean"].null_count() else []


def as_text(told: Swept, design: Design) -> str:
    """Everything a terminal is told."""
    from .answer import findings  # which takes cells from here

    shown = list(rows(told, design, MOST_ROWS))
    lines = [one_line(told.title), basis(told), *kept(told), "", *align(heads(design), shown, names=_names(design))]
    if told.plan.points > len(shown):
        lines.append(f"... and {told.plan.points - len(shown):,} more points (--out has them all)")
    found = findings(told, design) if told.plan.points > 1 else []
    return "\n".join([*lines, *missing(told), *wide(told, design), *(["", *map(one_line, found)] if found else [])])


def wide(told: Swept, design: Design) -> Sequence[str]:
    """Which points had as many seeds as allowed, and an interval that is still wider than asked for."""
    seeds, metric = told.plan.seeds, design.stopping
    if not seeds.half_width:
        return []
    part = told.summary[design.metrics.index(metric) :: len(design.metrics)]
    half = part["high"] - part["mean"]
    count = int(((part["n"] == seeds.most) & (half > seeds.half_width * part["mean"].abs())).sum())
    return (
        [f"{counted(count, 'point')} with {counted(seeds.most, 'seed')}: the interval of {metric.name} is still wider"]
        if count
        else []
    )


def _names(design: Design) -> int:
    """How many of the first columns are names; numbers are aligned to the right."""
    numbers = [column.is_number for column in design.plan.columns_told]
    return numbers.index(True) if True in numbers else len(numbers)
