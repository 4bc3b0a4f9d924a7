"""The tested flow's share of the bottleneck over 30 s, over runs with the same starts for both rules."""

from __future__ import annotations

import json

import numpy as np

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Branches, Warm
from acklab.reproduce.explanation import Searched
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample, jackknife

from ..later import sample, told
from .setting import PAPER, PROFILES, READINGS, RULES, SECONDS, WARM_S, pair

PRINTED = {
    ("bdp20", "stock"): (50.26, 2.25),
    ("bdp20", "alpha-one"): (51.12, 2.16),
    ("bdp40", "stock"): (50.82, 3.55),
    ("bdp40", "alpha-one"): (53.25, 2.97),
}
"""Mean and standard deviation of the share in percent, over 60 runs."""


class Read:
    """The tested flow's share (%) of the data that arrive, and the rate of the bottleneck (Mb/s), both after the warm-up."""

    names = ("share", "rate")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        before, after = map(json.loads, line.split(b"\n"))
        first, second = (
            late["bytes"] - early["bytes"] for early, late in zip(before["flows"], after["flows"], strict=True)
        )
        sent = after["links"][0]["bytes"] - before["links"][0]["bytes"]
        return 100 * first / (first + second), 8e-6 * sent / SECONDS


SHARES = Branches(
    "two flows of CUBIC",
    "a tested flow beside a stock flow, by profile and rule",
    {"profile": tuple(PROFILES), "rules": tuple(RULES)},
    pair,
    Read(),
    warm=lambda profile, rules, seed: Warm((profile, rules, seed), WARM_S),
    rounds=(60, 240),
)

OPEN = Branches(
    "two flows of CUBIC by what is open",
    "the same with bdp20, by what the thread leaves open",
    {"reading": tuple(READINGS)[1:], "rules": tuple(RULES)},
    lambda reading, rules, seed: pair("bdp20", rules, seed, reading),
    Read(),
    warm=lambda reading, rules, seed: Warm((reading, rules, seed), WARM_S),
    rounds=(60,),
)


def deviation(grid: Grid, profile: str, rules: str) -> Sample:
    """Standard deviation of the share over runs, points."""
    shares = grid.at(profile=profile, rules=rules)["share"]
    return jackknife(len(shares), lambda seeds: float(np.std(shares[seeds], ddof=1)))


def gain(grid: Grid, **cell: str) -> Sample:
    """Alpha-one less stock, run by run, points."""
    stock, faster = (grid.at(rules=rules, **cell)["share"] for rules in RULES)
    return Sample.of((faster - stock).tolist())


@PAPER.claim("stock", SHARES)
def half_each(grid: Grid) -> Measurement:
    return Measurement({profile: sample(grid, "share", profile=profile, rules="stock") for profile in PROFILES})


def _spread(grid: Grid, profile: str) -> Measurement:
    return Measurement({rules: deviation(grid, profile, rules) for rules in RULES})


@PAPER.claim("spread.20", SHARES)
def from_run_to_run_20(grid: Grid) -> Measurement:
    return _spread(grid, "bdp20")


@PAPER.claim("spread.40", SHARES)
def from_run_to_run_40(grid: Grid) -> Measurement:
    return _spread(grid, "bdp40")


@PAPER.claim("gain.20", SHARES, beside=[OPEN])
def alpha_one_20(grid: Grid, readings: Grid) -> Measurement:
    each = {reading: gain(readings, reading=reading) for reading in OPEN.axes["reading"]}
    return Measurement(
        {"gain": gain(grid, profile="bdp20")}, "; ".join(f"{reading}: {told(one)}" for reading, one in each.items())
    )


PAPER.explain("gain.20", Searched(len(OPEN.axes["reading"]), "60 seeds"))


@PAPER.claim("gain.40", SHARES)
def alpha_one_40(grid: Grid) -> Measurement:
    return Measurement({"gain": gain(grid, profile="bdp40")})


@PAPER.claim("use", SHARES)
def the_bottleneck_is_used(grid: Grid) -> Measurement:
    cells = ((profile, rules) for profile in PROFILES for rules in RULES)
    used = {f"{profile}, {rules}": _use(grid, profile, rules) for profile, rules in cells}
    return Measurement({"use": used})


def _use(grid: Grid, profile: str, rules: str) -> Sample:
    return Sample.of((100 / PROFILES[profile] * grid.at(profile=profile, rules=rules)["rate"]).tolist())


@PAPER.figure("shares", "Shares", "The tested flow's share, printed and simulated", "shares", [SHARES])
def shares(grid: Grid) -> Drawn:
    places = tuple(range(1, len(PRINTED) + 1))
    means = [sample(grid, "share", profile=profile, rules=rules) for profile, rules in PRINTED]
    spreads = [deviation(grid, profile, rules) for profile, rules in PRINTED]
    printed, printed_spread = zip(*PRINTED.values(), strict=True)
    lines = [
        Line("printed", [place - 0.05 for place in places], printed, "orange", marker="o", spread=printed_spread),
        Line(
            "acklab",
            [place + 0.05 for place in places],
            [one.value for one in means],
            "blue",
            marker="s",
            spread=[one.value for one in spreads],
        ),
    ]
    x = Axis("profile and rule", ticks=places, words=[f"{profile}, {rules}" for profile, rules in PRINTED])
    compared = [
        row
        for (profile, rules), (mean, spread), found, found_spread in zip(
            PRINTED, PRINTED.values(), means, spreads, strict=True
        )
        for row in (
            Compared(f"{profile}, {rules}: mean share", f"{mean} %", told(found, "%")),
            Compared(f"{profile}, {rules}: standard deviation", f"{spread} points", told(found_spread, "points")),
        )
    ]
    panel = Panel("", x, Axis("share (%)"), lines, [Mark(50, "equal")])
    return Drawn(
        [Lines("shares", "mean share of the tested flow; bars are one standard deviation of the runs", [panel])],
        {"shares": grid.frame()},
        compared,
        "Beside the tested flow is one of stock CUBIC. With stock on both sides the mean is half by symmetry.",
        pair("bdp20", "stock", 1),
    )
