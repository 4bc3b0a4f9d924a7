"""Single files that commands write: there as a whole, or as they were before."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from acklab import mahimahi
from acklab.results.directory import replacing
from front import COMMAND, Acklab

LIMITED = (
    "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60)); os.execv(sys.argv[1], sys.argv[1:])"
)


def test_a_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("a.txt")
    with replacing(link) as scratch:
        scratch.write_text("new")
        assert path.read_text() == "old" and scratch.suffix == ".txt"
    assert path.read_text() == "new" and link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    with replacing(tmp_path / "b.txt") as scratch:
        scratch.write_text("new")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "b.txt").stat().st_mode) == 0o666 & ~umask
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt", "link.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: BaseException | type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious")
    with pytest.raises(BaseException) as found, replacing(path) as scratch:
        scratch.write_text("half")
        raise error
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["a.txt"]
    assert not isinstance(error, OSError) or found.value.filename == str(path)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["folder", "nowhere/a.txt"])
def test_an_error_names_the_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as found, replacing(tmp_path / name):
        pass
    assert found.value.filename == str(tmp_path / name) and os.listdir(tmp_path) == ["folder"]


def test_a_pipe_gets_the_bytes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()))
    reader.start()
    with replacing(tmp_path / "pipe") as scratch:
        scratch.write_text("new")
    reader.join(10)
    assert found == ["new"] and os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize(
    "command",
    [
        *(["plot", "t.parquet", "--table", "t", "--kind", "cdf", "--x", "x", "--out", f"o.{kind}"] for kind in ("png", "svg", "html")),
        ["new", "o"],
    ],
    ids=lambda command: " ".join(command[::3]),
)  # fmt: skip
def test_a_command_that_cannot_write_leaves_what_was_there(tmp_path: Path, command: list[str]) -> None:
    pl.DataFrame({"x": [1.0, 2.0, 4.0]}).write_parquet(tmp_path / "t.parquet")
    before = {"t.parquet"}
    if command[0] != "new":
        (tmp_path / command[-1]).write_text("precious")
        before.add(command[-1])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, COMMAND, *command], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path / "t.parquet")},
    )  # fmt: skip
    assert done.returncode == 1 and "File too large" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert set(os.listdir(tmp_path)) == before
    assert command[0] == "new" or (tmp_path / command[-1]).read_text() == "precious"


def test_a_trace_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "up.trace"
    path.write_text("precious")

    def fail(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", fail)
        with pytest.raises(OSError):
            mahimahi.write(path, rate="12Mbps")
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["up.trace"]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs a small file system")
@pytest.mark.parametrize("free_kib", [0, 8])
def test_a_full_file_system_is_named(two_hops: Path, tmp_path: Path, free_kib: int, acklab_command: Acklab) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=False, capture_output=True
    ).returncode:
        pytest.skip("this place allows no mount")
    verbs = {
        "sweep": ["sweep", two_hops, "--vary", "flow.0.sender.window=4..9", "--out"],
        "compare": [
            "compare",
            two_hops,
            "--case=a",
            "--case=b: flow.0.sender.window=8",
            "--seeds=5",
            "--metric=completion",
            "--out",
        ],
        "run": ["run", two_hops, "--out"],
        "analyze": ["analyze", "examples/captures/linux-receiver.pcap", "--dataset"],
        "new": ["new"],
    }
    try:
        for verb, words in verbs.items():
            fill = small / "fill"
            fill.write_bytes(bytes((64 - free_kib) << 10))
            done = acklab_command(*map(str, words), str(small / verb))
            if verb != "new" or not free_kib:
                assert done.returncode == 1 and done.stderr.startswith(f"acklab: {small / verb}"), (verb, done.stderr)
                assert done.stderr.endswith(": No space left on device\n") and done.stderr.count("\n") == 1, (
                    verb,
                    done.stderr,
                )
            left = {path.name for path in small.rglob("*") if path.is_file()}
            assert left <= {"fill", "runs.jsonl", "work.json", "new.toml"}, (
                "finished runs are kept, and nothing half-written"
            )
            for path in small.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    finally:
        subprocess.run(["umount", small], check=False)
