"""Which directions of an analysis are shown, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core

Row = Mapping[str, Any]


def sortable() -> list[str]:
    """Columns to sort by."""
    return [column["name"] for column in _core.columns("connections")]


def matches(row: Row, text: str) -> bool:
    """Whether a direction is of a connection that ``text`` names: an address, ``:port``, ``address:port`` or ``#number``.

    >>> row = {"connection": 3, "from": "10.0.0.1:5000", "to": "[fd00::2]:443"}
    >>> [text for text in ("10.0.0.1", ":443", "[fd00::2]:443", "#3", "fd00::2", "10.0.0", ":44") if matches(row, text)]
    ['10.0.0.1', ':443', '[fd00::2]:443', '#3', 'fd00::2']
    """
    if text.startswith("#"):
        return text[1:] == str(row["connection"])
    for end in (row["from"], row["to"]):
        address, _, port = end.rpartition(":")
        if text in (end, address, address.strip("[]"), f":{port}"):
            return True
    return False


def chosen(rows: Sequence[Row], only: Sequence[str] = (), sort: str | None = None) -> list[Row]:
    """The directions that one of ``only`` names, all without it; by the column ``sort``, the largest first, if it is given."""
    found = [row for row in rows if not only or any(matches(row, text) for text in only)]
    if sort is None:
        return found
    known = [row for row in found if row[sort] is not None]
    return sorted(known, key=lambda row: row[sort], reverse=True) + [row for row in found if row[sort] is None]
