"""What Allman prints of his mechanisms, worked out by hand and run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acklab import _core
from acklab.papers.allman1998.section5 import Display, display, displayed
from acklab.papers.allman1998.setting import PAPERS, transfer
from acklab.reproduce.experiments import records
from acklab.runs import run_batch

DATA_S = 1000 * 8 / 10e6 + 0.002 + 1000 * 8 / 1.5e6 + 0.048
ACK_S = 40 * 8 / 1.5e6 + 0.048 + 40 * 8 / 10e6 + 0.002
THREE_S = DATA_S + ACK_S + DATA_S + 1000 * 8 / 1.5e6
"""Allman, Figure 1: the first segment, its ACK, and two segments one behind the other."""


def last_data(recovery: str, phase: str, segments: int = 3) -> float:
    made = next(iter(run_batch([transfer(recovery, "daass", 22, segments, replace(PAPERS, phase=phase))])))
    return float(made["flows"][0]["last_data_s"])


@pytest.mark.parametrize(
    ("phase", "waits"),
    [
        ("oracle", {"reno": 0.0, "sack": 0.0}),
        ("shared", {"reno": 0.0, "sack": 0.0}),
        ("growth", {"reno": 0.1, "sack": 0.1}),
        ("by-agent", {"reno": 0.0, "sack": 0.1}),
    ],
)
def test_who_tells_daass_decides_whether_the_first_segment_waits(phase: str, waits: dict[str, float]) -> None:
    """Sections 2.3 and 3.4: in slow start each segment is acknowledged at once, the first one too. A flag that a growing window
    raises is down until the first ACK, for which the receiver's timer of 100 ms has to run out."""
    for recovery, wait in waits.items():
        assert last_data(recovery, phase) == pytest.approx(THREE_S + wait, abs=1e-9)


def test_a_flag_of_growth_stays_up_while_no_window_grows() -> None:
    """Sections 2.3 and 3.2.1: a queue of 20 overflows in the first slow start. The sender that tells leaves it with the loss; the flag
    keeps what the window last grew in until congestion avoidance grows it. So between the two each segment is still
    acknowledged, and more ACKs leave than with the sender's own word."""
    sent = {
        phase: next(iter(run_batch([transfer("sack", "daass", 20, 205, replace(PAPERS, phase=phase))])))["flows"][0][
            "acks_sent"
        ]
        for phase in ("oracle", "growth")
    }
    assert sent["growth"] > sent["oracle"]


def shown(mechanism: str, recovery: str) -> Display:
    return displayed(_core.Simulation(records(display(mechanism, recovery), "packets", "series")).run())


@pytest.mark.parametrize("recovery", ["reno", "sack"])
def test_a_large_file_after_typing_leaves_in_a_burst_if_acks_are_counted(recovery: str) -> None:
    """Section 5. Fifty keys a second apart are acknowledged one by one. Counted, they open the window to the 40 segments advertised,
    and all of them leave at once. They reach the gateway every 0.8 ms, and it sends one in 5.33 ms. Of 22 places segments 0 to 24
    find one, since three have left by then; 27 and 34 find the places of the fourth and the fifth. 13 are lost.
    By bytes the same keys add 50/1000 of a segment: the file begins with one segment, and slow start to 40 fits 22 places (Figure 3)."""
    found = {mechanism: shown(mechanism, recovery) for mechanism in ("delayed", "lbc")}
    assert {mechanism: (each.burst, each.drops) for mechanism, each in found.items()} == {
        "delayed": (40, 13),
        "lbc": (1, 0),
    }
