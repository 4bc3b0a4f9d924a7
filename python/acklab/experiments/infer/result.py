"""Results of an inference, with its facts and its tables."""

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


class Inferred(Found, Answer):
    """Results of an inference."""

    def report(self) -> Report:
        """Its facts and tables."""
        return report(self)

    @property
    def table(self) -> pl.DataFrame:
        """A row a reading, the most probable first: its rules, its probability, and each value's mean over the nudges."""
        return frame(self)

    def __repr__(self) -> str:
        return f"<Inferred {self.plan.name!r}: {counted(len(self.choices), 'reading')}, {counted(self.runs, 'run')}>"
