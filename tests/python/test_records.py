"""Recorded rows leave a run for the disk while it goes on: the same files, in memory that its length does not move."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import acklab
from acklab.results import stored as records
from front import COMMAND, ENDLESS, RECORDED

#: A gigabit for as long as is said: some 700,000 rows a second.
GIGABIT = Path(__file__).parents[2] / "examples" / "access" / "cable.toml"

LONG = bool(os.environ.get("ACKLAB_LONG"))


@pytest.mark.parametrize("tables", [{}, {"record.queue": False, "record.packets": False}])
def test_rows_written_as_they_come_are_the_same_files(tmp_path: Path, monkeypatch, tables: dict[str, bool]) -> None:
    """Also where transfers, whose names the tables use, come up on the way."""
    changes = {"flow.0.size.segments": 2000, "flow.0.repeat": {"times": 5, "think": "1s"}, "flow.0.count": 2, **tables}
    # A directory's name is no pattern.
    whole, pieces = tmp_path / "whole", tmp_path / "pieces[1]*"
    pieces.mkdir()
    monkeypatch.setattr(records, "ROWS", 1000)
    simulation = acklab.simulation(RECORDED, **changes)
    recording = records.record(simulation, pieces)
    run = acklab.run(RECORDED, **changes)
    run.write(whole, report=False)
    assert recording.result.json(records=False) == run.json(records=False)
    names = [f"{name}.parquet" for name in records.TABLES if hasattr(run, name)]
    assert sorted(names) == sorted(os.listdir(pieces))
    for name in names:
        assert (pieces / name).read_bytes() == (whole / name).read_bytes(), name


def test_given_rows_are_gone() -> None:
    simulation = acklab.simulation(RECORDED)
    result = simulation.advance()
    assert simulation.finished and len(result.packets) and not len(simulation.outcome().packets)
    assert simulation.outcome().json(records=False) == result.json(records=False)


#: A process inherits the peak of the one that started it, which here is a small interpreter instead of the tests' own.
MEASURE = """
import os, subprocess, sys
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(run.pid, 0)
print(status, used.ru_maxrss)
"""


def peak_mb(directory: Path, seconds: float) -> float:
    """Peak memory of a run of that length with its records and charts, in MB."""
    out = ["--out", str(directory / f"out-{seconds}")]
    words = [COMMAND, "run", GIGABIT, "--set", f'stop.at="{seconds}s"', *out]
    told = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True
    )
    status, peak_kb = map(int, told.stdout.split())
    assert status == 0
    return peak_kb / 1e3


def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    times = 16 if LONG else 4
    short, long = peak_mb(tmp_path, 0.9), peak_mb(tmp_path, 0.9 * times)
    print(f"peak memory: {short:.0f} MB, of a run {times} times as long {long:.0f} MB")
    assert long < 500 and long - short < 150


def endless(directory: Path, **popen) -> subprocess.Popen[str]:
    (directory / "endless.toml").write_text(ENDLESS)
    return subprocess.Popen(
        [COMMAND, "run", "endless.toml", "--out", "out"],
        cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **popen,
    )  # fmt: skip


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_in_mid_run_leaves_nothing(tmp_path: Path, number: int, status: int) -> None:
    """Rows are on disk when the signal comes."""
    process = endless(tmp_path)
    deadline = time.monotonic() + 60
    while not list((tmp_path / "out").glob(".acklab/new/.parts/packets-2*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.poll() is None
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (status, "", "acklab: stopped; a run that did not end leaves nothing\n")
    assert os.listdir(tmp_path) == ["endless.toml"]


def test_a_disk_that_takes_no_more_ends_the_run(tmp_path: Path) -> None:
    few = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    process = endless(tmp_path, preexec_fn=few)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, len(err.splitlines())) == (1, "", 1)
    assert err.startswith("acklab: out/") and "File too large" in err, err
    assert os.listdir(tmp_path) == ["endless.toml"]
