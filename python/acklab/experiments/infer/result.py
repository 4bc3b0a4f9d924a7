"""Results of an inference, with its sentence and its tables."""

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


class Inferred(Found, Answer):
    """Results of an inference."""

    @cached_property
    def sentence(self) -> str:
        """The most probable reading, how well it fits, and how well it predicts what it was not fitted to."""
        return sentence(self)

    @property
    def table(self) -> pl.DataFrame:
        """A row a reading, the most probable first: its rules, its probability, and each value's mean over the nudges."""
        return frame(self)

    def __repr__(self) -> str:
        return f"<Inferred {self.plan.name!r}: {counted(len(self.choices), 'reading')}, {counted(self.runs, 'run')}>"
