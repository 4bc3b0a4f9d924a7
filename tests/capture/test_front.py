"""Captures through the command line and from Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import acklab
from scenarios import SCENARIOS

COMMAND = Path(sys.executable).with_name("acklab")
PLAIN = SCENARIOS["handshake-losses"].replace("record = { packets = true }\n", "")


def acklab_run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a scenario that does not ask for its packets."""
    (tmp_path / "s.toml").write_text(PLAIN, encoding="utf-8")
    return subprocess.run(
        [COMMAND, "run", "s.toml", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_writes_the_ends_asked_for(tmp_path: Path) -> None:
    done = acklab_run(tmp_path, "--json", "--out", "o", "--capture", "G->R@G", "--capture", "R->G@R")
    assert (done.returncode, done.stderr) == (0, "")
    assert "packets" not in json.loads(done.stdout), "a capture is no reason to print the packet table"
    assert sorted(path.name for path in (tmp_path / "o").glob("*.pcap*")) == ["G-R@G.pcapng", "G-R@R.pcapng"]
    assert not (tmp_path / "o" / "packets.parquet").exists()


def test_all_ends_in_the_old_format_cut_short(tmp_path: Path) -> None:
    options = ("--capture", "all", "--capture-format", "pcap", "--capture-bytes", "60")
    assert acklab_run(tmp_path, "--out", "o", *options).returncode == 0
    files = sorted((tmp_path / "o").glob("*.pcap"))
    assert [path.name for path in files] == ["G-R@G.pcap", "G-R@R.pcap", "S-G@G.pcap", "S-G@S.pcap"]
    for path in files:
        assert path.read_bytes()[:4] == bytes.fromhex("4d3cb2a1")
        assert path.stat().st_size < 5000


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--out", "o", "--capture", "S->R@S"), "no link end is called `S->R@S`; there is S->G@S, S->G@G"),
        (("--capture", "all"), "--capture needs --out DIR"),
        (("--out", "o", "--capture", "all", "--capture-bytes", "-1"), "--capture-bytes is a number of bytes"),
        (("--out", "o", "--capture", "all", "--set", "flow.0.sender.packet=70000"), "flow `f` sends 70000 bytes"),
    ],
)
def test_what_cannot_be_captured_is_refused_before_the_run(tmp_path: Path, options: tuple[str, ...], what: str) -> None:
    done = acklab_run(tmp_path, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_a_run_captures_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = acklab.run(SCENARIOS["handshake-losses"])
    new = run.capture("G->R", end="G", path=tmp_path / "new.pcapng")
    assert new.read_bytes()[:4] == bytes.fromhex("0a0d0d0a")
    assert run.capture("R->G@G", path=tmp_path / "same.pcapng").read_bytes() == new.read_bytes()
    assert run.capture("G->R@G", path=tmp_path / "old.pcap").read_bytes()[:4] == bytes.fromhex("4d3cb2a1")
    monkeypatch.chdir(tmp_path)
    assert run.capture("G->R@G").read_bytes() == (tmp_path / "G-R@G.pcapng").read_bytes() == new.read_bytes()


def test_what_python_cannot_capture(tmp_path: Path) -> None:
    run = acklab.run(SCENARIOS["handshake-losses"])
    with pytest.raises(ValueError, match="neither .pcapng nor .pcap"):
        run.capture("G->R@G", path=tmp_path / "x.cap")
    with pytest.raises(ValueError, match="no link end is called `G->R@S`"):
        run.capture("G->R", end="S", path=tmp_path / "x.pcap")
    with pytest.raises(ValueError, match="set `packets = true` under `record`"):
        acklab.run(PLAIN).capture("G->R@G", path=tmp_path / "x.pcap")
    with pytest.raises(OSError):
        run.capture("G->R@G", path="/proc/x.pcap")
    assert list(tmp_path.iterdir()) == []
