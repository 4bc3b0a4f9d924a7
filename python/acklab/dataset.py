"""Sweeps as datasets: partitioned Parquet in a directory or an object store, which SQL and charts read."""

from .study.dataset import StoreError, write
from .study.dataset_charts import plot
from .study.query import QueryError, query

__all__ = ["QueryError", "StoreError", "plot", "query", "write"]
