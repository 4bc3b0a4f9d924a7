"""Shards of a sweep: merged, they are the undivided sweep to the byte; what does not belong together is refused."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_sweep import ADAPTIVE, LOSSY, PLAN

from front import COMMAND, TWO_HOPS, inside

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command() -> Command:
    """The command in this process."""
    return inside


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a directory, the marker too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lossy.toml").write_text(LOSSY)
    (tmp_path / "plan.toml").write_text(PLAN.replace("seeds = 120", "seeds = 7"))
    (tmp_path / "adaptive.toml").write_text(ADAPTIVE.replace("at_most = 120", "at_most = 20"))
    return tmp_path


def sweep(run: Command, shard: str, out: str, *more: str, plan: str = "plan.toml") -> subprocess.CompletedProcess[str]:
    return run("sweep", plan, *more, "--shard", shard, "--out", out)


@pytest.mark.parametrize("plan", ["plan.toml", "adaptive.toml"])
def test_merged_shards_are_the_undivided_sweep(command: Command, here: Path, plan: str) -> None:
    more = ("--set", "flow.f.size.segments=50", "--metric", "goodput")
    whole = command("sweep", plan, *more, "--out", "whole")
    for number, name in enumerate("bac", 1):
        assert sweep(command, f"{number}/3", name, *more, plan=plan).returncode == 0
    shutil.move(here / plan, here / "elsewhere.toml")
    merged = command("sweep", "--join", "c", "a", "b", "--out", "merged")
    assert merged.returncode == 0 and files(here / "merged") == files(here / "whole")
    assert merged.stdout.replace("merged/", "whole/") == whole.stdout
    assert "lossy" not in merged.stderr


def test_more_shards_than_runs(command: Command, here: Path) -> None:
    command("sweep", "lossy.toml", "--vary", "flow.f.sender.window=4,8", "--out", "whole")
    for number in range(1, 5):
        told = sweep(command, f"{number}/4", f"s{number}", "--vary", "flow.f.sender.window=4,8", plan="lossy.toml")
        assert (
            told.stdout
            == f"shard {number}/4: {1 if number < 3 else 0} {'run' if number < 3 else 'runs'} in s{number}\n"
        )
    command("sweep", "--join", *(f"s{number}" for number in range(1, 5)), "--out", "merged")
    assert files(here / "merged") == files(here / "whole")


def test_what_does_not_belong_together_is_refused(command: Command, here: Path) -> None:
    vary = ("--vary", "flow.f.sender.window=4,8")
    for shard, out, more in (
        ("1/3", "one", ()), ("1/3", "copy", ()), ("2/3", "two", ()), ("1/2", "half", ()),
        ("3/3", "values", ("--set", "flow.f.sender.packet=500")),
    ):  # fmt: skip
        assert sweep(command, shard, out, *vary, *more, plan="lossy.toml").returncode == 0
    (here / "other.toml").write_text(TWO_HOPS)
    assert sweep(command, "3/3", "scenario", *vary, plan="other.toml").returncode == 0
    command("run", "lossy.toml", "--out", "run")
    shutil.copytree(here / "two", here / "older")
    _marked(here / "older", acklab="0.0.9")
    shutil.copytree(here / "two", here / "broken")
    (here / "broken/acklab.json").write_text("{}")
    (here / "empty").mkdir()
    (here / "texts.toml").write_text('scenario = "lossy.toml"\ntitle = "x"\nvary."flow.f.sender.window" = [4, 8]\n')
    assert sweep(command, "3/3", "texts", plan="texts.toml").returncode == 0
    for others, why in (
        (["two", "copy", "one"], "copy and one are both shard 1/3; give each once"),
        (["one", "one", "two"], "one and one are both shard 1/3; give each once"),
        (["one", "./one", "two"], "one and one are both shard 1/3; give each once"),
        (["two", "texts", "one"], "texts has other texts in its plan (title, names, metrics or columns) than one"),
        (["two"], "missing: shard 1/3, 3/3"),
        (["two", "half"], "half is shard 1/2, but two is shard 2/3: the same sweep, divided otherwise"),
        (["one", "two", "values"], "values is of another plan (keys, values or seeds) than one"),
        (["one", "two", "scenario"], "scenario is of another scenario than one"),
        (["one", "run"], "run holds results of `acklab run`, no shard of a sweep"),
        (["one", "older"], "older was made by acklab 0.0.9, this is"),
        (["one", "broken"], "broken/acklab.json is damaged or not acklab's"),
        (["one", "empty"], "empty holds no shard of a sweep"),
        (["one", "nowhere"], "nowhere is no directory"),
    ):
        told = command("sweep", "--join", *others, "--out", "merged")
        assert told.returncode == 2 and told.stderr.startswith(f"acklab: {why}") and told.stderr.count("\n") == 1, (
            told.stderr
        )
        assert not (here / "merged").exists()
    told = sweep(command, "2/3", "one", *vary, plan="lossy.toml")
    assert told.returncode == 2 and "one holds other work: it is shard 1/3, this is 2/3" in told.stderr
    told = command("sweep", "lossy.toml", *vary, "--out", "one")
    assert told.returncode == 2 and "one holds results of `acklab sweep --shard`" in told.stderr
    for shard in ("0/3", "4/3", "3", "1/0", "a/b"):
        told = sweep(command, shard, "x", *vary, plan="lossy.toml")
        assert told.returncode == 2 and f"{shard} is no shard; give K/N" in told.stderr


def test_a_shard_whose_title_was_changed_is_refused(command: Command, here: Path) -> None:
    for number in (1, 2):
        sweep(command, f"{number}/2", f"s{number}")
    plan = here / "s2/shard.json"
    assert '"plan": {' in plan.read_text()
    plan.write_text(plan.read_text().replace('"plan": {', '"plan": {"title": "x",', 1))
    for shards in (("s1", "s2"), ("s2", "s1")):
        told = command("sweep", "--join", *shards, "--out", "merged")
        assert (told.returncode, told.stderr) == (2, "acklab: s2/shard.json is damaged; make this shard again\n")
    assert not (here / "merged").exists()


def _marked(folder: Path, **changes: str) -> None:
    """Changes a marker, and its checksum with it."""
    from acklab.results.directory import _checksum

    marker = json.loads((folder / "acklab.json").read_text())
    del marker["checksum"]
    marker |= changes
    (folder / "acklab.json").write_text(json.dumps({**marker, "checksum": _checksum(marker)}))


def test_a_damaged_record_is_named(command: Command, here: Path) -> None:
    for number in (1, 2):
        sweep(command, f"{number}/2", f"s{number}")
    kept = here / "s2/runs.jsonl.gz"
    lines = gzip.decompress(kept.read_bytes()).splitlines(keepends=True)
    lines[3] = lines[3].replace(b"completed", b"c0mpleted")
    kept.write_bytes(gzip.compress(b"".join(lines)))
    told = command("sweep", "--join", "s1", "s2", "--out", "merged")
    assert told.returncode == 2 and "is damaged or missing; make its shard again" in told.stderr
    assert not (here / "merged/sweep.html").exists()


def test_a_killed_shard_goes_on(command: Command, here: Path) -> None:
    (here / "plan.toml").write_text(PLAN.replace("seeds = 120", "seeds = 2000"))
    line = [COMMAND, "sweep", "plan.toml", "--shard", "2/3", "--out", "s2"]
    killed = subprocess.Popen(line, cwd=here, stdout=subprocess.DEVNULL)
    journal = here / "s2/.acklab/runs.jsonl"
    while killed.poll() is None and not (journal.exists() and journal.stat().st_size > 1 << 16):
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    told = command("sweep", "--join", "s2", "--out", "merged")
    assert told.returncode == 2 and "s2 holds an unfinished shard; the command that began it goes on" in told.stderr
    sweep(command, "2/3", "s2")
    sweep(command, "2/3", "undisturbed")
    assert files(here / "s2") == files(here / "undisturbed")
