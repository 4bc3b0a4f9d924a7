"""The experiments that sections 2 and 3 share: one source, packet by packet."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.readers import OneFlow
from .setting import DELTAS, HIGH, ONE, One, delayed, static
from .trace import Slow

Recorded = Mapping[Hashable, Slow]
ERASE_ALL = delayed(share=1e-6, release=1e-6)
"""Filters from the first departure on: erases every waiting ACK, however full the link."""


def _single(effort: Effort) -> dict[Hashable, str]:
    filters: dict[Hashable, dict[str, object] | None] = {"none": None, **{delta: static(delta) for delta in DELTAS}}
    filters |= {"delayed": delayed(), "presence": delayed("presence"), "erase-all": ERASE_ALL}
    return {key: records(ONE.scenario(filter), "series", "queue", "packets") for key, filter in filters.items()}


SINGLE = Traces("single", "one source for 10 s: no filter, every static threshold, delayed filtering", _single, Slow)

SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 40_000)
"""Transfers in segments of 1000 B."""
FORWARD = (HIGH, 250)
"""Forward buffers: never full, and the forward link's bandwidth-delay product."""
FILTERS = {"none": None, "1": static(1), "30": static(30), "delayed": delayed()}


def _transfer(filter: str, forward: int, segments: int) -> str:
    return One(forward_packets=forward).scenario(FILTERS[filter], segments=segments)


LONG = Sweep(
    "long transfers",
    "transfers of 50 kB to 40 MB with thresholds 1 and 30 and delayed filtering",
    {"filter": tuple(FILTERS), "forward": FORWARD, "segments": SIZES},
    _transfer,
    OneFlow(["completion_s", "timeouts", "retransmits"], where=("S", "D")),
)
