"""`acklab plot` of what is no sweep: a run's states are steps, a paper's tables are found."""

from pathlib import Path

import pytest

import acklab
from acklab import cli
from acklab.experiments.dataset import plot
from acklab.experiments.dataset.finding import finding

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reno waits for its timer, from 1.33 to 1.93 s."""
    where = tmp_path_factory.mktemp("run")
    acklab.run("examples/allman1998.toml", record=True, **{"link.1.queue.packets": 8}).write(where / "eight", report=False)
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
    assert finding(chart).startswith("Cwnd: from 1 segment (at 0 s) to 39 segments (at ")


def test_flows_without_a_line_each_are_no_steps(tmp_path: Path) -> None:
    acklab.run("examples/allman1998.toml", record=True, **{"flow.0.count": 2}).write(tmp_path / "two", report=False)
    assert not plot(tmp_path / "two", table="series", x="time_s", y="cwnd_segments").panels[0].lines[0].step
    lines = plot(tmp_path / "two", table="series", x="time_s", y="cwnd_segments", color="flow").panels[0].lines
    assert len(lines) == 2 and all(line.step for line in lines)


def test_a_papers_directory_names_its_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reproduce", "allman1998/figure-8", "--quick", "--out", str(tmp_path / "p")]) == 0
    with pytest.raises(SystemExit) as left:
        cli.main(["plot", str(tmp_path / "p")])
    assert left.value.code == 2
    assert "p/allman1998/tables/*.parquet, with --x and --y" in capsys.readouterr().err
    table = tmp_path / "p/allman1998/tables/figure-8-occupancy.parquet"
    assert plot(table, x="waiting_packets", y="every_share").about == "every_share: one value at each place"
