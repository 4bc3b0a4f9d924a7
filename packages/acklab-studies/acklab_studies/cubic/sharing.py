"""Two CUBIC flows on one bottleneck whose receivers send ACKs at different ratios."""

from __future__ import annotations

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Replications
from acklab.reproduce.grid import Array, Grid, ManyFlows
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample

from ..later import sample, spread, told
from .setting import COLOURS, PAPER, RULES, SECONDS, two

RATIOS = (2, 10, 40)


def _reduce(columns: dict[str, Array]) -> tuple[float, ...]:
    often, rarely = (8e-6 / SECONDS * float(count) for count in columns["bytes"])
    return often, rarely, 100 * rarely / (often + rarely)


SHARING = Replications(
    "CUBIC's sharing",
    "two flows of one rule, an ACK for every second segment against one for every r-th",
    {"rules": tuple(RULES), "ratio": RATIOS},
    two,
    ManyFlows(["often", "rarely", "share"], ["bytes"], [], _reduce, ("G0", "G1")),
    rounds=(10, 20),
)


COUNTED = Replications(
    "CUBIC's sharing, Linux",
    "two flows with Linux's rules, an ACK for every second segment against one for every 40th: more seeds",
    {"ratio": (40,)},
    lambda ratio, seed: two("Linux", ratio, seed),
    ManyFlows(["often", "rarely", "share"], ["bytes"], [], _reduce, ("G0", "G1")),
    most_seeds=80,
)


def share(grid: Grid, rules: str, ratio: int) -> Sample:
    """What the flow with fewer ACKs has of both, percent."""
    return sample(grid, "share", rules=rules, ratio=ratio)


@PAPER.claim("sharing.worse", SHARING)
def worse_with_fewer_acks(grid: Grid) -> Measurement:
    return Measurement({"share": {f"{r}": share(grid, "one step an ACK", r) for r in RATIOS}})


@PAPER.claim("sharing.unfair", SHARING)
def the_other_flow_takes_the_rate(grid: Grid) -> Measurement:
    return Measurement({"rate": {n: sample(grid, n, rules="one step an ACK", ratio=40) for n in ("often", "rarely")}})


@PAPER.claim("sharing.counted", COUNTED)
def counting_gives_back(grid: Grid) -> Measurement:
    return Measurement(
        {"share": sample(grid, "share", ratio=40)},
        "the source says it of neqo; here Linux's CUBIC counts the segments. What fewer ACKs still cost was not examined",
    )


@PAPER.figure("sharing", "Sharing", "The share of the flow with fewer ACKs", "sharing", [SHARING])
def sharing(grid: Grid) -> Drawn:
    lines = []
    for rules in RULES:
        found = [share(grid, rules, r) for r in RATIOS]
        error = [spread(one) for one in found]
        lines.append(Line(rules, RATIOS, [one.value for one in found], COLOURS[rules], marker="o", spread=error))
    x = Axis("segments an ACK", log=True, ticks=RATIOS, words=[str(r) for r in RATIOS])
    panel = Panel("", x, Axis("share of the rate (%)", low=0, high=75), lines, [Mark(50, "equal")])
    compared = [
        Compared(f"share, {rules}, {r} an ACK", "", told(share(grid, rules, r), "%")) for rules in RULES for r in RATIOS
    ]
    return Drawn(
        [
            Lines(
                "sharing",
                "100 Mb/s, 100 ms, 350 packets; the other flow has an ACK for every second segment (95 % intervals)",
                [panel],
            )
        ],
        {"sharing": grid.frame()},
        compared,
        "At a ratio of 2 both receivers follow one rule: what differs from 50 % there is chance.",
        two("one step an ACK", 40, 1),
    )
