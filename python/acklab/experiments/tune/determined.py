"""How well a search determines its winner: trials that it does not distinguish from it, and values at a bound of their range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...figures.stats import LEAST_SEEDS, Sample
from ..search.output import spoken
from ..search.space import Free
from ..sweep.names import worded
from ..sweep.quantity import read
from .search import COMPLETE, Trial

if TYPE_CHECKING:
    from .found import Found

#: The share of a range that counts as its bound.
NEAR = 0.03
LEVEL = 0.95


def beside(result: Found, one: Trial, objective: int) -> Sample | None:
    """A trial's cost minus the winner's, path by path; None of the winner itself, of one path, or where a trial was stopped early."""
    if (
        one is result.winner
        or one.state != COMPLETE
        or len(one.costs) < 2
        or len(one.costs) != len(result.winner.costs)
    ):
        return None
    return one.sample(objective).minus(result.winner.sample(objective))


def alike(result: Found) -> list[Trial]:
    """Complete trials that the search's paths do not distinguish from the winner by the first objective (Student's, paired, 95 %)."""
    if not result.winner.number or len(result.paths) < LEAST_SEEDS:
        return []
    found = []
    for one in result.trials:
        apart = beside(result, one, 0)
        if apart is not None:
            ends = apart.interval(LEVEL)
            if ends.low <= 0 <= ends.high:
                found.append(one)
    return found


def ranges(result: Found) -> dict[str, tuple[Any, Any]]:
    """Of each column with numbers the least and greatest value among those trials and the winner, where they differ."""
    trials, found = [result.winner, *alike(result)], {}
    for free in numbers(result):
        column = result.plan.space.columns[free.key]
        cells = {
            base(one.choice.cells[column]): one.choice.cells[column] for one in trials if column in one.choice.cells
        }
        if len(cells) > 1:
            found[column] = cells[min(cells)], cells[max(cells)]
    return found


def numbers(result: Found) -> list[Free]:
    """The free keys with a range, or with choices that are numbers in order."""
    return [free for free in result.plan.space.frees if not free.choices or free.ordered]


def base(cell: Any) -> float:
    """A cell as a number of its base unit."""
    found = read(cell)
    assert found is not None  # of a range, or of ordered choices
    return found.base


def whole(result: Found, column: str) -> bool:
    """Whether the values that are not distinguished span the whole range of the winner's key."""
    named = result.winner.choice.parameters
    free = next(
        (
            one
            for one in numbers(result)
            if result.plan.space.columns[one.key] == column and (one.name in named or not named)
        ),
        None,
    )
    spans = ranges(result).get(column)
    if free is None or free.choices or spans is None:
        return False
    return base(spans[0]) <= free.low.base and base(spans[1]) >= free.high.base


def bounds(result: Found) -> list[dict[str, str]]:
    """The winner's values that stand at a bound of their range, beyond which there may be better ones: key, value, bound."""
    rows = []
    for free in result.plan.space.frees:
        column = result.plan.space.columns[free.key]
        if free.choices or column not in result.winner.choice.cells:
            continue
        low, high, here = free.low.base, free.high.base, base(result.winner.choice.cells[column])
        place = math.log(here / low) / math.log(high / low) if free.log else (here - low) / (high - low)
        if place <= NEAR or place >= 1 - NEAR:
            end = free.value(free.low.number if place <= NEAR else free.high.number)
            cell = result.winner.choice.cells[column]
            rows.append({"key": worded(column), "value": spoken(cell), "bound": spoken(end)})
    return rows
