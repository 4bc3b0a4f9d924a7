"""Columns of the flows and links tables as metrics: how the rows of a run become one number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: The better direction of a metric: more, less, or neither.
MORE, LESS, NEITHER = 1, -1, 0
#: Ending of a column's name -> its unit.
_UNITS = (("_bps", "bit/s"), ("_s", "s"), ("_bytes", "bytes"), ("_packets", "packets"), ("_segments", "segments"))


@dataclass(frozen=True)
class Column:
    """A column: the aggregate of its rows unless another is asked for, and which values are better."""

    aggregate: str
    better: int


def _each(aggregate: str, better: int, *names: str) -> dict[str, Column]:
    return dict.fromkeys(names, Column(aggregate, better))


#: Numeric columns of the flows table. Counts add up; of all others each transfer counts the same.
FLOWS: Mapping[str, Column] = {
    **_each("mean", MORE, "completed"),
    **_each("mean", NEITHER, "start_s", "first_data_s"),
    **_each("mean", LESS, "finished_s", "completion_s", "last_data_s"),
    **_each("sum", MORE, "bytes"),
    **_each("mean", MORE, "goodput_bps"),
    **_each("sum", NEITHER, "segments_sent"),
    **_each("sum", LESS, "syns_sent", "retransmits", "timeouts", "fast_retransmits", "recoveries"),
    **_each("mean", LESS, "repair_s"),
    **_each("sum", LESS, "window_cuts"),
    **_each("sum", NEITHER, "undone"),
    **_each("sum", LESS, "acks_sent"),
    **_each("sum", NEITHER, "acks_received"),
    **_each("sum", LESS, "acks_dropped"),
    **_each("sum", NEITHER, "acks_filtered", "acks_created"),
    **_each("sum", MORE, "segments_acked"),
    **_each("mean", NEITHER, "cwnd_segments", "ssthresh_segments"),
    **_each("mean", LESS, "mean_rtt_s"),
    **_each("min", LESS, "min_rtt_s"),
    **_each("mean", NEITHER, "unit_bytes"),
}
#: Numeric columns of the links table. A packet counts on every link that it crosses.
LINKS: Mapping[str, Column] = {
    **_each("mean", NEITHER, "rate_bps", "delay_s"),
    **_each("sum", NEITHER, "packets", "bytes", "ack_packets", "ack_bytes"),
    **_each("sum", LESS, "drops", "lost"),
    **_each("sum", NEITHER, "filtered"),
    **_each("sum", LESS, "reordered", "duplicated"),
    **_each("sum", NEITHER, "thinned"),
    **_each("mean", LESS, "mean_queue_packets"),
    **_each("max", LESS, "max_queue_packets"),
    **_each("mean", MORE, "utilisation"),
    **_each("sum", NEITHER, "attempts"),
    **_each("sum", LESS, "collisions", "retries", "retry_drops", "airtime_s"),
}
#: Columns whose null says that something has not happened yet: later than everything that has.
_NOT_YET = {"first_data_s", "finished_s", "completion_s", "last_data_s"}


def unit(name: str) -> str:
    """A column's unit, which its name ends in; empty for a count or a share."""
    return next((unit for ending, unit in _UNITS if name.endswith(ending)), "")


def cell(row: Mapping[str, Any], name: str) -> float:
    """A row's value: infinite for what has not happened yet, NaN where there was nothing to measure."""
    value = row[name]
    if value is None:
        return math.inf if name in _NOT_YET else math.nan
    return float(value)
