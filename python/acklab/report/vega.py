"""Charts as Vega-Lite specifications: one for the page, a notebook and print.

A specification is a concatenation of panels, each a view of its own, so that a page can lay them out by its width.
Colours are the page's variables (``var(--slot-blue)``); :func:`printed` puts the light theme's shades in their place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..plot import palette
from ..text.terminal import one_line, short, visible
from .charts import Axis, Bars, Chart, Dot, DotPanel, Dots, Heat, Line, Lines, Mark, Multiples, Panel

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK, SOFT, GRID = "var(--ink)", "var(--ink-2)", "var(--line)"
PRINTED = {INK: "#14181f", SOFT: "#4a5260", GRID: "#d9dde3"}
SHAPES = ("circle", "diamond", "square", "triangle-up")
#: Colours of a heat map from its least to its greatest value: viridis, and purple to orange, as their authors published them.
SEQUENTIAL = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
DIVERGING = ("#542788", "#b2abd2", "#f7f7f7", "#fdb863", "#b35806")
#: Most values of a heat map that have a colour each, not a scale.
MAX_STATES = 4
#: What an axis says that does not begin at 0, or is logarithmic; and the share of the greatest value above which all are close together.
NOT_FROM_ZERO, LOGARITHMIC, CLOSE = "not from 0", "logarithmic", 0.6
#: The values that the pointer shows, and most points of a line without a marker that it reaches.
TIP, MAX_TIPS = {"field": "tip", "type": "nominal"}, 2000
#: Width of a print, of a chart of one panel, and of a row of names, in pixels.
WIDTH, SMALL, LETTER = 690, 400, 6.2
ROW = 19
CONFIG: Spec = {
    "background": None,
    "aria": False,  # the page says what a chart shows, and its values by the arrow keys
    "font": "system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": SOFT, "domainColor": SOFT, "tickColor": SOFT, "gridColor": GRID,
        "labelFontSize": 11.5, "titleFontSize": 12, "titleFontWeight": "normal", "labelOverlap": "greedy", "labelSeparation": 6, "titlePadding": 7,
        "labelLimit": 420,
    },
    "title": {"color": INK, "fontSize": 12.5, "fontWeight": 600, "anchor": "start", "frame": "group", "offset": 6},
    "legend": {"labelColor": INK, "titleColor": SOFT, "orient": "top", "title": None, "labelLimit": 320, "columns": 4},
    "text": {"color": SOFT, "fontSize": 11},
}  # fmt: skip


def shade(name: str) -> str:
    """Returns a slot's, mechanism's or role's colour as the page's variable."""
    if name == "ink":
        return INK
    slot = name if name in palette.SLOTS else palette.slot_of(name) or palette.ROLES[name]
    return f"var(--slot-{slot})"


def label(text: str) -> str:
    """Returns a name as legends, ticks and titles have it: on one line, in at most 48 columns."""
    return short(one_line(text), 48)


def specification(chart: Chart) -> Spec:
    """Returns a chart's specification. ``usermeta`` has what a page lays out itself.

    Its keys: ``keys`` is the legend (name, colour, dash, shape), ``columns`` the panels side by side, ``names`` the width in
    pixels that names of rows take in the first column, ``small`` true where one panel needs no whole page.
    """
    draw: Mapping[type, Callable[[Any], Spec]] = {
        Lines: _lines, Bars: _bars, Dots: _dots, Heat: _heat, Multiples: _multiples,
    }  # fmt: skip
    spec = draw[type(chart)](_visible(chart))
    meta = {"keys": [], "columns": len(spec["concat"]), "names": 0, "small": False, **spec.pop("meta", {})}
    columns = meta["columns"]
    wide = (SMALL if meta["small"] else WIDTH - 40 * columns) - meta["names"]
    for panel in spec["concat"]:
        panel["width"] = max(wide // columns, 90)
    return {"$schema": SCHEMA, "config": CONFIG, "columns": columns, **spec, "usermeta": meta}


def printed(spec: Spec, note: str = "", width: float | None = None) -> Spec:
    """Returns a specification for print: on white, with a note below it, and so many pixels wide."""
    text = json.dumps({key: value for key, value in spec.items() if key != "usermeta"})
    for name, colour in PRINTED.items():
        text = text.replace(name, colour)
    text = re.sub(r"var\(--slot-(\w+)\)", lambda slot: palette.SLOTS[slot[1]]["light"], text)
    made: Spec = json.loads(text)
    made["background"] = "white"
    columns = min(made["columns"], len(made["concat"]))
    names = spec["usermeta"]["names"]
    if width:
        for panel in made["concat"]:
            panel["width"] = max((width - 60 - names) / columns - 40, 60)
    for number, panel in enumerate(made["concat"]):
        if names and number % columns:
            _rows_of(panel)["axis"] = {"labels": False, "title": None, "ticks": False, "domain": False}
    if note:
        made["title"] = {"text": note, "orient": "bottom", "fontSize": 10, "fontWeight": "normal", "limit": WIDTH}
    return made


def _rows_of(panel: Spec) -> Spec:
    axis: Spec = panel["encoding"]["y"]
    return axis


def _visible(value: Any) -> Any:
    """Returns a chart whose texts have escapes for characters that are invisible or reorder text."""
    if isinstance(value, str):
        return visible(value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _visible(getattr(value, field.name)) for field in fields(value)})
    return [_visible(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _values(rows: Sequence[Mapping[str, Any]]) -> Spec:
    return {"data": {"values": list(rows)}}


def _number(value: Any) -> float | None:
    """Returns a number to six digits, or None where it is none."""
    value = float(value)
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _told(axis: str, value: float) -> str:
    return f"{axis}: {value:.4g}" if axis else f"{value:.4g}"


def _between(low: float, high: float) -> str:
    return f" ({low:.4g} to {high:.4g})" if low < high else ""


def _scale(axis: Axis, zero: bool = False) -> Spec:
    """Returns an axis as a channel's title, scale and ticks."""
    scale: Spec = {"zero": zero, "nice": axis.low is None or axis.high is None}
    if axis.log:
        scale = {"type": "log", "nice": False}
    scale |= {"domainMin": axis.low} if axis.low is not None else {}
    scale |= {"domainMax": axis.high} if axis.high is not None else {}
    ticks: Spec = {"tickCount": 5}
    if axis.log:
        ticks = {"tickCount": 5, "format": "~s"}
    if axis.ticks is not None:
        ticks = {"values": list(map(float, axis.ticks))}
        if axis.words:
            words = json.dumps(list(map(label, axis.words)))
            ticks["labelExpr"] = f"{words}[indexof({json.dumps(ticks['values'])}, datum.value)]"
    return {
        "title": ", ".join(filter(None, [axis.label, LOGARITHMIC if axis.log else ""])) or None,
        "scale": scale,
        "axis": ticks,
    }


def _from_zero(axis: Axis, ends: Sequence[float]) -> Axis:
    """Returns an axis of values that begins at 0, or says that it does not: where they lie close together, or a caller cut it."""
    known = [float(end) for end in ends if math.isfinite(end)]
    if axis.log or not known or min(known) < 0:
        return axis
    low = axis.low
    if low is None:
        near, far = min(known), max(known)
        low = 0.0 if near < CLOSE * far or near == far else near - 0.05 * (far - near)
    return replace(axis, low=low, label=f"{axis.label}, {NOT_FROM_ZERO}".lstrip(", ") if low > 0 else axis.label)


def _coloured(names: Sequence[str], colours: Sequence[str]) -> Spec:
    """Returns the colour scale that every panel of a chart shares; one name needs no legend."""
    scale = {"domain": list(map(label, names)), "range": list(map(shade, colours))}
    return {"scale": scale} if len(names) > 1 else {"scale": scale, "legend": None}


def _key(name: str, colour: str, dash: str = "-", shape: str = "") -> Spec:
    return {"name": label(name), "colour": shade(colour), "dash": dash, "shape": shape}


_DASHES: dict[str, list[float]] = {"-": [1, 0], "--": [6, 3], ":": [2, 2], "-.": [6, 2, 2, 2]}
_MARKERS = {"o": "circle", "s": "square", "D": "diamond", "^": "triangle-up", "v": "triangle-down", "x": "cross"}


def _lines(chart: Lines) -> Spec:
    every = {line.name: line for panel in reversed(chart.panels) for line in reversed(panel.lines) if line.name}
    named = dict(reversed(every.items()))
    colour = _coloured(list(named), [line.colour for line in named.values()])
    keys = [
        _key(
            name,
            line.colour,
            line.dash.strip() and line.dash,
            _MARKERS.get(line.marker, "circle" if line.marker else ""),
        )
        for name, line in named.items()
    ]
    panels = [_panel(panel, colour, 72 * chart.height) for panel in chart.panels]
    count = len(panels)
    meta = {"keys": keys if len(keys) > 1 else [], "columns": count if count <= 4 else 3, "small": count == 1}
    return {"concat": panels, "meta": meta}


def _panel(panel: Panel, colour: Spec, height: float) -> Spec:
    ends = [end for line in panel.lines for end in line.y] + [mark.at for mark in panel.marks if not mark.vertical]
    panel = replace(panel, y=_from_zero(panel.y, ends))
    lines = [_line(line, panel, colour) for line in panel.lines]
    layers = [*lines, *(layer for mark in panel.marks for layer in _mark(mark))]
    spec: Spec = {"height": height, "layer": layers, "encoding": {"x": _scale(panel.x), "y": _scale(panel.y)}}
    if lines:
        lines[0]["layer"][0]["params"] = [
            {
                "name": "zoom",
                "select": {
                    "type": "interval",
                    "encodings": ["x"],
                    "zoom": "wheel![event.ctrlKey || event.metaKey]",
                    "translate": "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!",
                },
                "bind": "scales",
            }
        ]
    return {**spec, **({"title": panel.title} if panel.title else {})}


def _line(line: Line, panel: Panel, colour: Spec) -> Spec:
    """Returns a line as one layer: its values, with those marks that it has."""
    half = line.spread if line.spread is not None else line.band
    rows = []
    for number, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
        off = float(half[number]) if half is not None else 0.0
        row: Spec = {"x": _number(x), "y": _number(y)}
        if off > 0:
            row |= {"low": _number(y - off), "high": _number(y + off)}
        up = panel.y.label.removesuffix(f", {NOT_FROM_ZERO}")
        row["tip"] = "; ".join(
            filter(None, [line.name, _told(panel.x.label, x), _told(up, y) + _between(y - off, y + off)])
        )
        rows.append(row)
    if panel.y.log:
        rows = [row for row in rows if row["y"] is not None and row["y"] > 0]
    encoding: Spec = {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "quantitative"},
        "color": {"datum": label(line.name), **colour} if line.name else {"value": shade(line.colour)},
    }
    ends = {**encoding, "y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    # A step holds its value until the next point.
    way = {"interpolate": "step-after"} if line.step else {}
    layers: list[Spec] = []
    if line.band is not None:
        layers.append({"mark": {"type": "area", "opacity": 0.2, **way}, "encoding": ends})
    if line.spread is not None:
        layers.append({"mark": {"type": "rule", "strokeWidth": 1, "clip": True}, "encoding": ends})
    if line.dash.strip():
        style = {"strokeDash": _DASHES.get(line.dash, [1, 0]), "strokeWidth": line.width}
        layers.append({"mark": {"type": "line", "clip": True, **style, **way}, "encoding": encoding})
    if line.marker or len(rows) <= MAX_TIPS:  # without a marker it is only there for the pointer
        shape = _MARKERS.get(line.marker, "circle")
        shown = {"size": 28, "opacity": 1} if line.marker else {"size": 60, "opacity": 0}
        points = {"type": "point", "filled": shape != "cross", "shape": shape, "clip": True, **shown}
        layers.append({"mark": points, "encoding": {**encoding, "tooltip": TIP}})
    return {**_values(rows), "layer": layers}


def _reference(at: float, colour: str, *, vertical: bool = True, dash: bool = True) -> Spec:
    """Returns a line across a panel."""
    along, across, end = ("x", "y", "height") if vertical else ("y", "x", "width")
    mark = {"type": "rule", "stroke": colour, **({"strokeDash": [4, 3]} if dash else {})}
    return {**_values([{}]), "mark": mark, "encoding": {along: {"datum": at}, across: {"value": 0}, f"{across}2": {"value": end}}}  # fmt: skip


def _stretch(low: float, high: float) -> Spec:
    """Returns a shaded stretch of the horizontal axis."""
    ends = {"x": {"datum": low}, "x2": {"datum": high}, "y": {"value": 0}, "y2": {"value": "height"}}
    return {**_values([{}]), "mark": {"type": "rect", "color": shade("blue"), "opacity": 0.1}, "encoding": ends}


def _mark(mark: Mark) -> Iterator[Spec]:
    yield _reference(mark.at, shade(mark.colour), vertical=mark.vertical)
    if mark.text:
        along, across = ("x", "y") if mark.vertical else ("y", "x")
        place = {"dy": 6, "baseline": "top"} if mark.vertical else {"dy": -4, "baseline": "bottom"}
        text = {"type": "text", "align": "left", "text": mark.text, "dx": 4, **place}
        yield {**_values([{}]), "mark": text, "encoding": {along: {"datum": mark.at}, across: {"value": 0}}}


def _bars(chart: Bars) -> Spec:
    rows = []
    for group in chart.groups:
        for number, (key, value) in enumerate(zip(chart.keys, group.values, strict=True)):
            half = group.spread[number] if group.spread else 0.0
            tip = f"{group.name}; {key}; {_told(chart.y.label, value)}{_between(value - half, value + half)}"
            ends = {"low": _number(value - half), "high": _number(value + half)} if half else {}
            rows.append({"group": group.name, "key": label(key), "y": _number(value), **ends, "tip": tip})
    y = _scale(chart.y, zero=True)
    if all(float(value).is_integer() for group in chart.groups for value in group.values):
        y["axis"]["tickMinStep"] = 1
    spec: Spec = {
        **_values(rows),
        "height": 72 * chart.height,
        "encoding": {
            "x": {
                "field": "group",
                "type": "nominal",
                "scale": {"domain": [group.name for group in chart.groups]},
                "title": None,
                "axis": {"labelAngle": 0, "labelOverlap": False, "labelExpr": "split(datum.label, ' ')"},
            },
            "xOffset": {"field": "key", "scale": {"domain": list(map(label, chart.keys))}},
        },
        "layer": [
            {
                "mark": "bar",
                "encoding": {
                    "y": {"field": "y", "type": "quantitative", **y},
                    "color": {"field": "key", **_coloured(chart.keys, chart.colours)},
                    "tooltip": TIP,
                },
            },
            {
                "mark": {"type": "rule", "stroke": INK},
                "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
            },
        ],
    }
    keys = [_key(key, colour, "", "square") for key, colour in zip(chart.keys, chart.colours, strict=True)]
    return {"concat": [spec], "meta": {"keys": keys, "small": len(rows) <= 12}}


def _named(rows: Sequence[str], shades: int = 1, bold: str = "") -> Spec:
    """Returns the vertical axis of named rows, from the top."""
    weight: Any = "normal"
    if bold:
        weight = {"condition": {"test": f"datum.value === {json.dumps(bold)}", "value": "bold"}, "value": "normal"}
    axis = {
        "grid": True,
        "domain": False,
        "ticks": False,
        "title": None,
        "labelFontWeight": weight,
        "labelOverlap": False,
    }
    scale = {"domain": list(rows), "paddingInner": 0.3 if shades > 1 else 0}
    return {"field": "row", "type": "nominal", "axis": axis, "scale": scale}


def _left(rows: Sequence[str]) -> int:
    """Returns the pixels that names of rows take."""
    return int(14 + LETTER * max((len(label(name)) for name in rows), default=0))


def _dots(chart: Dots) -> Spec:
    names = list(map(label, chart.rows))
    texts = {colour: label(text) for text, colour in chart.keys}
    if not texts:  # of one kind, which has no name
        texts = dict.fromkeys((dot.colour for panel in chart.panels for dot in panel.dots), "")
    panels = [_dot_panel(panel, names, texts, label(chart.bold) if chart.bold else "") for panel in chart.panels]
    keys = [_key(text, colour, "-", SHAPES[number % 4]) for number, (text, colour) in enumerate(chart.keys)]
    columns = math.ceil(len(panels) / math.ceil(len(panels) / 4))
    meta = {"keys": keys, "columns": columns, "names": _left(names), "small": len(panels) == 1}
    return {"concat": panels, "meta": meta}


def _dot_panel(panel: DotPanel, names: Sequence[str], texts: Mapping[str, str], bold: str) -> Spec:
    """Returns a panel; ``texts`` are what the colours mean, in the order of the marks of a row."""

    def row(dot: Dot) -> Spec:
        low, high = dot.interval
        tip = f"{names[dot.row]}: {dot.value:.4g}{_between(low, high)}"
        return {"row": names[dot.row], "x": _number(dot.value), "low": _number(low), "high": _number(high), "key": dot.colour, "tip": tip}  # fmt: skip

    rows = [row(dot) for dot in panel.dots if math.isfinite(dot.value)]
    ends = [end for dot in panel.dots for end in (*dot.interval, dot.value) if math.isfinite(end)]
    scale: Spec = {"zero": panel.beside is None and min(ends, default=0) >= 0, "nice": True}
    if panel.log:
        known = [end for end in ends if end > 0]
        scale = {"type": "log", "nice": False, "domain": [0.8 * min(known), 1.25 * max(known)]}
    elif panel.ends:
        scale = {"domain": list(panel.ends), "nice": False}
    better = {"→": "better →", "←": "← better"}.get(panel.better, "")
    cut = panel.beside is not None or (panel.ends or (0.0,))[0] > 0
    note = LOGARITHMIC if panel.log else NOT_FROM_ZERO if cut and min(ends, default=0.0) > 0 else ""
    title = ", ".join(filter(None, [better, note])) or None
    several = len(texts) > 1
    shades = {"domain": list(texts), "range": list(map(shade, texts))}
    words = f"{json.dumps(texts)}[datum.value]"
    legend = {"labelExpr": words} if any(texts.values()) and several else None
    encoding: Spec = {"color": {"field": "key", "type": "nominal", "scale": shades, "legend": legend}}
    shape: Spec = {}
    if several:
        encoding["yOffset"] = {"field": "key", "scale": {"domain": list(texts)}}
        forms = {"domain": list(texts), "range": [SHAPES[number % 4] for number in range(len(texts))]}
        shape = {"shape": {"field": "key", "type": "nominal", "scale": forms, "legend": legend}}
    across: Spec = {"type": "quantitative", "title": title, "scale": scale, "axis": {"tickCount": 4}}
    return {
        "title": panel.title,
        **_values(rows),
        "height": max(ROW, 13 * len(texts)) * len(names) + 6,
        "layer": [
            *([_stretch(*panel.band)] if panel.band else []),
            *([_reference(panel.beside, SOFT)] if panel.beside is not None else []),
            {"mark": {"type": "rule", "strokeWidth": 1.6}, "encoding": {**encoding, "x": {"field": "low", **across}, "x2": {"field": "high"}}},
            {"mark": {"type": "point", "filled": True, "size": 42, "opacity": 1}, "encoding": {**encoding, "x": {"field": "x", **across}, "tooltip": TIP, **shape}},
        ],
        "encoding": {"y": _named(names, len(texts), bold)},
    }  # fmt: skip


def _heat(chart: Heat) -> Spec:
    colours = DIVERGING if chart.diverging else SEQUENTIAL
    known = [float(v) for surface in chart.surfaces for column in surface.z for v in column if math.isfinite(float(v))]
    low = chart.z.low if chart.z.low is not None else min(known)
    high = chart.z.high if chart.z.high is not None else max(known)
    states = [] if chart.diverging else sorted(set(known))
    if not 1 < len(states) <= MAX_STATES:
        states = []
    shades = [colours[round(4 * place / (len(states) - 1))] for place in range(len(states))]
    panels = []
    for surface in chart.surfaces:
        half_x, half_y = (surface.x[1] - surface.x[0]) / 2, (surface.y[1] - surface.y[0]) / 2
        rows = []
        for i, x in enumerate(surface.x):
            for j, y in enumerate(surface.y):
                z = float(surface.z[i][j])
                if math.isfinite(z):
                    at_x = chart.cells[0][i] if chart.cells[0] else f"{x:.4g}"
                    at_y = chart.cells[1][j] if chart.cells[1] else f"{y:.4g}"
                    tip = f"{chart.x.label}: {at_x}; {chart.y.label}: {at_y}; {_told(chart.z.label, z)}"
                    rows.append({"x": _number(x - half_x), "x2": _number(x + half_x), "y": _number(y - half_y), "y2": _number(y + half_y), "z": _number(z), "tip": tip})  # fmt: skip
        ends = [[s[0] - h, s[-1] + h] for s, h in ((surface.x, half_x), (surface.y, half_y))]
        channels: Spec = {
            name: {"field": name, "type": "quantitative", **_scale(axis)}
            for name, axis in (("x", chart.x), ("y", chart.y))
        }
        for name, (least, most) in zip(("x", "y"), ends, strict=True):
            channels[name]["scale"] = {"domain": [least, most], "nice": False, "zero": False}
            channels[name]["axis"]["grid"] = False
        legend = {"title": chart.z.label, "gradientLength": 240}
        channels["color"] = {
            "field": "z",
            "type": "quantitative",
            "legend": legend,
            "scale": {"domain": [low, high], "range": list(colours), "clamp": True},
        }
        if states:  # what lies between them does not exist
            channels["color"] = {
                "field": "z",
                "type": "nominal",
                "legend": {"title": chart.z.label},
                "scale": {"domain": states, "range": shades},
            }
        encoding = {
            **channels,
            "x2": {"field": "x2"},
            "y2": {"field": "y2"},
            "tooltip": TIP,
        }
        panels.append(
            {"title": surface.title, **_values(rows), "height": 72 * chart.height, "mark": "rect", "encoding": encoding}
        )
    what, _, unit = chart.z.label.rstrip(")").partition(" (")
    keys = [
        {"name": f"{what} {state:.4g} {unit}".rstrip(), "colour": colour, "dash": "", "shape": "square"}
        for state, colour in zip(states, shades, strict=True)
    ]
    ramp = {"name": chart.z.label, "ramp": list(colours), "low": f"{low:.4g}", "high": f"{high:.4g}"}
    return {"concat": panels, "meta": {"keys": keys or [ramp], "columns": math.ceil(len(panels) / chart.rows)}}


def _multiples(chart: Multiples) -> Spec:
    names = [name for name, _ in chart.rows]
    scale = {"domain": names, "range": [shade(colour) for _, colour in chart.rows]}
    panels = []
    for place, quantities in chart.places:
        for title, spots in zip(chart.titles, quantities, strict=True):
            rows = [
                {"row": names[spot.row], "x": _number(spot.value), "low": _number(spot.interval[0]), "high": _number(spot.interval[1]),
                 "kind": chart.kinds[spot.hollow], "tip": f"{place}, {names[spot.row]}, {chart.kinds[spot.hollow]}: {spot.value:.4g}{_between(*spot.interval)}"}
                for spot in spots if math.isfinite(spot.value)
            ]  # fmt: skip
            offset: Spec = {"yOffset": {"field": "kind", "scale": {"domain": list(chart.kinds)}}}
            encoding: Spec = {**offset, "color": {"field": "row", "scale": scale, "legend": None}}
            zero = all(spot.interval[0] >= 0 for spot in spots if math.isfinite(spot.interval[0]))
            x: Spec = {"type": "quantitative", "title": None, "scale": {"zero": zero}, "axis": {"tickCount": 4}}
            shape = {
                "field": "kind",
                "scale": {"domain": list(chart.kinds), "range": ["circle", "square"]},
            }
            layers: list[Spec] = [
                {"mark": {"type": "rule", "strokeWidth": 1.4}, "encoding": {**encoding, "x": {"field": "low", **x}, "x2": {"field": "high"}}},
                {"mark": {"type": "point", "filled": True, "size": 34, "opacity": 1}, "encoding": {**encoding, "x": {"field": "x", **x}, "shape": shape, "tooltip": TIP}},
            ]  # fmt: skip
            head = [place, *title.split("\n")]
            panels.append({"title": {"text": head, "fontSize": 11}, **_values(rows), "height": 22 * len(names), "layer": layers, "encoding": {"y": _named(names, 2)}})  # fmt: skip
    keys = [_key(kind, "ink", "-", shape) for kind, shape in zip(chart.kinds, ("circle", "square"), strict=True)]
    return {"concat": panels, "meta": {"keys": keys, "columns": len(chart.titles), "names": _left(names)}}
