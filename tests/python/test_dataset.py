"""Datasets: the rows of the sweep, the same bytes however they were made, in a directory and in an object store."""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from test_sweep import LOSSY

from front import LONG, Acklab, inside

SWEEP = ("sweep", "lossy.toml", "--vary", "flow.f.sender.window=4,8,16", "--seeds", "40")
#: Blocks of 25 runs.
BLOCKS = """\
import sys
from acklab.study import store as blocks
blocks.MOST_RUNS = 25
from acklab.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    (tmp_path / "small.py").write_text(BLOCKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def small(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """The command with small blocks; in a process of its own if that is to be limited or goes to others."""
    if not how and "--virtual" not in arguments:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("acklab.study.store.MOST_RUNS", 25)
            return inside(*arguments)
    return subprocess.run(
        [sys.executable, "small.py", *arguments], capture_output=True, text=True, timeout=120, check=False, **how
    )  # type: ignore[call-overload, no-any-return]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(folder: Path) -> pl.DataFrame:
    found = pl.read_parquet(folder / "**/*.parquet", hive_partitioning=True)
    assert found.schema["block"] == pl.Int64
    return found.drop("block").sort("point", "seed", "name")


def test_a_dataset_has_the_rows_of_the_sweep(here: Path, acklab_command: Acklab) -> None:
    acklab_command(*SWEEP, "--out", "whole")
    told = small(*SWEEP, "--dataset", "runs")
    assert (told.returncode, told.stdout) == (0, "120 runs in runs\n"), told.stderr
    assert sorted(files(here / "runs")) == ["_acklab.json", *(f"block={block}/flows.parquet" for block in range(5))]
    whole = pl.read_parquet("whole/flows.parquet")
    assert rows(here / "runs").equals(whole) and whole.schema[whole.columns[1]] == pl.Int64
    about, same = (pl.read_parquet_metadata(one) for one in ("runs/block=3/flows.parquet", "whole/flows.parquet"))
    for key in ("acklab.version", "acklab.scenario", "acklab.plan", "acklab.seeds", "acklab.command"):
        assert about[key] == same[key]
    assert small(*SWEEP, "--dataset", "runs").stdout == "120 runs in runs, 120 of them from before\n"
    for number in (1, 2):
        told = small(*SWEEP, "--shard", f"{number}/2", "--dataset", "shards")
    assert told.stdout == "shard 2/2: 50 runs in shards\n" and files(here / "shards") == files(here / "runs")


def test_what_is_no_place_for_it(here: Path, acklab_command: Acklab) -> None:
    small(*SWEEP, "--dataset", "runs")
    (here / "notes").mkdir()
    (here / "notes/a.txt").write_text("mine")
    (here / "broken").mkdir()
    (here / "broken/_acklab.json").write_text("{}")
    seeds = (*SWEEP[: SWEEP.index("--seeds")], *SWEEP[SWEEP.index("--seeds") + 2 :])
    for place, more, why in (
        ("runs", ("--set", "flow.f.size.segments=9"), "holds a dataset of another plan or scenario; give another place, or remove it"),
        ("runs", ("--column", "completion_s"), "holds a dataset of another choice of columns"),
        ("notes", (), "holds a.txt and no dataset of acklab; give another place"),
        ("broken", (), "_acklab.json is damaged"),
        ("lossy.toml", (), "lossy.toml: "),
        ("x", ("--half-width", "0.1", "--seeds", "5..9"), "a dataset needs a fixed number of seeds"),
        ("x", ("--virtual",), "a dataset is made by the simulator"),
        ("x", ("--out", "y"), "--dataset goes without --out and --json"),
        ("what://x/y", (), "what://x/y: Protocol not known: what"),
        ("memory://x", (), "memory://x: nothing of it is there after this process; give a directory"),
        ("simplecache::memory://x", (), "nothing of it is there after this process"),
        ("file://x", (), "file://x: give the whole path, such as file:///tmp/runs"),
    ):  # fmt: skip
        told = small(*(seeds if "--seeds" in more else SWEEP), *more, "--dataset", place)
        assert told.returncode == 2 and why in told.stderr and told.stderr.count("\n") == 1, (place, told.stderr)
        assert not (here / "x").exists()
    (here / "named.toml").write_text(
        'scenario = "lossy.toml"\nvary."flow.f.sender.window" = [4, 8]\nnames."flow.f.sender.window" = "block"\n'
    )
    told = small("sweep", "named.toml", "--dataset", "x")
    assert told.returncode == 2 and "the column block is the dataset's own" in told.stderr


def test_a_local_url_is_a_path(here: Path) -> None:
    small(*SWEEP, "--dataset", "runs")
    for number, scheme in enumerate(("file://", "local://", "FILE://localhost")):
        assert small(*SWEEP, "--dataset", f"{scheme}{here}/{number}").returncode == 0
        assert files(here / str(number)) == files(here / "runs")


def test_a_killed_command_goes_on_and_leaves_whole_blocks(here: Path) -> None:
    line = ("sweep", "lossy.toml", "--vary", "flow.f.sender.window=4,8,16", "--seeds", "2000")
    for _ in range(3 if LONG else 1):
        killed = subprocess.Popen([sys.executable, "small.py", *line, "--dataset", "runs"], stdout=subprocess.DEVNULL)
        while killed.poll() is None and len(list(here.glob("runs/block=*/*"))) < 20:
            time.sleep(0.005)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        found = rows(here / "runs")
        assert len(found) % 25 == 0 and len(found) == len(list(here.glob("runs/block=*/*"))) * 25
        assert found.select("point", "seed").is_unique().all()
    small(*line, "--dataset", "runs")
    small(*line, "--dataset", "undisturbed")
    assert files(here / "runs") == files(here / "undisturbed")


def test_a_full_disk(here: Path) -> None:
    line = (*SWEEP, "--dataset", "runs")
    told = small(*line, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000)))
    assert told.returncode == 1 and told.stderr.count("\n") == 1 and "flows.parquet: File too large" in told.stderr, (
        told.stderr
    )
    assert not list(here.glob("runs/block=*/*")) and not list(here.glob("runs/_new/*"))
    small(*line)
    small(*SWEEP, "--dataset", "undisturbed")
    assert files(here / "runs") == files(here / "undisturbed")


needs_store = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("moto", "flask", "s3fs")),
    reason="moto's server or s3fs is not installed",
)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Callable[[], None]]]:
    """A bucket of a server on this machine, and how to end the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
        ("AWS_ENDPOINT_URL", url),
        ("AWS_MAX_ATTEMPTS", "1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    ended = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{url}/runs", method="PUT"), timeout=5).close()
            break
        except OSError:
            assert time.monotonic() < ended and server.poll() is None
            time.sleep(0.05)

    def end() -> None:
        server.terminate()
        server.wait()

    try:
        yield "s3://runs", end
    finally:
        end()


@needs_store
def test_an_object_store(here: Path, bucket: tuple[str, Callable[[], None]]) -> None:
    import s3fs

    url, end = bucket
    told = small(*SWEEP, "--dataset", f"{url}/lossy")
    assert (told.returncode, told.stdout) == (0, f"120 runs in {url}/lossy\n"), told.stderr
    small(*SWEEP, "--dataset", "runs")
    store = s3fs.S3FileSystem()
    found = {name.removeprefix("runs/lossy/"): store.cat_file(name) for name in store.find("runs/lossy")}
    assert found == files(here / "runs")
    store.rm("runs/lossy/block=2/flows.parquet")
    told = small(*SWEEP, "--dataset", f"{url}/lossy")
    assert told.stdout == f"120 runs in {url}/lossy, 95 of them from before\n"
    assert store.cat_file("runs/lossy/block=2/flows.parquet") == found["block=2/flows.parquet"]
    told = small(*SWEEP, "--dataset", "s3://nowhere/lossy")
    assert told.returncode == 2 and "s3://nowhere/lossy" in told.stderr and told.stderr.count("\n") == 1, told.stderr
    end()
    told = small(*SWEEP, "--dataset", f"{url}/other")
    assert told.returncode == 2 and f"{url}/other: the store does not answer as it should" in told.stderr, told.stderr
    assert told.stderr.count("\n") == 1
