"""Sweeps as datasets: partitioned Parquet in a directory or an object store, which charts read."""

from .study.dataset import StoreError, write
from .study.dataset_charts import plot
from .study.tables import QueryError

__all__ = ["QueryError", "StoreError", "plot", "write"]
