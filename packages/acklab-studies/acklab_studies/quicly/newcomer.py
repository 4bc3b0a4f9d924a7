"""A flow of CUBIC that joins another: its share of the bottleneck over the first 5 to 50 s."""

from __future__ import annotations

import json

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Replications
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample

from ..later import spread, told
from .setting import JOINED, PAPER, joined

PRINTED = {"dsl": 43.75, "half": 43.16, "quarter": 50.18, "eighth": 51.30, "lte": 39.72, "5g": 36.17}
NAMES = {"dsl": "DSL", "half": "half DSL", "quarter": "quarter DSL", "eighth": "eighth DSL", "lte": "LTE", "5g": "5G"}
LTE = {5: 26.01, 10: 28.89, 20: 33.17, 50: 39.70}
"""Printed means by horizon in seconds."""
START_UP = "Rapid Start and the jumpstart of 60 packets, with which quicly's newcomer begins, are not modelled."


class Read:
    """The newcomer's data that arrive before the end, Mbit."""

    names = ("mbit",)

    def __call__(self, line: bytes) -> tuple[float, ...]:
        return (8e-6 * json.loads(line)["flows"][1]["bytes"],)


BY_PROFILE = Replications(
    "a newcomer, by profile",
    "a flow of CUBIC joins another, by profile",
    {"profile": tuple(JOINED)},
    lambda profile, seed: joined(profile, JOINED[profile].horizon_s, seed),
    Read(),
    rounds=(20,),
)
BY_HORIZON = Replications(
    "a newcomer, by horizon",
    "a flow of CUBIC joins another over LTE, by how long it is followed",
    {"horizon_s": tuple(LTE)},
    lambda horizon_s, seed: joined("lte", horizon_s, seed),
    Read(),
    rounds=(20,),
)


def _share(grid: Grid, path: str, seconds: int, median: bool = False, **cell: object) -> Sample:
    """The newcomer's share of the bottleneck in percent, a value for each seed."""
    percent = 100 / (JOINED[path].mbps * seconds)
    return Sample.of((percent * grid.at(**cell)["mbit"]).tolist(), median)


def _of(grid: Grid, profile: str, median: bool = False) -> Sample:
    return _share(grid, profile, JOINED[profile].horizon_s, median, profile=profile)


@PAPER.claim("newcomer.shares", BY_PROFILE)
def by_profile(grid: Grid) -> Measurement:
    return Measurement({NAMES[profile]: _of(grid, profile, median=True) for profile in JOINED}, note=START_UP)


@PAPER.claim("newcomer.lte", BY_HORIZON)
def by_horizon(grid: Grid) -> Measurement:
    return Measurement({f"{s} s": _share(grid, "lte", s, horizon_s=s) for s in LTE}, note=START_UP)


@PAPER.claim("newcomer.order", BY_PROFILE)
def in_order(grid: Grid) -> Measurement:
    return Measurement({"share": {profile: _of(grid, profile) for profile in JOINED}})


@PAPER.figure(
    "newcomer", "Newcomer benchmark", "A newcomer's share, printed and simulated", "newcomer", [BY_PROFILE, BY_HORIZON]
)
def newcomers(profiles: Grid, horizons: Grid) -> Drawn:
    by_name = {NAMES[profile]: _of(profiles, profile) for profile in JOINED}
    by_time = {f"{s} s": _share(horizons, "lte", s, horizon_s=s) for s in LTE}
    panels, compared = [], []
    for title, x, found, printed in (
        ("by profile", "profile", by_name, list(PRINTED.values())),
        ("LTE, by horizon", "first seconds", by_time, list(LTE.values())),
    ):
        places = tuple(range(1, len(found) + 1))
        measured = list(found.values())
        lines = [
            Line("printed", places, printed, "orange", marker="o"),
            Line(
                "acklab",
                places,
                [one.value for one in measured],
                "blue",
                marker="s",
                spread=[spread(one) for one in measured],
            ),
        ]
        axis = Axis(x, ticks=places, words=list(found))
        panels.append(Panel(title, axis, Axis("share of the newcomer (%)", low=0, high=75), lines, [Mark(50, "half")]))
        compared += [
            Compared(f"{title}, {name}", f"{value:g} %", told(one, "%"))
            for (name, one), value in zip(found.items(), printed, strict=True)
        ]
    return Drawn(
        [Lines("newcomer", "the share of the flow that joins (mean, 95 % intervals)", panels)],
        {"newcomer": profiles.frame(), "newcomer_lte": horizons.frame()},
        compared,
        "The printed shares by profile are medians of 100 runs, those by horizon means.",
        joined("lte", 50, 1),
    )
