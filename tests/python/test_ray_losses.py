"""Lost workers, nodes and drivers of a Ray cluster: the sweep's files are those of the undisturbed one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_sweep import LOSSY

from front import COMMAND, LONG

ray = pytest.importorskip("ray")

SWEEP = ("sweep", "lossy.toml", "--vary", "flow.f.sender.window=4,8,16", "--seeds", "4000")
#: Small tasks and blocks, so that some are under way at any time.
SMALL = """\
import sys
from acklab.engines import cluster
from acklab.study import store as blocks
cluster.MOST, blocks.MOST_RUNS = 100, 100
from acklab.cli import main
sys.exit(main(sys.argv[1:]))
"""
#: Tells this test's processes from those of other commands.
MARK = f"ACKLAB_TEST={os.getpid()}"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    (tmp_path / "small.py").write_text(SMALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(*MARK.split("="))
    return tmp_path


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "small.py", *SWEEP, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def done(out: Path) -> int:
    """About how much there is."""
    journal = out / ".acklab/runs.jsonl"
    with contextlib.suppress(OSError):
        return journal.stat().st_size // 1000
    return 100 * len(list(out.glob("block=*/*")))


def reaches(process: subprocess.Popen[str], out: Path, runs: int) -> None:
    """Waits until about so many runs are done."""
    while done(out) < runs:
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def workers() -> list[int]:
    """Processes that run tasks of this test's Ray."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().startswith(b"ray::_task") and MARK.encode() in (path.parent / "environ").read_bytes():
                found.append(int(path.parent.name))
    return found


@pytest.fixture
def nodes(here: Path) -> Iterator[Any]:
    """A cluster of two nodes of a processor each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        yield made, made.add_node(num_cpus=1)
    finally:
        made.shutdown()


@pytest.mark.skipif(not LONG, reason="starts a cluster of two nodes")
@pytest.mark.parametrize("to", ["--out", "--dataset"])
def test_a_lost_worker_and_a_lost_node(here: Path, nodes: Any, to: str) -> None:
    cluster, second = nodes
    subprocess.run(
        [COMMAND, *SWEEP, "--out", "whole"] if to == "--out" else [sys.executable, "small.py", *SWEEP, to, "whole"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    sweep = start(to, "disturbed", "--engine", "ray", "--address", cluster.address)
    reaches(sweep, here / "disturbed", 500)
    os.kill(next(iter(workers())), signal.SIGKILL)
    reaches(sweep, here / "disturbed", 2000)
    cluster.remove_node(second, allow_graceful=False)
    assert sweep.wait(120) == 0 and sweep.stderr is not None
    # Ray may tell of lost objects that it makes again.
    told = sweep.stderr.read()
    assert "acklab: " not in told and "Traceback" not in told, told
    assert files(here / "disturbed") == files(here / "whole")


@pytest.mark.skipif(not LONG, reason="starts Ray three times")
@pytest.mark.parametrize("to", ["--out", "--dataset"])
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_lost_driver(here: Path, to: str, sign: signal.Signals) -> None:
    subprocess.run([sys.executable, "small.py", *SWEEP, to, "whole"], check=True, stdout=subprocess.DEVNULL)
    sweep = start(to, "disturbed", "--engine", "ray")
    reaches(sweep, here / "disturbed", 2000)
    sweep.send_signal(sign)
    assert sweep.wait(60) == (-sign if sign == signal.SIGKILL else 128 + sign)
    before = done(here / "disturbed")
    sweep = start(to, "disturbed", "--engine", "ray")
    assert sweep.wait(120) == 0 and before >= 2000
    assert files(here / "disturbed") == files(here / "whole")
    ended = time.monotonic() + 30
    while workers() and time.monotonic() < ended:
        time.sleep(0.1)
    assert not workers()
