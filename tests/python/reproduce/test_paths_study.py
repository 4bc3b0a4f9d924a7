"""The study of 2026's paths: a cheap cut of what it runs, and the page of a study."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from acklab import _core
from acklab._folder import results
from acklab.figures import canvas
from acklab.plot import palette
from acklab.reproduce import output, page
from acklab.reproduce.paper import Study
from acklab.reproduce.runner import QUICK, reproduce
from acklab.studies import NAMES, study
from acklab.studies.paths2026 import compared, runs, senders, sparse
from acklab.studies.paths2026.setting import MECHANISMS, PATHS, download, scenario


def result(scenario: str) -> bytes:
    """A run's line."""
    return _core.Simulation(scenario).run().json(False).encode()


def cell(path: str, mechanism: str, size: str = "1 MB") -> dict[str, float]:
    """One transfer's numbers."""
    found = runs.TRANSFER(result(runs._one("segment", "cubic", path, size, mechanism, 1)))
    return dict(zip(runs.TRANSFER.names, found, strict=True))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("path", PATHS)
def test_every_cell_runs_to_its_end(path: str, mechanism: str) -> None:
    found = cell(path, mechanism)
    assert found["time_s"] > 2 * PATHS[path].rtt_s, "a handshake and a window at least"
    assert 0 < found["acks_per_mb"] < 800


def test_what_the_paragraph_rests_on() -> None:
    smart, delayed = cell("lte", "smart", "20 MB"), cell("lte", "delayed", "20 MB")
    assert smart["acks_per_mb"] < delayed["acks_per_mb"] / 5 and smart["time_s"] < delayed["time_s"]
    assert cell("wifi", "smart", "20 MB")["acks_per_mb"] > 600, "aggregates hide the bottleneck's pace"
    assert cell("geo", "tack", "20 MB")["time_s"] > 3 * cell("geo", "delayed", "20 MB")["time_s"]


def test_lost_retransmissions_cost_timeouts_without_rack_and_hystart_spares_most_of_them() -> None:
    def told(sender: str) -> dict[str, float]:
        found = runs.TRANSFER(result(senders._one("fibre", "20 MB", sender, "delayed", 1)))
        return dict(zip(runs.TRANSFER.names, found, strict=True))

    plain, hystart, rack, both = map(told, ("plain", "hystart", "rack", "both"))
    assert plain["timeouts"] > 0 and rack["timeouts"] == both["timeouts"] == 0
    assert rack["time_s"] < plain["time_s"] / 2
    assert max(hystart["retransmits_percent"], both["retransmits_percent"]) < rack["retransmits_percent"] / 2


def test_by_satellite_rare_acks_cost_next_to_no_time() -> None:
    often, rare = (runs.TRANSFER(result(sparse._one("geo", "bursts", k, 1))) for k in (2, 50))
    assert rare[0] < 1.03 * often[0] and rare[1] < 0.06 * often[1]


def test_shared_smartacking_delays_little_whatever_it_is_told() -> None:
    told = {**MECHANISMS["smart"].ack, "rtt": "sender", "window": "sender"}
    for ack in (None, told):
        line = result(scenario("lte", "smart", [download("smart", "cubic", ack=ack)] * 4, 1))
        assert runs.FOUR.read(line)[2] > 600


def test_a_periodic_clock_survives_losses() -> None:
    """Four flows that lose segments: a repeated ACK must not make the round trip look short, which would make ACKs dense."""
    line = result(runs._four("cubic", "lte", "tack", 1))
    found = dict(zip(runs.FOUR.read.names, runs.FOUR.read(line), strict=True))
    assert found["retransmits_percent"] > 0 and found["acks_per_mb"] < 130


def test_starts_favour_nobody() -> None:
    """Two flows of one kind share alike on average: neither begins first with every seed."""
    first = []
    for seed in range(1, 13):
        starts = [flow["start"] for flow in json.loads(runs._pair("reno", "lte", "delayed", seed))["flow"][1:]]
        first.append(starts[0] < starts[1])
    assert 2 < sum(first) < 10


def test_the_page_of_a_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """The figure and its table from one path; no claims and no counts of them on a study's page."""
    needs = [replace(one, axes={**one.axes, "path": ("wifi",), "control": ("cubic",)}, quick={}, full=2) for one in (runs.ONE, runs.FOUR, runs.PAIR)]  # fmt: skip
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
    """Its points have the numbers of what a full run says, in the same order."""
    outcome = reproduce(study("paths2026"), only=lambda figure: figure.id == "paths")
    ((_, drawn),) = outcome.figures
    guide = (Path(__file__).parents[3] / "docs" / "howto" / "paths-2026.md").read_text(encoding="utf-8")
    section = guide.partition("## What to take from it")[2].partition("\n## ")[0]
    numbers = re.compile(r"\d+(?:\.\d+)?")
    assert numbers.findall(section) == numbers.findall(drawn.remark.partition(" In the table: ")[0])


def test_names_and_colours() -> None:
    assert NAMES == ("paths2026",) and study("paths2026").check() == []
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
