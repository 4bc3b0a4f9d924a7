"""Mistakes in files and names: the command tells the place, or what was meant, alike in every verb."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acklab import cli
from acklab.study.compare import from_file as read_cases
from acklab.study.grammar import StudyError
from acklab.study.infer import PLANS as INFER
from acklab.study.search import PLANS as TUNE
from acklab.study.sweep import sweep
from front import TWO_HOPS, Acklab

PLAN = 'title = "t"\nscenario = "s.toml"\n\n[vary]\n"flow.0.sender.window" = [4, 8]\n'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[vary]", "[varry]"), ":4:2: no key varry; did you mean vary?"),
        (("[4, 8]", "[4, 4]"), ":5:1: vary.flow.0.sender.window = [4, 4] has 4 twice"),
        (("[4, 8]\n", "[4, 4]\n[draw]\nflow.0.start = 3\n"), ":5:1: vary"),  # the first of two
        (("\n\n", '\nseeds = "x"\n\n'), ":3:1: seeds = "),
        (('"t"', "t"), ':1:9: `t` has no quotes; write "t"'),
        (('"s.toml"', '"no.toml"'), ':2:1: scenario = "no.toml": No such file'),
    ],
)
def test_a_plans_mistake_has_a_line_and_a_column(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TWO_HOPS)
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace(*change))
    with pytest.raises(StudyError) as error:
        sweep(plan)
    assert str(error.value).startswith(f"{plan}{said}"), error.value


def test_so_has_one_of_a_comparison(tmp_path: Path) -> None:
    file = tmp_path / "cases.toml"
    file.write_text('seeds = 3\nmargin = 2\n[[case]]\nname = "a"\n[[case]]\nnam = "b"\n')
    with pytest.raises(StudyError, match=r":2:1: margin = 2: a share from 0"):
        read_cases(file)
    file.write_text(file.read_text().replace("margin = 2", "margin = 0.1"))
    with pytest.raises(StudyError, match=r":6:1: case\[1\]: no key nam; did you mean name\?"):
        read_cases(file)


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (read_cases, 'seeds = 3\nmetrcs = ["rtt"]', ":2:1: no key metrcs; did you mean metrics?"),
        (read_cases, '[[case]]\nname = "a"\nsettable = 3', ":3:1: case[0].settable = 3: true or false"),
        (TUNE.read, 'scenario = "s.toml"\ntrails = 3', ":2:1: no key trails; did you mean trials?"),
        (TUNE.read, 'scenario = "s.toml"\ntrials = 0', ":2:1: trials = 0: a whole number from 1 to 100,000"),
        (TUNE.read, '[[path]]\nscenario = "s.toml"\nwieght = 3', ":3:1: path[0]: no key wieght; did you mean weight?"),
        (TUNE.read, 'scenario = "s.toml"\nspread_starts = "x"', ':2:1: spread_starts = "x": a time that is not negative'),
        (INFER.read, 'scenario = "s.toml"\n[free]\n"flow.0.sender.window" = [4, 8]\n[[value]]\nmetric = "rtt"\ntolerance = 1\nprinted = "x"',
         ':7:1: value[0].printed = "x": a number'),
        (INFER.read, 'scenario = "s.toml"\n[nudge]\nlatr = "1ms"', ":2:2: nudge: no key latr; did you mean later?"),
    ],
)  # fmt: skip
def test_every_plan_has_one_form_of_mistake(read: Any, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TWO_HOPS)
    (tmp_path / "plan.toml").write_text(text + "\n")
    with pytest.raises(StudyError) as error:
        read(tmp_path / "plan.toml")
    assert str(error.value).startswith(f"{tmp_path / 'plan.toml'}{said}"), error.value


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            'title = "caf\N{LATIN SMALL LETTER E WITH ACUTE}"'.encode("latin-1"),
            "x.toml:1:13: not UTF-8 text: byte 12 is 0xe9; save",
        ),
        (TWO_HOPS.encode("utf-16"), "x.toml:1:1: not UTF-8 text: byte 0 is 0xff; it is UTF-16; save the file as UTF-8"),
    ],
    ids=["Latin-1", "UTF-16"],
)
def test_every_verb_says_alike_that_a_file_is_not_utf_8(
    data: bytes, said: str, acklab_command: Acklab, tmp_path: Path
) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(data)
    for verb in (
        ["run"],
        ["sweep"],
        ["run", "--live", "--dry-run"],
        ["compare", "--cases"],
        ["compare", "--case=a", "--case=b: stop.at=1s"],
    ):
        done = acklab_command(*verb, str(file))
        assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("alman1998", "no paper or study alman1998; did you mean allman1998?"),
        ("divack/figure1", "no figure figure1; did you mean figure-1?"),
    ],
)
def test_papers_and_figures_are_suggested(name: str, said: str, acklab_command: Acklab) -> None:
    done = acklab_command("reproduce", name)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_what_is_no_plan_and_no_scenario_says_what_it_is(
    acklab_command: Acklab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.pcap").write_bytes(b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(16))
    Path("f.sqlog").write_text('\x1e{"file_schema": "urn:ietf:params:qlog:file:sequential"}\n')
    Path("path.toml").write_text('stop.at = "1s"\nlink = [{ between = ["S", "R"], rate = "1Mbps", delay = "1ms" }]\n')
    Path("far.toml").write_text(
        'scenario = "geo"\nobjectives = ["completion"]\n[free]\n"flow.0.sender.window" = [4, 8]\n'
    )
    Path("two.toml").write_text(Path("far.toml").read_text() + '[[path]]\nscenario = "path.toml"\n' * 2)
    for words, said in (
        (("infer", "r.pcap"), "acklab: r.pcap:\n  this is a capture: acklab analyze r.pcap"),
        (("tune", "f.sqlog"), "acklab: f.sqlog:\n  this is a qlog: acklab analyze f.sqlog\n"),
        (("tune", "far.toml"), "acklab new geo --template geo writes geo.toml"),
        (
            ("tune", "two.toml"),
            'path[0] and path[1] are both called "path"; without `name` a path is called as its scenario\'s file',
        ),
        (
            ("compare", "path.toml", "--virtual", "--case=a", "--case=b: stop.at=2s"),
            "or run programs over it: --server CMD and --client CMD",
        ),
    ):
        done = acklab_command(*words)
        assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_file_that_is_no_scenario_is_called_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(TWO_HOPS)
    assert cli.main(["run", "s.toml", "--json", "--out", "res"]) == 0
    Path("x.html").write_text("<!DOCTYPE html>")
    Path("x.py").write_text("print(1)\n")
    Path("x.pkt").write_text("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
    Path("x.gz").write_bytes(b"\x1f\x8b\x08\x00")
    Path("res.json").write_text(capsys.readouterr().out)
    for file, said in (
        ("x.html", "a page: open it in a browser\n"),
        (
            "x.py",
            "a program: python x.py; with ACK policies and controls of yours: acklab run SCENARIO --python x.py\n",
        ),
        ("x.pkt", "a packetdrill script: acklab drill x.pkt\n"),
        ("x.gz", "compressed: acklab analyze x.gz if it is a capture or a qlog; unpack anything else\n"),
        ("res.json", "the result of a run, no scenario\n"),
        (
            "res/summary.json",
            "the result of a run, no scenario; the scenario beside it runs again: acklab run res/scenario.toml\n",
        ),
        (
            "res/acklab.json",
            "the marker of a directory of results; the scenario beside it runs again: acklab run res/scenario.toml\n",
        ),
        (
            "res/flows.parquet",
            "a table: acklab plot res/flows.parquet draws it, DuckDB and polars read it; the scenario",
        ),
    ):
        for words in (["run"], ["compare"], ["sweep"], ["tune"], ["run", "s.toml"]):
            with contextlib.suppress(SystemExit):
                assert cli.main([*words, file]) == 2
            out, err = capsys.readouterr()
            assert out == "" and err.startswith(f"acklab: {file}:\n  this is {said}"), (words, err)
    with pytest.raises(SystemExit):
        cli.main(["run", "res"])
    assert (
        "res: Is a directory, with results; to run their scenario again: acklab run res/scenario.toml"
        in capsys.readouterr().err
    )


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_a_name_that_is_no_text_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"c\xff.toml")
    Path(name).write_text(TWO_HOPS)
    for verb in ("tune", "infer", "fit", "analyze", "sweep", "compare", "plot"):
        try:
            status = cli.main([verb, name])
        except SystemExit as ended:
            status = int(ended.code or 0)
        err = capsys.readouterr().err
        assert status == 2 and err.startswith("acklab: ") and "internal error" not in err, (verb, err)
    assert cli.main(["run", name]) == 0
