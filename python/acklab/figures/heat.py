"""Heat maps on one colour scale, or with a colour for each of a few values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ..plot.style import label
from ..text.escapes import width as columns_of
from . import canvas
from .charts import Heat
from .points import MOST, with_cells

SEQUENTIAL, DIVERGING = "viridis", "PuOr"
#: Most values that are told by a colour each, not by a scale.
MOST_STATES = 4


def figure(chart: Heat, small: float) -> Figure:
    """The chart as a matplotlib figure; one of a single map is ``small`` inches wide where that is a telephone's width."""
    columns = math.ceil(len(chart.surfaces) / chart.rows)
    values = [np.asarray(s.z, dtype=float) for s in chart.surfaces]
    states = [] if chart.diverging else _states(values)
    width = small if small < canvas.SMALL and columns == 1 else canvas.WIDTH
    what, _, unit = chart.z.label.rstrip(")").partition(" (")
    keys = [f"{what} {state:.4g} {unit}".rstrip() for state in states]
    lines = canvas.legend_lines(keys, width) if states else 1
    names = 0.3 + 0.075 * max(map(columns_of, map(label, chart.y.words)), default=0) + (0.2 if chart.y.label else 0.0)
    fig, all_axes = canvas.grid(
        columns, chart.rows, chart.height, lines, width, max(canvas.LEFT, min(names, width / 3))
    )
    known = [v for v in values if not np.isnan(v).all()]
    low = chart.z.low if chart.z.low is not None else min(float(np.nanmin(v)) for v in known)
    high = chart.z.high if chart.z.high is not None else max(float(np.nanmax(v)) for v in known)
    colours = DIVERGING if chart.diverging else SEQUENTIAL
    image: Any = None
    for axes, surface, z in zip(all_axes, chart.surfaces, values, strict=False):
        half_x, half_y = (surface.x[1] - surface.x[0]) / 2, (surface.y[1] - surface.y[0]) / 2
        extent = (surface.x[0] - half_x, surface.x[-1] + half_x, surface.y[0] - half_y, surface.y[-1] + half_y)
        image = axes.imshow(
            z.T,
            origin="lower",
            aspect="auto",
            extent=extent,
            cmap=colours,
            vmin=low,
            vmax=high,
            interpolation="nearest",
        )
        if chart.cells[0] and z.size <= MOST:
            with_cells(image, _cells(chart, z))
        canvas.axis(axes, chart.x, chart.y)
        axes.set_title(surface.title, loc="left")
    for axes in all_axes[len(chart.surfaces) :]:
        axes.set_visible(False)
    if states:
        canvas.legend(fig, [Patch(color=image.to_rgba(state)) for state in states], keys, lines)
        return fig
    clipped = any(float(np.nanmin(v)) < low for v in known), any(float(np.nanmax(v)) > high for v in known)
    _colour_bar(fig, image, chart, clipped)
    return fig


def _cells(chart: Heat, z: Any) -> list[list[str]]:
    """What each cell says; nothing where it has no value."""
    columns, names = chart.cells
    return [
        [
            f"{chart.x.label}: {column}; {chart.y.label}: {row}; {chart.z.label}: {value:.4g}"
            if math.isfinite(value)
            else ""
            for row, value in zip(names, z[i], strict=True)
        ]
        for i, column in enumerate(columns)
    ]


def _states(values: Sequence[Any]) -> list[float]:
    """The values of heat maps that have few, such as 0 and 1: what lies between them does not exist."""
    found = np.unique(np.concatenate([one[np.isfinite(one)] for one in values]))
    return [float(value) for value in found] if 1 < len(found) <= MOST_STATES else []


def _colour_bar(fig: Figure, image: Any, chart: Heat, clipped: tuple[bool, bool]) -> None:
    width, height = fig.get_size_inches()
    left = canvas.LEFT + 1.4
    bar = fig.add_axes((left / width, 1 - 0.17 / height, min(4.0, width - left - canvas.RIGHT) / width, 0.1 / height))
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[clipped]
    made = fig.colorbar(image, cax=bar, orientation="horizontal", extend=extend)
    made.outline.set_visible(False)
    bar.tick_params(labelsize=7.5, length=2, pad=1)
    bar.text(
        -0.07 if clipped[0] else -0.02,
        0.5,
        chart.z.label,
        transform=bar.transAxes,
        ha="right",
        va="center",
        fontsize=8.5,
        color=canvas.SOFT,
    )
