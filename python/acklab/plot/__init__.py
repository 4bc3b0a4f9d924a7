"""Charts of runs.

``cwnd``, ``time_sequence``, ``timeline``, ``rtt``, ``queue`` and ``throughput`` are Altair
charts for notebooks; the same names in :mod:`acklab.plot.mpl` are matplotlib figures for
papers. Both draw what :mod:`acklab.plot.prep` prepares, in the colours of
:mod:`acklab.plot.palette`. What a run is made of: :mod:`acklab.plot.runs`.

Altair and matplotlib are imported when a chart is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

CHARTS = ("cwnd", "queue", "rtt", "throughput", "time_sequence", "timeline")
_MODULES = ("charts", "items", "mpl", "palette", "prep", "runs", "words")

__all__ = ["cwnd", "mpl", "palette", "prep", "queue", "rtt", "throughput", "time_sequence", "timeline"]


def __getattr__(name: str) -> Any:
    if name in CHARTS:
        return getattr(import_module(".charts", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *CHARTS, *_MODULES})
