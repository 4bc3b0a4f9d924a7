"""Charts of `acklab sweep`: which form shows which sweep, and what stands in them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from acklab.report.charts import Axis as Scale
from acklab.report.charts import Dots, Line, Lines, Panel
from acklab.report.vega import specification
from acklab.study.axes import Axis, Column, log_spaced
from acklab.study.metrics import metric
from acklab.study.sweep_page import MOST_PANELS, Pictures, scaled

COMPLETION, TIMEOUTS = metric("completion"), metric("timeouts")


def axis(name: str, cells: list[Any], unit: str = "") -> Axis:
    return Axis((Column(name, unit, cells),), [{} for _ in cells])


def pictures(*axes: Axis, metrics: tuple = (COMPLETION,), half: float = 0.1, empty: tuple[int, ...] = ()) -> Pictures:
    count = 1
    for one in axes:
        count *= len(one)
    mean = [None if k in empty else 1.0 + k for k in range(count) for _ in metrics]
    low = [None if m is None else m - half for m in mean]
    high = [None if m is None else m + half for m in mean]
    frame = pl.DataFrame(
        {"mean": mean, "low": low, "high": high}, schema=dict.fromkeys(("mean", "low", "high"), pl.Float64)
    )
    return Pictures(axes, metrics, frame, "a sweep")


NUMBERS, FEW = axis("queue", list(range(4, 25))), axis("flow.0.sender.window", [4, 8, 16])
NAMES = axis("ACKs", ["every", "delayed"])


@pytest.mark.parametrize(
    ("axes", "kind", "charts"),
    [
        ((NUMBERS,), Lines, 1),
        ((NUMBERS, NAMES), Lines, 1),
        ((NAMES, NUMBERS, FEW), Lines, 1),
        ((NUMBERS, axis("rate", [k * 1e6 for k in range(1, 12)], "bps")), Lines, 4),
        ((NAMES,), Dots, 1),
        ((NAMES, axis("recovery", ["reno", "sack"])), Dots, 1),
        ((axis("queue", [4]), NAMES), Dots, 1),
        ((NUMBERS, FEW, NAMES, axis("x", ["a", "b"])), Lines, 2),
    ],
)
def test_the_form_follows_from_what_varies(axes: tuple[Axis, ...], kind: type, charts: int) -> None:
    found = pictures(*axes).charts()
    assert [type(chart) for chart in found] == [kind] * charts
    for chart in found:
        assert specification(chart)["concat"]


def test_lines_have_names_units_and_intervals() -> None:
    (chart,) = pictures(axis("link.1.rate", [1e6, 2e6, 4e6], "bps"), NAMES, metrics=(COMPLETION, TIMEOUTS)).charts()
    assert isinstance(chart, Lines) and "95 % intervals" in chart.about
    first, second = chart.panels
    assert (first.x.label, first.y.label, second.y.label) == ("link.1.rate (Mb/s)", "completion (s)", "timeouts")
    assert [line.name for line in first.lines] == ["every", "delayed"]
    assert list(first.lines[0].y) == [1, 3, 5] and list(first.lines[1].y) == [2, 4, 6], (
        "the last axis goes round fastest"
    )
    assert first.lines[0].spread == pytest.approx([0.1] * 3)
    assert first.lines[0].x == pytest.approx([1, 2, 4], rel=0.05) and list(first.lines[0].x) != list(first.lines[1].x)


def test_panels_of_a_metric_share_their_scale() -> None:
    charts = pictures(NUMBERS, FEW, NAMES, axis("x", ["a", "b"])).charts()
    ends = {(panel.y.low, panel.y.high) for chart in charts for panel in chart.panels}  # type: ignore[union-attr]
    assert len(ends) == 1
    assert charts[0].panels[0].title == "flow.0.sender.window 4, x a"  # type: ignore[union-attr]
    assert [line.name for line in charts[0].panels[0].lines] == ["every", "delayed"], "colour is the case"  # type: ignore[union-attr]


def test_an_axis_that_is_cut_or_logarithmic_says_so() -> None:
    def title(values: list[float], low: float | None = None, log: bool = False) -> str:
        panel = Panel("", Scale("s"), Scale("s", low=low, log=log), [Line("", [1, 2], values, "blue")])
        return specification(Lines("a", "", [panel]))["concat"][0]["encoding"]["y"]["title"]

    assert title([1, 2]) == "s" and title([1, 20], log=True) == "s, logarithmic"
    assert title([9, 10]) == "s, not from 0" and title([9, 10], low=0) == "s"


def test_what_is_left_out_is_said() -> None:
    found = pictures(axis("n", list(range(1000))), axis("a", [f"a{k}" for k in range(3)]), axis("b", [f"b{k}" for k in range(9)]),
                     axis("c", [f"c{k}" for k in range(5)]))  # fmt: skip
    panels = sum(len(chart.panels) for chart in found.charts())  # type: ignore[union-attr]
    assert panels == MOST_PANELS and len(found.notes) == 2
    assert [(note.kind, note.values["shown"], note.values["all"]) for note in found.notes] == [
        ("panels", 12, 15),
        ("drawn", 400, 1000),
    ]


def test_a_hole_stays_one() -> None:
    (chart,) = pictures(NUMBERS, empty=(3,)).charts()
    y = chart.panels[0].lines[0].y  # type: ignore[union-attr]
    assert y[3] != y[3] and y[4] == 5
    assert pictures(NUMBERS, empty=tuple(range(21))).charts() == []


def test_scales() -> None:
    assert log_spaced([1, 10, 100]) and not log_spaced([1, 2, 3]) and not log_spaced([0, 10, 100])
    assert scaled(Column("x", "bps", [2e4])) == (1e-3, "kb/s") and scaled(Column("x", "s", [0.2])) == (1e3, "ms")
    assert scaled(Column("x", "bytes", [2e4])) == (1e-3, "kB")
