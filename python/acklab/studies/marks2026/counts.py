"""Marks that came against marks that the sender counts, and the share that a control would take from them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...figures.charts import Axis, Line, Lines, Mark, Panel
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import Point, said, sample, spread, told
from .registry import STUDY
from .setting import MARKS, OPTIONS, RULES, THINNERS, WINDOW, scenario

COLOURS = {"rfc9768": "blue", "linux-thinned": "green"}
DRAWN = ("thin16", "cake", "gro", "stretch")
"""Those that leave few ACKs; the table has all."""
DIRECT = tuple(name for name in THINNERS if name != "cake")
"""Those whose ACKs do not wait for a slow uplink."""


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
    found = said(points(grid)) if set(grid.axes["thinner"]) == set(THINNERS) else ""
    return Drawn([chart], {"counts": grid.frame()}, (), found, _one("thin16", "rfc9768", "off", 0.01, 1), listed=listed)


def points(grid: Grid) -> list[Point]:
    """What the lines say."""

    def one(thinner: str, rule: str, marks: float, option: str = "off", column: str = "counted_percent") -> Sample:
        return sample(grid, column, thinner=thinner, rule=rule, option=option, marks=marks)

    def span(rules: Sequence[str], column: str, least: float = 0.0) -> str:
        """From the least to the largest mean with the option, over what thins and the shares of marks from ``least`` on."""
        shares = [marks for marks in MARKS if marks >= least]
        found = [
            one(thinner, rule, marks, "always", column).value
            for thinner in DIRECT
            for rule in rules
            for marks in shares
        ]
        return f"{min(found):.3f} to {max(found):.3f}"

    return [
        (
            "With the option the share is right",
            "With the AccECN option on each ACK, the sender's share of marks differs from the true one by "
            f"{span(tuple(RULES), 'share_error')}, for every rule, every share, and all that thins except CAKE's slow uplink. The count of "
            f"packets is less exact: with RFC 9768's rule {told(one('stretch', 'rfc9768', 0.25, 'always'))} % where one ACK covers 40 segments "
            "and a quarter is marked.",
        ),
        (
            "Without it, the safest case counts marks that no queue made",
            f"Where one of 16 ACKs passes and 1 % of the segments are marked, RFC 9768's rule counts {told(one('thin16', 'rfc9768', 0.01))} % of the "
            f"marks. A control then takes a share that is {told(one('thin16', 'rfc9768', 0.01, column='share_error'))} too high. GRO on the "
            f"receiving host alone is enough for {told(one('gro', 'rfc9768', 0.01))} %.",
        ),
        (
            "Linux's average keeps the share right where marks are rare",
            f"On the same path Linux after 7885ce0147 counts {told(one('thin16', 'linux-thinned', 0.01))} % at 1 % of marks, most of it with the "
            "first ACKs, before the average exceeds four packets. At the end the share differs by "
            f"{told(one('thin16', 'linux-thinned', 0.01, column='share_error'))}.",
        ),
        (
            "The counter-example: many marks",
            f"At 25 % of marks it counts {told(one('thin16', 'linux-thinned', 0.25))} %, and with an ACK for 40 segments "
            f"{told(one('stretch', 'linux-thinned', 0.25))} %: the counter has wrapped. The share is then "
            f"{told(one('stretch', 'linux-thinned', 0.25, column='share_error'))} off.",
        ),
        (
            "Marks acknowledged at once remove most of it",
            f"If a receiver with an ACK for 40 segments acknowledges marks at once (RFC 9768 section 3.2.2.5.1), Linux's rule counts "
            f"{told(one('told', 'linux-thinned', 0.25))} % there.",
        ),
        (
            "CAKE's filter erases few",
            f"It keeps each ACK with AE set, so one ACK covers {told(one('cake', 'linux-thinned', 0.1, column='packets_per_ack'))} segments at 10 % of "
            f"marks and {told(one('cake', 'linux-thinned', 0.001, column='packets_per_ack'))} at 0.1 %. With the option none is erased.",
        ),
    ]
