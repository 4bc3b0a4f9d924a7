"""Distributions beside the package: it has nothing of them, and knows their verbs and papers by entry points."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import acklab
from acklab import cli, papers
from acklab.cli import reproduce
from acklab.text.input import loads

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(ROOT.glob("packages/acklab-*/pyproject.toml"))
#: A verb of somebody else's.
VERB = """
from acklab.cli.options import add_verb

def add(verbs):
    add_verb(verbs, "hello", lambda options: 7, "Greet.", "")
"""


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Returns a command's exit status, output and errors."""
    try:
        status = cli.main(arguments)
    except SystemExit as end:
        status = int(end.code or 0)
    return (status, *capsys.readouterr())


def listed(text: str) -> list[str]:
    """Returns the verbs that a help text lists."""
    lines = text.partition("  VERB\n")[2].partition("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if line.startswith("    ") and line[4] != " "]


def test_the_package_has_nothing_of_them() -> None:
    gone = ("drill", "studies", "experiments/zoo", "cli/drill.py", "cli/zoo.py", "examples/drill", "papers/cake")
    assert not [name for name in gone if (ROOT / "python" / "acklab" / name).exists()]


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)
def test_they_are_of_the_same_version(path: Path) -> None:
    project = loads(path.read_text("utf-8"))["project"]
    assert project["version"] == acklab.__version__
    assert project["dependencies"] == [f"acklab=={acklab.__version__}"]


def test_what_they_bring_is_there() -> None:
    wanted: dict[str, set[str]] = {}
    for path in PROJECTS:
        for group, entries in loads(path.read_text("utf-8"))["project"]["entry-points"].items():
            wanted.setdefault(group.removeprefix("acklab."), set()).update(entries)
    assert set(cli.brought()) == wanted["verbs"] == set(cli.BROUGHT)
    assert {group: set(papers.installed(group)) for group in papers.GROUPS} == {
        group: wanted[group] for group in papers.GROUPS
    }
    assert all(papers.paper(name).id == name for group in papers.GROUPS for name in papers.installed(group))


def test_help_lists_the_verbs_of_every_day_and_with_all_those_installed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(["help"], capsys)
    assert (status, listed(out)) == (0, [*cli.SHOWN]) and told(["--help"], capsys)[1] == out
    status, out, _ = told(["help", "--all"], capsys)
    assert (status, listed(out)) == (0, [*cli.NAMES, *cli.brought()])


def test_without_them_the_distribution_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "brought", dict)
    assert listed(told(["help", "--all"], capsys)[1]) == [*cli.NAMES]
    for verb, (distribution, _) in cli.BROUGHT.items():
        status, out, err = told([verb, "x"], capsys)
        assert (status, out) == (2, "") and f"{verb} comes with {distribution}: pip install {distribution}" in err
    for module in (papers, reproduce):
        monkeypatch.setattr(module, "installed", lambda group: {})
    assert papers.names() == papers.FIVE
    assert "acklab-studies" in told(["reproduce", "--help"], capsys)[1]
    status, out, err = told(["reproduce", "cake"], capsys)
    assert (status, out) == (2, "") and "pip install acklab-studies" in err


def test_anybody_can_bring_a_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hello_verb.py").write_text(VERB, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cli, "brought", lambda: {"hello": EntryPoint("hello", "hello_verb", "acklab.verbs")})
    assert told(["hello"], capsys)[0] == 7
    assert "Greet." in told(["hello", "--help"], capsys)[1] and "hello_verb" in told(["help", "--all"], capsys)[1]
    assert isinstance(cli.parser(["hello"]), argparse.ArgumentParser) and "hello_verb" in sys.modules
