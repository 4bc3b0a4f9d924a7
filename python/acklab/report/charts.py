"""Data of charts; :mod:`acklab.report.vega` makes specifications of them.

Colours are named by mechanism, so that a mechanism looks the same in every chart of the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Numbers = Any
"""A sequence of numbers, or an array."""


@dataclass(frozen=True)
class Axis:
    """An axis: its quantity, with the unit."""

    label: str
    log: bool = False
    low: float | None = None
    high: float | None = None
    ticks: Sequence[float] | None = None
    words: Sequence[str] = ()
    """Labels of the ticks instead of their numbers."""


@dataclass(frozen=True)
class Line:
    """A line, or with ``marks`` only points; ``spread`` is half an error bar's length at each point, ``band`` half a shaded band's height."""

    name: str
    x: Numbers
    y: Numbers
    colour: str
    dash: str = "-"
    marker: str = ""
    step: bool = False
    spread: Numbers | None = None
    width: float = 1.4
    band: Numbers | None = None


@dataclass(frozen=True)
class Mark:
    """A reference line with a word beside it: the paper's value, a threshold."""

    at: float
    text: str = ""
    vertical: bool = False
    colour: str = "slate"


@dataclass(frozen=True)
class Panel:
    """One pair of axes with lines."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    marks: Sequence[Mark] = ()


@dataclass(frozen=True)
class Surface:
    """A heat map's panel: ``z[i][j]`` at ``x[i]``, ``y[j]``."""

    title: str
    x: Sequence[float]
    y: Sequence[float]
    z: Any


@dataclass(frozen=True)
class Lines:
    """Panels with lines, side by side."""

    name: str
    about: str
    panels: Sequence[Panel]
    height: float = 2.9


@dataclass(frozen=True)
class Heat:
    """Heat maps side by side on one colour scale."""

    name: str
    about: str
    surfaces: Sequence[Surface]
    x: Axis
    y: Axis
    z: Axis
    diverging: bool = False
    rows: int = 1
    height: float = 2.8
    cells: tuple[Sequence[str], Sequence[str]] = ((), ())
    """What each place along ``x`` and ``y`` is called, where the axes tell only some."""


@dataclass(frozen=True)
class Bar:
    """A group of bars: one value for each colour."""

    name: str
    values: Sequence[float]
    spread: Sequence[float] | None = None


@dataclass(frozen=True)
class Bars:
    """Grouped bars; ``keys`` and ``colours`` are the bars within each group."""

    name: str
    about: str
    keys: Sequence[str]
    colours: Sequence[str]
    groups: Sequence[Bar]
    y: Axis
    height: float = 2.9


@dataclass(frozen=True)
class Dot:
    """A mean and its interval, on a row."""

    row: int
    value: float
    interval: tuple[float, float]
    colour: str


@dataclass(frozen=True)
class DotPanel:
    """One quantity; ``better`` is an arrow towards what is better. ``ends`` are its axis's, where it is not to begin at 0."""

    title: str
    dots: Sequence[Dot]
    better: str = ""
    ends: tuple[float, float] | None = None
    band: tuple[float, float] | None = None
    """A stretch that is shaded: what counts as within."""
    beside: float | None = None
    """A value that the dots are compared with."""
    log: bool = False
    """Whether the axis is logarithmic; all values are positive then."""


@dataclass(frozen=True)
class Dots:
    """Panels side by side that share their rows, best read along a row."""

    name: str
    about: str
    rows: Sequence[str]
    panels: Sequence[DotPanel]
    keys: Sequence[tuple[str, str]] = ()
    """Legend: what each colour means."""
    bold: str = ""
    """The row whose name is bold."""


@dataclass(frozen=True)
class Spot:
    """A mean and its interval; ``hollow`` for the second of two kinds."""

    row: int
    value: float
    interval: tuple[float, float]
    hollow: bool = False


@dataclass(frozen=True)
class Multiples:
    """Small multiples: a line of panels for each place, a panel for each quantity, a row for each mechanism."""

    name: str
    about: str
    rows: Sequence[tuple[str, str]]
    """Mechanisms and their colours, from the top."""
    titles: Sequence[str]
    """A quantity with its unit and, in a second line, which way is better."""
    places: Sequence[tuple[str, Sequence[Sequence[Spot]]]]
    """Name, and for each quantity its marks."""
    kinds: tuple[str, str]
    """What filled and hollow marks mean."""


Chart = Lines | Heat | Bars | Dots | Multiples
