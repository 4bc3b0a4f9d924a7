"""What the results of a search have, whatever was searched for: a sentence and a table."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ...results.frames import Tabular

if TYPE_CHECKING:
    import polars as pl


class Answer(Tabular):
    """Results of a search."""

    @property
    def sentence(self) -> str:
        """What was found, and on what that rests."""
        raise NotImplementedError

    @property
    def table(self) -> pl.DataFrame:
        """What was tried, a row each."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """``table``."""
        return self.table

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence)}</p>{self.table._repr_html_()}"
