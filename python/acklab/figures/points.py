"""The points of a drawn chart: where they are in its SVG, and their values as text, for the pointer and the arrow keys; and its panels, for zooming."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..text.escapes import visible

#: Most points of a chart that a page holds; of more, every second, third, ... is left out.
MOST = 600

#: Markers of the ends of error bars, and of lines without marks.
_CAPS, _NONE = ("|", "_"), ("", " ", "None", None)

Point = tuple[float, float, str, float, float]
"""Place from the left and from the top in the SVG's units, what to say, and the ends of the interval from the top."""


class Series(NamedTuple):
    """Points of one name in one panel."""

    name: str
    panel: int
    """Its panel's place in the list, or -1 where a panel cannot be zoomed."""
    points: list[Point]
    reach: float = 0.0
    """How near the pointer has to be, in the SVG's units; the page's own where it is 0."""


class Area(NamedTuple):
    """A panel that can be zoomed along its horizontal axis."""

    group: str
    """The id of its group in the SVG."""
    box: tuple[float, float, float, float]
    """Left, top, right and bottom, in the SVG's units."""
    x: tuple[float, float, bool]
    """The horizontal axis's ends, and whether it is logarithmic."""
    y: tuple[float, float, bool] | None
    """The same of the vertical axis, or None where it has names."""
    ticks: list[tuple[float, str]] | None
    """The ticks of a horizontal axis that has fixed places."""
    whole: bool
    """True if every place along it is a whole number, so that there are no others to mark."""


class Interactive(NamedTuple):
    """What the pointer needs of a chart."""

    series: list[Series]
    panels: list[Area]


def with_interval(line: Any, low: Any, high: Any) -> None:
    """Notes the ends of the intervals of a drawn line's points, which are told with them."""
    line.acklab_interval = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def with_cells(image: Any, words: Any) -> None:
    """Notes what each cell of a heat map's picture says: ``words[i][j]`` at the i-th place along it and the j-th up."""
    image.acklab_cells = words


def points(made: Any, rows: Sequence[str] = ()) -> Interactive:
    """The series of a matplotlib figure, in the order in which they were drawn; ``rows`` are the names of a chart of dots, from the top."""
    panels: list[Area] = []
    found: list[Series] = []
    for number, axes in enumerate(one for one in made.axes if one.get_visible()):
        drawn = list(_of(axes, made, rows, len(panels)))
        area = _area(axes, made, f"axes_{number + 1}") if drawn else None
        if area is None:
            drawn = [one._replace(panel=-1) for one in drawn]
        else:
            panels.append(area)
        found += drawn
    step = -(-sum(len(one.points) for one in found) // MOST) or 1
    return Interactive([one._replace(points=one.points[::step]) for one in found], panels)


def block(found: Interactive) -> str:
    """The series and panels as a block of data of a page; nothing if there are none."""
    if not found.series:
        return ""
    told = {
        "series": [
            {
                "name": visible(one.name),
                "panel": one.panel,
                "points": [_told(point) for point in one.points],
                **({"reach": round(one.reach, 1)} if one.reach else {}),
            }
            for one in found.series
        ],
        "panels": [
            {
                "group": one.group,
                "box": [round(edge, 2) for edge in one.box],
                "x": one.x,
                "y": one.y,
                "ticks": one.ticks,
                "whole": one.whole,
            }
            for one in found.panels
        ],
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="chart-points">{text}</script>'


def _told(point: Point) -> list[Any]:
    x, y, text, high, low = point
    return [round(x, 1), round(y, 1), visible(text), *([] if high == y == low else [round(high, 1), round(low, 1)])]


def _box(axes: Any, made: Any) -> tuple[float, float, float, float]:
    scale, height, box = 72 / made.dpi, 72 * made.get_figheight(), axes.bbox
    return box.x0 * scale, height - box.y1 * scale, box.x1 * scale, height - box.y0 * scale


def _area(axes: Any, made: Any, group: str) -> Area | None:
    """A panel of lines and points with numbers along it; bars, pictures and names have nothing between their places."""
    if (
        axes.images
        or any(getattr(one, "patches", ()) for one in axes.containers)
        or axes.get_xscale() not in ("linear", "log")
    ):
        return None
    ticks = [(float(place), visible(word)) for place, word in _fixed(axes.xaxis).items()] or None
    named = bool(_fixed(axes.yaxis)) or axes.get_yscale() not in ("linear", "log")
    x, y = (
        (float(low), float(high), scale == "log")
        for (low, high), scale in ((axes.get_xlim(), axes.get_xscale()), (axes.get_ylim(), axes.get_yscale()))
    )
    along = [value for line in axes.get_lines() if line.get_transform() == axes.transData for value in line.get_xdata()]
    return Area(
        group, _box(axes, made), x, None if named else y, ticks, all(float(value).is_integer() for value in along)
    )


def _fixed(axis: Any) -> dict[float, str]:
    """The words at the ticks of an axis that has fixed ones, by their places."""
    from matplotlib.ticker import FixedLocator

    locator, form = axis.get_major_locator(), axis.get_major_formatter()
    return (
        {float(place): str(form(place, number)) for number, place in enumerate(locator())}
        if isinstance(locator, FixedLocator)
        else {}
    )


def _of(axes: Any, made: Any, rows: Sequence[str], panel: int) -> Iterator[Series]:
    for line in axes.get_lines():
        if line.get_transform() != axes.transData or not line.get_visible():
            continue  # a mark across the whole panel
        if line.get_marker() in _CAPS or (rows and line.get_marker() in _NONE):
            continue  # an interval
        label = line.get_label()
        name = "" if label.startswith("_") else label
        values = zip(line.get_xdata(orig=False), line.get_ydata(orig=False), strict=True)
        yield from _series(axes, made, name, values, panel, rows, getattr(line, "acklab_interval", ()))
    for image in axes.images:
        if words := getattr(image, "acklab_cells", None):
            yield _cells(axes, made, words)
    for bars in axes.containers:
        patches = [patch for patch in getattr(bars, "patches", ()) if hasattr(patch, "get_width")]
        label = bars.get_label()
        if patches:
            across = bars.orientation == "horizontal"
            ends = [
                (bar.get_x() + bar.get_width(), bar.get_y() + bar.get_height() / 2) if across
                else (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height())
                for bar in patches
            ]  # fmt: skip
            yield from _series(axes, made, "" if label.startswith("_") else label, ends, panel)


def _cells(axes: Any, made: Any, words: Sequence[Sequence[str]]) -> Series:
    """The middles of a heat map's cells, each of which the pointer reaches from all of its cell."""
    left, top, right, bottom = _box(axes, made)
    wide, tall = (right - left) / len(words), (bottom - top) / len(words[0])
    places = [(i, j) for i in range(len(words)) for j in range(len(words[0])) if words[i][j]]
    told: list[Point] = [
        (left + (i + 0.5) * wide, y := bottom - (j + 0.5) * tall, words[i][j], y, y) for i, j in places
    ]
    return Series(axes.get_title(loc="left").replace("\n", " "), -1, told, math.hypot(wide, tall) / 2 + 1)


def _series(
    axes: Any,
    made: Any,
    name: str,
    values: Any,
    panel: int,
    rows: Sequence[str] = (),
    intervals: Sequence[tuple[float, float]] = (),
) -> Iterator[Series]:
    import numpy as np

    listed = [(float(x), float(y)) for x, y in values]
    if not listed:
        return
    scale, height = 72 / made.dpi, 72 * made.get_figheight()
    places = axes.transData.transform(np.array(listed)) * scale
    left, top, right, bottom = _box(axes, made)
    told: list[Point] = []
    for number, ((x, y), (px, py)) in enumerate(zip(listed, places, strict=True)):
        py = height - py
        if not (np.isfinite(px) and np.isfinite(py) and left - 1 <= px <= right + 1 and top - 1 <= py <= bottom + 1):
            continue
        high = low = py
        between = ""
        if number < len(intervals) and intervals[number][0] < intervals[number][1]:
            ends = intervals[number]
            between = f" ({ends[0]:.4g} to {ends[1]:.4g})"
            if not _fixed(axes.yaxis):
                ends_y = height - axes.transData.transform(np.array([(x, end) for end in ends]))[:, 1] * scale
                low, high = (float(end) if np.isfinite(end) else py for end in ends_y)
        text = f"{rows[round(-y)]}: {x:.4g}" if rows else _text(axes, x, y)
        told.append((float(px), float(py), text + between, float(high), float(low)))
    if told:
        yield Series(" · ".join(filter(None, [axes.get_title(loc="left").replace("\n", " "), name])), panel, told)


def _text(axes: Any, x: float, y: float) -> str:
    return "; ".join(_named(axis, value) for axis, value in ((axes.xaxis, x), (axes.yaxis, y)))


def _named(axis: Any, value: float) -> str:
    """A value with its axis' label, or the word that stands at its tick."""
    words = _fixed(axis)
    near = min(words, key=lambda tick: abs(tick - value), default=None)
    if near is not None and abs(near - value) < 0.5 and words[near] and not words[near].replace(".", "").isdigit():
        return words[near]
    label = axis.get_label().get_text().replace("\n", " ")
    return f"{label}: {value:.4g}" if label else f"{value:.4g}"
