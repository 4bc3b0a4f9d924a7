"""What a progress callback raises reaches the caller."""

from __future__ import annotations

from pathlib import Path

import pytest

import acklab

SCENARIO = """
stop = { at = "20s" }
link = [{ between = ["S", "R"], rate = "20Mbps", delay = "5ms" }]
flow = [{ from = "S", to = "R" }]
record = { packets = true }
"""


def test_an_exception_in_tick_ends_the_analysis(tmp_path: Path) -> None:
    file = acklab.run(SCENARIO).capture("S->R@R", path=tmp_path / "a.pcap", snap_length=100)
    seen: list[int] = []

    def tick(done: int) -> None:
        seen.append(done)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        acklab.analyze(file, packets=False, tick=tick)
    assert len(seen) == 1
