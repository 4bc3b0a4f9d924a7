"""Columns of the flows and links tables as metrics and in a summary, as ``crates/table/src/summary.rs`` declares them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import _core

#: Which values are better, and the words for it.
MORE, LESS, NEITHER = 1, -1, 0
WORDS = {MORE: "more", LESS: "less", NEITHER: "neither"}


class Column(NamedTuple):  # a dataclass would take a tenth of a small run to import
    """A column: its unit, the aggregate of its rows unless another is asked for, and which values are better."""

    name: str
    kind: str
    about: str
    unit: str
    aggregate: str
    better: int
    why: str
    head: str
    """Heading on a terminal, with the unit shown; empty if a summary leaves the column out."""
    later: bool
    """Null says that something has not happened yet: later than everything that has."""
    if_any: bool
    """A summary shows it where a value is not 0."""

    def cell(self, row: Mapping[str, Any]) -> float:
        """A row's value: infinite for what has not happened yet, NaN where there was nothing to measure."""
        value = row[self.name]
        if value is None:
            return math.inf if self.later else math.nan
        return float(value)


def _metrics(table: str) -> Mapping[str, Column]:
    return {column["name"]: Column(**column) for column in _core.columns(table) if column["aggregate"]}


#: Metrics of the flows table, and of the links table, where a packet counts on every link that it crosses.
FLOWS, LINKS = _metrics("flows"), _metrics("links")
