"""Results of a comparison."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .plan import Comparison
from .rank import Ranking

Key = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True)
class Compared:
    """Results of a comparison."""

    comparison: Comparison
    title: str
    rankings: Sequence[Ranking]
    values: Mapping[Key, Sequence[float]]
    """Every metric's value in each run."""
    seeds: int
    """Seeds of each case."""
    advice: str = ""
    """The recommendation, in sentences."""

    def _repr_html_(self) -> str:
        from .text import as_text

        return f"<pre>{html.escape(as_text(self))}</pre>"

    @property
    def random(self) -> bool:
        """Two seeds gave different numbers."""
        return any(ranking.random for ranking in self.rankings)
