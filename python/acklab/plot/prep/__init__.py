"""From a run's tables to what each chart shows.

All decisions about a chart's data are made here. They are: which rows belong to it, what
unit a column has (it is in the column's name), and when a packet counts as sent. The
drawing code, here and in the page, places these numbers and computes nothing else. The
tests pin these frames.
"""

from .axes import AXES, Axis, label
from .change import name_of
from .facts import headline
from .journeys import FATES, journeys
from .queue import drops, fullest, queue, queue_waits
from .rtt import rtt
from .sequence import sequence_unit, time_sequence
from .tables import flow_table, link_table
from .thin import thin_points, thin_steps
from .throughput import progress, throughput
from .timeline import BANDS, band_length, timeline
from .verdict import CAUSES, Limits, limits
from .window import cwnd, window_events, window_height, window_shown

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
