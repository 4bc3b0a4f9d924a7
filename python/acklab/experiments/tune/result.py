"""Results of a search, with its sentence and its table."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...text.counts import counted
from ..search.result import Answer
from .found import Found
from .output import frame
from .words import sentence

if TYPE_CHECKING:
    import polars as pl


class Tuned(Found, Answer):
    """Results of a search."""

    @cached_property
    def sentence(self) -> str:
        """The winner, its objective beside the baseline's, and on what that rests."""
        return sentence(self)

    @property
    def table(self) -> pl.DataFrame:
        """A row a trial: what it chose, how it ended, and each objective's mean over ``paths`` with its 95 % interval."""
        return frame(self)

    def __repr__(self) -> str:
        return f"<Tuned {self.plan.name!r}: {counted(len(self.trials), 'trial')}, {counted(self.runs, 'run')}>"
