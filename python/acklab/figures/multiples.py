"""Small multiples: places below each other, quantities side by side, each panel on its own scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import canvas
from .charts import Multiples, Spot
from .points import with_interval

_LEFT, _RIGHT, _BETWEEN, _ROW, _HEAD, _FOOT, _KEYS = 1.05, 0.15, 0.28, 0.2, 0.5, 0.26, 0.36


def figure(chart: Multiples) -> Figure:
    """The chart as a matplotlib figure."""
    columns, block = len(chart.titles), _ROW * len(chart.rows)
    total = _KEYS + _HEAD + len(chart.places) * (block + _FOOT + 0.26)
    fig = Figure(figsize=(canvas.WIDTH, total))
    width = (canvas.WIDTH - _LEFT - _RIGHT - (columns - 1) * _BETWEEN) / columns
    top = total - _KEYS - _HEAD - 0.24
    for place, panels in chart.places:
        fig.text(0.1 / canvas.WIDTH, (top + 0.07) / total, place, fontsize=9.5, color=canvas.INK, va="bottom")
        for column, spots in enumerate(panels):
            left = _LEFT + column * (width + _BETWEEN)
            axes = fig.add_axes((left / canvas.WIDTH, (top - block) / total, width / canvas.WIDTH, block / total))
            _panel(axes, chart, spots, named=column == 0)
        top -= block + _FOOT + 0.26
    for column, title in enumerate(chart.titles):
        left = _LEFT + column * (width + _BETWEEN)
        fig.text(left / canvas.WIDTH, 1 - (_KEYS - 0.02) / total, title, fontsize=8.5, va="top", color=canvas.INK)
    _keys(fig, chart)
    return fig


def _panel(axes: Axes, chart: Multiples, spots: Sequence[Spot], *, named: bool) -> None:
    rows = len(chart.rows)
    for spot in spots:
        if math.isnan(spot.value):
            continue
        shade = canvas.shade(chart.rows[spot.row][1])
        y = -spot.row + (-0.17 if spot.hollow else 0.17)
        axes.plot(spot.interval, (y, y), color=shade, lw=1.2)
        face: dict[str, Any] = {"markerfacecolor": "none"} if spot.hollow else {}
        (drawn,) = axes.plot(
            spot.value, y, "s" if spot.hollow else "o", ms=3.8, color=shade, markeredgewidth=1.1, **face
        )
        with_interval(drawn, spot.interval[:1], spot.interval[1:])
    axes.set_ylim(-rows + 0.45, 0.55)
    axes.set_yticks([-i for i in range(rows)], [name for name, _ in chart.rows] if named else [""] * rows)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.tick_params(axis="x", labelsize=7.5, length=2, pad=1.5)
    axes.locator_params(axis="x", nbins=4)
    axes.spines["left"].set_visible(False)
    axes.grid(True)
    axes.set_axisbelow(True)
    axes.margins(x=0.1)
    if spots and all(spot.interval[0] >= 0 or spot.value >= 0 for spot in spots):
        canvas.from_zero(axes, [end for spot in spots for end in (*spot.interval, spot.value)])


def _keys(fig: Figure, chart: Multiples) -> None:
    marks = []
    for hollow in (False, True):
        style: dict[str, Any] = {"markerfacecolor": "none"} if hollow else {}
        marks.append(Line2D([], [], color=canvas.SOFT, marker="s" if hollow else "o", ms=5, lw=1.2, **style))
    fig.legend(
        marks, chart.kinds, loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, fontsize=8.5,
        handlelength=2.2, columnspacing=1.6, borderaxespad=0.25,
    )  # fmt: skip
