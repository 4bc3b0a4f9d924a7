"""The experiments that several sections share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.readers import OneFlow
from ..trace import Transfer
from .setting import MECHANISMS, NAMES, PAPERS, QUEUES, RECOVERIES, SEGMENTS, Setting, transfer

READ = OneFlow(
    ["completion_s", "last_data_s", "segments_sent", "retransmits", "timeouts", "fast_retransmits", "window_cuts", "acks_sent"],
    ["drops", "mean_queue_packets"],
)  # fmt: skip
"""What is read from each transfer; ``last_data_s`` is the transfer time."""

TIME = "last_data_s"


def surface(recovery: str, mechanism: str, setting: Setting = PAPERS, note: str = "", **axes: Any) -> Sweep:
    """Figures 2 to 6: transfer time over the queue's size and the transfer's."""

    def scenario(queue: int, segments: int) -> str:
        return transfer(recovery, mechanism, queue, segments, setting)

    name = f"{recovery} {mechanism}{note and ' '}{note}"
    about = f"{NAMES[mechanism]} with {recovery.title() if recovery == 'reno' else 'SACK'}: every queue, every size"
    return Sweep(name, about, {"queue": QUEUES, "segments": SEGMENTS, **axes}, scenario, READ)


SURFACE = {(recovery, mechanism): surface(recovery, mechanism) for recovery in RECOVERIES for mechanism in MECHANISMS}


def traces(
    name: str,
    about: str,
    cells: Mapping[Hashable, str],
    read: Any = Transfer,
    quick: Callable[[Any], bool] | None = None,
) -> Traces:
    """Recorded transfers by key; a quick run makes those whose keys ``quick`` admits."""

    def recorded(effort: Effort) -> Mapping[Hashable, str]:
        admitted = quick if effort.quick and quick else lambda key: True
        return {key: records(scenario, "packets", "series") for key, scenario in cells.items() if admitted(key)}

    return Traces(name, about, recorded, read)


def every_fourth(size: int) -> bool:
    """Sizes of a quick run: 5, 45, 85, ... segments."""
    return size % 40 == 5


LOSS_FREE = traces(
    "loss-free",
    "one long transfer through the largest queue, packet by packet",
    {
        (recovery, mechanism): transfer(recovery, mechanism, 22, 995)
        for recovery in RECOVERIES
        for mechanism in ("every", "delayed", "ubc", "lbc")
    },
)

OVERSHOOT_QUEUES = tuple(range(4, 25))

OVERSHOOT = traces(
    "overshoot",
    "one long Reno transfer for each queue, packet by packet",
    {
        (mechanism, queue): transfer("reno", mechanism, queue, 995)
        for mechanism in ("every", "delayed")
        for queue in OVERSHOOT_QUEUES
    },
)
"""What slow start loses in a shorter transfer is what the longest loses among the segments the shorter one has: up to
the first repair their senders do the same."""
