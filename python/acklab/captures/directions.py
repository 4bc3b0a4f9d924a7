"""The directions of a dataset: what is asked of the tables that were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

#: Directions that a terminal shows with a column to sort by.
MOST = 20


@dataclass(frozen=True)
class Dataset:
    """What was written."""

    path: Path
    captures: int
    """Files that were analysed."""
    refused: int
    """Files that are no captures, or cannot be read."""
    directions: int
    unfollowed: int
    """Segments of connections beyond those that are followed of a file."""

    def _rows(self) -> pl.LazyFrame:
        # A directory may have a name with `*` or `[`.
        return pl.scan_parquet(self.path / "connections.parquet", glob=False)

    def limits(self) -> pl.DataFrame:
        """For each ``limit`` the directions with data, most frequent first, their ``acked_bytes`` and median ``goodput_bps``."""
        rows = self._rows().filter(pl.col("acked_bytes") > 0)
        sums = [pl.len().alias("directions"), pl.col("acked_bytes").sum(), pl.col("goodput_bps").median()]
        return rows.group_by("limit").agg(sums).sort("directions", "limit", descending=[True, False]).collect()

    def decades(self) -> pl.DataFrame:
        """For each ``decade`` of goodput (6 is 1 to 10 Mbit/s) the ``directions`` with data."""
        rows = self._rows().filter((pl.col("acked_bytes") > 0) & (pl.col("goodput_bps") > 0))
        decade = pl.col("goodput_bps").log10().floor().cast(pl.Int64).alias("decade")
        return rows.group_by(decade).agg(pl.len().alias("directions")).sort("decade").collect()

    def first(self, column: str, most: int = MOST, more: Sequence[str] = ()) -> pl.DataFrame:
        """The directions with the largest values of a column of ``connections``, with ``more`` columns."""
        wanted = ["file", "connection", "direction", "from", "to", "acked_bytes", "limit", column, *more]
        rows = self._rows().select(list(dict.fromkeys(wanted)))
        return rows.drop_nulls(column).sort(column, descending=True, maintain_order=True).head(most).collect()
