"""Charts: declarations become specifications that Vega-Lite draws, in a page and as files; and the charts of runs."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import synthetic

from acklab import plot
from acklab.plot import palette
from acklab.plot.charts import save_all
from acklab.report.charts import (
    Axis,
    Bar,
    Bars,
    Dot,
    DotPanel,
    Dots,
    Heat,
    Line,
    Lines,
    Mark,
    Multiples,
    Panel,
    Spot,
    Surface,
)
from acklab.report.pieces import embedded, save
from acklab.report.vega import printed, specification

HOLE = [1.0, math.nan, 3.0]
CHARTS: dict[str, Any] = {
    "lines": Lines("l", "lines", [
        Panel("$t$", Axis("x (s)", log=True), Axis("y", ticks=[1, 2], words=["one", "two"]), [Line("$a", [1, 2, 300], HOLE, "blue", spread=[0.1, 0.1, 0]), Line("<b>", [1, 2, 3], [4, 5, 6], "red", "--", "o", step=True)], [Mark(2.0, "paper"), Mark(2.0, vertical=True)]),
        Panel("", Axis("x"), Axis("y", low=0), [Line("$a", [1, 2], [1, 2], "blue", band=np.array([0.5, 0.5]))]),
    ]),
    "bars": Bars("b", "bars", ["one", "two"], ["blue", "red"], [Bar("g", [1, 2], [0.5, 0]), Bar("h", [3, 4])], Axis("count")),
    "dots": Dots("d", "dots", ["名前", "b"], [DotPanel("t (s)", [Dot(0, 1.0, (0.5, 2.0), "blue"), Dot(1, 2.0, (2.0, 2.0), "red")], "←", band=(0, 1), beside=1.0), DotPanel("u", [Dot(0, 1.0, (0.5, 200.0), "blue")], log=True)], [("k", "blue"), ("l", "red")], bold="b"),
    "heat": Heat("h", "heat", [Surface("s", [1, 2], [1, 2], np.array([[1.0, 2.0], [math.nan, 4.0]]))], Axis("x"), Axis("y"), Axis("z")),
    "multiples": Multiples("m", "multiples", [("a", "blue"), ("b", "red")], ["q (s)\nless is better"], [("cable", [[Spot(0, 1.0, (0.5, 1.5)), Spot(1, 2.0, (1.0, 3.0), True)]])], ("alone", "beside")),
}  # fmt: skip


@pytest.mark.parametrize("name", CHARTS)
def test_each_kind_is_drawn_as_svg_and_embedded(name: str, tmp_path: Path) -> None:
    chart = CHARTS[name]
    save(chart, tmp_path / "c.svg", note="A note")
    drawn = (tmp_path / "c.svg").read_text()
    ET.fromstring(drawn)
    assert "A note" in drawn and "var(" not in drawn and "NaN" not in drawn
    shown = embedded(chart)
    spec = json.loads(re.search(r'<script type="application/json">(.*?)</script>', shown)[1])  # type: ignore[index]
    assert spec == json.loads(json.dumps(specification(chart))) and f'aria-label="{name}"' in shown


def test_values_and_intervals_stand_in_the_specification() -> None:
    first, _ = specification(CHARTS["dots"])["concat"]
    rows = first["data"]["values"]
    assert [(row["row"], row["x"], row["low"], row["high"]) for row in rows] == [
        ("名前", 1.0, 0.5, 2.0),
        ("b", 2.0, 2.0, 2.0),
    ]
    assert [row["tip"] for row in rows] == ["名前: 1 (0.5 to 2)", "b: 2"]
    dashed, stepped, *_ = specification(CHARTS["lines"])["concat"][0]["layer"]
    assert [row["y"] for row in dashed["data"]["values"]] == [1.0, None, 3.0], "a hole stays one"
    assert [layer["mark"]["type"] for layer in stepped["layer"]] == ["line", "point"]
    assert stepped["layer"][0]["mark"]["interpolate"] == "step-after"
    cells = specification(CHARTS["heat"])["concat"][0]["data"]["values"]
    assert sorted(cell["z"] for cell in cells) == [1.0, 2.0, 4.0]


def test_a_print_has_the_legend_that_the_page_writes_itself(tmp_path: Path) -> None:
    for name, words in (("dots", "kl"), ("bars", ("one", "two")), ("lines", ("$a", "&lt;b&gt;")), ("multiples", ("alone", "beside"))):  # fmt: skip
        save(CHARTS[name], tmp_path / f"{name}.svg")
        drawn = (tmp_path / f"{name}.svg").read_text()
        assert all(f">{word}</text>" in drawn for word in words), name


def test_a_print_has_the_width_that_was_asked_for_and_fonts_inside(tmp_path: Path) -> None:
    save(CHARTS["bars"], tmp_path / "a.pdf", tmp_path / "a.png", width=333)
    assert b"/FontFile" in (tmp_path / "a.pdf").read_bytes() and (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    assert printed(specification(CHARTS["bars"]), width=333)["concat"][0]["width"] == 233


def test_pages_need_no_package_that_draws() -> None:
    code = "import sys; sys.modules['vl_convert'] = sys.modules['altair'] = sys.modules['matplotlib'] = None; from acklab.report.pieces import embedded; from acklab.report.charts import *; print(len(embedded(Bars('b', '', ['k'], ['blue'], [Bar('g', [1])], Axis('y')))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert int(done.stdout) > 300 and not done.stderr


RUNS = {
    "one": lambda: synthetic.run(segments=60, lose_acks=[20]),
    "many": lambda: synthetic.run(flows=14, segments=20),
    "compared": lambda: [synthetic.run("every", segments=60), synthetic.run("delayed", segments=60, every=2)],
}


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("chart", plot.CHARTS)
def test_charts_of_runs_have_a_colour_a_run(chart: str, runs: str) -> None:
    spec = getattr(plot, chart)(RUNS[runs]()).to_json()
    assert "segments" in spec or "time" in spec
    if runs == "compared" and chart != "timeline":
        assert all(palette.colour(slot) in spec for slot in palette.run_slots(2))


def test_axes_name_the_units() -> None:
    spec = plot.rtt(synthetic.run(segments=20)).to_dict()
    assert spec["encoding"]["y"]["title"] == "round-trip time (ms)" and spec["encoding"]["x"]["title"] == "time (s)"


def test_charts_of_runs_as_files_are_the_same_twice(tmp_path: Path) -> None:
    runs = [save_all(synthetic.run(segments=20), tmp_path / name, ["svg"]) for name in "ab"]
    assert [file.name for file in runs[0]] == [f"{name}.svg" for name in ("time_sequence", "cwnd", "timeline", "rtt", "queue", "throughput")]  # fmt: skip
    assert [file.read_bytes() for file in runs[0]] == [file.read_bytes() for file in runs[1]]


def test_charts_as_methods() -> None:
    charts = plot.Charts(synthetic.run(segments=5))
    assert dir(charts) == list(plot.CHARTS)
    assert charts.rtt().to_dict() == plot.rtt(synthetic.run(segments=5)).to_dict()
    with pytest.raises(AttributeError, match="no chart 'pie'; there are cwnd"):
        charts.pie()


def test_an_unknown_flow_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="no flow 'g'; there are f"):
        plot.cwnd(synthetic.run(segments=5), flow="g")


@pytest.mark.parametrize("name", plot.CHARTS)
def test_a_chart_of_nothing_recorded_says_what_to_record(name: str) -> None:
    run = {"flows": pl.DataFrame({"name": ["f"], "from": ["S"], "to": ["R"]})}
    with pytest.raises(ValueError, match=r'was not recorded; run with record=\{"(series|queue|packets)": True\}'):
        getattr(plot, name)(run)
