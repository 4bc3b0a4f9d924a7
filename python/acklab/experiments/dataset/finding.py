"""The sentence at the top of a chart's page: what the chart shows, in numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...figures.charts import Axis, Chart, Heat, Line, Lines

#: Most lines, or states, that a sentence names.
MOST_NAMED = 4
#: A line has a step that is told, if one of so many steps or more is this share of its whole range.
SHARE, STEPS = 1 / 3, 3


class Place(NamedTuple):
    """A value of a line, and where it is in words."""

    value: float
    at: str
    name: str

    def told(self, unit: str) -> str:
        """The value, and where it is."""
        where = ", ".join(filter(None, [self.at, self.name]))
        return amount(self.value, unit) + (f" ({where})" if where else "")


class Step(NamedTuple):
    """A line's largest change from a place to the next."""

    name: str
    share: float
    """Of the line's range."""
    places: str
    before: float
    after: float


def finding(chart: Chart) -> str:
    """The sentence; empty where there is none to say."""
    if isinstance(chart, Heat):
        return _heat(chart)
    if not isinstance(chart, Lines) or not chart.panels:
        return ""
    lines = [
        (" · ".join(filter(None, [panel.title, line.name])), line) for panel in chart.panels for line in panel.lines
    ]
    axes = chart.panels[0]
    if chart.name == "cdf":
        return _medians(axes.x, axes.y, lines)
    over_time = _split(axes.x.label)[0] == "time" and any(line.dash.strip() for _, line in lines)
    return _at_the_end(axes.x, axes.y, lines) if over_time else _over(axes.x, axes.y, lines)


def _split(label: str) -> tuple[str, str]:
    """The quantity and the unit of an axis's label.

    >>> _split("mean of completion (s)")
    ('mean of completion', 's')
    """
    what, bracket, unit = label.rpartition(" (")
    return (what, unit.rstrip(")")) if bracket else (label, "")


def _known(line: Line) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in zip(line.x, line.y, strict=True) if math.isfinite(y)]


def _at_the_end(across: Axis, up: Axis, lines: Sequence[tuple[str, Line]]) -> str:
    """What lines over time end at, and their greatest value: a least value is that of the beginning, or of the moment after a loss."""
    (what, unit), (_, of) = _split(up.label), _split(across.label)
    known = [(name if len(lines) > 1 else "", points) for name, line in lines if (points := _known(line))]
    if not known:
        return ""
    ends = [Place(points[-1][1], "", name) for name, points in known]
    value, when, who = max(((y, -x, name) for name, points in known for x, y in points), key=lambda one: one[:2])
    most = Place(value, f"at {amount(-when, of)}", who)
    subject = _capital(what) + ("," if "," in what else "")
    if len(ends) == 1:
        rest = "its most" if most.value == ends[0].value else f"{most.told(unit)} at most"
        return f"{subject} {_verb('end', what)} at {ends[0].told(unit)}, {rest}."
    if len({end.value for end in ends}) == 1:
        told = f"at {amount(ends[0].value, unit)} everywhere"
    elif len(ends) < MOST_NAMED:
        told = "at " + " and ".join(", ".join(end.told(unit) for end in part) for part in (ends[:-1], ends[-1:]))
    else:
        told = f"between {min(ends).told(unit)} and {max(ends).told(unit)}"
    return f"{subject} {_verb('end', what)} {told}; {most.told(unit)} at most."


def _over(across: Axis, up: Axis, lines: Sequence[tuple[str, Line]]) -> str:
    """Where the lines change most, if it is in a step; else their least and greatest value."""
    (what, unit), (key, of) = _split(up.label), _split(across.label)
    several = len(lines) > 1
    if several and any("flow " in name for name, _ in lines):
        # Flows of different kinds have no common least and greatest.
        moved = {
            name: max(values) / min(values)
            for name, line in lines
            if (values := [y for _, y in _known(line)]) and min(values) > 0
        }
        if moved:
            lines = [one for one in lines if one[0] == max(moved, key=lambda name: moved[name])]
    sure = not what.startswith("mean of ") or any(line.band is not None for _, line in lines)
    if (
        key != "time"
        and sure
        and (found := [step for name, line in lines if (step := _step(name if several else "", line, of))])
    ):
        return _stepped(what, unit, key, found)
    places = [
        Place(y, f"{'at' if key == 'time' else key} {amount(x, of)}", name if several else "")
        for name, line in lines
        for x, y in _known(line)
    ]
    return _ends(what, unit, places)


def _step(name: str, line: Line, of: str) -> Step | None:
    """A line's largest step, if it is large enough; of means, if the intervals on both sides do not overlap."""
    x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
    if len(y) < STEPS + 1 or not np.isfinite(y).any() or np.nanmax(y) == np.nanmin(y):
        return None
    sizes = np.nan_to_num(np.abs(np.diff(y)))
    at = int(np.argmax(sizes))
    share = float(sizes[at] / (np.nanmax(y) - np.nanmin(y)))
    apart = line.band is None or sizes[at] > float(line.band[at]) + float(
        line.band[at + 1]
    )  # not where one is NaN, either
    places = f"{amount(float(x[at]), '')} to {amount(float(x[at + 1]), of)}"
    return Step(name, share, places, float(y[at]), float(y[at + 1])) if apart and share >= SHARE else None


def _stepped(what: str, unit: str, key: str, found: Sequence[Step]) -> str:
    """The two steps along ``key`` that are most of their lines' ranges."""
    told = sorted(found, key=lambda step: -step.share)[:2]
    signs = {step.after > step.before for step in told}
    verb = "change" if len(signs) > 1 else "rise" if signs == {True} else "fall"
    parts = []
    for step in told:
        ends = ", ".join(filter(None, [f"{amount(step.before, '')} to {amount(step.after, unit)}", step.name]))
        parts.append(f"from {'' if parts else key + ' '}{step.places} ({ends})")
    return f"{_capital(what)} {_verb(verb, what)} most {' and '.join(parts)}."


def _ends(what: str, unit: str, places: Sequence[Place]) -> str:
    found = [place for place in places if math.isfinite(place.value)]
    if not found:
        return ""
    least, most = min(found), max(found)
    if least.value == most.value:
        return f"{_capital(what)}: {amount(most.value, unit)} everywhere."
    return f"{_capital(what)}: {least.told(unit)} at least, {most.told(unit)} at most."


def _heat(chart: Heat) -> str:
    (what, unit), (key, of), (side, counted) = (_split(axis.label) for axis in (chart.z, chart.x, chart.y))
    columns, rows = chart.cells
    found = []
    for surface in chart.surfaces:
        z = np.asarray(surface.z, dtype=float)
        for i, j in np.ndindex(z.shape):
            name = ", ".join(filter(None, [f"{side} {rows[j]} {counted}".rstrip(), surface.title]))
            found.append(Place(float(z[i, j]), f"{key} {columns[i]} {of}".rstrip(), name))
    values = Counter(place.value for place in found if math.isfinite(place.value))
    if (
        len(chart.surfaces) == 1
        and len(rows) <= 2
        and len(values) > 1
        and (told := _edges(chart, what, unit, states=len(values) == 2))
    ):
        return told
    if 1 < len(values) <= MOST_NAMED:
        shares = [f"{amount(value, unit)} at {values[value]} of {values.total()} places" for value in sorted(values)]
        return f"{_capital(what)}: {', '.join(shares)}."
    return _ends(what, unit, found)


def _edges(chart: Heat, what: str, unit: str, states: bool) -> str:
    """Where each row of a map changes most, if that is in a step; of a map of two states, where it changes, if it does so once."""
    (key, of), (side, counted), (columns, rows) = _split(chart.x.label), _split(chart.y.label), chart.cells
    if not states and (
        what.startswith("mean of ")
        or len(columns) < STEPS + 1
        or not all(word.replace(".", "").isdigit() for word in columns)
    ):
        return ""
    found, edges = [], []
    for row, z in zip(rows, np.asarray(chart.surfaces[0].z, dtype=float).T, strict=True):
        sizes = np.abs(np.diff(z))
        if np.isnan(z).any() or (
            np.count_nonzero(sizes) != 1 if states else sizes.max() < SHARE * np.ptp(z) or not sizes.any()
        ):
            return ""
        at = int(np.argmax(sizes))
        places = f"{columns[at]} to {columns[at + 1]} {of}".rstrip()
        edges.append((columns[at], columns[at + 1]))
        found.append(
            Step(
                f"{side} {row} {counted}".rstrip(), float(sizes[at] / np.ptp(z)), places, float(z[at]), float(z[at + 1])
            )
        )
    if states:
        told = [f"{amount(step.before, unit)} up to {'' if place else f'{key} '}{a} and {amount(step.after, unit)} from {b} {of}".rstrip() + f" ({step.name})"
                for place, (step, a, b) in enumerate(zip(found, *zip(*edges, strict=True), strict=True))]  # fmt: skip
        return f"{_capital(what)} {_verb('be', what)} {', '.join(told)}."
    return _stepped(what, unit, key, found)


def _medians(across: Axis, up: Axis, lines: Sequence[tuple[str, Line]]) -> str:
    what, unit = _split(across.label)
    told = []
    for name, line in lines:
        reached = [float(x) for x, y in zip(line.x, line.y, strict=True) if y >= 0.5]
        value = f"at most {amount(reached[0], unit)}" if reached else "unknown"
        told.append(f"{value} ({name})" if name else value)
    if not 0 < len(told) <= MOST_NAMED:
        return ""
    return f"In half of the {up.label.removeprefix('share of ')} {what} {_verb('be', what)} {' and '.join(filter(None, [', '.join(told[:-1]), told[-1]]))}."


def _verb(stem: str, what: str) -> str:
    """A verb for a quantity, which may be a plural.

    >>> _verb("fall", "timeouts"), _verb("fall", "mean of timeouts"), _verb("be", "completion")
    ('fall', 'falls', 'is')
    """
    first = what.split(" ")[-1] if not what.startswith("mean of ") and "," not in what else ""
    plural = first.endswith("s") and not first.endswith("ss")
    return {"be": ("is", "are")}.get(stem, (f"{stem}s", stem))[plural]


def amount(value: float, unit: str) -> str:
    """A value with its unit.

    >>> amount(1.0, "segments"), amount(0.5, "s"), amount(2e5, "")
    ('1 segment', '0.5 s', '200,000')
    """
    one = unit.removesuffix("s") if value == 1 and unit in ("segments", "packets", "bytes") else unit
    return f"{value:,.0f} {one}".rstrip() if abs(value) >= 1e4 else f"{value:.4g} {one}".rstrip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
