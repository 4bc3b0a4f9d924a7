"""The sentence at the top of a chart's page: what the chart shows, in numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...figures.charts import Axis, Chart, Heat, Line, Lines

#: Lines whose medians a sentence names.
MOST_NAMED = 4


def finding(chart: Chart) -> str:
    """The sentence; empty where nothing varies."""
    if isinstance(chart, Heat):
        return _heat(chart)
    if not isinstance(chart, Lines) or not chart.panels:
        return ""
    lines = [(" · ".join(filter(None, [panel.title, line.name])), line) for panel in chart.panels for line in panel.lines]
    axes = chart.panels[0]
    return _medians(axes.x, lines) if chart.name == "cdf" else _ends(axes.x, axes.y, lines)


def _split(label: str) -> tuple[str, str]:
    """The quantity and the unit of an axis's label.

    >>> _split("mean of completion (s)")
    ('mean of completion', 's')
    """
    what, bracket, unit = label.rpartition(" (")
    return (what, unit.rstrip(")")) if bracket else (label, "")


def _ends(across: Axis, up: Axis, lines: Sequence[tuple[str, Line]]) -> str:
    """Where the lines are least and greatest."""
    found = [(float(y), name, float(x)) for name, line in lines for x, y in zip(line.x, line.y, strict=True) if math.isfinite(y)]
    if not found or min(found)[0] == max(found)[0]:
        return ""
    (what, unit), (key, of) = _split(up.label), _split(across.label)
    if len(lines) > 1 and any("flow " in name for name, _ in lines) and key != "time":
        # Flows of different kinds have no common least and greatest.
        apart = {name: [one for one in found if one[1] == name] for name, _ in lines}
        moved = {name: max(mine)[0] / min(mine)[0] for name, mine in apart.items() if mine and min(mine)[0] > 0}
        if moved:
            most = max(moved, key=lambda name: moved[name])
            ends = [f"{_amount(value, unit)} ({key} {_amount(x, of)})" for value, _, x in (min(apart[most]), max(apart[most]))]
            return f"{_capital(what)} changes most for {most}: from {' to '.join(ends)}."

    def place(one: tuple[float, str, float]) -> str:
        value, name, x = one
        at = f"{'at' if key == 'time' else key} {_amount(x, of)}"
        return _amount(value, unit) + f" ({', '.join(filter(None, [at, name if len(lines) > 1 else '']))})"

    return f"{_capital(what)}: from {place(min(found))} to {place(max(found))}."


def _heat(chart: Heat) -> str:
    values = np.concatenate([np.asarray(surface.z, dtype=float).ravel() for surface in chart.surfaces])
    (what, unit), sides = _split(chart.z.label), [_split(axis.label)[0] for axis in (chart.x, chart.y)]
    low, high = (f"{end:.4g} {unit}".rstrip() for end in (np.nanmin(values), np.nanmax(values)))
    return f"{_capital(what)}: from {low} to {high}, over {' and '.join(sides)}."


def _medians(across: Axis, lines: Sequence[tuple[str, Line]]) -> str:
    what, unit = _split(across.label)
    told = []
    for name, line in lines:
        reached = [float(x) for x, y in zip(line.x, line.y, strict=True) if y >= 0.5]
        value = f"at most {reached[0]:.4g} {unit}".rstrip() if reached else "no value"
        told.append(f"{value} ({name})" if name else value)
    return f"In half of the rows {what} is {'; '.join(told)}." if 0 < len(told) <= MOST_NAMED else ""


def _amount(value: float, unit: str) -> str:
    """
    >>> _amount(1.0, "segments"), _amount(0.5, "s"), _amount(2, "")
    ('1 segment', '0.5 s', '2')
    """
    one = unit.removesuffix("s") if value == 1 and unit in ("segments", "packets", "bytes") else unit
    return f"{value:.4g} {one}".rstrip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
