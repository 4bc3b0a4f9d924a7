"""Results of a search, with its facts and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...render.report import Report
from ...text.counts import counted
from ..search.result import Answer
from .found import Found
from .output import frame
from .report import report

if TYPE_CHECKING:
    import polars as pl


class Tuned(Found, Answer):
    """Results of a search."""

    def report(self) -> Report:
        """Its facts and tables."""
        return report(self)

    @property
    def table(self) -> pl.DataFrame:
        """A row a trial: what it chose, how it ended, and each objective's mean over ``paths`` with its 95 % interval."""
        return frame(self)

    def __repr__(self) -> str:
        return f"<Tuned {self.plan.name!r}: {counted(len(self.trials), 'trial')}, {counted(self.runs, 'run')}>"
