"""Why claims differ that do: what the search of :mod:`.tried` and ``acklab infer smartacking`` found of them."""

from __future__ import annotations

from collections.abc import Mapping

from ...reproduce.explanation import Derived, Searched
from .registry import PAPER
from .tried import Reading, every

FOUND: Mapping[str, tuple[int, int | None]] = {
    "fig3b.oneack": (0, None),
    "fig3b.slowcwnd": (4, 21),
    "fig6.flat": (10, 3),
    "fig6.est": (0, None),
    "fig8.20pct": (2, 30),
    "fig8.pacing": (0, None),
    "fig9.sabc": (2, 26),
    "fig10.smallcap": (0, None),
    "fig11.opt": (0, None),
    "fig11.shift": (5, None),
    "fig11.grow": (0, None),
    "fig12.better": (0, None),
    "fig12.similar": (4, 16),
    "fig12.advanced": (0, None),
    "fig13.acc": (11, 3),
    "fig13.fixed": (0, None),
    "fig13.cause": (5, 12),
    "sec4.100ms": (2, 43),
}
"""Claim -> under how many of the readings one run has it, and the first of these that has it in nudged repetitions, too."""


def told(reading: Reading) -> str:
    """A reading in words of the scenario."""
    return ", ".join(f"{rule} = {str(value).lower()}" for rule, value in reading.items())


for _name, (_having, _number) in FOUND.items():
    _by = "" if _number is None else told(every()[_number])
    _runs = "1 run" if _by or not _having else "1 run, and 10 nudged ones where that has it,"
    PAPER.explain(_name, Searched(len(every()), _runs, _having if _by else 0, _by))
PAPER.explain("fig5a.pct", Searched(960, "5 nudged runs", 60, "partial_deflation = false, recovery_exit = rfc6582"))
PAPER.explain("fig1.unit", Searched(2, "1 run", 1, "limited_transmit = false"))
PAPER.explain(
    "fig3a.double",
    Derived("with an ACK for two segments, and a segment for an ACK (section 2), a window grows by half a round trip"),
)
