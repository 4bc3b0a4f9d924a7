"""Results of a sweep."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...results.frames import Tabular
from ...text.counts import counted
from .plan import Plan

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Swept(Tabular):
    """Results of a sweep."""

    plan: Plan
    title: str
    runs: int
    """Runs altogether."""
    kept: int
    """How many of them an earlier attempt had made."""
    summary: pl.DataFrame
    """A row per point and metric: the varied keys, mean, 95 % interval (``low``, ``high``), ``n``, ``missing``."""
    _flows: Path
    _folder: Any = None

    @property
    def flows(self) -> pl.DataFrame:
        """A row per run and flow: the varied keys, the seed, the flow's columns."""
        import polars as pl

        return pl.read_parquet(self._flows, glob=False)

    def to_polars(self) -> pl.DataFrame:
        """``summary``."""
        return self.summary

    def _repr_html_(self) -> str:
        return f"<h4>{html.escape(self.title)}</h4>{self.summary._repr_html_()}"

    def __repr__(self) -> str:
        return f"<Swept {self.title!r}: {counted(self.plan.points, 'point')}, {counted(self.runs, 'run')}>"
