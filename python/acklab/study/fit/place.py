"""A fitted parameter, how well the capture determines it, and the place of the capture on the path, from which round trips show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...text.templates import Fact


class FitError(ValueError):
    """Nothing can be fitted, or no prediction follows from a fit; the message says why."""


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


def of_direction(table: Any, row: Row) -> pl.DataFrame:
    """The rows of an analysis' table that are of the row's connection and direction."""
    return pl.DataFrame(table).filter(connection=row["connection"], direction=row["direction"])


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


#: Least delay of a link of the fitted scenario.
MIN_S = 1e-6
#: Round trips that are compared, the median and the 95th of 100: they agree if neither differs by more than this share of the captured
#: round trip of the path, or by fewer seconds.
COLUMNS, AGREE, MIN_APART_S = ("rtt_median_s", "rtt_p95_s"), 0.15, 0.002


@dataclass(frozen=True)
class Place:
    """Where the capture was taken."""

    behind: bool
    """Whether data pass the bottleneck before they pass here."""
    before_s: float
    """Least one-way time between the sender and here: half of a round trip."""
    after_s: float
    """Least one-way time between here and the receiver."""

    @property
    def rtt_s(self) -> float:
        """Least round trip of the path."""
        return 2 * (self.before_s + self.after_s)

    @property
    def end(self) -> str:
        """The link end of the fitted scenario that has the same place."""
        return "A->B@B" if self.behind else "S->A@A"

    def delays(self, rtt_s: float) -> tuple[float, float, float]:
        """One-way delays of the links before, at and behind the bottleneck, for a round trip of the path in seconds."""
        share = self.before_s / max(self.before_s + self.after_s, MIN_S)
        before, after = share * rtt_s / 2, (1 - share) * rtt_s / 2
        near, middle, far = (0.0, before, after) if self.behind else (before, after, 0.0)
        if middle < MIN_S and not self.behind:
            near, middle = near / 2, near / 2
        return max(near, MIN_S), max(middle - MIN_S, MIN_S), max(far, MIN_S)


def place(row: Row) -> Place:
    """The place of a direction's capture.

    Raises:
        FitError: the capture does not show how far the ends are.
    """
    whole, near = row["path_rtt_min_s"], row["sender_rtt_min_s"]
    if whole is None or near is None:
        raise FitError(
            "the distances to the two ends are not in the capture: it has no handshake and no timestamps, or its clock is too coarse. "
            "Begin the capture before the connection"
        )
    near = min(near, whole)
    if row["vantage"] in ("sender", "receiver", "both"):
        behind = row["vantage"] == "receiver"
    elif row["bottleneck_from"]:
        behind = row["bottleneck_from"] == "data"
    else:
        behind = near > whole / 2
    return Place(behind, near / 2, (whole - near) / 2)


@dataclass(frozen=True)
class Waits:
    """The column that differs most."""

    captured_s: float
    """Round trip of the path in the capture."""
    simulated_s: float
    """The same in the simulation."""

    @property
    def apart(self) -> float:
        """Difference as a share of the captured one, without a sign."""
        return max(abs(self.simulated_s - self.captured_s) - MIN_APART_S, 0.0) / self.captured_s

    @property
    def agree(self) -> bool:
        """Whether the simulation may be asked about a queue."""
        return self.apart <= AGREE


def waits(captured: Row, simulated: Row | None) -> Waits | None:
    """The comparison of two rows of analyses at one place; None if nothing is comparable, as behind the bottleneck.

    The times from there to the receiver and back do not contain the queue.
    """
    if simulated is None or not captured["path_rtt_min_s"] or place(captured).behind:
        return None
    found = [
        Waits(*(captured["path_rtt_min_s"] + row[column] - row["rtt_min_s"] for row in (captured, simulated)))
        for column in COLUMNS
        if captured[column] is not None and simulated[column] is not None
    ]
    return max(found, key=lambda one: one.apart, default=None)
