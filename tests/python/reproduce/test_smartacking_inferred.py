"""Readings of smartacking's open rules for searches, and its configurations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from acklab.papers import paper
from acklab.papers.open import rules
from acklab.papers.smartacking.runs import ONE_ZERO, RED_10
from acklab.papers.smartacking.setting import (
    FREE,
    asymmetric,
    one_zero,
    parking_lot,
    tcp_udp,
    two_two,
)
from acklab.reproduce.nudge import again

sys.path.append(str(Path(__file__).parents[3] / "tools"))
import readings  # noqa: E402


@pytest.mark.parametrize("scheme", ["newreno", "acc", "smart"])
def test_no_edge_drops_in_any_configuration(scheme: str) -> None:
    """Section 4.2: the usual buffer is the bottleneck's. Between two routers a queue is limited; before and behind them none is."""
    lines = [
        one_zero(5, scheme),
        two_two(8, scheme),
        two_two(8, scheme, long=True),
        tcp_udp(5, scheme),
        asymmetric(10, scheme),
    ]
    for line in [*lines, parking_lot(4, scheme), two_two(8, scheme, copies=2)]:
        for link in json.loads(line)["link"]:
            edge = any(end[0] in "SR" for end in link["between"])
            assert (link["queue"] == FREE) == edge, link


def test_a_reading_changes_what_has_the_rule_and_draws_are_the_same_every_time() -> None:
    its = rules("smartacking")
    alone = readings.alone(its)
    assert list(readings.joint(alone, 3)) == list(readings.joint(alone, 3))
    plain, smart, several = one_zero(5, "newreno"), one_zero(5, "smart"), two_two(8, "smart")
    probe, tick, edges = ({rule: readings.values(its[rule])[-1]} for rule in (
        "flow.*.receiver.ack.first_probe", "flow.*.sender.tick", "edges of 1-0"
    ))  # fmt: skip
    assert readings.applied(probe, plain, its) == plain, "no smartacking receiver"
    assert json.loads(readings.applied(probe, smart, its))["flow"][0]["receiver"]["ack"]["first_probe"] == "1s"
    both = json.loads(readings.applied(tick, several, its))
    assert [flow["sender"]["tick"] for flow in both["flow"]] == ["100ms"] * 4
    assert json.loads(readings.applied(edges, plain, its))["link"][2]["rate"] == "100Mbps"
    assert readings.applied(edges, several, its) == several, "another configuration"


def test_a_confirmation_has_runs_of_its_own() -> None:
    """Ten repetitions, or seeds, after those by which a reading was found."""
    of, its, cell = paper("smartacking"), rules("smartacking"), {"scheme": "smart", "mbps": 2}
    later = readings.changed(of, RED_10, {}, its, 0, 10)
    assert later.scenario(**cell, seed=1) == RED_10.scenario(**cell, seed=11)
    third = readings.changed(of, ONE_ZERO, {}, its, 3, 10)
    assert third.scenario(**cell) == again(ONE_ZERO, 13, False).scenario(**cell) != ONE_ZERO.scenario(**cell)
