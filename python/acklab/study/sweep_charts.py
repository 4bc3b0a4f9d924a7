"""Which charts show a sweep: lines with intervals, heat maps, small multiples, or dots, by what varies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..plot.palette import slots_for
from ..report.charts import Axis as Scale
from ..report.charts import Chart, Dot, DotPanel, Dots, Heat, Line, Lines, Panel, Surface
from ..text.templates import Fact, fact
from .axes import Axis, Column, log_spaced
from .keys import counting, worded
from .metrics import Metric

#: Most lines that one pair of axes holds apart: numbers in order, and names.
MOST_LINES, MOST_NAMES = 6, 9
#: Panels side by side, and of one metric altogether; points of a line that are drawn.
BESIDE, MOST_PANELS, MOST_DRAWN = 3, 12, 400
#: Rows of a chart of dots.
MOST_ROWS = 40


@dataclass(frozen=True)
class Grid:
    """A metric's means and half intervals over the axes."""

    metric: Metric
    mean: Any
    half: Any

    @property
    def label(self) -> str:
        """The metric and its unit."""
        return self.metric.label


def grids(axes: Sequence[Axis], metrics: Sequence[Metric], frame: Any) -> list[Grid]:
    """The summary as arrays, one dimension an axis."""
    shape = [len(axis) for axis in axes]
    found = []
    for place, metric in enumerate(metrics):
        part = frame[place :: len(metrics)]
        mean = part["mean"].cast(float).fill_null(math.nan).to_numpy().reshape(shape)
        half = (part["high"] - part["mean"]).fill_null(math.nan).to_numpy().reshape(shape)
        found.append(Grid(metric, mean, half))
    return found


class Pictures:
    """The charts of a sweep."""

    def __init__(self, axes: Sequence[Axis], metrics: Sequence[Metric], frame: Any, title: str) -> None:
        self.title = title
        self.found = [one for one in grids(axes, metrics, frame) if not np.isnan(one.mean).all()]
        self.axes = [axis.columns[0] for axis in axes]
        self.notes: list[Fact] = []
        """What is not drawn."""
        wide = [place for place, axis in enumerate(axes) if len(axis) > 1]
        numbers = [place for place in wide if self.axes[place].is_number]
        self.x = max(numbers, key=lambda place: len(axes[place].places), default=None)
        rest = [place for place in wide if place != self.x]
        self.hue = self._hue(rest)
        self.others = [place for place in rest if place != self.hue]

    def _hue(self, rest: Sequence[int]) -> int | None:
        """The axis that is told by colour, or by the heat map's other side: the cases, else the one with most places that fit."""
        if not rest:
            return None
        fitting = [place for place in rest if self._fits(place)]
        # With nothing that fits, the longest becomes the side of heat maps.
        return max(
            fitting or rest,
            key=lambda place: (bool(fitting) and not self.axes[place].is_number, len(self.axes[place].cells)),
        )

    def _fits(self, place: int) -> bool:
        column = self.axes[place]
        return len(column.cells) <= (MOST_LINES if column.is_number else MOST_NAMES)

    def charts(self) -> list[Chart]:
        """Every chart, those of the first metric first."""
        if not self.found:
            return []
        if self.x is None:
            return list(self._dots())
        if self.hue is not None and not self._fits(self.hue):
            return list(self._heat())
        return list(self._lines())

    # ---- what is beside what -----------------------------------------------------------------------------------------
    def _facets(self) -> list[tuple[str, dict[int, int]]]:
        """The places on the other axes, each a panel: its title, and where it is."""
        places = [range(len(self.axes[axis].cells)) for axis in self.others]
        total = math.prod(map(len, places))
        if total > MOST_PANELS:
            self._note("panels", MOST_PANELS, total)
        found = []
        for cell in product(*places):
            chosen = dict(zip(self.others, cell, strict=True))
            title = ", ".join(
                f"{spoken(self.axes[axis])} {word(self.axes[axis], place)}" for axis, place in chosen.items()
            )
            found.append((title, chosen))
            if len(found) == MOST_PANELS:
                break
        return found

    def _note(self, kind: str, shown: int, of: int) -> None:
        note = fact(kind, shown=shown, all=of)
        if note not in self.notes:
            self.notes.append(note)

    def _cut(self, array: Any, chosen: dict[int, int]) -> Any:
        """What is left of an array where some axes have a place: x, then the coloured axis."""
        kept = [axis for axis in (self.x, self.hue) if axis is not None]
        index = tuple(slice(None) if axis in kept else chosen.get(axis, 0) for axis in range(len(self.axes)))
        part = array[index]
        return part if kept == sorted(kept) else part.T

    # ---- kinds of charts ---------------------------------------------------------------------------------------------
    def _lines(self) -> Iterator[Chart]:
        facets = self._facets()
        if len(facets) > 1:
            for number, one in enumerate(self.found):
                panels = [self._panel(title, one, chosen) for title, chosen in facets]
                yield from _beside(f"sweep-{number + 1}", f"{one.label}{self._spread_told(one)}", panels)
            return
        panels = [self._panel("", one, facets[0][1]) for one in self.found]
        about = f"{', '.join(one.metric.name for one in self.found)} over {spoken(self.axes[self.x])}"  # type: ignore[index]
        yield from _beside("sweep", about + self._spread_told(*self.found), panels)

    def _spread_told(self, *found: Grid) -> str:
        return "; bars: 95 % intervals" if any(np.nansum(np.abs(one.half)) > 0 for one in found) else ""

    def _panel(self, title: str, one: Grid, chosen: dict[int, int]) -> Panel:
        assert self.x is not None
        column = self.axes[self.x]
        factor, unit = scaled(column)
        order = np.argsort(np.array(column.cells, dtype=float), kind="stable")
        if len(order) > MOST_DRAWN:
            self._note("drawn", MOST_DRAWN, len(order))
            order = order[some(len(order), MOST_DRAWN)]
        x = np.array(column.cells, dtype=float)[order] * factor
        mean, half = self._cut(one.mean, chosen), self._cut(one.half, chosen)
        names = [""] if self.hue is None else [word(self.axes[self.hue], place) for place in range(mean.shape[1])]
        told = (
            names
            if self.hue is None
            else [f"{spoken(self.axes[self.hue])} {name}" if self.axes[self.hue].is_number else name for name in names]
        )
        log = log_spaced(column.cells)
        lines = []
        for place, (name, colour) in enumerate(zip(told, slots_for(names), strict=True)):
            y = (mean if self.hue is None else mean[:, place])[order]
            spread = (half if self.hue is None else half[:, place])[order]
            seen = np.nansum(np.abs(spread)) > 0
            beside = dodged(x, place - (len(names) - 1) / 2, log) if seen else x
            mark = "o" if len(x) <= 40 else ""
            lines.append(
                Line(
                    name,
                    beside,
                    y,
                    colour if name else "blue",
                    marker=mark,
                    spread=np.nan_to_num(spread) if seen else None,
                )
            )
        bottom, top = ends(one)
        ticks = [float(x[place]) for place in some(len(x), 6)] if log else None
        words = [f"{tick:.3g}" for tick in ticks or ()]
        across = Scale(labelled(column, unit), log=log, ticks=ticks, words=words)
        return Panel(title, across, Scale(one.label, low=bottom, high=top), lines)

    def _heat(self) -> Iterator[Chart]:
        assert self.x is not None and self.hue is not None
        across, up = self.axes[self.x], self.axes[self.hue]
        facets = self._facets()
        for number, one in enumerate(self.found):
            surfaces = [
                Surface(
                    title or one.metric.name,
                    range(len(across.cells)),
                    range(len(up.cells)),
                    self._cut(one.mean, chosen),
                )
                for title, chosen in facets
            ]
            for start in range(0, len(surfaces), BESIDE):
                name = f"sweep-{number + 1}-{start // BESIDE + 1}"
                low, high = float(np.nanmin(one.mean)), float(np.nanmax(one.mean))
                span = (low, high) if high > low else (low - 0.5, high + 0.5)
                about = f"{one.label} over {spoken(across)} and {spoken(up)}; empty where a run has no value"
                yield Heat(
                    name, about, surfaces[start : start + BESIDE], _ticks(across), _ticks(up),
                    Scale(one.label, low=span[0], high=span[1]), height=3.4,
                )  # fmt: skip

    def _dots(self) -> Iterator[Chart]:
        wide = [place for place, column in enumerate(self.axes) if len(column.cells) > 1]
        hue = self.hue if len(wide) > 1 else None
        rows_of = [place for place in wide if place != hue]
        rows = list(product(*[range(len(self.axes[place].cells)) for place in rows_of]))
        if len(rows) > MOST_ROWS:
            self._note("rows", MOST_ROWS, len(rows))
            rows = rows[:MOST_ROWS]
        labels = [
            ", ".join(word(self.axes[axis], place) for axis, place in zip(rows_of, row, strict=True)) or self.title
            for row in rows
        ]
        hues = range(1) if hue is None else range(len(self.axes[hue].cells))
        names = [""] if hue is None else [word(self.axes[hue], place) for place in hues]
        slots = slots_for(names) if hue is not None else ["blue"]
        panels = []
        for one in self.found:
            dots = []
            for number, row in enumerate(rows):
                for place, slot in zip(hues, slots, strict=True):
                    chosen = dict(zip(rows_of, row, strict=True)) | ({hue: place} if hue is not None else {})
                    index = tuple(chosen.get(axis, 0) for axis in range(len(self.axes)))
                    value, half = float(one.mean[index]), float(np.nan_to_num(one.half[index]))
                    if not math.isnan(value):
                        dots.append(Dot(number, value, (value - half, value + half), slot))
            panels.append(DotPanel(one.label, dots))
        for start in range(0, len(panels), BESIDE):
            keys = list(zip(names, slots, strict=True)) if hue is not None else []
            about = f"{self.title}: means{self._spread_told(*self.found)}"
            yield Dots(f"sweep-{start // BESIDE + 1}", about, labels, panels[start : start + BESIDE], keys)


def _beside(name: str, about: str, panels: Sequence[Panel]) -> Iterator[Chart]:
    """Panels, a few in each chart."""
    for start in range(0, len(panels), BESIDE):
        yield Lines(f"{name}-{start // BESIDE + 1}", about, panels[start : start + BESIDE])


def _ticks(column: Column) -> Scale:
    """An axis by place, not by value, with some of the values beside it."""
    chosen = some(len(column.cells), 8)
    factor, unit = scaled(column) if column.is_number else (1.0, "")
    words = [f"{column.cells[k] * factor:.4g}" if column.is_number else str(column.cells[k]) for k in chosen]
    return Scale(labelled(column, unit), ticks=chosen, words=words)


def ends(one: Grid) -> tuple[float, float]:
    """The ends of a metric's axis, the same in all panels; from 0 unless the values lie close together far from it."""
    return axis_ends(one.mean, one.half)


def axis_ends(mean: Any, half: Any) -> tuple[float, float]:
    """The ends of an axis for means and half intervals."""
    half = np.nan_to_num(half)
    low, high = float(np.nanmin(mean - half)), float(np.nanmax(mean + half))
    near, far = float(np.nanmin(mean)), float(np.nanmax(mean))
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    if near >= 0:  # intervals are cut at 0, too
        return (0.0 if near < 0.6 * far or far == 0 else max(low - room, 0.0)), high + room
    return low - room, high + room


def dodged(x: Any, steps: float, log: bool) -> Any:
    """Places moved a little aside, so that the intervals of several lines do not cover each other."""
    if len(x) < 2:
        return x
    least = np.min(np.diff(np.log(x) if log else x)) * 0.05 * steps
    return x * np.exp(least) if log else x + least


def some(count: int, most: int) -> list[int]:
    """At most so many places of ``count``, evenly chosen, the first and the last among them."""
    return list(range(count)) if count <= most else sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})


def scaled(column: Column) -> tuple[float, str]:
    """The factor by which a column's numbers are multiplied to be read easily, and the unit that they then have."""
    most = max((abs(float(cell)) for cell in column.cells), default=0.0)
    if column.unit == "bps":
        return (1e-9, "Gb/s") if most >= 1e10 else (1e-6, "Mb/s") if most >= 1e5 else (1e-3, "kb/s")
    if column.unit == "s":
        return (1.0, "s") if most >= 2 else (1e3, "ms")
    if column.unit == "bytes":
        return (1e-6, "MB") if most >= 1e7 else (1e-3, "kB") if most >= 1e4 else (1.0, "bytes")
    return 1.0, ""


def spoken(column: Column) -> str:
    """What a column is called in charts and sentences: ``queue`` for ``queue_packets``, because its values say what they count."""
    return counting(column.name)[0] if column.is_number else worded(column.name)


def labelled(column: Column, unit: str) -> str:
    """An axis's label."""
    unit = unit or (counting(column.name)[1] if column.is_number else "")
    return f"{spoken(column)} ({unit})" if unit else spoken(column)


def word(column: Column, place: int) -> str:
    """A cell as people read it."""
    cell = column.cells[place]
    if not column.is_number:
        return str(cell)
    factor, unit = scaled(column)
    what = unit or counting(column.name)[1]
    return f"{cell * factor:.4g} {what.removesuffix('s') if cell == 1 and not unit else what}".strip()
