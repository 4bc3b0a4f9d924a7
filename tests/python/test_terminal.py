"""On a terminal and in pipes: progress of long runs, readers that leave early, flows that have no end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import acklab
from acklab.results import progress
from acklab.results.summary import as_text, endless
from front import COMMAND, RECORDED, TWO_HOPS

BOTH = TWO_HOPS + '\n[[flow]]\nname = "bulk"\nfrom = "S"\nto = "R"\ncount = 2\nsender.window = 5\n'


def test_a_long_run_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    simulation = acklab.simulation(TWO_HOPS)
    progress.watched(simulation)
    assert simulation.finished and "s simulated in 0 s" in capsys.readouterr().err
    assert simulation.run().json() == acklab.run(TWO_HOPS).json(), "the same run"


def test_nothing_is_shown_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    simulation = acklab.simulation(TWO_HOPS)
    progress.watched(simulation)
    assert simulation.now_s == 0 and capsys.readouterr().err == ""


def test_a_flow_without_an_end_does_not_look_failed() -> None:
    run = acklab.run(BOTH, stop={"at": "20s"})
    assert endless(run.scenario_toml()) == {"bulk0", "bulk1"}
    text = as_text(run.summary(), endless(run.scenario_toml()))
    assert "1 of 1 flows completed, 2 endless flows" in text and " no " not in text
    assert re.findall(r'data-head="done">(.*?)</td>', run._repr_html_()) == ["yes", "-", "-"]


@pytest.mark.parametrize(
    "arguments",
    [["schema"], ["schema", "--stacks"], ["help", "run"], ["explain", "rate"], ["run", "s.toml", "--json"], ["--print-completion", "bash"],
     ["sweep", "s.toml", "--vary", "flow.0.sender.window=4,8", "--json"], ["analyze", "examples/captures/linux-receiver.pcap"]],
    ids=" ".join,
)  # fmt: skip
def test_a_reader_that_leaves_is_no_error(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(RECORDED)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [COMMAND, *arguments], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, check=False
    )
    os.close(writer)
    assert done.stderr == ""
