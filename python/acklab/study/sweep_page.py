"""A sweep as facts, tables, charts and files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plot.palette import slots_for
from ..report.charts import Axis as Scale
from ..report.charts import Chart, Dot, DotPanel, Dots, Line, Lines, Panel
from ..report.report import Report, Table
from ..results.frames import write_scenario
from ..results.summary import MAX_ROWS as MAX_LINES
from ..text.numbers import estimate, number
from ..text.templates import Fact, fact, sentence
from .axes import Axis, Column, log_spaced
from .intervals import LEAST_SEEDS
from .keys import counting, worded
from .metrics import Metric

if TYPE_CHECKING:
    from .sweep import Design, Swept

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
        fitting = [place for place in rest if self._fits(place)]
        self.hue = max(
            fitting, key=lambda place: (not self.axes[place].is_number, len(self.axes[place].cells)), default=None
        )
        """The axis that colours tell: the cases, else the one with most places that fit."""
        self.others = [place for place in rest if place != self.hue]

    def _fits(self, place: int) -> bool:
        column = self.axes[place]
        return len(column.cells) <= (MOST_LINES if column.is_number else MOST_NAMES)

    def charts(self) -> list[Chart]:
        """Every chart, those of the first metric first."""
        if not self.found:
            return []
        return list(self._dots() if self.x is None else self._lines())

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
            for place, one in enumerate(self.found, 1):
                panels = [self._panel(title, one, chosen) for title, chosen in facets]
                yield from _beside(f"sweep-{place}", f"{one.label}{self._spread_told(one)}", panels)
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
        bottom, top = axis_ends(one.mean, one.half)
        ticks = [float(x[place]) for place in some(len(x), 6)] if log else None
        words = [f"{tick:.3g}" for tick in ticks or ()]
        across = Scale(labelled(column, unit), log=log, ticks=ticks, words=words)
        return Panel(title, across, Scale(one.label, low=bottom, high=top), lines)

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
            for level, row in enumerate(rows):
                for place, slot in zip(hues, slots, strict=True):
                    chosen = dict(zip(rows_of, row, strict=True)) | ({hue: place} if hue is not None else {})
                    index = tuple(chosen.get(axis, 0) for axis in range(len(self.axes)))
                    value, half = float(one.mean[index]), float(np.nan_to_num(one.half[index]))
                    if not math.isnan(value):
                        dots.append(Dot(level, value, (value - half, value + half), slot))
            panels.append(DotPanel(one.label, dots))
        for start in range(0, len(panels), BESIDE):
            keys = list(zip(names, slots, strict=True)) if hue is not None else []
            about = f"{self.title}: means{self._spread_told(*self.found)}"
            yield Dots(f"sweep-{start // BESIDE + 1}", about, labels, panels[start : start + BESIDE], keys)


def _beside(name: str, about: str, panels: Sequence[Panel]) -> Iterator[Chart]:
    """Panels, a few in each chart."""
    for start in range(0, len(panels), BESIDE):
        yield Lines(f"{name}-{start // BESIDE + 1}", about, panels[start : start + BESIDE])


def axis_ends(mean: Any, half: Any) -> tuple[float, float]:
    """The ends of an axis for means and half intervals, the same in all panels; from 0 unless the values lie close together far from it."""
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


#: Metrics whose range is a fact, and points in a page's table.
MAX_RANGES, MAX_ROWS = 3, 500


def report(result: Swept, picture: str = "", *, page: bool = False) -> Report:
    """The report of a sweep; of a ``page`` the table has more points."""
    table = _points(result, MAX_ROWS if page else MAX_LINES)
    return Report("sweep", result.title, facts(result), [table], picture)


def facts(result: Swept) -> list[Fact]:
    """How much was run, and each metric's range over the points, or how many of them have no value."""
    plan, metrics = result.plan, result.design.metrics
    shown = [fact("sweep", points=plan.points, runs=result.runs, seeds=plan.seeds.most)]
    if plan.seeds.half_width:
        low, high = plan.seeds.least, plan.seeds.most
        shown = [fact("sweep-adaptive", points=plan.points, runs=result.runs, low=low, high=high, share=plan.seeds.half_width)]  # fmt: skip
    elif 1 < plan.seeds.most < LEAST_SEEDS:
        shown.append(fact("too-few-seeds", seeds=plan.seeds.most, least=LEAST_SEEDS))
    elif alike(result):
        shown.append(fact("same-seeds", seeds=plan.seeds.most))
    if plan.points == 1:
        return shown
    rows = result.summary.select("mean").rows(named=True)
    for place, metric in enumerate(metrics[:MAX_RANGES]):
        known = [(row["mean"], point) for point, row in enumerate(rows[place :: len(metrics)]) if row["mean"] is not None]  # fmt: skip
        if known:
            shown.append(_range(metric, min(known), max(known), result.design))
        if len(known) < plan.points:
            shown.append(fact("unfinished", metric=metric.name, points=plan.points - len(known), all=plan.points))
    return shown


def _range(metric: Metric, least: tuple[float, int], most: tuple[float, int], design: Design) -> Fact:
    unit = metric.quantity.unit
    return fact("range", metric=metric.name, least=least[0], most=most[0], unit=unit, least_at=_at(design, least[1]), most_at=_at(design, most[1]))  # fmt: skip


def _at(design: Design, point: int) -> str:
    """A point, by the names of what varies."""
    places = zip(design.plan.axes, design.places(point), strict=True)
    return ", ".join(f"{spoken(column)} {word(column, place)}" for axis, place in places for column in axis.columns)


def cell(row: dict[str, Any]) -> str:
    """A mean and half its interval; where a run gave no value, how many did."""
    if row["mean"] is None:
        return f"{row['n'] - row['missing']} of {row['n']} finished"
    if row["low"] in (None, row["mean"]) and row["mean"] == round(row["mean"]):
        return f"{row['mean']:.0f}"  # a count
    return number(row["mean"], 0.0) if row["low"] is None else estimate(row["mean"], row["low"], row["high"])


def alike(result: Swept) -> bool:
    """Whether no seed changed a metric at any point. The mean of equal numbers may be rounded."""
    known = result.summary.filter(result.summary["low"].is_not_null())
    return (
        result.plan.seeds.most >= LEAST_SEEDS
        and known.height > 0
        and bool((known["high"] - known["low"] <= 1e-12 * known["mean"].abs()).all())
    )


def _points(result: Swept, most: int) -> Table:
    columns = result.design.plan.columns_told
    units = [scaled(column)[1] if column.is_number else "" for column in columns]
    names = [labelled(column, unit) for column, unit in zip(columns, units, strict=True)]
    rows = list(_rows(result, most))
    counts = {row[len(names)] for row in rows}
    heads = [*names, "runs", *(metric.label for metric in result.design.metrics)]
    if len(counts) == 1:  # the first fact says it
        heads, rows = _without(heads, len(names)), [_without(row, len(names)) for row in rows]
    feet = (
        [fact("more-points", shown=len(rows), all=result.design.plan.points)]
        if len(rows) < result.design.plan.points
        else []
    )
    if result.summary["mean"].null_count():
        feet.append(fact("of-finished", end=result.design.tree(0).get("stop", {}).get("at", "")))
    if result.summary["low"].is_not_null().any() and not alike(result):
        feet.append(fact("means"))
    numbers = [column.is_number for column in columns]
    first = numbers.index(True) if True in numbers else len(numbers)
    return Table(heads, rows, "", [*feet, *_wide(result)], first, results=len(result.design.metrics))


def _without(row: list[str], place: int) -> list[str]:
    return row[:place] + row[place + 1 :]


def _rows(result: Swept, most: int) -> Iterator[list[str]]:
    metrics = len(result.design.metrics)
    factors = [scaled(column)[0] if column.is_number else None for column in result.design.plan.columns_told]
    for point in range(min(most, result.design.plan.points)):
        part = result.summary[point * metrics : (point + 1) * metrics].to_dicts()
        varied = [
            str(value) if factor is None else f"{value * factor:.6g}"
            for value, factor in zip(result.design.cells(point), factors, strict=True)
        ]
        yield [*varied, str(part[0]["n"]), *(cell(row) for row in part)]


def _wide(result: Swept) -> list[Fact]:
    """How many points had as many seeds as allowed, and an interval that is still wider than asked for."""
    seeds, metric = result.plan.seeds, result.design.stopping
    if not seeds.half_width:
        return []
    part = result.summary[result.design.metrics.index(metric) :: len(result.design.metrics)]
    half = part["high"] - part["mean"]
    count = int(((part["n"] == seeds.most) & (half > seeds.half_width * part["mean"].abs())).sum())
    return [fact("still-wide", points=count, seeds=seeds.most, metric=metric.name)] if count else []


def plain(told: Swept) -> dict[str, Any]:
    """The sweep as plain values: what ``--json`` prints and ``sweep.json`` holds."""
    metrics = told.design.metrics
    rows = told.summary.select("mean", "low", "high", "n", "missing").rows(named=True)
    columns = [column.title for column in told.plan.columns_told]
    return {
        "title": told.title,
        "runs": told.runs,
        "facts": [one.plain() for one in facts(told)],
        "metrics": [{"name": m.name, "quantity": m.quantity.name, "where": m.where, "unit": m.quantity.unit} for m in metrics],
        "axes": [
            {"columns": [{"name": c.title, "key": c.key, "unit": c.unit, "values": list(c.cells)} for c in axis.columns]}
            for axis in told.plan.axes
        ],
        "points": [
            {
                "at": dict(zip(columns, told.design.cells(point), strict=True)),
                "metrics": {
                    metric.name: rows[point * len(metrics) + place] for place, metric in enumerate(metrics)
                },
            }
            for point in range(told.plan.points)
        ],
    }  # fmt: skip


def write(told: Swept, folder: Path) -> None:
    """Writes ``sweep.json``, the scenario and the plan, the charts, and ``sweep.html``."""
    from ..report.pieces import saved

    pictures = Pictures(told.plan.axes, told.design.metrics, told.summary, told.title)
    shown = "".join(saved(pictures.charts(), folder))
    shown += "".join(f'<p class="note">{sentence(note)}</p>' for note in pictures.notes)
    (folder / "sweep.html").write_text(report(told, shown, page=True).page(), encoding="utf-8")
    write_scenario(told.design.plan.scenario, folder)
    (folder / "plan.toml").write_text(told.design.plan.told()["plan"], encoding="utf-8")
    with (folder / "sweep.json").open("w", encoding="utf-8") as file:
        json.dump(plain(told), file)
        file.write("\n")
