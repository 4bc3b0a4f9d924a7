"""The study of 2026's paths: a cheap cut of what it runs, and the page of a study."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from matplotlib.figure import Figure

from acklab import _core
from acklab.figures import canvas
from acklab.plot import palette
from acklab.reproduce import output, page
from acklab.reproduce.paper import Study
from acklab.reproduce.runner import QUICK, reproduce
from acklab.results.directory import results
from acklab.studies import NAMES, study
from acklab.studies.paths2026 import compared, runs, senders, sparse
from acklab.studies.paths2026.setting import MECHANISMS, PATHS, UPLINKS, download, network, scenario

EARLY = 1


def result(scenario: str) -> bytes:
    """A run's line."""
    return _core.Simulation(scenario).run().json(False).encode()


def cell(path: str, mechanism: str, size: str = "1 MB", sender: str = "linux") -> dict[str, float]:
    """One transfer's numbers."""
    found = runs.TRANSFER(result(runs._one(sender, path, size, mechanism, 1)))
    return dict(zip(runs.TRANSFER.names, found, strict=True))


def four(path: str, mechanism: str) -> dict[str, float]:
    """Numbers of four downloads and the requests beside them."""
    return dict(zip(runs.FOUR.read.names, runs.FOUR.read(result(runs._four(path, mechanism, 1))), strict=True))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("path", PATHS)
def test_every_cell_runs_to_its_end(path: str, mechanism: str) -> None:
    found = cell(path, mechanism)
    assert found["time_s"] > 2 * PATHS[path].rtt_s, "a handshake and a window at least"
    assert 0 < found["acks_per_mb"] < 800


@pytest.mark.parametrize("path", PATHS)
def test_a_plain_uplink_is_as_late_as_the_mean_grant(path: str) -> None:
    """Requests without load take the round trip that the study assumes, with grants and without."""
    source = {"repeat": {"times": 100, "think": "50ms", "think_to": "150ms"}, "count": 8, "stagger": "12ms"}
    ends = {"sender": {"stack": "linux", "syn": False}, "receiver": {"stack": "linux", "ack": {"policy": "every"}}}
    asking = {"name": "ping", "from": "C", "to": "S", "start": "1s", "size": {"bytes": "64B"}, **source, **ends}
    for kind in UPLINKS:
        line = json.loads(
            result(json.dumps({"seed": 1, "stop": {"at": "14s"}, **network(path, "delayed", kind), "flow": [asking]}))
        )
        times = [flow["completion_s"] for flow in line["flows"] if flow["completed"]]
        assert fmean(times) == pytest.approx(PATHS[path].rtt_s, rel=0.01)


def test_grants_end_slow_start_early_and_a_filter_keeps_it_from_that() -> None:
    """The first seed is one of those where HyStart takes the wait for a grant for a queue."""

    def told(sender: str, uplink: str = UPLINKS[0]) -> float:
        return runs.TRANSFER(result(senders._one("nr", "20 MB", sender, uplink, EARLY)))[0]

    plain = told("linux", "plain")
    assert told("linux") > 1.2 * plain
    assert told("no-hystart") < 1.1 * plain and told("hystart++") < 1.1 * plain
    filtered = runs.TRANSFER(result(runs._one("linux", "nr", "20 MB", "cake", EARLY)))
    assert filtered[0] < 1.1 * plain and filtered[1] < 10


def test_a_filter_needs_a_sender_that_counts_bytes() -> None:
    by_bytes, by_segments = (
        {m: cell("cable", m, "20 MB", sender)["time_s"] for m in ("delayed", "cake")} for sender in runs.CONTROLS
    )
    assert by_bytes["cake"] < 1.05 * by_bytes["delayed"]
    assert by_segments["cake"] > 2 * by_segments["delayed"]


def test_flow_queues_share_evenly_and_one_queue_does_not() -> None:
    assert four("fibre", "every")["jain"] > 0.99
    assert four("cable", "every")["jain"] < 0.9


def test_acks_weigh_on_the_uplink_of_cable() -> None:
    """35 Mb/s for ACKs of 1 Gb/s: of every segment nearly all, delayed half, filtered almost nothing."""
    every, delayed, cake = (four("cable", mechanism)["uplink_percent"] for mechanism in ("every", "delayed", "cake"))
    assert every > 85 and 40 < delayed < 60 and cake < 3


def test_by_satellite_rare_acks_cost_little_time() -> None:
    often, rare = (runs.TRANSFER(result(sparse._one("geo", "linux", k, 1))) for k in (2, 50))
    assert rare[0] < 1.03 * often[0] and rare[1] < 0.06 * often[1]


def test_shared_smartacking_delays_little_whatever_it_is_told() -> None:
    told = {**MECHANISMS["smart"].ack, "rtt": "sender", "window": "sender"}
    for ack in (None, told):
        line = result(scenario("cable", "smart", [download("smart", ack=ack)] * 4, 1, requests=True))
        assert runs.FOUR.read(line)[2] > 600


def test_a_periodic_clock_survives_losses() -> None:
    """Four flows that lose segments: a repeated ACK must not make the round trip look short, which would make ACKs dense."""
    found = four("geo", "tack")
    assert found["retransmits_percent"] > 1 and found["acks_per_mb"] < 200


def test_starts_favour_no_flow() -> None:
    """Two seeds have the same starts, exchanged."""
    for seed in (1, 3):
        one, other = (
            [flow["start"] for flow in json.loads(runs._pair("lte", "delayed", each))["flow"]]
            for each in (seed, seed + 1)
        )
        assert one == other[::-1] and one[0] != one[1]


def test_percentiles_count_requests_that_are_not_answered() -> None:
    """With the time until the end, which is the least that they take."""
    done = [{"completed": True, "completion_s": 0.01 * (i + 1), "start_s": 1.0} for i in range(98)]
    late = [{"completed": False, "completion_s": None, "start_s": 1.0}] * 2
    assert runs.latency_ms([*done, *late], 6.0, 99) == 5000
    assert runs.latency_ms([*done, *late], 6.0, 50) == pytest.approx(500)


def test_the_page_of_a_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """The figure and its table from one path; no claims and no counts of them on a study's page."""
    needs = [replace(one, axes={**one.axes, "path": ("wifi",)}, quick={}, full=2) for one in (runs.ONE, runs.FOUR, runs.PAIR)]  # fmt: skip
    one = study("paths2026")
    cut = Study(one.id, one.title, one.citation, one.about, one.sections, one.parameters)
    cut.figure("paths", "", "cut", "1", needs)(compared.paths)
    outcome = reproduce(cut, QUICK)
    assert not outcome.failed and not outcome.verdicts
    text = page.paper_page(outcome, {"paths": "<svg></svg>"})
    assert "TACK-like" in text and "#claims" not in text and "not testable" not in text
    with results(tmp_path, "reproduce") as folder:
        output.write([outcome], folder)
    assert (tmp_path / "paths2026.html").stat().st_size > 20_000


@pytest.mark.slow
def test_the_guide_quotes_the_study() -> None:
    """Its table has cells of the study's."""
    guide = (Path(__file__).parents[3] / "docs" / "howto" / "paths-2026.md").read_text(encoding="utf-8")
    drawn = dict((figure.id, drawn) for figure, drawn in reproduce(study("paths2026")).figures)["paths"]
    check_table(guide.partition("## In short")[2].partition("\n## ")[0], drawn.listed)


def check_table(section: str, rows: list[list[str]]) -> None:
    """Each line is a path; each column after it names strategy and quantity of a cell."""
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("|")
    ]
    heads, cells, path = rows[0], {}, ""
    for name, *values in rows[1:]:
        if not any(values):
            path = name.split(",")[0]
        for head, value in zip(heads[1:], values, strict=True):
            cells[path, name, head] = value
    for line in table[2:]:
        for head, value in zip(table[0][1:], line[1:], strict=True):
            quantity, _, strategy = head.rpartition(", ")
            assert value == cells[line[0], strategy, quantity]
    assert len(table) == 2 + len(PATHS)


def test_names_and_colours() -> None:
    assert "paths2026" in NAMES and study("paths2026").check() == []
    with pytest.raises(KeyError, match="paths2026"):
        study("nothing")
    colours = [palette.slot_of(kind.colour) for kind in MECHANISMS.values()]
    assert None not in colours and len(set(colours)) == len(colours)


def test_the_farthest_mark_has_room_on_an_axis_from_zero() -> None:
    axes = Figure().add_subplot()
    canvas.from_zero(axes, [4.2, math.nan, 4.3])
    assert axes.get_xlim() == pytest.approx((0, 1.08 * 4.3))
    canvas.from_zero(axes, [0.0, math.nan])
    assert axes.get_xlim() == (0, 1)
