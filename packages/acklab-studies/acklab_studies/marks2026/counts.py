"""Marks that came against marks that the sender counts, and the share that a control would take from them."""

from __future__ import annotations

import json

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn

from ..paths2026.runs import Few
from ..paths2026.told import sample, spread, told
from .setting import MARKS, OPTIONS, RULES, STUDY, THINNERS, WINDOW, scenario

COLOURS = {"rfc9768": "blue", "linux-thinned": "green"}
DRAWN = ("thin16", "cake", "gro", "stretch")
"""Those that leave few ACKs; the table has all."""


def _one(thinner: str, rule: str, option: str, marks: float, seed: int) -> str:
    control = {"control": "fixed", "initial_window": WINDOW}
    path = {"stages": [{"kind": "mark", "rate": marks, "only": "data"}]}
    return scenario(thinner, rule, option, seed, control, path)


class Reader:
    """Numbers from a run."""

    names = ("counted_percent", "share_error", "packets_per_ack", "marks_received")

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
                # Without the option the first two count alike.
                if rule != "linux":
                    label = (
                        {"rfc9768": "RFC 9768, Linux before", "linux-thinned": name}[rule]
                        if option == "off"
                        else f"{name}, option"
                    )
                    colour, dash = COLOURS[rule], "-" if option == "off" else ":"
                    halves = [(high - low) / 2 for low, high in map(spread, found)]
                    lines.append(
                        Line(
                            label,
                            [100 * m for m in MARKS],
                            [one.value for one in found],
                            colour,
                            dash,
                            marker="o",
                            spread=halves,
                        )
                    )
        if thinner in DRAWN:
            x = Axis("segments marked (%)", log=True, ticks=[100 * m for m in MARKS])
            y = Axis("counted (%), true = 100" if not panels else "", log=True, low=5, high=150_000)
            panels.append(Panel(THINNERS[thinner].name, x, y, lines, [Mark(100, "")]))
    chart = Lines("counts", "Marks that the sender counts over the marks that came; means and 95 % intervals", panels)
    return Drawn([chart], {"counts": grid.frame()}, (), "", _one("thin16", "rfc9768", "off", 0.01, 1), listed=listed)
