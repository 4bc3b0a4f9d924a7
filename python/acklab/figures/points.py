"""The points of a drawn chart: where they are in its SVG, and their values as text, for the pointer and the arrow keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..text.escapes import visible

#: Most points of a chart that a page holds; of more, every second, third, ... is left out.
MOST = 600

#: Markers of the ends of error bars, and of lines without marks.
_CAPS, _NONE = ("|", "_"), ("", " ", "None", None)

Series = tuple[str, list[tuple[float, float, str]]]
"""A name, and its points: place from the left and from the top in the SVG's units, and what to say."""


def points(made: Any, rows: Sequence[str] = ()) -> list[Series]:
    """The series of a matplotlib figure, in the order in which they were drawn; ``rows`` are the names of a chart of dots, from the top."""
    found = [series for axes in made.axes if axes.get_visible() for series in _of(axes, made, rows)]
    step = -(-sum(len(places) for _, places in found) // MOST) or 1
    return [(name, places[::step]) for name, places in found]


def block(found: list[Series]) -> str:
    """The series as a block of data of a page; nothing if there are none."""
    if not found:
        return ""
    told = [{"name": visible(name), "points": [[round(x, 1), round(y, 1), visible(text)] for x, y, text in places]} for name, places in found]
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="chart-points">{text}</script>'


def _of(axes: Any, made: Any, rows: Sequence[str]) -> Iterator[Series]:
    for line in axes.get_lines():
        if line.get_transform() != axes.transData or not line.get_visible():
            continue  # a mark across the whole panel
        if line.get_marker() in _CAPS or (rows and line.get_marker() in _NONE):
            continue  # an interval
        label = line.get_label()
        name = "" if label.startswith("_") else label
        yield from _series(axes, made, name, zip(line.get_xdata(orig=False), line.get_ydata(orig=False), strict=True), rows)
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
            yield from _series(axes, made, "" if label.startswith("_") else label, ends)


def _series(axes: Any, made: Any, name: str, values: Any, rows: Sequence[str] = ()) -> Iterator[Series]:
    import numpy as np

    listed = [(float(x), float(y)) for x, y in values]
    if not listed:
        return
    places = axes.transData.transform(np.array(listed)) * 72 / made.dpi
    height, box = 72 * made.get_figheight(), axes.bbox
    left, right, low, high = (edge * 72 / made.dpi for edge in (box.x0 - 1, box.x1 + 1, box.y0 - 1, box.y1 + 1))
    told = [
        (float(px), float(height - py), f"{rows[round(-y)]}: {x:.4g}" if rows else _text(axes, x, y))
        for (x, y), (px, py) in zip(listed, places, strict=True)
        if np.isfinite(px) and np.isfinite(py) and left <= px <= right and low <= py <= high
    ]
    if told:
        yield " · ".join(filter(None, [axes.get_title(loc="left").replace("\n", " "), name])), told


def _text(axes: Any, x: float, y: float) -> str:
    return "; ".join(_named(axis, value) for axis, value in ((axes.xaxis, x), (axes.yaxis, y)))


def _named(axis: Any, value: float) -> str:
    """A value with its axis' label, or the word that stands at its tick."""
    from matplotlib.ticker import FixedFormatter

    if isinstance(axis.get_major_formatter(), FixedFormatter):
        words = dict(zip(axis.get_major_locator()(), axis.get_major_formatter().seq, strict=False))
        near = min(words, key=lambda tick: abs(tick - value), default=None)
        if near is not None and abs(near - value) < 0.5 and words[near]:
            return str(words[near])
    label = axis.get_label().get_text().replace("\n", " ")
    return f"{label}: {value:.4g}" if label else f"{value:.4g}"
