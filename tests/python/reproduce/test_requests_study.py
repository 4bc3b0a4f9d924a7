"""The study of ACK requests: what the cap of RFC 3465 costs, and what a request by phase does."""

from __future__ import annotations

import acklab
from acklab_studies.requests2026.setting import scenario


def _time(acker: str, credit: str, buffer: str = "bdp") -> float:
    (flow,) = acklab.run(scenario("100ms", buffer, acker, credit, "hystart", "1MB", 1)).summary()["flows"]
    assert flow["completed"]
    return float(flow["completion_s"])


def test_a_cap_of_two_segments_makes_few_acks_slow() -> None:
    base = _time("2", "capped")
    assert _time("16", "capped") > 2 * base
    assert _time("16", "none") > _time("16", "capped")
    assert _time("16", "all") < 1.05 * base
    assert _time("phase", "capped") < 1.05 * base


def test_bursts_of_uncapped_acks_overflow_a_short_buffer_unless_they_are_paced() -> None:
    assert _time("32", "all", "shallow") > 1.3 * _time("32", "paced", "shallow")
