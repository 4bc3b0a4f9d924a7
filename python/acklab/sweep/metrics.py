"""What a sweep measures: what comparisons measure, and any number of the flows and links tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from .. import _core
from ..compare.errors import CompareError
from ..compare.metrics import QUANTITIES, Metric, Quantity, Summary, Tree
from ..compare.metrics import metric as compared
from .errors import SweepError

#: Ending of a column's name -> its unit.
_UNITS = (("_bps", "bit/s"), ("_s", "s"), ("_bytes", "bytes"), ("_packets", "packets"), ("_segments", "segments"))


def metric(text: Any) -> Metric:
    """A metric as it is written: ``[NAME:] QUANTITY[@WHERE]``, where the quantity may be a column.

    A column of the flows is averaged over the flows that ``WHERE`` names, one of the links over the link directions.

    Raises:
        SweepError: it is none.
    """
    if not isinstance(text, str):
        raise SweepError(f"metrics: {text!r} is no text such as completion or timeouts@f")
    name, colon, rest = text.partition(":")
    kind, at, where = (part.strip() for part in (rest if colon else text).partition("@"))
    every = [*QUANTITIES, *columns("flows"), *columns("links")]
    if kind not in every:
        near = [f"did you mean `{it}`?" for it in get_close_matches(kind, every, n=1)]
        allowed = f"there are {', '.join(QUANTITIES)}; or a column of the flows or links table"
        raise SweepError(f"metric {text!r}: no quantity `{kind}`; {near[0] if near else allowed}")
    if kind in QUANTITIES:
        try:
            return compared(text)
        except CompareError as error:
            raise SweepError(str(error)) from None
    if at and not where:
        raise SweepError(f"metric {text!r}: after @ comes a flow's name or a link FROM->TO, or a pattern such as down*")
    # `drops` and a few others are columns of links only; what both have is of the flows unless WHERE is a link.
    of_link = kind not in columns("flows") or ("->" in where and kind in columns("links"))
    shown = (name.strip() if colon else "") or (f"{kind} of {where}" if where else kind)
    return Metric(shown, _column(kind, of_link), where or "*")


def _column(kind: str, of_link: bool) -> Quantity:
    unit = next((unit for ending, unit in _UNITS if kind.endswith(ending)), "")

    def read(summary: Summary, tree: Tree, where: str) -> float:
        rows = summary["links" if of_link else "flows"]
        found = [
            row[kind] for row in rows if fnmatchcase(f"{row['from']}->{row['to']}" if of_link else row["name"], where)
        ]
        if not found or any(value is None for value in found):
            return math.nan
        return math.fsum(found) / len(found)

    return Quantity(kind, f"column {kind}, averaged", unit, True, of_link, read)


@cache
def columns(table: str) -> Mapping[str, str]:
    """Columns of a run's ``flows`` or ``links`` table that are numbers, and those that are not, each with its polars type."""
    import polars as pl

    return {name: str(kind) for name, kind in schema(table).items() if kind.is_numeric() or kind == pl.Boolean}


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
