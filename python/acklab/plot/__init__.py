"""Charts of runs.

``cwnd``, ``time_sequence``, ``timeline``, ``rtt``, ``queue`` and ``throughput`` are Altair
charts, for notebooks and papers (``chart.save("cwnd.pdf")``). They draw what :mod:`acklab.plot.prep`
prepares, in the colours of :mod:`acklab.plot.palette`. What a run is made of: :mod:`acklab.plot.runs`.

Altair is imported when a chart is first asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

CHARTS = ("cwnd", "queue", "rtt", "throughput", "time_sequence", "timeline")
#: Those that stand below each other.
OVER_TIME = ("throughput", "rtt", "queue", "cwnd")
_MODULES = ("charts", "palette", "prep", "runs")

__all__ = ["Charts", "cwnd", "palette", "prep", "queue", "rtt", "throughput", "time_sequence", "timeline"]


class Charts:
    """The charts of one run (or of several), as methods: ``Charts(run).cwnd()``."""

    def __init__(self, runs: Any) -> None:
        self._runs = runs

    def __getattr__(self, name: str) -> Any:
        if name not in CHARTS:
            raise AttributeError(f"there is no chart {name!r}; there are {', '.join(CHARTS)}")
        return partial(_altair(name), self._runs)

    def __dir__(self) -> list[str]:
        return list(CHARTS)


def below(charts: Sequence[Any]) -> Any:
    """Charts below each other, whose colours have meanings of their own."""
    import altair as alt

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Automatically deduplicated selection")  # one zoom for all is meant
        return alt.vconcat(*charts).resolve_scale(color="independent", strokeDash="independent")


def _altair(name: str) -> Any:
    """A chart for notebooks.

    Raises:
        ImportError: Altair is not installed; names the extra that has it.
    """
    try:
        return getattr(import_module(".charts", __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("altair", "vl_convert"):
            raise
        raise ImportError("charts need Altair: pip install 'acklab[charts]'") from None


def __getattr__(name: str) -> Any:
    if name in CHARTS:
        return _altair(name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *CHARTS, *_MODULES})
