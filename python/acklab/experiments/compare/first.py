"""One recorded run of each case, which the page of a comparison shows over time."""

from __future__ import annotations

from ... import _core
from ...engines.batches import PROGRAMS
from ...plot.runs import Run
from .result import Compared

#: Most cases, and recorded rows of each, that are drawn.
MOST_CASES, MOST_ROWS = 6, 500_000


def first_runs(told: Compared) -> list[Run]:
    """Each case in the first situation with seed 1; none where that is too many to draw, or too long."""
    found = []
    sets = [f"record.{table}=true" for table in ("series", "queue", "packets")]
    situation = told.comparison.situations[0].name
    trees = {case: tree for (where, case), tree in told.comparison.trees().items() if where == situation}
    if len(trees) > MOST_CASES or told.comparison.engine == PROGRAMS:
        return []
    for case, tree in trees.items():
        simulation = _core.Simulation(told.comparison.seeded(tree, 1), sets=sets)
        result = simulation.advance(MOST_ROWS)
        if not simulation.finished:
            return []
        found.append(Run.of(result, case))
    return found
