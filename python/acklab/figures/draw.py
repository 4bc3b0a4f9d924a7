"""Charts by matplotlib: one look, legends outside the data, the project's colours.

The margins are set by hand, in inches: laying them out automatically takes longer than drawing. For the page the SVG's
colours become the page's variables, so that charts follow its light or dark theme.
"""

from __future__ import annotations

import html
import io
import math
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ..plot import palette
from ..plot.style import drawing
from ..text.escapes import visible
from . import canvas, heat, multiples, rows
from .charts import Axis, Bars, Chart, Dots, Forest, Heat, Line, Lines, Mark, Multiples, Panel, Tornado
from .points import Interactive, block, points, with_interval

#: Background of a text that may lie over a line.
_BEHIND: Any = {"boxstyle": "square,pad=0.1", "facecolor": canvas.SURFACE, "edgecolor": "none", "alpha": 0.85}
_STYLE: Any = {
    "text.color": canvas.INK,
    "axes.edgecolor": canvas.SOFT,
    "axes.labelcolor": canvas.SOFT,
    "axes.titlesize": 9.5,
    "axes.labelpad": 6.5,  # on a telephone the ticks' texts grow towards the label
    "axes.titley": 1.0,  # where titles stand anyway; searching the place takes a tenth of the drawing
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": canvas.SOFT,
    "ytick.color": canvas.SOFT,
    "grid.color": canvas.GRID,
    "grid.linewidth": 0.5,
}


def figure(chart: Chart, small: float = canvas.SMALL) -> Figure:
    """The chart as a matplotlib figure; one with a single panel is ``small`` inches wide."""
    draw: dict[type, Any] = {Forest: rows.forest, Tornado: rows.tornado, Multiples: multiples.figure}
    sized: dict[type, Any] = {Lines: _lines, Bars: _bars, Dots: rows.dots, Heat: heat.figure}
    with drawing(_STYLE):
        shown = _visible(chart)
        made: Figure = sized[type(chart)](shown, small) if type(chart) in sized else draw[type(chart)](shown)
        return made


def _visible(value: Any) -> Any:
    """A chart whose texts have escapes for characters that are invisible, reorder text, or are not allowed in XML."""
    if isinstance(value, str):
        return visible(value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _visible(getattr(value, field.name)) for field in fields(value)})
    return [_visible(entry) for entry in value] if isinstance(value, (list, tuple)) else value


class Picture(NamedTuple):
    """A chart drawn."""

    svg: str
    """A standalone file."""
    parts: list[list[tuple[float, float, float, float]]]
    """Where its panels are, as rectangles of the SVG side by side, which a narrow screen shows below each other."""
    keys: str
    """Its legend as HTML, for the same."""
    series: Interactive
    """Its points and panels, for the pointer."""


def save(chart: Chart, *files: Path, small: float = canvas.SMALL, note: str = "") -> Picture:
    """Draws a chart, with a note below it; also writes it to files whose names end in ``.png`` or ``.pdf``. One with a single panel is ``small`` inches wide."""
    buffer = io.StringIO()
    with drawing(_STYLE):
        made = figure(chart, small)
        if note:
            canvas.footed(made, visible(note))
        made.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
        for file in files:
            about = (
                {"Software": None}
                if file.suffix == ".png"
                else {"CreationDate": None, "Creator": None, "Producer": None}
            )
            drawn = io.BytesIO()  # first: on a full disk matplotlib leaves a PDF's file open
            made.savefig(drawn, format=file.suffix[1:], dpi=120, facecolor="white", metadata=about)
            file.write_bytes(drawn.getbuffer())
        several = not isinstance(chart, Heat) or len(chart.surfaces) > 1  # a colour bar is no panel
        return Picture(
            buffer.getvalue(),
            _parts(made, isinstance(chart, (Dots, Tornado, Multiples))) if several else [],
            _keys(made),
            points(made, chart.rows if isinstance(chart, Dots) else ()),
        )


#: Points before the first panel's axis that have its marks, and no names.
_BEFORE = rows.BEFORE


def _parts(made: Figure, rows: bool) -> list[list[tuple[float, float, float, float]]]:
    """The colour bar, and the panels if several stand side by side; panels that share ``rows`` each begin with their names."""
    shown = [axes for axes in made.axes if axes.get_visible()]
    panels = [axes for axes in shown if axes.get_position().height > 0.1 or len(made.axes) < 3]
    if len({round(axes.get_position().x0, 3) for axes in panels}) < 2:
        return []
    scale, height, room = 72 / made.dpi, 72 * made.get_figheight(), 5.0

    def place(one: Any) -> tuple[float, float, float, float]:
        box = one.get_tightbbox()
        left, top = box.x0 * scale - room, height - box.y1 * scale - room
        return left, top, box.width * scale + 2 * room, box.height * scale + 2 * room

    bars = [place(axes) for axes in shown if axes not in panels]
    head = [[(left - 40, top, width + 40, high - 5)] for left, top, width, high in bars]  # its label grows to the left
    found = [place(axes) for axes in panels]
    names = min(axes.bbox.x0 for axes in panels) * scale
    if not rows:
        return head + [[one] for one in found]
    first = min(found)[0]
    more = _growth(names - first, max(one[2] for one in found if one[0] > first) if len(found) > 1 else 0.0)
    found = [(one[0] - more, one[1], one[2] + more, one[3]) if one[0] == first else one for one in found]
    first -= more
    bounds = [(axes.bbox.y0 * scale, axes.bbox.y1 * scale) for axes in panels]
    strip = [(first, height - high, names - _BEFORE - first, high - low) for low, high in bounds]
    return head + [[one] if one[0] < names else [side, one] for side, one in zip(strip, found, strict=True)]


def _growth(names: float, panel: float) -> float:
    """How far names of rows grow to the left, beside a panel, where a telephone enlarges them to the least size of a text; at most by nine tenths."""
    share = names * _LEAST / _PHONE / rows.NAMES
    wide = panel / (1 - share) if share < 1 else math.inf
    return min(max(names * (_LEAST * wide / _PHONE / rows.NAMES - 1), 0.0), 0.9 * names)


def embedded(chart: Chart, picture: Picture, *, twice: bool = True, alone: bool = False) -> str:
    """A chart as a figure of a page, with its caption, and for narrow screens.

    There several panels stand below each other, at no cost of their own. A single one that would be too small to read is drawn ``twice``,
    unless the names of its rows leave it no room. One that stands ``alone`` is as wide as the page.
    """
    kind = "stacks" if picture.parts else "small" if f'viewBox="0 0 {72 * canvas.SMALL:g} ' in picture.svg else ""
    if kind == "small" and alone:
        picture, kind = save(chart, small=canvas.WIDTH), "wide"
    elif not kind and isinstance(chart, Heat):
        kind = "wide"
    shown = _figure(chart, picture, kind)
    names = rows.left_of(chart) if isinstance(chart, Dots) else 0.0
    if not twice or names > canvas.NARROW / 2 + 0.5 or kind not in ("small", "wide"):
        return shown
    other = replace(chart, name=f"{chart.name}-narrow")
    return shown + _figure(other, save(other, small=canvas.NARROW), "narrow")


#: Width in pixels of a chart on a telephone, and the least size of a text there.
_PHONE, _LEAST = 336, 11.3


def _least(wide: float) -> str:
    """The least size of a text in a drawing so many points wide, so that a telephone shows none that is smaller."""
    return f"--chart-least:{_LEAST * wide / _PHONE:.1f}px"


def _figure(chart: Chart, picture: Picture, kind: str) -> str:
    parts = "".join(_part(chart.name, part) for part in picture.parts)
    stacked = f'<div class="parts" aria-hidden="true">{picture.keys}{parts}</div>' if parts else ""
    caption = html.escape(visible(chart.about))
    opened = f'<figure class="{kind}"' if kind else "<figure"
    if kind == "narrow":
        opened += f' style="{_least(72 * canvas.NARROW)}"'
    return f"{opened}>{themed(picture.svg, chart.name, chart.about)}{stacked}<figcaption>{caption}</figcaption>{block(picture.series)}</figure>"


#: A legend's marks on a line 26 units long, by matplotlib's names; others are circles. And its dashes.
_MARKS = {"s": '<path d="M9.5 1.5h7v7h-7z"/>', "D": '<path d="M13 .5 17.5 5 13 9.5 8.5 5z"/>', "None": "", "": ""}
_CIRCLE = '<circle cx="13" cy="5" r="3.5"/>'
_DASHES = {"--": "6 3", ":": "2 2", "-.": "6 2 2 2"}


def _keys(made: Figure) -> str:
    """The legend as HTML, whose lines break where a narrow screen needs it."""
    told = ""
    for legend in made.legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if isinstance(handle, Line2D):
                colour, style = to_hex(handle.get_color()), str(handle.get_linestyle())
                line = (
                    f'<path d="M0 5h26" stroke-dasharray="{_DASHES.get(style, "none")}"/>'
                    if style.strip() and style != "None"
                    else ""
                )
                hollow = ' fill="none"' if str(handle.get_markerfacecolor()) == "none" else ""
                mark = f"<g{hollow}>{_MARKS.get(str(handle.get_marker()), _CIRCLE)}</g>"
            elif isinstance(handle, Patch):
                colour, line, mark = to_hex(handle.get_facecolor()), "", '<path d="M4 0h18v10H4z"/>'
            else:
                continue
            shade = _coloured(colour)
            told += f'<span><svg viewBox="0 0 26 10" stroke="{shade}" fill="{shade}" stroke-width="1.6">{line}{mark}</svg>{html.escape(text.get_text())}</span>'
    return f'<p class="keys">{told}</p>' if told else ""


def _part(name: str, places: list[tuple[float, float, float, float]]) -> str:
    """Rectangles of a drawing side by side, as an SVG of their size."""
    wide, tall, base = sum(place[2] for place in places), places[-1][3], places[-1][1]
    shown, x = "", 0.0
    for left, top, width, height in places:
        shown += (
            f'<svg x="{x:.0f}" y="{top - base:.0f}" width="{width:.0f}" height="{height:.0f}" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}">'
            f'<use href="#{name}-figure_1"/></svg>'
        )
        x += width
    return f'<svg viewBox="0 0 {wide:.0f} {tall:.0f}" style="max-width:{wide * 2:.0f}px;{_least(wide)}">{shown}</svg>'


def themed(text: str, name: str, about: str) -> str:
    """An SVG for the page: its colours as the page's variables, its ids unique on the page, with a title."""
    text = text[text.index("<svg") :]
    text = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", text, count=2)
    text = re.sub(r"<metadata>.*?</metadata>|<style\b.*?</style>", "", text, flags=re.DOTALL)  # the page has the style
    text = re.sub(r'(<image\b[^>]*?) id="[^"]*"', r"\1", text)  # two equal pictures have one id

    def tag(match: re.Match[str]) -> str:
        named = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", match[0])
        return _coloured(re.sub(r"font-size: ([\d.]+px)", r"font-size: max(\1, var(--chart-least, 0px))", named))

    text = re.sub(r"<[^>]+>", tag, text)  # what stands between tags are the chart's texts
    title = html.escape(visible(about))
    opened = f'<svg id="{name}-chart" role="img" aria-label="{title}"'
    return re.sub(r"<svg([^>]*>)", lambda tag: f"{opened}{tag[1]}<title>{title}</title>", text, count=1)


_SWAP = {
    canvas.INK: "var(--ink)",
    canvas.SOFT: "var(--ink-2)",
    canvas.GRID: "var(--line)",
    canvas.SURFACE: "var(--surface)",
}
_SWAP |= {shades["light"]: f"var(--slot-{slot})" for slot, shades in palette.SLOTS.items()}
_COLOURS = re.compile("|".join(map(re.escape, _SWAP)))


def _coloured(text: str) -> str:
    """A text in which the project's colours are the page's variables."""
    return _COLOURS.sub(lambda colour: _SWAP[colour[0]], text)


def _line(axes: Axes, line: Line) -> None:
    style: dict[str, Any] = {"color": canvas.shade(line.colour), "ls": line.dash, "lw": line.width, "label": line.name}
    if line.step:
        (drawn,) = axes.step(line.x, line.y, where="post", **style)
    elif line.marker and not line.dash.strip():
        (drawn,) = axes.plot(line.x, line.y, line.marker, ms=4, color=style["color"], label=line.name)
    else:
        (drawn,) = axes.plot(line.x, line.y, marker=line.marker or None, ms=3.5, **style)
    half = line.spread if line.spread is not None else line.band
    if half is not None:
        with_interval(
            drawn,
            [y - d for y, d in zip(line.y, half, strict=True)],
            [y + d for y, d in zip(line.y, half, strict=True)],
        )
    if line.band is not None:
        axes.fill_between(line.x, line.y - line.band, line.y + line.band, color=style["color"], alpha=0.2, lw=0)
    if line.spread is not None:
        axes.errorbar(line.x, line.y, yerr=line.spread, fmt="none", ecolor=style["color"], elinewidth=0.9, capsize=2)


def _marks(axes: Axes, marks: Sequence[Mark]) -> None:
    for mark in marks:
        style: dict[str, Any] = {"color": canvas.shade(mark.colour), "ls": (0, (3, 2)), "lw": 1}
        if mark.vertical:
            axes.axvline(mark.at, **style)
            axes.annotate(
                mark.text, (mark.at, 1), xycoords=("data", "axes fraction"), xytext=(3, -2), textcoords="offset points",
                va="top", fontsize=8, color=canvas.SOFT, bbox=_BEHIND, zorder=5,
            )  # fmt: skip
        else:
            axes.axhline(mark.at, **style)
            axes.annotate(
                mark.text, (0, mark.at), xycoords=("axes fraction", "data"), xytext=(3, 2), textcoords="offset points",
                va="bottom", fontsize=8, color=canvas.SOFT, bbox=_BEHIND, zorder=5,
            )  # fmt: skip


#: Most panels in one row; more stand in rows of three.
MOST_BESIDE = 4


def _lines(chart: Lines, small: float) -> Figure:
    handles: dict[str, Any] = {}
    for panel in chart.panels:
        for line in panel.lines:
            if line.name and line.name not in handles:
                handles[line.name] = Line2D(
                    [],
                    [],
                    color=canvas.shade(line.colour),
                    ls=line.dash,
                    lw=line.width,
                    marker=line.marker or None,
                    ms=4,
                )
    width = canvas.WIDTH if len(chart.panels) > 1 else small
    lines = canvas.legend_lines(list(handles), width)
    count = len(chart.panels)
    columns = count if count <= MOST_BESIDE else 3
    fig, all_axes = canvas.grid(
        columns,
        math.ceil(count / columns),
        chart.height,
        lines,
        width,
        title=canvas.TITLE if any(panel.title for panel in chart.panels) else 0.12,
    )
    for axes in all_axes[count:]:
        axes.set_visible(False)
    for axes, panel in zip(all_axes, chart.panels, strict=False):
        _panel(axes, panel)
    if lines:
        canvas.legend(fig, list(handles.values()), list(handles), lines)
    return fig


def _panel(axes: Axes, panel: Panel) -> None:
    axes.grid(True)
    for line in panel.lines:
        _line(axes, line)
    canvas.axis(axes, panel.x, panel.y)
    if panel.x.ticks is None and not panel.x.log and all(float(x).is_integer() for line in panel.lines for x in line.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))  # half a packet is no place to look at
    _marks(axes, panel.marks)
    axes.set_title(panel.title, loc="left")


def _bars(chart: Bars, small: float) -> Figure:
    few = len(chart.groups) * len(chart.keys) <= 12
    width = small if few else canvas.WIDTH
    lines = canvas.legend_lines(chart.keys, width) or 1
    fig, (axes,) = canvas.grid(1, 1, chart.height, lines, width)
    share = 0.8 / len(chart.keys)
    for k, (_key, colour) in enumerate(zip(chart.keys, chart.colours, strict=True)):
        places = [g - 0.4 + share * (k + 0.5) for g in range(len(chart.groups))]
        heights = [group.values[k] for group in chart.groups]
        spread = [group.spread[k] if group.spread else 0.0 for group in chart.groups]
        axes.bar(places, heights, share * 0.92, color=canvas.shade(colour))
        if any(spread):
            axes.errorbar(places, heights, yerr=spread, fmt="none", ecolor=canvas.SOFT, elinewidth=0.9, capsize=2)
    axes.axhline(0, color=canvas.SOFT, lw=0.8)
    axes.grid(True, axis="y")
    axes.set_axisbelow(True)
    canvas.axis(axes, Axis(""), chart.y)
    if all(float(value).is_integer() for group in chart.groups for value in group.values):
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))  # half a thing is not counted
    axes.set_xticks(range(len(chart.groups)), [group.name for group in chart.groups])
    axes.tick_params(axis="x", length=0)
    canvas.legend(fig, [Patch(color=canvas.shade(c)) for c in chart.colours], list(chart.keys), lines)
    return fig
