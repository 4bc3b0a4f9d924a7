"""Marks that came against marks that the sender counts, and the share that a control would take from them."""

from __future__ import annotations

import json

from ...figures.charts import Axis, Line, Lines, Mark, Panel
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import Point, said, sample, spread, told
from .registry import STUDY
from .setting import MARKS, OPTIONS, RULES, THINNERS, WINDOW, scenario

COLOURS = {"rfc9768": "blue", "linux": "orange", "linux-thinned": "green"}
DRAWN = ("thin16", "cake", "gro", "stretch")
"""Those that leave few ACKs; the table has all."""


def _one(thinner: str, rule: str, option: str, marks: float, seed: int) -> str:
    control = {"control": "fixed", "initial_window": WINDOW}
    path = {"stages": [{"kind": "mark", "rate": marks, "only": "data"}]}
    return scenario(thinner, rule, option, seed, control, path)


class Reader:
    """Numbers from a run."""

    names = ("counted_percent", "share_error", "packets_per_ack", "marks")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        (flow,) = json.loads(line)["flows"]
        came, counted, packets = flow["marks_received"], flow["marks_counted"], flow["segments_acked"]
        percent = 100 * counted / came if came else float("nan")
        return percent, flow["marked_share"] - came / packets, packets / flow["acks_received"], came


COUNTS = Few(
    "counts",
    "marks counted over marks that came, of an endless download with a window that nothing moves",
    {"thinner": tuple(THINNERS), "rule": tuple(RULES), "option": tuple(OPTIONS), "marks": MARKS},
    _one,
    Reader(),
)


@STUDY.figure("counts", "", "Marks counted, of those that came", "1", [COUNTS])
def counts(grid: Grid) -> Drawn:
    panels: list[Panel] = []
    listed = [["", "rule", *(f"{100 * marks:g} %" for marks in MARKS)]]
    for thinner in grid.axes["thinner"]:
        lines = []
        for option, shown in OPTIONS.items():
            for rule, name in RULES.items():
                cells = [{"thinner": thinner, "rule": rule, "option": option, "marks": marks} for marks in MARKS]
                found = [sample(grid, "counted_percent", **cell) for cell in cells]
                error = [sample(grid, "share_error", **cell) for cell in cells]
                where = f"{THINNERS[thinner].name}, {shown}"
                listed.append([where, f"{name}: counted (%)", *(told(one) for one in found)])
                listed.append(["", f"{name}: share's error", *(told(one) for one in error)])
                if option == "off" or rule == "rfc9768":
                    label, dash = (name, "-") if option == "off" else ("any rule, option", ":")
                    colour = COLOURS[rule] if option == "off" else "slate"
                    halves = [(high - low) / 2 for low, high in map(spread, found)]
                    lines.append(Line(label, [100 * m for m in MARKS], [one.value for one in found], colour, dash, marker="o", spread=halves))
        if thinner in DRAWN:
            x = Axis("segments marked (%)", log=True, ticks=[100 * m for m in MARKS])
            y = Axis("counted (%), true = 100" if not panels else "", log=True, low=5, high=150_000)
            panels.append(Panel(THINNERS[thinner].name, x, y, lines, [Mark(100, "")]))
    chart = Lines("counts", "Marks that the sender counts over the marks that came; means and 95 % intervals", panels)
    found = said(points(grid)) if set(grid.axes["thinner"]) == set(THINNERS) else ""
    return Drawn([chart], {"counts": grid.frame()}, (), found, _one("thin16", "rfc9768", "off", 0.01, 1), listed=listed)


def points(grid: Grid) -> list[Point]:
    """What the lines say."""

    def one(thinner: str, rule: str, marks: float, option: str = "off", column: str = "counted_percent") -> Sample:
        return sample(grid, column, thinner=thinner, rule=rule, option=option, marks=marks)

    with_option = [one(thinner, rule, marks, "always").value for thinner in THINNERS for rule in RULES for marks in MARKS[1:]]
    return [
        (
            "The option repairs the count",
            f"With the AccECN option on each ACK, the sender counts {min(with_option):.0f} to {max(with_option):.0f} % of the marks from 1 % of "
            "marked segments upwards, whatever thins the ACKs and whatever the rule.",
        ),
        (
            "The safest case counts marks that nobody made",
            f"Where one of 16 ACKs passes and 0.1 % of the segments are marked, RFC 9768's rule counts {told(one('thin16', 'rfc9768', 0.001))} % "
            f"of the marks; a control then believes that the share is {told(one('thin16', 'rfc9768', 0.001, column='share_error'))} too high.",
        ),
        (
            "Linux's average repairs few marks and loses many",
            f"On the same path Linux after 7885ce0147 counts {told(one('thin16', 'linux-thinned', 0.001))} % at 0.1 % of marks, and "
            f"{told(one('thin16', 'linux-thinned', 0.25))} % at 25 %.",
        ),
    ]
