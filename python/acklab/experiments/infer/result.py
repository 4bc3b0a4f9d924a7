"""Results of an inference, with its sentence and its tables."""

from __future__ import annotations

import html
from functools import cached_property
from typing import TYPE_CHECKING

from ...results.frames import Tabular
from .found import Found
from .output import frame
from .words import sentence

if TYPE_CHECKING:
    import polars as pl


class Inferred(Found, Tabular):
    """Results of an inference."""

    @cached_property
    def sentence(self) -> str:
        """The most probable reading, how well it fits, and how well it predicts what it was not fitted to."""
        return sentence(self)

    @property
    def table(self) -> pl.DataFrame:
        """A row a reading, the most probable first: its rules, its probability, and each value's mean over the nudges."""
        return frame(self)

    def to_polars(self) -> pl.DataFrame:
        """``table``."""
        return self.table

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence)}</p>{self.table._repr_html_()}"

    def __repr__(self) -> str:
        return f"<Inferred {self.plan.name!r}: {len(self.choices):,} readings, {self.runs:,} runs>"
