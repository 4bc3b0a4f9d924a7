"""Completion, ACKs and spurious retransmits of a download, for each setting."""

from __future__ import annotations

import json
import math

from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn
from acklab.study.intervals import Sample

from ..paths2026.runs import Few
from ..paths2026.told import sample, spread, told
from .setting import LOSSES, SETTINGS, STUDY, TRIPS, scenario


class Reader:
    """Numbers from a run."""

    names = ("time_ms", "acks_per_mb", "retransmits_percent", "timeouts")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        (flow,) = json.loads(line)["flows"]
        time = 1e3 * flow["completion_s"] if flow["completed"] else math.nan
        sent = flow["segments_sent"]
        return time, 1e6 * flow["acks_received"] / flow["bytes"], 100 * flow["retransmits"] / sent, flow["timeouts"]


DOWNLOADS = Few(
    "downloads",
    "one download of 10 MB with random losses",
    {"trip": tuple(TRIPS), "loss": LOSSES, "setting": tuple(SETTINGS)},
    scenario,
    Reader(),
    full=20,
)


def change(grid: Grid, column: str, base: str, **at: object) -> Sample:
    """Percent by which a cell differs from the one of the setting ``base``, seed by seed."""
    mine, theirs = (grid.at(**cell)[column].tolist() for cell in (at, {**at, "setting": base}))
    return Sample.of([100 * (a / b - 1) for a, b in zip(mine, theirs, strict=True)])


@STUDY.figure("downloads", "", "Completion and ACKs against no compression", "1", [DOWNLOADS])
def downloads(grid: Grid) -> Drawn:
    trips, panels = list(grid.axes["trip"]), []
    x = [TRIPS[trip] for trip in trips]
    for column, label in (("time_ms", "more time (%)"), ("acks_per_mb", "more ACKs (%)")):
        for loss in grid.axes["loss"]:
            lines = []
            for setting, (name, colour, _) in SETTINGS.items():
                if setting != "off" and setting in grid.axes["setting"]:
                    found = [change(grid, column, "off", trip=trip, loss=loss, setting=setting) for trip in trips]
                    halves = [(high - low) / 2 for low, high in map(spread, found)]
                    lines.append(Line(name, x, [one.value for one in found], colour, marker="o", spread=halves))
            axis = Axis("round trip", log=True, ticks=x, words=trips)
            panels.append(
                Panel(f"{100 * loss:g} % lost", axis, Axis(label if loss == grid.axes["loss"][0] else ""), lines)
            )
    listed = [["", "setting", *trips]]
    for loss in grid.axes["loss"]:
        for setting in grid.axes["setting"]:
            cells = [{"trip": trip, "loss": loss, "setting": setting} for trip in trips]
            for at, (column, label) in enumerate(
                (("time_ms", "time (ms)"), ("acks_per_mb", "ACKs/MB"), ("retransmits_percent", "retransmitted (%)"))
            ):
                where = "" if at else f"{100 * loss:g} % lost"
                listed.append(
                    [where, f"{SETTINGS[setting][0]}: {label}", *(told(sample(grid, column, **cell)) for cell in cells)]
                )
    half = len(panels) // 2
    charts = [
        Lines("time", "Completion against a receiver without compression; means and 95 % intervals", panels[:half]),
        Lines("acks", "ACKs against a receiver without compression; means and 95 % intervals", panels[half:]),
    ]
    return Drawn(
        charts,
        {"downloads": grid.frame()},
        (),
        "",
        scenario("1ms", 0.001, "33", 1),
        listed=listed,
    )
