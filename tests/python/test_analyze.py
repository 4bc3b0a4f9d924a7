"""`acklab analyze`: what it prints, writes and refuses; and the simulator's eyes on a capture."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import acklab
from acklab import _core
from front import COMMAND


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the installed command."""
    line = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)


CAPTURE = Path(__file__).parents[2] / "examples" / "captures" / "linux-receiver.pcap"


def test_json_is_one_object_a_file_with_the_documented_columns() -> None:
    done = command("analyze", CAPTURE, CAPTURE, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    told: dict[str, Any] = json.loads(lines[0])
    assert list(told) == ["file", "connections", "length_s", "packets", "start_s"]
    assert told["packets"]["tcp"] == told["packets"]["packets"] == 130
    assert list(told["connections"][0]) == sorted(name for name, _ in _core.analysis_columns("connections"))


def test_out_leaves_tables_and_a_page_that_asks_for_nothing(tmp_path: Path) -> None:
    done = command("analyze", CAPTURE, "--out", tmp_path / "found")
    assert done.returncode == 0 and "written to" in done.stdout
    for name in ("connections", "acks", "segments"):
        frame = pl.read_parquet(tmp_path / "found" / f"{name}.parquet")
        assert frame.columns == [column for column, _ in _core.analysis_columns(name)]
    page = (tmp_path / "found" / "analysis.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    assert page.count("<figure>") == 4
    both = tmp_path / "both"
    other = tmp_path / "other.pcap"
    other.write_bytes(CAPTURE.read_bytes())
    assert command("analyze", CAPTURE, other, "--out", both, "--json").returncode == 0
    assert sorted(path.name for path in both.iterdir()) == ["linux-receiver", "other"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "neither pcap nor pcapng"),
        (b"GIF89a" * 10, "neither pcap nor pcapng"),
        (b"\x1f\x8b\x08\x00" + bytes(20), "gunzip it first"),
        (CAPTURE.read_bytes()[:10], "breaks off at byte 10"),
        (CAPTURE.read_bytes()[:32] + b"\xff\xff\xff\x7f" + bytes(8), "no packet or block has"),
    ],
)
def test_what_is_no_capture_is_refused_in_a_line(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "file.pcap"
    file.write_bytes(content)
    done = command("analyze", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and why in done.stderr and str(file) in done.stderr
    with pytest.raises(acklab.CaptureError, match=why):
        acklab.analyze(file)


def test_a_missing_file_and_a_directory_are_said(tmp_path: Path) -> None:
    for file, why in ((tmp_path / "none.pcap", "No such file"), (tmp_path, "directory")):
        done = command("analyze", file)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and why in done.stderr


def test_a_capture_without_tcp_and_one_that_breaks_off_say_so(tmp_path: Path) -> None:
    header = CAPTURE.read_bytes()[:24]
    empty = tmp_path / "empty.pcap"
    empty.write_bytes(header)
    assert "0 packets" in command("analyze", empty, "--out", tmp_path / "out").stdout.replace("\xa0", " ")
    short = tmp_path / "short.pcap"
    short.write_bytes(CAPTURE.read_bytes()[:-5])
    assert "the file ends within a packet" in command("analyze", short).stdout


def test_without_packets_there_are_no_rows_and_the_same_connections() -> None:
    whole, lean = acklab.analyze(CAPTURE), acklab.analyze(CAPTURE, packets=False)
    assert lean.acks is None and lean.segments is None and whole.json() == lean.json()
    assert whole.acks is not None and len(whole.acks) == 129, "the segments acknowledge as well"
    heard: list[int] = []
    acklab.analyze(CAPTURE, tick=heard.append)
    assert heard == [], "a small file is read before anybody listens"


def test_the_estimate_over_a_capture_is_the_receivers_own(tmp_path: Path) -> None:
    """The observer that stands beside a simulated receiver, and the one that watches its interface."""
    run = acklab.run("""
        stop.at = "8s"
        link = [{ between = ["S", "R"], rate = "4Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 40 } }]
        flow = [{ from = "S", to = "R", size = "unlimited", sender = { recovery = "newreno", packet = 1000 },
                  receiver = { ack = { policy = "every" } } }]
        record = { packets = true, series = true }
    """)
    found = acklab.analyze(run.capture("S->R@R", path=tmp_path / "r.pcap"))
    estimate = pl.DataFrame(found.segments).filter(pl.col("cwnd_segments").is_not_null())
    real = pl.DataFrame(run.series).select("time_s", "cwnd_segments").sort("time_s")
    assert estimate.height > 3000
    both = estimate.select(pl.col("time_s"), seen="cwnd_segments").join_asof(real, on="time_s")
    wrong = (both["seen"] / both["cwnd_segments"] - 1).abs()
    assert wrong.median() < 0.03, wrong.median()
