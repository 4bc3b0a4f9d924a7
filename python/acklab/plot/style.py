"""The settings under which every file is drawn: matplotlib's own, whatever the user's matplotlibrc says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import matplotlib
from matplotlib.ticker import LogFormatterSciNotation

from ..text.escapes import one_line, short
from .runs import read_runs

#: What is set for each file: fonts that come with matplotlib, and texts in which a dollar sign is one.
_ALWAYS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "acklab",
    "text.parse_math": False,
}
#: Where figures are shown, and what belongs to the whole process: no matter of a drawing.
_NOT_OURS = ("backend", "backend_fallback", "interactive", "toolbar", "timezone")
_POWER = str.maketrans("-−0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Draw = TypeVar("Draw", bound=Callable[..., Any])


@contextmanager
def drawing(more: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draws what is within under these settings, and ``more``.

    Matplotlib's warnings of letters that a font lacks and of scarce room are not shown. A user who runs a scenario
    cannot act on them.
    """
    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if key not in _NOT_OURS}
    with warnings.catch_warnings(), matplotlib.rc_context({**defaults, **_ALWAYS, **(more or {})}):
        warnings.simplefilter("ignore", UserWarning)
        yield


def drawn(chart: Draw) -> Draw:
    """A function that draws runs, under these settings; a figure of an invalid run says so."""

    @wraps(chart)
    def call(runs: Any, *args: Any, **named: Any) -> Any:
        runs = read_runs(runs)
        with drawing():
            figure = chart(runs, *args, **named)
            if any(run.invalid for run in runs):
                figure.suptitle(
                    "Invalid run: these numbers do not show what the scenario does", color="#a4161a", weight="bold"
                )
            return figure

    return call  # type: ignore[return-value]


def label(text: str, most: int = 48) -> str:
    """A name as legends, ticks and titles have it: on one line, in at most so many columns."""
    told = short(one_line(text), most)
    return f" {told}" if told.startswith("_") else told  # which matplotlib's legends would leave out


class Powers(LogFormatterSciNotation):
    """Labels of a logarithmic axis without mathematics: 10², 2×10³."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label at ``x``."""
        text = super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")
        head, _, power = text.replace(r"\times", "×").partition("^{")
        return head + power.rstrip("}").translate(_POWER)
