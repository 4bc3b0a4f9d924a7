"""What of the paper on Veno is exact: its paths, its formula, whole runs pinned, and that a gain is the control's alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from acklab import _core
from acklab.papers.veno import hosts
from acklab.papers.veno.setting import FIGURE_5, PASSES, control, dummynet, shared
from acklab.papers.veno.setting import modem as over_a_modem
from acklab.reproduce.experiments import records


def flows(scenario: str) -> list[dict[str, Any]]:
    return pl.DataFrame(_core.Simulation(scenario).run().flows).to_dicts()


def without_control(scenario: str) -> Any:
    tree = json.loads(scenario)
    for flow in tree["flow"]:
        del flow["sender"]["control"]
    return tree


@pytest.mark.parametrize("passes", PASSES)
def test_a_gain_is_the_controls_alone(passes: str) -> None:
    """Both sides of every comparison have the same recovery, credit, path and luck."""
    assert without_control(dummynet("sack", 3, passes)) == without_control(dummynet("veno", 3, passes))
    assert without_control(over_a_modem("sack", 1)) == without_control(over_a_modem("veno", 1))
    one, other = ([{"control": control(name)}] * 3 for name in ("sack", "veno"))
    assert without_control(shared(one, 0.01, 3)) == without_control(shared(other, 0.01, 3))


def test_passes_are_one_pipe_two_and_the_same_twice() -> None:
    links = {passes: json.loads(dummynet("sack", 1, passes))["link"] for passes in PASSES}
    assert {passes: [link.get("crossings", 1) for link in found] for passes, found in links.items()} == {
        "single": [1],
        "double": [1, 1],
        "shared": [2],
    }
    for link in (link for found in links.values() for link in found):
        assert (link["rate"], link["delay"], link["queue"]["packets"]) == ("800kbps", "50ms", 8)
        assert link["loss"] == link["back"]["loss"] == {"rate": 0.01}


def test_the_same_pipe_twice_carries_half() -> None:
    """Without losses: 33.3 packets a second, fewer than the paper's 38."""
    (flow,) = flows(dummynet("sack", 1, "shared", loss=0.0))
    assert 31 < flow["segments_acked"] / 200 <= 33.4


def test_figure_1_run_by_run() -> None:
    cells = {(name, beta): records(over_a_modem(name, 0, beta=beta), "series", "packets")
             for name, beta in (("sack", 3.0), ("veno", 3.0), ("veno", 1.0))}  # fmt: skip
    shown = {key: hosts._shown(_core.Simulation(scenario).run()) for key, scenario in cells.items()}
    assert [len(run.cuts) for run in shown.values()] == [4, 3, 2]
    assert all(cut == pytest.approx(0.5) for run in shown.values() for cut in run.cuts)
    assert shown["veno", 3.0].series["backlog_segments"].max() == pytest.approx(6.75, abs=0.1)


PINNED: Mapping[tuple[str, str], tuple[int, int, int]] = {
    ("sack", "single"): (9233, 8, 93),
    ("veno", "single"): (10667, 6, 102),
    ("sack", "double"): (3847, 3, 70),
    ("veno", "double"): (5929, 4, 103),
    ("sack", "shared"): (3351, 14, 48),
    ("veno", "shared"): (4258, 8, 69),
}
"""Segments acknowledged, timeouts, fast retransmits in 200 s of Figure 3's connection with seed 1."""


@pytest.mark.parametrize("name, passes", PINNED)
def test_figure_3_run_by_run(name: str, passes: str) -> None:
    (flow,) = flows(dummynet(name, 1, passes))
    assert (flow["segments_acked"], flow["timeouts"], flow["fast_retransmits"]) == PINNED[name, passes]


def test_side_by_side_run_by_run() -> None:
    pairs = [{"control": control(name)} for name in ("veno", "sack")] * 2
    assert [flow["segments_acked"] for flow in flows(shared(pairs, 0.01, 1))] == [7161, 5959, 6939, 5263]
    assert FIGURE_5.segments_per_s == pytest.approx(133.33, abs=0.01)
