"""`acklab plot` of what is no sweep: a run's states are steps, a paper's tables are found."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import acklab
from acklab import cli
from acklab.study.dataset import plot

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reno waits for its timer, from 1.33 to 1.93 s."""
    where = tmp_path_factory.mktemp("run")
    acklab.run("examples/allman1998.toml", record=True, **{"link.1.queue.packets": 8}).write(
        where / "eight", report=False
    )
    return where / "eight"


def test_a_window_is_drawn_as_steps(run: Path) -> None:
    """It was drawn sloped from 19 segments before the timer to 1 after it, as if it fell slowly."""
    chart = plot(run)
    (line,) = chart.panels[0].lines
    assert line.step and line.band is None and line.marker == ""
    held = [y for x, y in zip(line.x, line.y, strict=True) if x < 1.9]
    assert held[-1] >= 19, "flat until the timer"


def test_one_run_has_no_mean(run: Path) -> None:
    chart = plot(run)
    assert chart.panels[0].y.label == "cwnd (segments)"
    assert chart.about == "Cwnd over time: each value holds until the next change"


def test_a_captures_window_is_called_an_estimate(tmp_path: Path) -> None:
    """It was headed "Cwnd", and "no mean at 13 of 87 places"."""
    assert cli.main(["analyze", "examples/captures/linux-receiver.pcap", "--out", str(tmp_path / "a")]) == 0
    chart = plot(tmp_path / "a")
    assert chart.panels[0].y.label == "cwnd, as a receiver estimates it (segments)"
    assert chart.about.startswith("Cwnd, as a receiver estimates it, over time") and "mean" not in chart.about


def test_what_is_not_acknowledged_is_outstanding(run: Path) -> None:
    """After a loss nothing is on the way for a while, and the flight size stays what it was."""
    chart = plot(run, table="series", x="time_s", y="flight_segments")
    assert chart.panels[0].y.label == "outstanding (segments)"


def test_samples_are_points(run: Path) -> None:
    """Nearly all rows have no sample of the round trip, and steps between gaps showed nothing."""
    chart = plot(run, table="series", x="time_s", y="rtt_s")
    (line,) = chart.panels[0].lines
    assert not line.step and line.dash == " " and line.marker == "o" and np.isfinite(line.y).all()
    assert chart.about == "RTT over time: its samples"


def test_connections_of_a_capture_are_drawn_apart(tmp_path: Path) -> None:
    """A line went from one connection's window to the other's; what has no value, such as a receiver's side, is no line."""
    rows = [
        (0.1 * k, which % 2, which // 2, 10.0 * which + k if which < 2 else None, k)
        for k in range(5)
        for which in range(4)
    ]
    frame = pl.DataFrame(
        rows, schema=["time_s", "connection", "direction", "cwnd_segments", "flight_bytes"], orient="row"
    )
    frame.write_parquet(tmp_path / "segments.parquet")
    frame.select("time_s", "connection", "direction", "flight_bytes").write_parquet(tmp_path / "acks.parquet")
    (panel,) = plot(tmp_path).panels
    assert [line.name for line in panel.lines] == ["connection 0", "connection 1"]
    assert all(line.step for line in panel.lines)
    assert not plot(tmp_path, x="time_s", y="cwnd_segments", table="segments").panels[0].lines[0].step


def test_flows_without_a_line_each_are_no_steps(tmp_path: Path) -> None:
    acklab.run("examples/allman1998.toml", record=True, **{"flow.0.count": 2}).write(tmp_path / "two", report=False)
    assert not plot(tmp_path / "two", table="series", x="time_s", y="cwnd_segments").panels[0].lines[0].step
    lines = plot(tmp_path / "two", table="series", x="time_s", y="cwnd_segments", color="flow").panels[0].lines
    assert len(lines) == 2 and all(line.step for line in lines)
