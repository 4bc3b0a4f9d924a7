"""Why claims differ that do."""

from __future__ import annotations

from ...reproduce.explanation import Derived
from .registry import PAPER

PAPER.explain(
    "fig5.rtt",
    Derived(
        "by section 2.1 an old ACK is erased as one arrives at a full queue, so an ACK waits delta over the arrival rate. "
        "Filtering needs arrivals above the reverse link's rate, so the wait is below the printed one"
    ),
)
