"""Sweeps as datasets: partitioned Parquet in a directory or an object store, which charts read."""

from __future__ import annotations

from .blocks import write
from .picture import plot
from .store import StoreError
from .tables import QueryError

__all__ = ["QueryError", "StoreError", "plot", "write"]
