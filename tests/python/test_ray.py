"""Ray as the engine: the same bytes as threads, for any number of workers. Without Ray only the refusals are tried."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from test_sweep import LOSSY

from front import LONG, Acklab

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
SWEEP = ("sweep", "lossy.toml", "--vary", "flow.f.sender.window=4,8,16", "--seeds", "40")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_options_that_do_not_go_together(acklab_command: Acklab) -> None:
    for more, why in (
        (("--address", "auto", "--out", "x"), "--address goes with --engine ray"),
        (("--engine", "ray"), "--engine ray goes with --out DIR, and without --threads"),
        (
            ("--engine", "ray", "--threads", "2", "--out", "x"),
            "--engine ray goes with --out DIR, and without --threads",
        ),
    ):
        told = acklab_command(*SWEEP, *more)
        assert told.returncode == 2 and why in told.stderr and told.stderr.count("\n") == 1


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_command_says_what_to_install(acklab_command: Acklab) -> None:
    told = acklab_command(*SWEEP, "--engine", "ray", "--out", "x")
    assert told.returncode == 2 and "pip install ray" in told.stderr and not Path("x").exists()


@needs_ray
def test_ray_gives_the_bytes_of_threads(acklab_command: Acklab, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from acklab.engines import cluster

    acklab_command(*SWEEP, "--out", "threads")
    told = acklab_command(*SWEEP, "--engine", "ray", "--out", "ray")
    assert told.returncode == 0, told.stderr
    assert files(here / "ray") == files(here / "threads")
    if LONG:  # Ray starts once more
        compare = ("compare", "lossy.toml", "--case", "a", "--case", "flow.f.sender.window=4", "--seeds", "20")
        acklab_command(*compare, "--out", "one")
        assert acklab_command(*compare, "--engine", "ray", "--out", "two").returncode == 0
        assert files(here / "one") == files(here / "two")
    assert cluster._records(lambda _: ["{}"], [0])[1][0].startswith(b'{"error"')
    with pytest.raises(cluster.RayError, match=r"a worker has acklab .*, this is 9\.9; install the same"):
        cluster._task("9.9", print, [], None)


@needs_ray
def test_no_cluster(acklab_command: Acklab, here: Path) -> None:
    told = acklab_command(*SWEEP, "--engine", "ray", "--address", "auto", "--out", "x")
    assert told.returncode == 1 and told.stderr.count("\n") == 1 and "no Ray cluster at auto" in told.stderr
