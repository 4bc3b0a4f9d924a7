"""What of the single runs is luck: the deterministic configurations again, with links a little longer and flows a little later.

Without randomness one drop decides a completion time. Here every link is up to 1 % longer and every flow begins up to 10 ms
later, drawn anew for each repetition; no claim of the paper is about so little. What holds of the mean over the repetitions
is the mechanism's, what holds in some of them only is luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ...figures.charts import Axis, Line, Lines, Panel
from ...infer.nudge import Nudge, nudged
from ...reproduce.experiments import Replications, Sweep
from ...reproduce.grid import Grid
from ...reproduce.judge import judge
from ...reproduce.paper import Compared, Drawn
from .registry import PAPER
from .runs import ASYMMETRIC, BUFFER, FOURTH, LONG, ONE_ZERO, PARKING, UDP
from .setting import SCHEMES

REPETITIONS = 10
LONGER, LATER_S = 0.01, 0.01


def again(sweep: Sweep) -> Replications:
    """The sweep, repeated with other luck."""
    return Replications(
        f"{sweep.name}, nudged", f"{sweep.about}, with other luck", sweep.axes,
        lambda seed, **cell: nudged(sweep.scenario(**cell), Nudge(LATER_S, LONGER), seed), sweep.read, sweep.quick, most_seeds=REPETITIONS,
    )  # fmt: skip


SINGLE = (ONE_ZERO, LONG, BUFFER, ASYMMETRIC, UDP, PARKING, FOURTH)
AGAIN = [again(sweep) for sweep in SINGLE]


def mean(grid: Grid) -> Grid:
    """The mean over the repetitions."""
    axes = {name: values for name, values in grid.axes.items() if name != "seed"}
    return Grid(axes, {name: column.mean(axis=-1) for name, column in grid.columns.items()})


def verdicts(grids: Sequence[Grid]) -> list[dict[str, Any]]:
    """Of each claim that one of the sweeps decides: in how many repetitions it holds, and whether for their mean."""
    rows = []
    for sweep, grid in zip(SINGLE, grids, strict=True):
        for id, judged in PAPER.claims.items():
            if len(judged.needs) != 1 or judged.needs[0] is not sweep:
                continue
            claim = PAPER.ledger.claims[id]
            held = [judge(claim, judged.measure(grid.at(seed=s))).verdict == "reproduced" for s in grid.axes["seed"]]
            whole = judge(claim, judged.measure(mean(grid))).verdict
            rows.append({"claim": id, "holds_in": sum(held), "repetitions": len(held), "mean": whole})
    return rows


@PAPER.figure("luck", "", "What of the single runs is luck", "5", AGAIN, evidence="evidence", slow=True)
def luck(*grids: Grid) -> Drawn:
    rows = verdicts(grids)
    slow = grids[SINGLE.index(ASYMMETRIC)]
    lines = [
        Line(
            SCHEMES[s].name, slow.axes["kbps"], slow.at(scheme=s)["t1"].mean(axis=-1), SCHEMES[s].colour, SCHEMES[s].dash,
            spread=slow.at(scheme=s)["t1"].std(axis=-1),
        )
        for s in ("newreno", "acc", "smart-paced", "fixed-paced")
    ]  # fmt: skip
    chart = Lines(
        "luck",
        "Figure 13 again: mean and standard deviation over the repetitions",
        [Panel("completion times", Axis("reverse path capacity (kb/s)"), Axis("seconds", low=0), lines)],
    )
    compared = [
        Compared(
            row["claim"].partition(".")[2],
            "",
            f"holds in {row['holds_in']} of {row['repetitions']}; for their mean: {row['mean']}",
        )
        for row in rows
    ]
    remark = (
        "Each configuration without randomness, repeated with links up to 1 % longer and flows up to 10 ms later. A claim that holds in "
        "all or none is about the mechanism. One that holds in some was decided by single drops where it is judged, in one run: so the "
        "claim that smartacking's best buffer is larger (fig11.shift) is reproduced by luck, and that smartacking's "
        "versions are faster with two round trips (fig10.lower) differs by luck."
    )
    return Drawn([chart], {"verdicts": pl.DataFrame(rows)}, compared, remark)
