"""A fitted parameter: its value, an interval, and how well the capture determines it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...text.templates import Fact

#: A row of an analysis' table ``connections``.
Row = Mapping[str, Any]
#: Header bytes of IPv4 and TCP, of IPv6 and TCP, and of the timestamps option.
HEADERS, HEADERS_6, STAMPS = 40, 60, 12


@dataclass(frozen=True)
class Value:
    """A parameter in a unit. ``determined`` is False where the capture does not show it.

    The value then is a default, or one that is large enough to make no difference. ``low`` and ``high`` are the ends of an
    interval; None means that the capture gives no bound on that side.
    """

    name: str
    value: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    determined: bool = True
    how: Fact | None = None
    """The evidence."""


def stamped(row: Row) -> bool:
    """Whether the connection's segments carry timestamps (RFC 7323)."""
    return "timestamps" in row["options"].split()


def header(row: Row) -> int:
    """Bytes of the IP and TCP headers without options."""
    return HEADERS_6 if row["from"].startswith("[") else HEADERS


def wire(row: Row) -> float:
    """Bytes of an IP packet for each byte of payload, in a full segment."""
    segment = row["segment_bytes"]
    return float((segment + header(row) + STAMPS * stamped(row)) / segment)
