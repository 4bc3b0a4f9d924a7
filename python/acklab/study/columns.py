"""Columns of the flows and links tables as metrics: how the rows of a run become one number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .directions import FLOW_DIRECTIONS, LINK_DIRECTIONS, Direction

#: Ending of a column's name -> its unit.
_UNITS = (("_bps", "b/s"), ("_s", "s"), ("_bytes", "bytes"), ("_packets", "packets"), ("_segments", "segments"))


#: How the rows of a numeric column become one number: counts add up; of all others each transfer, or link, counts the same.
_AGGREGATES: Mapping[str, Sequence[str]] = {
    "sum": (
        "bytes", "segments_sent", "syns_sent", "retransmits", "timeouts", "fast_retransmits", "recoveries", "window_cuts", "undone",
        "false_acks", "marks_received", "marks_counted", "acks_sent", "acks_received", "acks_dropped", "acks_filtered", "acks_created",
        "segments_acked", "packets", "ack_packets", "ack_bytes", "drops", "lost", "filtered", "reordered", "duplicated", "thinned",
        "sent_wait_s", "removed_wait_s", "attempts", "collisions", "retries", "retry_drops", "airtime_s",
    ),
    "min": ("min_rtt_s",),
    "max": ("max_queue_packets",),
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: the aggregate of its rows unless another is asked for, and which values are better."""

    aggregate: str
    better: int


def _columns(table: Mapping[str, Direction]) -> Mapping[str, Column]:
    how = {name: aggregate for aggregate, names in _AGGREGATES.items() for name in names}
    return {name: Column(how.get(name, "mean"), one.better) for name, one in table.items()}


#: Numeric columns of the flows table, and of the links table, where a packet counts on every link that it crosses.
FLOWS, LINKS = _columns(FLOW_DIRECTIONS), _columns(LINK_DIRECTIONS)
#: Columns whose null says that something has not happened yet: later than everything that has.
_NOT_YET = {"start_s", "first_data_s", "finished_s", "completion_s", "last_data_s"}


def unit(name: str) -> str:
    """A column's unit, which its name ends in; empty for a count or a share."""
    return next((unit for ending, unit in _UNITS if name.endswith(ending)), "")


def cell(row: Mapping[str, Any], name: str) -> float:
    """A row's value: infinite for what has not happened yet, NaN where there was nothing to measure."""
    value = row[name]
    if value is None:
        return math.inf if name in _NOT_YET else math.nan
    return float(value)
