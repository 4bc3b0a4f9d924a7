"""Whether a live run's numbers mean what they say: one rule for pages, charts, tables and terminals.

A live run is invalid if its packets left too late, or the kernel refused some. Its summary says so (``valid``, ``why``), and each
of its tables has the column ``invalid``: the reason, or nothing. Whatever shows such a run asks here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

#: The tables of a live run, and the column that each has.
TABLES = ("flows", "links", "series", "queue")
COLUMN = "invalid"
_BEGINS = "the run is invalid: "


def why(live: Mapping[str, Any]) -> str:
    """Why a summary's numbers mean nothing; empty where they are valid, as those of a simulation always are."""
    if live.get("valid", True):
        return ""
    told = [text.removeprefix(_BEGINS) for text in live.get("why", ()) if text.startswith(_BEGINS)]
    return "; ".join(told) or "the reason is not known"


def marked(table: Any, live: Mapping[str, Any]) -> pl.DataFrame:
    """A live run's table with the column."""
    import polars as pl

    return pl.DataFrame(table).with_columns(pl.lit(why(live) or None, dtype=pl.String).alias(COLUMN))


def of_table(table: pl.DataFrame) -> str:
    """The reason that a table gives; empty where its rows are valid."""
    told = table[COLUMN].drop_nulls() if COLUMN in table.columns else ()
    return str(told[0]) if len(told) else ""


def short(reason: str) -> str:
    """A reason's first clause."""
    return reason.partition("; ")[0]
