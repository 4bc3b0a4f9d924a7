"""The canvas of every chart: margins, legend, axes and the project's colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from ..plot import palette
from ..plot.style import Powers, label
from ..text.escapes import width as columns_of
from .charts import Axis

#: Widths of a chart of several panels, of one, and of one on a telephone, in inches.
WIDTH, SMALL, NARROW = 9.6, 5.6, 3.5
INK, SOFT, GRID, SURFACE = "#14181f", "#4a5260", "#d9dde3", "#fffffe"
#: Margins and heights, in inches.
LEFT, RIGHT, BOTTOM, GAP, TITLE, LEGEND, LEGEND_MORE = 0.68, 0.28, 0.5, 0.82, 0.26, 0.3, 0.17


def grid(
    columns: int, rows: int, height: float, legend: int, width: float = WIDTH, left: float = LEFT, title: float = TITLE
) -> tuple[Figure, list[Axes]]:
    """A figure of a width with a grid of axes, room for a title above each, so much to the left, and a legend of so many lines above all."""
    top = title + (LEGEND + (legend - 1) * LEGEND_MORE if legend else 0.06)
    total = top + rows * height + (rows - 1) * (title + BOTTOM) + BOTTOM
    fig = Figure(figsize=(width, total))
    each = (width - left - RIGHT - (columns - 1) * (GAP + left - LEFT)) / columns
    axes = []
    for row in range(rows):
        for column in range(columns):
            x = left + column * (each + GAP + left - LEFT)
            y = total - top - height - row * (height + title + BOTTOM)
            axes.append(fig.add_axes((x / width, y / total, each / width, height / total)))
    return fig, axes


def footed(fig: Figure, text: str) -> None:
    """Adds lines of text below a figure, for a picture that leaves its page."""
    wide, tall = fig.get_size_inches()
    lines = wrap(text, int((wide - 0.3) / 0.066))
    more = 0.16 * len(lines) + 0.08
    fig.set_figheight(tall + more)
    for axes in fig.axes:
        box = axes.get_position()
        axes.set_position(
            (box.x0, (box.y0 * tall + more) / (tall + more), box.width, box.height * tall / (tall + more))
        )
    fig.text(
        0.12 / wide,
        (more - 0.02) / (tall + more),
        "\n".join(lines),
        va="top",
        fontsize=8,
        color=SOFT,
        linespacing=1.35,
        parse_math=False,
    )


def legend_lines(labels: Sequence[str], width: float = WIDTH) -> int:
    """Lines of a legend, whose columns are as wide as their widest text; none for a single entry."""
    if len(labels) < 2:
        return 0
    wide, count = [0.55 + 0.068 * columns_of(label(text)) for text in labels], len(labels)
    for lines in range(1, count):
        columns = math.ceil(count / lines)
        long, more = divmod(count, columns)  # matplotlib fills column by column, the first ones with one more
        starts = [column * long + min(column, more) for column in range(columns + 1)]
        if sum(max(wide[a:b]) for a, b in zip(starts, starts[1:], strict=False)) <= width - LEFT:
            return lines
    return count


def legend(fig: Figure, handles: Sequence[Any], labels: Sequence[str], lines: int = 1) -> None:
    """Draws a legend of so many lines above the axes."""
    fig.legend(
        handles, list(map(label, labels)), loc="upper left", bbox_to_anchor=((LEFT - 0.1) / fig.get_figwidth(), 1.0),
        ncols=math.ceil(len(labels) / lines), frameon=False, fontsize=8.5, handlelength=1.8, columnspacing=1.4, borderaxespad=0.25,
    )  # fmt: skip


def axis(axes: Axes, x: Axis, y: Axis) -> None:
    """Labels, scales, limits and ticks of both axes."""
    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)
    for axis, set_scale, set_limit, set_ticks, drawn in (
        (x, axes.set_xscale, axes.set_xlim, axes.set_xticks, axes.xaxis),
        (y, axes.set_yscale, axes.set_ylim, axes.set_yticks, axes.yaxis),
    ):
        if axis.log:
            set_scale("log")
            drawn.set_major_formatter(Powers())
            drawn.set_minor_formatter(Powers())
        if axis.ticks is not None:
            set_ticks(list(axis.ticks), list(map(label, axis.words)) or [f"{t:g}" for t in axis.ticks])
            # Without this a logarithmic axis labels what lies between as well.
            drawn.set_minor_formatter(NullFormatter())
        if axis.low is not None or axis.high is not None:
            set_limit(axis.low, axis.high)


def shade(name: str) -> str:
    """A slot's, mechanism's or role's colour on white."""
    if name == "ink":
        return INK
    slot = name if name in palette.SLOTS else palette.slot_of(name) or palette.ROLES[name]
    return palette.SLOTS[slot]["light"]


def from_zero(axes: Axes, values: Sequence[float]) -> None:
    """Begins the horizontal axis at 0, with room for the mark at the greatest of `values`, however near they lie to each other."""
    most = max((value for value in values if not math.isnan(value)), default=0.0)
    axes.set_xlim(0, 1.08 * most if most > 0 else 1.0)
