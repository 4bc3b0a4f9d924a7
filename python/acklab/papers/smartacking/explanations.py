"""Why claims differ that do: what the search of :mod:`.tried` and ``acklab infer smartacking`` found of them."""

from __future__ import annotations

from collections.abc import Mapping

from ...reproduce.explanation import Derived, Searched
from .registry import PAPER
from .tried import Reading

SEARCHED = 46
"""Readings of the search. Claims of 1-0 and Asymmetric are not listed: their edges were others when it was made."""
FOUND: Mapping[str, tuple[int, Reading | None]] = {
    "fig10.smallcap": (0, None),
    "fig11.opt": (0, None),
    "fig11.shift": (5, None),
    "fig11.grow": (0, None),
    "fig12.advanced": (0, None),
}
"""Claim -> under how many of the readings one run has it, and the first of these that has it in nudged repetitions, too."""


def told(reading: Reading) -> str:
    """A reading in words of the scenario."""
    return ", ".join(f"{rule} = {str(value).lower()}" for rule, value in reading.items())


for _name, (_having, _reading) in FOUND.items():
    _by = "" if _reading is None else told(_reading)
    _runs = "1 run" if _by or not _having else "1 run, and 10 nudged ones where that has it,"
    PAPER.explain(_name, Searched(SEARCHED, _runs, _having if _by else 0, _by))
PAPER.explain("fig5a.pct", Searched(960, "5 nudged runs", 60, "partial_deflation = false, recovery_exit = rfc6582"))
PAPER.explain(
    "fig3a.double",
    Derived("with an ACK for two segments, and a segment for an ACK (section 2), a window grows by half a round trip"),
)
