"""What changes from one case to another: every metric whose mean moves by more than the margin, with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .difference import DIFFERENT, EQUIVALENT, ONE_RUN, SAME, TOO_FEW, Difference, moves
from .metrics import Metric
from .numbers import ends, number, pair
from .rank import Ranking

if TYPE_CHECKING:
    from .result import Compared

#: Verdicts of a change.
BETTER, WORSE, UNDECIDED, NEITHER = "better", "worse", "undecided", "neither"


@dataclass(frozen=True)
class Change:
    """A metric in a situation, from a base case to another one."""

    situation: str
    metric: Metric
    base: float
    value: float
    found: Difference
    verdict: str

    @property
    def leans_worse(self) -> bool:
        """Whether its mean is worse."""
        return self.metric.ranks and (self.value > self.base) != self.metric.quantity.more_is_better

    @property
    def texts(self) -> tuple[str, str]:
        """The two means."""
        return pair(self.base, self.value)


def changes(told: Compared, chosen: str, base: str, margin: float | None = None) -> list[Change]:
    """The changes from ``base`` to ``chosen`` by more than the margin, or another: by situation, in each the objectives first."""
    least = told.comparison.margin if margin is None else margin
    objectives = told.comparison.objectives
    rest = [one for one in told.comparison.metrics if one not in objectives]
    return [
        one
        for ranking in told.rankings
        for metric in (*objectives, *rest)
        if (one := _change(ranking, metric, chosen, base, least)) is not None
    ]


def _change(ranking: Ranking, metric: Metric, chosen: str, base: str, margin: float) -> Change | None:
    found = ranking.between(metric, chosen, base)
    old, new = ranking.row(base).samples[metric.name], ranking.row(chosen).samples[metric.name]
    if found is None or old is None or new is None or not moves(old.value, new.value, margin):
        return None
    return Change(ranking.situation, metric, old.value, new.value, found, _verdict(metric, found))


def _verdict(metric: Metric, found: Difference) -> str:
    if found.verdict in (ONE_RUN, TOO_FEW):
        return found.verdict
    if not metric.ranks:
        return NEITHER
    if found.verdict in (EQUIVALENT, SAME):
        return found.verdict
    if found.verdict != DIFFERENT:
        return UNDECIDED
    return BETTER if found.more == metric.quantity.more_is_better else WORSE


def size(found: Difference, unit: str = "") -> str:
    """How far the first mean is from the second: ``-22 %``, ``+240 %``, or in the metric's unit where one is 0."""
    half = found.interval.half_width if found.interval is not None else 0.0
    if not found.relative:
        return f"{'+' if found.more else ''}{number(found.value, half)} {unit}".rstrip()
    return f"{'+' if found.more else ''}{number(100 * (found.value - 1), 100 * half or 1.0)} %"


def reach(found: Difference, unit: str = "") -> str:
    """The interval of the change: ``-40 to 1 %``; empty where seeds give none."""
    if found.interval is None:
        return ""
    low, high = found.interval.low, found.interval.high
    if not found.relative:
        return f"{ends(low, high)} {unit}".rstrip()
    return f"{ends(100 * (low - 1), 100 * (high - 1))} %"


def apart(found: Difference, unit: str = "") -> str:
    """An interval, or the value where there is none, in words: ``42 to 53 % less``, ``from 3 % less to 12 % more``."""
    low, high = (found.interval.low, found.interval.high) if found.interval is not None else (found.value, found.value)
    if found.relative:
        low, high, unit = 100 * (low - 1), 100 * (high - 1), "%"
    if low >= 0:
        return f"{ends(low, high)} {unit} more".replace("  ", " ")
    if high <= 0:
        return f"{ends(-high, -low)} {unit} less".replace("  ", " ")
    half = (high - low) / 2
    return f"from {number(-low, half)} {unit} less to {number(high, half)} {unit} more".replace("  ", " ")


def worse(metric: Metric, found: Difference) -> str:
    """How much worse than the best: a share of it, or the difference in the metric's unit where one is 0."""
    low, high = (found.interval.low, found.interval.high) if found.interval is not None else (found.value, found.value)
    more = metric.quantity.more_is_better
    if not found.relative:
        low, high = (-high, -low) if more else (low, high)
        return f"{ends(low, high)} {metric.quantity.unit}".rstrip()
    low, high = (1 - high, 1 - low) if more else (low - 1, high - 1)
    return f"{ends(100 * low, 100 * high)} %"


def table(told: Compared, chosen: str, base: str, found: Sequence[Change]) -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of the changes."""
    situations = len(told.rankings) > 1
    heads = [*(["situation"] if situations else []), "metric", base, chosen, "change", "interval", "verdict"]
    rows = [
        [
            *([one.situation] if situations else []),
            one.metric.label,
            *one.texts,
            size(one.found, one.metric.quantity.unit),
            reach(one.found, one.metric.quantity.unit),
            one.verdict,
        ]
        for one in found
    ]
    return heads, rows
