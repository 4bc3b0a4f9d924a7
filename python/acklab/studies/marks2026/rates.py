"""What DCTCP makes of the counts: a download over a queue that marks at a step."""

from __future__ import annotations

import json

from ...figures.charts import Multiples, Spot
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from ..paths2026.runs import Few
from ..paths2026.told import Point, said, sample, spread, told
from .registry import STUDY
from .setting import OPTIONS, RULES, THINNERS, scenario

STEP = 20
"""Packets from which on the queue marks each one."""
KINDS = {f"{rule}, {option}": (rule, option) for option in OPTIONS for rule in RULES}


def _one(thinner: str, kind: str, seed: int) -> str:
    rule, option = KINDS[kind]
    queue = {"kind": "red", "packets": 500, "min": STEP, "max": STEP + 1, "weight": 1.0, "max_p": 1.0, "ecn": True}
    # A draw of its own for each seed: the flow begins up to a round trip later.
    return scenario(thinner, rule, option, seed, {"control": "dctcp"}, {"queue": queue})


class Reader:
    """Numbers from a run."""

    names = ("goodput_mbps", "counted_percent", "queue_packets", "share")

    def __call__(self, line: bytes) -> tuple[float, ...]:
        run = json.loads(line)
        (flow,) = run["flows"]
        down = next(link for link in run["links"] if link["from"] == "S")
        percent = 100 * flow["marks_counted"] / flow["marks_received"] if flow["marks_received"] else float("nan")
        return flow["goodput_bps"] / 1e6, percent, down["mean_queue_packets"], flow["marked_share"]


RATES = Few("rates", "an endless download with DCTCP", {"thinner": tuple(THINNERS), "kind": tuple(KINDS)}, _one, Reader())


@STUDY.figure("rates", "", "DCTCP's throughput over thinned ACKs", "2", [RATES])
def rates(grid: Grid) -> Drawn:
    titles = ("goodput\n(Mb/s) →", "marks counted\n(%)", "mean queue\n(packets)")
    colours = ("blue", "orange", "green")
    names = [RULES[rule] for rule in RULES]
    places, listed = [], [["", "feedback", "Mb/s", "counted (%)", "queue (packets)"]]
    for thinner in grid.axes["thinner"]:
        panels: list[list[Spot]] = [[], [], []]
        for kind, (rule, option) in KINDS.items():
            found = [sample(grid, column, thinner=thinner, kind=kind) for column in Reader.names[:3]]
            listed.append([THINNERS[thinner].name, f"{RULES[rule]}, {OPTIONS[option]}", *(told(one) for one in found)])
            for panel, one in zip(panels, found, strict=True):
                panel.append(Spot(list(RULES).index(rule), one.value, spread(one), hollow=option == "always"))
        places.append((THINNERS[thinner].name, panels))
    about = "Goodput, marks counted and mean queue of a DCTCP download; means over the seeds and 95 % intervals"
    chart = Multiples("rates", about, list(zip(names, colours, strict=True)), titles, places, ("ACE only", "with the option"))
    found = said(points(grid)) if set(grid.axes["thinner"]) == set(THINNERS) else ""
    return Drawn([chart], {"rates": grid.frame()}, (), found, _one("thin16", "rfc9768, off", 1), listed=listed)


def points(grid: Grid) -> list[Point]:
    """What the figure says."""

    def one(thinner: str, kind: str, column: str = "goodput_mbps") -> str:
        return told(sample(grid, column, thinner=thinner, kind=kind))

    return [
        (
            "Counts that are too high cost throughput",
            f"Where one of 16 ACKs passes, DCTCP with the safest case gets {one('thin16', 'rfc9768, off')} of 100 Mb/s, with Linux's average "
            f"{one('thin16', 'linux-thinned, off')}, and with the option {one('thin16', 'rfc9768, always')}.",
        ),
    ]
