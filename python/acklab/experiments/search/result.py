"""What the results of a search have, whatever was searched for: facts and a table."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ...render.report import Report
from ...results.frames import Tabular

if TYPE_CHECKING:
    import polars as pl


class Answer(Tabular):
    """Results of a search."""

    def report(self) -> Report:
        """Its facts and tables."""
        raise NotImplementedError

    @property
    def table(self) -> pl.DataFrame:
        """What was tried, a row each."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """All of it, as a terminal shows it."""
        return self.report().text()

    def to_polars(self) -> pl.DataFrame:
        """``table``."""
        return self.table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"
