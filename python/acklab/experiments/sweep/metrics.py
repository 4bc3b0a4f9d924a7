"""The metrics of a sweep, which are those of comparisons, and the columns of the flows table that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ... import _core
from ..compare.errors import CompareError
from ..compare.metrics import Metric
from ..compare.metrics import metric as compared
from .errors import SweepError


def metric(text: Any) -> Metric:
    """A metric as it is written.

    Raises:
        SweepError: what is given is not a metric.
    """
    if not isinstance(text, str):
        raise SweepError(f"metrics: {text!r} is no text such as completion or timeouts@f")
    try:
        return compared(text)
    except CompareError as error:
        raise SweepError(str(error)) from None


@cache
def schema(table: str) -> Mapping[str, Any]:
    """Every column of a run's table and its polars type."""
    import polars as pl

    least = '{"link":[{"between":["S","R"],"rate":"1Mbps","delay":"1ms"}],"flow":[{"from":"S","to":"R","size":{"segments":1}}]}'
    frame = pl.DataFrame(getattr(_core.Simulation(least).outcome(), table))
    return {name: pl.String() if kind in (pl.Categorical, pl.Enum) else kind for name, kind in frame.schema.items()}


def chosen(given: Any) -> Sequence[str]:
    """The columns of the flows table that a plan asks for.

    Raises:
        SweepError: there is no such column.
    """
    known = list(schema("flows"))
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given) or not given:
        raise SweepError(f"columns = {given!r}: a list of columns of the flows table: {', '.join(known)}")
    for name in given:
        if name not in known:
            raise SweepError(f"columns: no column `{name}`; the flows table has {', '.join(known)}")
    return [name for name in known if name in given or name == "name"]
