"""What the seeds decide between the first case and the others: which are better, which are trades, and in what order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...figures.stats import LEAST_SEEDS
from .changes import UNDECIDED, Change, changes
from .difference import DIFFERENT, EQUIVALENT, SAME, Difference, moves
from .metrics import Metric
from .rank import Ranking

if TYPE_CHECKING:
    from .result import Compared


@dataclass(frozen=True)
class Decision:
    """What the seeds decide between the first case and the others, over all objectives in all situations that vary."""

    told: Compared

    @property
    def base(self) -> str:
        """The first case, beside which the others are judged."""
        return self.told.comparison.cases[0].name

    @property
    def others(self) -> list[str]:
        """The other cases."""
        return [case.name for case in self.told.comparison.cases[1:]]

    def signs(self, one: str, other: str) -> list[tuple[Ranking, Metric, int]]:
        """For each situation and objective whether ``one`` is better (1) or worse (-1) than ``other``; a missing value is worse."""
        found = []
        for ranking in self.told.rankings:
            mine, its = ranking.row(one).samples, ranking.row(other).samples
            for metric in ranking.objectives if ranking.random else ():
                missing = (mine[metric.name] is not None) - (its[metric.name] is not None)
                found.append((ranking, metric, missing or ranking.better(metric, one, other)))
        return found

    def doubts(self, one: str, other: str) -> list[tuple[Ranking, Metric]]:
        """Situations and objectives by which the seeds leave open whether ``one`` is worse, while its mean is, by more than the margin."""
        margin = self.told.comparison.margin
        return [
            (ranking, metric)
            for ranking, metric, sign in self.signs(one, other)
            if not sign and _leans(ranking, metric, one, other, margin)
        ]

    def dominates(self, one: str, other: str) -> bool:
        """Whether ``one`` is better by an objective in a situation, and worse by none in any."""
        signs = [sign for *_, sign in self.signs(one, other)]
        return max(signs, default=0) > 0 and min(signs) >= 0

    @cached_property
    def front(self) -> list[str]:
        """The cases that are better than the first, less those to which another of them is to be preferred."""
        if self.told.seeds < LEAST_SEEDS:
            return []
        better = [name for name in self.others if self.dominates(name, self.base) and not self.doubts(name, self.base)]
        return [name for name in better if not any(self.dominates(other, name) for other in better)] or better

    @cached_property
    def chosen(self) -> str | None:
        """The case to use instead of the first: shown to be better, and without a shown or possible loss; None where there is none."""
        names = [case.name for case in self.told.comparison.cases]
        return max(self.front, key=lambda name: (self.wins(name, names), -names.index(name)), default=None)

    def wins(self, name: str, names: Sequence[str]) -> tuple[int, ...]:
        """For each objective, then each further metric, how many of the others it beats less how many beat it."""
        comparison = self.told.comparison
        order = [*comparison.objectives, *(one for one in comparison.metrics if one not in comparison.objectives)]
        return tuple(
            sum(ranking.better(metric, name, other) for ranking in self.told.rankings for other in names)
            for metric in order
        )

    @cached_property
    def gaining(self) -> list[str]:
        """The cases that are better than the first by an objective and have a shown or possible loss, too.

        The first is the one that may lose least: the farthest end of its intervals of losses, shown or possible.
        """
        if self.told.seeds < LEAST_SEEDS:
            return []
        names = [case.name for case in self.told.comparison.cases]
        gains = [name for name in self.others if any(sign > 0 for *_, sign in self.signs(name, self.base))]
        found = [name for name in gains if name not in self.front and self.losses(name)]
        return sorted(
            found, key=lambda name: (self.risk(name), [-won for won in self.wins(name, names)], names.index(name))
        )

    @cached_property
    def trades(self) -> list[str]:
        """Those to which no other of them is to be preferred without a doubt."""
        found = self.gaining
        return [
            name
            for name in found
            if not any(self.dominates(other, name) and not self.doubts(other, name) for other in found)
        ] or found

    @property
    def mixed(self) -> str | None:
        """The first of the trades."""
        return next(iter(self.trades), None)

    def losses(self, name: str) -> list[tuple[Ranking, Metric]]:
        """Situations and objectives by which a case is worse than the first, or may be."""
        return [(ranking, metric) for ranking, metric, sign in self.signs(name, self.base) if sign < 0] + self.doubts(
            name, self.base
        )

    def risk(self, name: str) -> float:
        """The most that a case may lose by an objective, as the logarithm of a ratio."""
        return max(max(_ends(ranking.between(metric, name, self.base))) for ranking, metric in self.losses(name))

    @cached_property
    def aside(self) -> tuple[str, Change] | None:
        """Of the cases that are equivalent to the first by every objective, the one that differs most by another metric, and how.

        The difference is shown, and not for the worse.
        """
        found = []
        for name in self.others:
            pairs = [
                ranking.between(metric, name, self.base)
                for ranking in self.told.rankings
                for metric in ranking.objectives
            ]
            if all(one is not None and one.verdict in (EQUIVALENT, SAME) for one in pairs):
                found += [
                    (name, one)
                    for one in changes(self.told, name, self.base)
                    if one.found.verdict == DIFFERENT and not one.leans_worse
                ]
        order = self.told.comparison.metrics
        return max(found, key=lambda each: (_at_least(each[1].found), -order.index(each[1].metric)), default=None)

    @property
    def subject(self) -> str:
        """The case whose changes from the first are told: chosen, else a trade, else equivalent, else the best."""
        rows = self.told.rankings[0].rows
        equal = self.aside[0] if self.aside is not None else None
        return self.chosen or self.mixed or equal or next(row.case for row in rows if row.case != self.base)


def _leans(ranking: Ranking, metric: Metric, one: str, other: str, margin: float) -> bool:
    """Whether an undecided mean is worse by more than the margin."""
    found = ranking.between(metric, one, other)
    mine, its = ranking.row(one).samples[metric.name], ranking.row(other).samples[metric.name]
    if (
        found is None
        or mine is None
        or its is None
        or found.verdict != UNDECIDED
        or not moves(mine.value, its.value, margin)
    ):
        return False
    return (mine.value > its.value) != metric.quantity.more_is_better


def moved(made: Decision, one: str, other: str, way: int) -> list[tuple[Ranking, Metric]]:
    """Each objective by which a case is better (1) or worse (-1) than another, in the situation in which it is so by most.

    The largest is first, by the end of the interval that is nearer to no difference.
    """
    best: dict[str, tuple[float, Ranking, Metric]] = {}
    for ranking, metric, sign in made.signs(one, other):
        far = _at_least(ranking.between(metric, one, other))
        if sign == way and (metric.name not in best or far > best[metric.name][0]):
            best[metric.name] = far, ranking, metric
    return [(ranking, metric) for _, ranking, metric in sorted(best.values(), key=lambda each: -each[0])]


def _ends(found: Difference | None) -> list[float]:
    """How large a difference is at either end of its interval, as the logarithm of a ratio."""
    if found is None or not found.relative:
        return [math.inf]
    ends = (found.value,) if found.interval is None else (found.interval.low, found.interval.high)
    return [abs(math.log(end)) if end > 0 else math.inf for end in ends]


def _at_least(found: Difference | None) -> float:
    """How large a shown difference is at least."""
    return min(_ends(found))
