"""Charts over datasets: the sweep's own numbers, and clear refusals."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from test_shards import Command, command  # noqa: F401  # a fixture
from test_sweep import LOSSY

import acklab
from acklab.report.vega import specification
from acklab.study.intervals import interval, sample

pytest.importorskip("pyarrow")
SWEEP = (
    "sweep",
    "lossy.toml",
    "--vary",
    "flow.f.sender.window=4,8,16",
    "--vary",
    "link.1.rate=1Mbps,2Mbps",
    "--seeds",
    "10",
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:  # noqa: F811
    (tmp_path / "lossy.toml").write_text(LOSSY)
    monkeypatch.chdir(tmp_path)
    assert command(*SWEEP, "--dataset", "runs").returncode == 0
    return tmp_path


def test_what_is_missing_is_said(here: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    (here / "empty").mkdir()
    marker = json.loads((here / "runs/_acklab.json").read_text())
    (here / "runs/_acklab.json").write_text(json.dumps({**marker, "blocks": 7}))
    assert "runs is not complete: 1 of 7 blocks are there" in command("plot", "runs").stderr
    for place, why in (
        ("empty", "holds no dataset of acklab and no Parquet file"),
        ("nowhere", "nowhere: no such directory or file"),
        ("lossy.toml", "Parquet"),
    ):
        told = command("plot", place)
        assert told.returncode == 2 and why in told.stderr and told.stderr.count("\n") == 1, told.stderr
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    told = command("plot", "runs")
    assert (
        told.returncode == 2
        and told.stderr == "acklab: charts of datasets need pyarrow: pip install pyarrow, or 'acklab[data]'\n"
    )


def test_a_dataset_has_the_numbers_of_the_sweep(here: Path, command: Command) -> None:  # noqa: F811
    command(*SWEEP, "--out", "whole")
    flows = pl.read_parquet("runs/**/*.parquet")
    means = (
        flows.group_by("sender_window", "rate_bps").agg(pl.col("completion_s").mean()).sort("sender_window", "rate_bps")
    )
    whole = pl.read_parquet("whole/summary.parquet").filter(pl.col("metric") == "completion")
    assert means["completion_s"].to_list() == pytest.approx(whole["mean"].to_list())


def test_a_band_has_the_means_and_intervals_over_the_seeds(here: Path) -> None:
    chart = acklab.dataset.plot("runs", x="sender_window", y="completion_s", color="rate_bps")
    (panel,) = chart.panels
    flows = pl.read_parquet("runs/**/*.parquet").filter(pl.col("rate_bps") == 2e6)
    line = next(line for line in panel.lines if line.name == "rate 2 Mb/s")
    for place, window in enumerate([4, 8, 16]):
        one = sample(flows.filter(pl.col("sender_window") == window)["completion_s"].to_list())
        assert one is not None and line.y[place] == pytest.approx(one.value)
        assert line.band[place] == pytest.approx(interval(one).half_width)
    # Points that share their seeds are not independent: each seed counts once.
    (line,) = acklab.dataset.plot("runs", x="sender_window", y="completion_s").panels[0].lines
    means = (
        pl.read_parquet("runs/**/*.parquet")
        .filter(pl.col("sender_window") == 4)
        .group_by("seed")
        .agg(pl.col("completion_s").mean())
    )
    one = sample(means["completion_s"].to_list())
    assert one is not None and line.band[0] == pytest.approx(interval(one).half_width)


def test_a_heat_map_and_a_distribution(here: Path) -> None:
    flows = pl.read_parquet("runs/**/*.parquet")
    heat = acklab.dataset.plot("runs", x="sender_window", y="rate_bps", color="timeouts", kind="heat")
    assert heat.surfaces[0].z[1][0] == pytest.approx(flows.filter(sender_window=8, rate_bps=1e6)["timeouts"].mean())
    line = (
        acklab.dataset.plot("runs", x="completion_s", kind="cdf", facet="sender_window", color="rate_bps")
        .panels[2]
        .lines[0]
    )
    values = np.sort(flows.filter(sender_window=16, rate_bps=1e6)["completion_s"].to_numpy())
    assert line.step and line.y[0] == 0.0
    for value in values:
        assert line.y[np.searchsorted(line.x, value, "right") - 1] == pytest.approx(np.mean(values <= value), abs=1e-12)


@pytest.mark.parametrize("count", [1, 21, 5000])
def test_a_distribution_is_k_of_n_at_the_kth_value(tmp_path: Path, count: int) -> None:
    """Of 21 values the 20th stood at 1, because the steps were those of quantiles."""
    values = [k * k / 7 for k in range(1, count + 1)]
    pl.DataFrame({"v": values}).write_parquet(tmp_path / "t.parquet")
    (line,) = acklab.dataset.plot(tmp_path / "t.parquet", x="v", kind="cdf").panels[0].lines
    exact = [(x, y) for x, y in zip(line.x[1:-1], line.y[1:-1], strict=True)]
    assert len(exact) == min(count, 401) and line.y[0] == 0.0 and exact[-1] == (values[-1], 1.0)
    for x, y in exact:
        assert y == pytest.approx(np.mean(np.array(values) <= x * (1 + 1e-12)), abs=1e-12)


def test_two_states_have_two_colours(tmp_path: Path) -> None:
    rows = [(place, ack, int(place < edge)) for ack, edge in (("every", 7), ("delayed", 6)) for place in range(4, 11)]
    pl.DataFrame(rows, schema=["queue_packets", "ACKs", "timeouts"], orient="row").write_parquet(tmp_path / "t.parquet")
    chart = acklab.dataset.plot(tmp_path / "t.parquet", kind="heat", x="queue_packets", y="ACKs", color="timeouts")
    spec = specification(chart)
    assert [key["name"] for key in spec["usermeta"]["keys"]] == ["timeouts 0", "timeouts 1"], (
        "no scale of what lies between"
    )
    (panel,) = spec["concat"]
    cells = panel["data"]["values"]
    assert (len(cells), cells[0]["tip"]) == (14, "queue (packets): 4; ACKs: delayed; timeouts: 1")


def test_flows_of_several_kinds_are_drawn_apart(here: Path, command: Command) -> None:  # noqa: F811
    flow = {"from": "S", "to": "R", "size": {"segments": 40}}
    run = {
        "link": [{"between": ["S", "R"], "rate": "2Mbps", "delay": "10ms"}],
        "flow": [{**flow, "name": "a"}, {**flow, "name": "b", "from": "R", "to": "S"}],
    }
    acklab.sweep(
        scenario=run, vary={"link.0.rate": ["1Mbps", "2Mbps"]}, metrics=["goodput@a"], seeds=1, out=here / "two"
    )
    (panel,) = acklab.dataset.plot("two").panels
    assert [line.name for line in panel.lines] == ["flow a", "flow b"]
    assert acklab.dataset.plot("two", x="rate", y="goodput", color="flow").panels[0].lines[1].name == "flow b"
    assert "over the seeds and 2 flows" in acklab.dataset.plot("two", x="rate", y="goodput").about


def test_axes_that_are_not_given_are_what_varied_and_time(here: Path, command: Command) -> None:  # noqa: F811
    guessed, told = (
        acklab.dataset.plot("runs"),
        acklab.dataset.plot("runs", x="sender_window", y="completion_s", color="rate_bps"),
    )
    assert guessed.about == told.about and [line.name for line in guessed.panels[0].lines] == [
        "rate 1 Mb/s",
        "rate 2 Mb/s",
    ]
    assert command("plot", "runs").stdout.endswith("written to acklab-out/plot.html\n")
    page = (here / "acklab-out" / "plot.html").read_text().replace("\u00a0", " ")
    assert "<h1>Mean of completion" in page
    run = {
        "link": [{"between": ["S", "R"], "rate": "2Mbps", "delay": "10ms"}],
        "flow": [{"from": "S", "to": "R", "size": {"segments": 20}}],
    }
    (here / "run.json").write_text(json.dumps(run))
    assert command("run", "run.json", "--out", "one").returncode == 0
    (panel,) = acklab.dataset.plot("one").panels
    assert panel.x.label == "time (s)" or panel.x.label == "time (ms)" and not panel.x.log
    assert panel.y.label == "cwnd (segments)"
    pl.DataFrame({"kind": ["a"], "size": [1.5]}).write_parquet("other.parquet")
    told = command("plot", "other.parquet")
    assert told.returncode == 2 and told.stderr.endswith("Columns of numbers of each --table: other: size\n")


def test_a_row_without_a_value_makes_no_mean(here: Path) -> None:
    flows = pl.read_parquet("runs/**/*.parquet").with_columns(
        completion_s=pl.when((pl.col("seed") == 3) & (pl.col("sender_window") == 8))
        .then(None)
        .otherwise("completion_s")
    )
    flows.write_parquet("flows.parquet")
    chart = acklab.dataset.plot("flows.parquet", x="sender_window", y="completion_s")
    assert (
        math.isnan(chart.panels[0].lines[0].y[1])
        and "no mean at 1 of 3 places, where a row has no value" in chart.about
    )
    chart = acklab.dataset.plot("flows.parquet", x="completion_s", kind="cdf")
    assert chart.panels[0].lines[0].y[-1] == pytest.approx(58 / 60) and "2 runs without one" in chart.about


@pytest.mark.parametrize("number", [math.inf, -1e151])
def test_numbers_that_no_chart_has_are_refused(here: Path, command: Command, number: float) -> None:  # noqa: F811
    columns = {"x": [1.0, 2.0, 3.0], "v": [1.0, number, 2.0], "c": ["a", "b", "a"], "seed": [1, 2, 3]}
    pl.DataFrame(columns).write_parquet("t.parquet")
    for more in (
        ("--x", "x", "--y", "v"),
        ("--x", "v", "--y", "x"),
        ("--kind", "cdf", "--x", "v"),
        ("--kind", "heat", "--x", "v", "--y", "c", "--color", "x"),
    ):
        told = command("plot", "t.parquet", "--table", "t", *more, "--out", "x.svg")
        assert (
            told.returncode == 2
            and told.stderr == f"acklab: v holds a number of size {abs(number):g}; a chart has numbers up to 1e+150\n"
        )


def test_pictures_are_written_and_what_cannot_be_drawn_is_refused(here: Path, command: Command) -> None:  # noqa: F811
    for out, more in (
        ("a.png", ("--x", "sender_window", "--y", "completion_s", "--color", "rate_bps", "--facet", "name")),
        (
            "a.svg",
            ("--kind", "heat", "--x", "sender_window", "--y", "rate_bps", "--color", "completion_s", "--facet", "seed"),
        ),
        ("a.html", ("--kind", "cdf", "--x", "completion_s", "--color", "rate_bps")),
    ):
        told = command("plot", "runs", *more, "--out", out)
        assert (
            told.returncode == 0 and told.stdout.endswith(f"written to {out}\n") and (here / out).stat().st_size > 5_000
        ), told.stderr
    for given in (("--y", "goodput"), ("--x", "sender_window")):  # what is not given is chosen
        told = command("plot", "runs", *given, "--out", "c.svg")
        assert told.returncode == 0 and f"ean of {'goodput' if given[0] == '--y' else 'completion'} " in told.stdout, (
            told.stderr
        )
    assert command("plot", "runs", "--x", "sender_window", "--y", "completion_s", "--out", "b.svg").returncode == 0
    # A picture alone says its sample.
    words = re.sub(r"<!--|-->|<[^>]*>|\s+", " ", (here / "b.svg").read_text())
    assert "95 % interval" in re.sub(r" +", " ", words)
    for more, why in (
        (("--x", "sender_windo", "--y", "completion_s"), "no column sender_windo; did you mean sender_window?"),
        (("--y", "goodput_bp"), "no column goodput_bp; did you mean goodput_bps?"),
        (("--x", "name", "--y", "completion_s"), "name is no column of numbers"),
        (("--x", "seed", "--y", "name"), "name is no column of numbers"),
        (("--x", "rate_bps", "--y", "completion_s", "--color", "seed"), "--color seed has 10 values; at most 9"),
        (("--kind", "heat", "--x", "rate_bps", "--y", "seed"), "--kind heat needs --color"),
        (
            ("--kind", "heat", "--x", "rate_bps", "--y", "name", "--color", "bytes"),
            "name has one value only; a heat map needs two",
        ),
        (("--kind", "cdf", "--x", "rate_bps", "--y", "seed"), "--kind cdf has no --y"),
        (("--x", "rate_bps", "--y", "seed", "--table", "links"), "no table links"),
        (
            ("--kind", "heat", "--x", "seed", "--y", "seed", "--color", "bytes"),
            "--x and --y are both seed; a heat map needs two columns",
        ),
        (
            ("--x", "rate_bps", "--y", "seed", "--out", "x.jpg"),
            "x.jpg: a picture's name ends in .png, .pdf, .svg, .html",
        ),
    ):
        told = command("plot", "runs", *(() if "--out" in more else ("--out", "x.png")), *more)
        assert told.returncode == 2 and why in told.stderr and told.stderr.count("\n") == 1, told.stderr
        assert not (here / "x.png").exists()
