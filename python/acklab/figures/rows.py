"""Charts with a row for each thing: forests, tornados, dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from ..plot.style import label
from ..text.escapes import width as columns_of
from . import canvas
from .charts import DotPanel, Dots, Forest, Tornado
from .points import with_interval

_VERDICT = {"reproduced": "green", "differs": "red", "not-testable": "slate"}


def forest(chart: Forest) -> Figure:
    rows = chart.rows
    height = 0.175 * len(rows) + 0.1
    total = height + canvas.BOTTOM + canvas.LEGEND + 0.05
    fig = Figure(figsize=(canvas.WIDTH, total))
    left = 3.0
    axes = fig.add_axes(
        (left / canvas.WIDTH, canvas.BOTTOM / total, (canvas.WIDTH - left - 1.9) / canvas.WIDTH, height / total)
    )
    limit = chart.x.high or 2.5
    axes.axvspan(-1, 1, color=canvas.shade("blue"), alpha=0.10, lw=0)
    axes.axvline(0, color=canvas.SOFT, lw=0.8)
    for place, row in enumerate(rows):
        y, colour = -place, canvas.shade(_VERDICT[row.verdict])
        x = max(-limit, min(limit, row.ours))
        if row.interval is not None:
            axes.plot([max(-limit, row.interval[0]), min(limit, row.interval[1])], [y, y], color=colour, lw=1.4)
        if row.ns2 is not None:
            axes.plot(max(-limit, min(limit, row.ns2)), y, "D", ms=5, mfc="none", mec=canvas.shade("orange"), mew=1.1)
        beyond = {limit: ">", -limit: "<"}.get(x, "o") if abs(row.ours) > limit else "o"
        axes.plot(x, y, beyond, ms=4.5, color=colour)
        axes.text(1.01, y, row.text, transform=axes.get_yaxis_transform(), va="center", fontsize=7.5, color=canvas.SOFT)
    axes.set_yticks([-i for i in range(len(rows))], [row.label for row in rows], fontsize=7.5)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    axes.set_xlim(-limit * 1.04, limit * 1.04)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(True, axis="x")
    axes.set_axisbelow(True)
    axes.set_xlabel(chart.x.label)
    handles: list[Any] = [Line2D([], [], color=canvas.shade(c), marker="o", ls="", ms=5) for c in _VERDICT.values()]
    handles.append(Line2D([], [], color=canvas.shade("orange"), marker="D", mfc="none", ls="", ms=5))
    handles.append(Patch(color=canvas.shade("blue"), alpha=0.15))
    canvas.legend(fig, handles, [*_VERDICT, "ns-2", "what the ledger allows"])
    return fig


def tornado(chart: Tornado) -> Figure:
    columns = len(chart.panels)
    # A row is one parameter in every panel, though not every panel has each.
    names = list(dict.fromkeys(swing.parameter for panel in chart.panels for swing in panel[3]))
    rows = len(names)
    left, height = 1.75, 0.3 * rows + 0.15
    total = height + canvas.TITLE + canvas.BOTTOM + 0.1
    fig = Figure(figsize=(canvas.WIDTH, total))
    width = (canvas.WIDTH - left - canvas.RIGHT - (columns - 1) * 0.3) / columns
    for column, (title, base, paper, swings) in enumerate(chart.panels):
        x = left + column * (width + 0.3)
        axes = fig.add_axes((x / canvas.WIDTH, canvas.BOTTOM / total, width / canvas.WIDTH, height / total))
        for swing in swings:
            _swing(axes, -names.index(swing.parameter), base, swing.values)
        axes.axvline(base, color=canvas.INK, lw=1)
        if paper is not None:
            axes.axvline(paper, color=canvas.shade("orange"), lw=1.2, ls=(0, (3, 2)))
        axes.set_ylim(-rows + 0.4, 0.6)
        axes.set_yticks([-i for i in range(rows)], names if column == 0 else [""] * rows)
        axes.tick_params(axis="y", length=0, labelsize=8)
        axes.spines["left"].set_visible(False)
        axes.grid(True, axis="x")
        axes.set_axisbelow(True)
        axes.margins(x=0.42)
        axes.set_xlabel(chart.unit)
        axes.set_title(title, loc="left")
    return fig


def _swing(axes: Axes, y: float, base: float, values: Sequence[tuple[str, float]]) -> None:
    height = 0.66 / len(values)
    for k, (name, value) in enumerate(values):
        place = y + 0.33 - height * (k + 0.5)
        axes.barh(
            place, value - base, height * 0.92, left=base, color=canvas.shade(("blue", "sky", "purple", "pink")[k % 4])
        )
        if abs(value - base) > 0.25:
            axes.annotate(
                name, (value, place), xytext=(3 if value > base else -3, 0), textcoords="offset points", va="center",
                ha="left" if value > base else "right", fontsize=6.5, color=canvas.SOFT,
            )  # fmt: skip


#: Most inches that the names of rows take on a telephone before they have two lines.
MOST_LEFT = 1.4


def _two_lines(name: str) -> str:
    """A name in two lines, broken at the space that leaves the longer one shortest.

    >>> _two_lines("sender initial window: 10")
    'sender initial\\nwindow: 10'
    """
    places = [place for place, letter in enumerate(name) if letter == " "]
    best = min(places, key=lambda place: max(place, len(name) - place), default=None)
    return name if best is None else f"{name[:best]}\n{name[best + 1 :]}"


def _logarithmic(axes: Axes, panel: DotPanel) -> None:
    """A logarithmic horizontal axis from the least positive end of the panel's intervals, with 1, 2 and 5 of each decade where few fit."""
    known = [end for dot in panel.dots for end in (*dot.interval, dot.value) if end > 0]
    low, high = 0.8 * min(known), 1.25 * max(known)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 12 * low else (1, 3) if high < 50 * low else (1,)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


#: Points before an axis into which a mark at its start may reach.
BEFORE = 4.5
#: Size of the names of rows, in points.
NAMES = 8.5


def left_of(chart: Dots) -> float:
    """Inches that the names of a chart's rows take."""
    return 0.35 + 0.062 * max(columns_of(label(name)) for name in chart.rows)


def dots(chart: Dots, small: float = canvas.SMALL) -> Figure:
    rows, columns, shades = len(chart.rows), len(chart.panels), len(chart.keys) or 1
    names = list(map(label, chart.rows))
    left = left_of(chart)
    whole = small if columns == 1 else canvas.WIDTH
    two = whole == canvas.NARROW and left > MOST_LEFT  # on a telephone names have two lines, and the dots more room
    if two:
        names = [_two_lines(name) for name in names]
        left = max(0.35 + 0.062 * max(columns_of(line) for name in names for line in name.split("\n")), 0.6)
    height = (0.16 + 0.14 * max(shades, 1 + two)) * rows + 0.1
    lines = max(1, canvas.legend_lines([text for text, _ in chart.keys], whole))
    total = (
        height
        + canvas.TITLE
        + canvas.BOTTOM
        + (canvas.LEGEND + (lines - 1) * canvas.LEGEND_MORE if chart.keys else 0.06)
    )
    fig = Figure(figsize=(whole, total))
    width = (whole - left - canvas.RIGHT - (columns - 1) * 0.3) / columns
    order = {shade: k for k, (_, shade) in enumerate(chart.keys)}
    step = 0.3 if shades <= 3 else 0.8 / shades  # marks of neighbouring rows stay apart
    for column, panel in enumerate(chart.panels):
        x = left + column * (width + 0.3)
        axes = fig.add_axes((x / whole, canvas.BOTTOM / total, width / whole, height / total))
        if panel.band:
            axes.axvspan(*panel.band, color=canvas.shade("blue"), alpha=0.10, lw=0)
        if panel.beside is not None:
            axes.axvline(panel.beside, color=canvas.SOFT, lw=1, ls=(0, (3, 2)))
        for dot in panel.dots:
            y = -dot.row + step * ((shades - 1) / 2 - order.get(dot.colour, 0))
            axes.plot(dot.interval, (y, y), color=canvas.shade(dot.colour), lw=1.4)
            (drawn,) = axes.plot(
                dot.value, y, ("o", "D", "s", "^")[order.get(dot.colour, 0) % 4], ms=4.5, color=canvas.shade(dot.colour)
            )
            with_interval(drawn, dot.interval[:1], dot.interval[1:])
        axes.set_ylim(-rows + 0.4, 0.6)
        axes.set_yticks([-i for i in range(rows)], names if column == 0 else [""] * rows)
        axes.tick_params(axis="y", length=0, labelsize=NAMES, pad=BEFORE + 1.0)
        for name, text in zip(chart.rows, axes.get_yticklabels(), strict=True):
            text.set_fontweight("bold" if name == chart.bold else "normal")
        axes.spines["left"].set_visible(False)
        axes.grid(True)
        axes.set_axisbelow(True)
        axes.margins(x=0.12)
        if panel.log:
            _logarithmic(axes, panel)
        elif panel.ends:
            axes.set_xlim(panel.ends)
        elif panel.beside is None and all(dot.value >= 0 for dot in panel.dots):
            canvas.from_zero(axes, [end for dot in panel.dots for end in (*dot.interval, dot.value)])
        better = f"better {panel.better}" if panel.better == "→" else f"{panel.better} better" if panel.better else ""
        axes.set_xlabel(", ".join([*([better] if better else []), *(["logarithmic"] if panel.log else [])]))
        axes.set_title(panel.title, loc="left")
        if columns > 1 and not panel.log:  # a telephone enlarges the numbers
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 2.5, 5, 10)))
    if chart.keys:
        lined = {dot.colour for panel in chart.panels for dot in panel.dots if dot.interval[0] < dot.interval[1]}
        marks = [
            Line2D(
                [],
                [],
                color=canvas.shade(s),
                marker=("o", "D", "s", "^")[k % 4],
                ls="-" if s in lined else "",
                lw=1.4,
                ms=5,
            )
            for k, (_, s) in enumerate(chart.keys)
        ]
        canvas.legend(fig, marks, [text for text, _ in chart.keys], lines)
    return fig
