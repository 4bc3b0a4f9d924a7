"""The figure, the table and the paragraph: seven mechanisms on four paths."""

from __future__ import annotations

import math

from ...reproduce.charts import Multiples, Spot
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ...reproduce.stats import Sample
from .registry import STUDY
from .runs import FOUR, ONE, PAIR, sample
from .setting import CONTROLS, MECHANISMS, PATHS, download, scenario

HEADS = (
    "path and mechanism", "1 MB (s)", "20 MB (s)", "20 MB, bytes counted (s)", "ACKs per MB", "retransmits (%)", "Jain's index of 4",
    "share beside delayed (%)", "latency under load (ms)",
)  # fmt: skip
SHOWN = (1, 2, 4, 5, 7, 8)
"""Columns of the table that are in the figure."""
TITLES = (
    "1 MB (s)\n← better", "20 MB (s)\n← better", "ACKs per MB\n(20 MB)", "retransmits (%)\n← better, 20 MB",
    "share beside\ndelayed (%)", "latency under\nload (ms) ← better",
)  # fmt: skip


def cells(one: Grid, four: Grid, pair: Grid, path: str, mechanism: str, control: str) -> list[Sample]:
    """The table's numbers of a row, as samples over the seeds."""
    alone = {"path": path, "mechanism": mechanism, "control": control}
    plain = {**alone, "counting": "segment"}
    return [
        sample(one, "time_s", size="1 MB", **plain),
        sample(one, "time_s", size="20 MB", **plain),
        sample(one, "time_s", size="20 MB", counting="bytes", **alone),
        sample(one, "acks_per_mb", size="20 MB", **plain),
        sample(one, "retransmits_percent", size="20 MB", **plain),
        sample(four, "jain", **alone),
        sample(pair, "share_percent", **alone),
        sample(four, "latency_ms", **alone),
    ]


def spread(one: Sample) -> tuple[float, float]:
    """The 95 % interval; the value itself where no two seeds differ."""
    if len(set(one.values)) == 1:
        return one.value, one.value
    found = one.interval(0.95)
    return found.low, found.high


def told(one: Sample) -> str:
    """A value and half its interval."""
    if math.isnan(one.value):
        return "-"
    low, high = spread(one)
    half = (high - low) / 2
    places = 3 if abs(one.value) < 1 else 2 if abs(one.value) < 10 else 1 if abs(one.value) < 100 else 0
    shown = f"{one.value:.{places}f}"
    return f"{shown} ± {half:.{places}f}" if half >= 0.5 * 10**-places else shown


@STUDY.figure("paths", "", "Seven mechanisms on four paths", "1", [ONE, FOUR, PAIR])
def paths(one: Grid, four: Grid, pair: Grid) -> Drawn:
    controls = [control for control in CONTROLS if control in four.axes["control"]]
    listed, places = [list(HEADS)], []
    for key in one.axes["path"]:
        path = PATHS[key]
        panels: list[list[Spot]] = [[] for _ in SHOWN]
        for control in controls:
            listed.append([f"{path.name}, {CONTROLS[control]}", *[""] * (len(HEADS) - 1)])
            for row, (mechanism, kind) in enumerate(MECHANISMS.items()):
                found = cells(one, four, pair, key, mechanism, control)
                listed.append([kind.name, *(told(value) for value in found)])
                for panel, column in zip(panels, SHOWN, strict=True):
                    value = found[column - 1]
                    panel.append(Spot(row, value.value, spread(value), hollow=control == "reno"))
        places.append((path.name, panels))
    rows = [(kind.name, kind.colour) for kind in MECHANISMS.values()]
    about = (
        "Completion of 1 MB and 20 MB, ACKs per megabyte, retransmits, throughput share beside a flow with delayed ACKs, and round "
        "trip of small requests under four downloads; means and 95 % intervals"
    )
    chart = Multiples("paths", about, rows, TITLES, places, ("CUBIC", "Reno"))
    tables = {"transfers": one.frame(), "sharing": four.frame(), "neighbours": pair.frame()}
    example = scenario("lte", "smart", [download("smart", "cubic")], 1, 20_000_000)
    return Drawn([chart], tables, (), "Latency: a request's round trip beside four downloads.", listed, example)
