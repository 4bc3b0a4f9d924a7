"""Why claims differ that do."""

from __future__ import annotations

from ...reproduce.explanation import Derived
from .registry import PAPER

PAPER.explain(
    "fig5.500",
    Derived(
        "the receiver acknowledges each segment, so in slow start each ACK frees two segments, and twice as many ACKs arrive as the reverse link carries. "
        "It is full from about 1.5 s on, as the paper prints, too, and 500 ACKs have gathered after another 500/312.5 = 1.6 s"
    ),
)
PAPER.explain(
    "fig5.rtt",
    Derived(
        "by section 2.1 an old ACK is erased as one arrives at a full queue, so an ACK waits delta over the arrival rate. "
        "Filtering needs arrivals above the reverse link's rate, so the wait is below the printed one"
    ),
)
