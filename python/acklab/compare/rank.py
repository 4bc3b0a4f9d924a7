"""The order of the cases: means with intervals, and paired differences from the one that looks best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..figures.stats import Interval, Sample
from .difference import DIFFERENT, Difference, Rules, difference
from .metrics import Metric

Samples = Mapping[str, Sample | None]
"""A value for each seed, by case; None where a seed gave nothing."""
#: Verdicts on a case beside those on differences.
FIRST, WORSE, NO_VALUE = "first", "worse", "no value"


@dataclass(frozen=True)
class Ranked:
    """A case's place."""

    case: str
    place: int
    verdict: str
    """``first``, ``worse``, ``undecided``, ``equivalent``, ``same`` (in every seed) or ``no value``."""
    samples: Mapping[str, Sample | None]
    """By metric."""
    behind: Interval | None = None
    """How much worse than the first by the first metric, in its unit: the paired difference's interval."""
    needed: int | None = None
    """Seeds that would decide, where undecided."""

    @property
    def may_be_best(self) -> bool:
        """Whether the seeds leave it possible that nothing is better."""
        return self.verdict not in (WORSE, NO_VALUE)


@dataclass(frozen=True)
class Ranking:
    """The cases in one situation, best first."""

    situation: str
    rows: Sequence[Ranked]
    random: bool = True
    """Whether any two seeds gave different numbers."""
    rules: Rules = field(default_factory=Rules)
    """Of the first metric."""
    further: Rules = field(default_factory=Rules)
    """Of the other metrics together."""

    def row(self, case: str) -> Ranked:
        """A case's row."""
        return next(row for row in self.rows if row.case == case)

    @property
    def best(self) -> Ranked:
        """The first."""
        return self.rows[0]

    def between(self, metric: Metric, one: str, other: str) -> Difference | None:
        """How much one case has more than another by a metric; None where one has no value."""
        a, b = self.row(one).samples[metric.name], self.row(other).samples[metric.name]
        if a is None or b is None:
            return None
        rules = self.rules if metric.name == next(iter(self.best.samples)) else self.further
        return difference(a, b, rules, random=self.random)

    def better(self, metric: Metric, one: str, other: str) -> int:
        """1 if ``one`` is better than ``other`` by the metric, -1 if worse, 0 if that is not decided."""
        found = self.between(metric, one, other)
        if found is None or found.verdict != DIFFERENT or not metric.ranks:
            return 0
        return 1 if (found.interval.low > 0) == metric.quantity.more_is_better else -1


def rank(
    situation: str,
    metrics: Sequence[Metric],
    samples: Mapping[str, Samples],
    *,
    random: bool = True,
    margin: float = 0.0,
    situations: int = 1,
    looks: int = 1,
) -> Ranking:
    """The cases by the first metric; ``samples`` has a mapping by case for each metric.

    The one that comes first is chosen by the same seeds that then judge the others, so the family is all pairs of cases.
    """
    first = metrics[0]
    by_case = samples[first.name]
    sign = 1 if first.quantity.more_is_better else -1
    order = sorted(by_case, key=lambda name: _key(by_case[name], sign))
    pairs = math.comb(len(order), 2) * situations
    rules = Rules(max(pairs, 1), margin, looks)
    further = Rules(max(pairs * (len(metrics) - 1), 1), margin, looks)
    best = by_case[order[0]]
    rows = []
    for place, name in enumerate(order, 1):
        mine, told = by_case[name], {m.name: samples[m.name][name] for m in metrics}
        if mine is None or best is None:
            rows.append(Ranked(name, place, NO_VALUE, told))
        elif place == 1:
            rows.append(Ranked(name, place, FIRST, told))
        else:
            found = difference(best, mine, rules, random=random)
            low, high = sorted((sign * found.interval.low, sign * found.interval.high))
            verdict = WORSE if found.verdict == DIFFERENT else found.verdict
            rows.append(Ranked(name, place, verdict, told, Interval(low, high, rules.level), found.needed))
    return Ranking(situation, rows, random, rules, further)


def _key(one: Sample | None, sign: int) -> float:
    return math.inf if one is None else -sign * one.value

