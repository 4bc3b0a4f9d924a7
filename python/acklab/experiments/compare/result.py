"""Results of a comparison."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...results.frames import Tabular
from .plan import Comparison
from .rank import Ranking
from .tables import frames

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True)
class Compared(Tabular):
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
    configure: Sequence[str] = ()
    """How a Linux router gets the queues of the recommended case, a line for each direction of a link whose queue the cases change."""

    text: str = ""
    """All of it, as a terminal shows it."""

    def to_polars(self) -> pl.DataFrame:
        """A row a situation, case and metric: rank, verdict, mean, and the ends of its 95 % interval."""
        table: pl.DataFrame = frames(self)["ranking"]
        return table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    @property
    def random(self) -> bool:
        """Two seeds gave different numbers."""
        return any(ranking.random for ranking in self.rankings)
