"""Why claims differ that do: what ``acklab infer divack`` found of them."""

from __future__ import annotations

from ...reproduce.explanation import Searched
from .registry import PAPER
from .searched import LIMITED, NUDGES, TRIED

_RUNS = f"{NUDGES} nudged runs"

PAPER.explain("fig6.high", Searched(2, "up to 260 seeds", 1, "recovery = newreno"))
PAPER.explain("fig7.limit", Searched(TRIED, _RUNS, LIMITED, "window = 20"))
PAPER.explain("both.caps", Searched(TRIED, _RUNS))
