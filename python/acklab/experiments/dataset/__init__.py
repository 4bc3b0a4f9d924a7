"""Sweeps as datasets: partitioned Parquet in a directory or an object store, which SQL and charts read."""

from __future__ import annotations

from .blocks import write
from .picture import plot
from .query import QueryError, query
from .store import StoreError

__all__ = ["QueryError", "StoreError", "plot", "query", "write"]
