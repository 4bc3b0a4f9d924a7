"""From a run's tables to what each chart shows.

All decisions about a chart's data are made here. They are: which rows belong to it, what
unit a column has (it is in the column's name), and when a packet counts as sent. The
drawing code, here and in the page, places these numbers and computes nothing else. The
tests pin these frames.
"""

from .facts import CAUSES, Limits, headline, limits, name_of
from .packets import thin_points, thin_steps
from .series import (
    AXES,
    BANDS,
    FATES,
    Axis,
    band_length,
    cwnd,
    drops,
    fullest,
    journeys,
    label,
    progress,
    queue,
    queue_waits,
    rtt,
    sequence_unit,
    throughput,
    time_sequence,
    timeline,
    window_events,
    window_height,
    window_shown,
)
from .tables import flow_table, link_table

__all__ = [
    "AXES",
    "BANDS",
    "CAUSES",
    "FATES",
    "Axis",
    "Limits",
    "band_length",
    "cwnd",
    "drops",
    "flow_table",
    "fullest",
    "headline",
    "journeys",
    "label",
    "limits",
    "link_table",
    "name_of",
    "progress",
    "queue",
    "queue_waits",
    "rtt",
    "sequence_unit",
    "thin_points",
    "thin_steps",
    "throughput",
    "time_sequence",
    "timeline",
    "window_events",
    "window_height",
    "window_shown",
]
