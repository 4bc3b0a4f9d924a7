"""What the command says: examples that are there to be tried, and answers to what people mistype."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acklab import cli

ROOT = Path(__file__).parents[2]
ALLMAN = "examples/allman1998.toml"


@pytest.mark.parametrize("verb", cli.NAMES)
def test_the_files_of_the_examples_are_there(verb: str) -> None:
    helps = next(action for action in cli.parser()._actions if action.dest == "verb").choices
    assert helps is not None
    files = re.findall(r"examples/[\w./-]+", helps[verb].format_help())  # type: ignore[call-overload]
    assert not [file for file in files if not (ROOT / file).is_file()]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "usage: acklab"),
        (["rn", ALLMAN], "acklab: no verb rn; did you mean run?"),
        ([ALLMAN], f"to run it: acklab run {ALLMAN}"),
        (["examples/captures/linux-receiver.pcap"], "to read it: acklab analyze examples/captures/linux-receiver.pcap"),
        (["run", ALLMAN, "--outt", "x"], "acklab run: unknown: --outt x"),
        (["run", "examples/queue.toml"], "\n  this is a plan: acklab sweep examples/queue.toml"),
        (["run", "examples/access/filters.toml"], "\n  this has cases: acklab compare SCENARIO --cases"),
        (["run", "examples/captures/linux-receiver.pcap"], "\n  this is a capture: acklab analyze"),
        (["run", "examples/access/tune.toml"], "\n  this is a plan of a search: acklab tune examples/access/tune.toml"),
        (["sweep", "examples/infer/sender.toml"], "\n  this is a plan of a search: acklab infer examples/infer/sender.toml"),
        (["analyze", ALLMAN], f"\n  this is a scenario: acklab run {ALLMAN}"),
        (["fit", "examples/queue.toml"], "\n  this is a plan: acklab sweep examples/queue.toml"),
        (["run", ALLMAN, "--set", "flow.g.start=1s"], "or by name: `f`"),
        (["run", ALLMAN, "--set", "flow.f.receiver.ack={policy=every}"], "texts in it stand in quotes"),
        (["run", ALLMAN, "--set", "flow.f.receiver.ack.policy=every"], 'flow[0].receiver.ack={policy="every"}'),
        (["analyze", "no.pcap"], "no.pcap: No such file or directory (see"),
        (["run", "examples/allman1988.toml"], "No such file or directory; did you mean examples/allman1998.toml? (see"),
        (["run", "nowhere/at-all.toml"], "nowhere/at-all.toml: No such file or directory (see"),
        (["compare", ALLMAN], "--case 'NAME: KEY=VALUE' for each, or --cases FILE"),
        (["sweep", ALLMAN, "--vary", "flow.0.sender.window=4,8", "--metric", "timeout"], "; did you mean `timeouts`?"),
        (["sweep", ALLMAN, "--vary", "flow.0.sender.window=4-8"], ": at flow.0.sender.window=4-8: flow[0].sender.window"),
        (["run", "--live", "examples/live.toml", "--for", "3"], 'acklab: --for = "3": `3` has no unit'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_slip_is_answered(given: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    try:
        status = cli.main(given)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert said in err


def test_packaged_examples_are_called_as_they_are_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["tune", "examples/queue.toml"])
    assert "acklab: examples/queue.toml:4:1: no key metrics" in capsys.readouterr().err
    assert cli.main(["analyze", "examples/captures/linux-receiver.pcap"]) == 0
    assert capsys.readouterr().out.startswith("examples/captures/linux-receiver.pcap: 130 packets")
