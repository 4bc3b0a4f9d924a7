"""The sentence at the top of a sweep's page: where its metrics jump, are best and worst, or least and greatest, and how sure that is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...figures.stats import ALIKE, LEAST_SEEDS
from ...text.counts import counted
from ...text.numbers import digits, listing
from ..compare.difference import MARGIN
from ..compare.directions import LESS, MORE
from ..compare.metrics import Metric
from ..compare.setup import length, network
from .jumps import jumps
from .names import worded
from .picture import spoken, word
from .text import alike, cell

if TYPE_CHECKING:
    from .design import Design
    from .result import Swept


def answer(told: Swept, design: Design) -> list[str]:
    """The sentences of each metric, the first of which heads the page, and which runs they rest on."""
    return [*findings(told, design), *sample(told)]


def findings(told: Swept, design: Design) -> list[str]:
    """The sentences of each metric."""
    rows = told.summary.select("mean", "low", "high", "n").rows(named=True)
    count = len(design.metrics)
    said = [
        one for place, metric in enumerate(design.metrics) for one in _sentences(metric, rows[place::count], design)
    ]
    if not _leader(design.metrics[0], rows[::count], design):
        said.insert(0, _conflict(rows, design))
    return [
        one if "_" in one.split()[0] else f"{one[0].upper()}{one[1:]}" for one in said if one
    ]  # a column's name stays as it is


def experiment(told: Swept, design: Design) -> list[tuple[str, str]]:
    """What was run, with a word before each line: the path and the flows of the first point, and how long a run is."""
    tree = design.tree(0)
    later = (
        f"; a seed starts each flow up to {told.plan.spread_starts_s:g} s later, at all points alike"
        if told.plan.spread_starts_s
        else ""
    )
    return [*network([("", tree)]), ("runs", f"{length(tree)}{later}")]


def sample(told: Swept) -> list[str]:
    """Which runs the sentences rest on, where they have no intervals."""
    most = told.plan.seeds.most
    if most >= LEAST_SEEDS:
        return [f"{ALIKE[0].upper()}{ALIKE[1:]}."] if alike(told) else []
    return ["One run a point." if most == 1 else f"Means of {most} runs a point, too few for intervals."]


def _sentences(metric: Metric, rows: list[dict[str, Any]], design: Design) -> list[str]:
    """What one metric's runs say, the finding first."""
    leader = _leader(metric, rows, design)
    jump, zero = jumps(metric, (called(metric), _several(metric)), rows, design)
    return [one for one in (leader, jump) if one] + (
        [] if leader else [_extremes(metric, rows, design, without_zero=zero)]
    )


def _conflict(rows: list[dict[str, Any]], design: Design) -> str:
    """Where each metric is best, if no point can be the best by all; nothing if intervals overlap, or values are within the margin, at one."""
    best: dict[int, list[Metric]] = {}
    near: list[set[int]] = []
    for place, metric in enumerate(design.metrics):
        part = [(point, row) for point, row in enumerate(rows[place :: len(design.metrics)]) if row["mean"] is not None]
        sign = {MORE: 1, LESS: -1}.get(metric.quantity.better)
        if sign is None or not part:
            continue
        first, mine = max(part, key=lambda one: (sign * one[1]["mean"], -one[0]))
        near.append({point for point, row in part if _near(row, mine)})
        best.setdefault(first, []).append(metric)
    if len(best) < 2 or set.intersection(*near):
        return ""
    (point, metrics), *others = best.items()
    names = listing([called(one) for one in metrics])
    verb = "are" if len(metrics) > 1 or _several(metrics[0]) else "is"
    rest = [f"{listing([called(one) for one in found])} at {_at(design, where)}" for where, found in others]
    return f"{names} {verb} best at {_at(design, point)}, {listing(rest)}: no point is best by all."


def _near(one: dict[str, Any], best: dict[str, Any]) -> bool:
    """Whether a point may be as good as the best: by its interval, or within the margin of a comparison."""
    overlap = best["low"] is not None and one["low"] <= best["high"] and best["low"] <= one["high"]
    return bool(overlap or abs(one["mean"] - best["mean"]) <= MARGIN * abs(best["mean"]))


def _leader(metric: Metric, rows: list[dict[str, Any]], design: Design) -> str:
    """That one value of a named axis is better than its others wherever the other axes are, if no intervals overlap; else nothing."""
    axes, sign = design.plan.axes, {MORE: 1, LESS: -1}.get(metric.quantity.better)
    named = [place for place, axis in enumerate(axes) if not axis.columns[0].is_number]
    if (
        sign is None
        or len(named) != 1
        or len(axes) < 2
        or len(axes[named[0]]) < 2
        or any(row["low"] is None or row["mean"] is None for row in rows)
    ):
        return ""
    if all(row["low"] == row["high"] for row in rows):
        return ""
    mine: dict[int, list[dict[str, Any]]] = {}
    settings: dict[tuple[int, ...], dict[int, dict[str, Any]]] = {}
    for point, row in enumerate(rows):
        places = list(design.places(point))
        which = places.pop(named[0])
        mine.setdefault(which, []).append(row)
        settings.setdefault(tuple(places), {})[which] = row
    best = max(mine, key=lambda which: sign * sum(row["mean"] for row in mine[which]))
    near, far = ("low", "high") if sign > 0 else ("high", "low")
    if any(
        sign * (found[best][near] - row[far]) <= 0
        for found in settings.values()
        for which, row in found.items()
        if which != best
    ):
        return ""
    column = axes[named[0]].columns[0]
    others = [spoken(one) for place, axis in enumerate(axes) if place != named[0] for one in axis.columns]
    rest = [f"{_span(metric, found)} with {word(column, which)}" for which, found in mine.items() if which != best]
    return f"{_subject(metric)} best with {word(column, best)} at every {' and '.join(others)}: {_span(metric, mine[best])}, and {listing(rest)} (no intervals overlap)."


def called(metric: Metric) -> str:
    """What a metric is called in a sentence: words for a column's or a quantity's name, and any other name as the user wrote it.

    >>> from ..compare.metrics import metric
    >>> called(metric("acks_sent@f")), called(metric("ack-share@G->R")), called(metric("mean_rtt_s")), called(metric("my_rate: goodput"))
    ('ACKs sent of f', 'ACK share of G->R', 'mean round trip', 'my_rate')
    """
    kind, of, where = metric.name.partition(" of ")
    if kind not in (metric.quantity.name, metric.quantity.about.removeprefix("column ")):
        return metric.name
    parts = kind.removesuffix("_s").removesuffix("_bps").replace("-", "_")
    return worded(re.sub(r"(?<![a-z])rtt(?![a-z])", "round_trip", parts)) + of + where


def _subject(metric: Metric) -> str:
    """A metric with its verb: drops are, and a loss is."""
    return f"{called(metric)} {'are' if _several(metric) else 'is'}"


def _several(metric: Metric) -> bool:
    """Whether a metric's name is a plural."""
    return bool(re.search(r"[^s]s\b", called(metric).partition(" of ")[0]))


def _span(metric: Metric, rows: list[dict[str, Any]]) -> str:
    """The least and the greatest mean."""
    ends = [digits(end) for end in (min(row["mean"] for row in rows), max(row["mean"] for row in rows))]
    return f"{' to '.join(dict.fromkeys(ends))} {metric.quantity.unit}".rstrip()


def _extremes(metric: Metric, rows: list[dict[str, Any]], design: Design, without_zero: bool = False) -> str:
    known = [(row["mean"], point) for point, row in enumerate(rows) if row["mean"] is not None]
    if not known:
        return f"{called(metric)}: no value at any point."
    (least, first), (most, last) = min(known), max(known, key=lambda one: (one[0], -one[1]))
    if least == most:
        return f"{_subject(metric)} the same at every point: {_value(metric, rows[first])}."
    ends = {MORE: (("best", last), ("worst", first)), LESS: (("best", first), ("worst", last))}
    told = (
        f"{which} at {_at(design, point)}: {_value(metric, rows[point])}{_others(rows, point, design)}"
        for which, point in ends.get(metric.quantity.better, (("least", first), ("greatest", last)))
        if not (without_zero and rows[point]["mean"] == 0)
    )
    return f"{_subject(metric)} {'; '.join(told)}."


def _value(metric: Metric, row: dict[str, Any]) -> str:
    return f"{cell(row)} {metric.quantity.unit}".rstrip()


def _others(rows: list[dict[str, Any]], point: int, design: Design) -> str:
    """How many other points may be as far out, by their intervals, or are."""
    mine = rows[point]
    others = [row for number, row in enumerate(rows) if number != point and row["mean"] is not None]
    if mine["low"] is None or all(row["low"] == row["high"] for row in (mine, *others)):
        same = sum(row["mean"] == mine["mean"] for row in others)
        return f" (the same at {counted(same, 'other point')})" if same else ""
    near = [
        at
        for at, row in enumerate(rows)
        if at != point and row["mean"] is not None and row["low"] <= mine["high"] and mine["low"] <= row["high"]
    ]
    if len(near) == 1:
        return f" (the interval at {_at(design, near[0])} overlaps)"
    return f" (intervals of {counted(len(near), 'other point')} overlap)" if near else ""


def _at(design: Design, point: int) -> str:
    """A point, by the names of what varies."""
    places = zip(design.plan.axes, design.places(point), strict=True)
    return ", ".join(f"{spoken(column)} {word(column, place)}" for axis, place in places for column in axis.columns)
