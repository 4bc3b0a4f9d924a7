"""What `--set` on a figure may not do: change nothing unsaid, keep false labels, count as reproduced; and what an index keeps."""

import json
from pathlib import Path

import pytest

from acklab import cli
from acklab.reproduce.changes import Changed
from acklab.reproduce.experiments import Effort, Sweep

FIGURE = ["reproduce", "allman1998/figure-8", "--quick"]


def refused(out: Path, capsys: pytest.CaptureFixture[str], key: str) -> str:
    assert cli.main([*FIGURE, "--set", key, "--out", str(out)]) == 2
    assert not out.exists(), "nothing is written"
    return capsys.readouterr().err


def test_a_change_without_an_effect_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figure 8 has no losses; its picture with SACK was the paper's, under the words `Changed: not the paper`."""
    said = refused(tmp_path / "out", capsys, "flow.0.sender.recovery=sack")
    assert "changes no result; 5 runs of figure-8 were made with and without it, and all are equal" in said


def test_a_key_that_the_figure_compares_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its bars kept their names, and were all of receivers that acknowledge every segment."""
    said = refused(tmp_path / "out", capsys, 'flow.0.receiver.ack={policy="every"}')
    assert "figure-8 compares values of flow.0.receiver.ack, and its labels would be false" in said


def test_changed_runs_reproduce_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*FIGURE, "--set", "flow.0.sender.initial_window=4", "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "allman1998.html").read_text("utf-8")
    assert "Changed: not the paper." in page and ">reproduced<" not in page


def test_only_the_figures_that_compare_the_key_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert cli.main(
        ["reproduce", "allman1998/figure-1", *FIGURE[1:], "--set", "flow.0.sender.credit=ubc", "--out", str(out)]
    ) in (0, 2)
    said = capsys.readouterr()
    assert (
        "figure-8 compares values of flow.0.sender.credit" in said.out + said.err or "Figure 8 is not drawn" in said.out
    )


def test_a_second_paper_keeps_the_first(tmp_path: Path) -> None:
    """Its page stayed, and the index and `claims.json` had lost it."""
    for name in ("divack/figure-3", "allman1998/figure-8"):
        assert cli.main(["reproduce", name, "--quick", "--out", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert set(told["papers"]) == set(told["counts"]) == {"divack", "allman1998"}
    assert {claim["paper"] for claim in told["claims"]} == {"divack", "allman1998"}
    index = (tmp_path / "index.html").read_text("utf-8")
    assert 'href="divack.html"' in index and 'href="allman1998.html"' in index
    assert cli.main(["reproduce", "divack/figure-3", "--quick", "--out", str(tmp_path)]) == 0
    again = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert len(again["claims"]) == len(told["claims"]), "what is made again is there once"


def test_every_value_of_an_axis_is_looked_at() -> None:
    def scenario(**cell: int) -> str:
        flow = {"from": "a", "to": "b", "size": {"segments": 2}, "sender": {"initial_window": cell["window"]}}
        link = {
            "between": ["a", "b"],
            "rate": "1Mbps",
            "delay": "1ms",
            "queue": {"kind": "drop-tail", "packets": cell["queue"]},
        }
        return json.dumps({"link": [link], "flow": [flow]})

    def of(*sets: str) -> Changed:
        return Changed(Sweep("s", "", {"window": (1, 2), "queue": (5, 6, 7)}, scenario, None), Effort(sets=sets))

    assert of("link.0.queue.packets=9").compares == ["link.0.queue.packets"]
    assert of("flow[0].sender.initial_window=3").compares == ["flow[0].sender.initial_window"]
    assert of("link.0.delay=2ms").compares == [] and of("link.0.delay=2ms").moved == (4, 4)
    assert of("link.0.delay=1ms").moved == (0, 4) and not of("link.0.delay=1ms").whole, (
        "six cells, four of them compared"
    )
