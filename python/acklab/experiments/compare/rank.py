"""The order of the cases in a situation, by the first declared objective that responds to what the cases change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ...figures.stats import Sample
from .difference import DIFFERENT, MARGIN, ONE_RUN, Difference, Rules, difference, moves
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
    """``first``, ``worse``, ``undecided``, ``equivalent``, ``same`` (in every seed), ``one run``, ``too few seeds`` or ``no value``."""
    samples: Mapping[str, Sample | None]
    """By metric."""
    beside: Difference | None = None
    """Beside the first, by the metric that ranks."""


@dataclass(frozen=True)
class Ranking:
    """The cases in one situation, best first."""

    situation: str
    rows: Sequence[Ranked]
    by: Metric
    """The metric that ranks."""
    objectives: Sequence[Metric]
    """The declared objectives that have a value here."""
    silent: Sequence[Metric]
    """Those of them by which no two cases are shown to differ by more than the margin."""
    random: bool = True
    """Whether any two seeds gave different numbers."""
    rules: Rules = field(default_factory=Rules)
    """Of the objectives."""
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
        """How one case compares with another by a metric; None where one has no value."""
        rules = self.rules if metric in self.objectives else self.further
        return _between(self.row(one).samples[metric.name], self.row(other).samples[metric.name], rules, self.random)

    def better(self, metric: Metric, one: str, other: str) -> int:
        """1 if ``one`` is better than ``other`` by the metric, -1 if worse, 0 if that is not decided."""
        found = self.between(metric, one, other)
        if found is None or found.verdict != DIFFERENT or not metric.ranks:
            return 0
        return 1 if found.more == metric.quantity.more_is_better else -1


def _between(one: Sample | None, other: Sample | None, rules: Rules, random: bool) -> Difference | None:
    return None if one is None or other is None else difference(one, other, rules, random=random)


def rank(
    situation: str,
    metrics: Sequence[Metric],
    samples: Mapping[str, Samples],
    *,
    objectives: Sequence[Metric] = (),
    random: bool = True,
    margin: float = MARGIN,
    situations: int = 1,
    looks: int = 1,
) -> Ranking:
    """The cases by the first objective that responds, or the first metric; ``samples`` has a mapping by case for each metric.

    The one that comes first is chosen by the same seeds that then judge the others, so the family is all pairs of cases.
    """
    declared = list(objectives) or [metrics[0]]
    pairs = math.comb(len(samples[metrics[0].name]), 2) * situations
    rules = Rules(max(pairs * len(declared), 1), margin, looks)
    further = Rules(max(pairs * (len(metrics) - len(declared)), 1), margin, looks)
    measured = [one for one in declared if any(each is not None for each in samples[one.name].values())] or declared
    silent = [one for one in measured if not _responds(samples[one.name], rules, random)]
    by = next((one for one in measured if one not in silent), measured[0])
    return Ranking(situation, _rows(by, metrics, samples, rules, random), by, measured, silent, random, rules, further)


def _responds(samples: Samples, rules: Rules, random: bool) -> bool:
    """Whether two cases are shown to differ by more than the margin; a deterministic run shows what it has."""
    for one, other in combinations([each for each in samples.values() if each is not None], 2):
        found = difference(one, other, rules, random=random)
        if found.verdict == DIFFERENT or found.verdict == ONE_RUN and moves(one.value, other.value, rules.margin):
            return True
    return False


def _rows(
    by: Metric, metrics: Sequence[Metric], samples: Mapping[str, Samples], rules: Rules, random: bool
) -> list[Ranked]:
    by_case = samples[by.name]
    sign = 1 if by.quantity.more_is_better else -1
    order = sorted(by_case, key=lambda name: _key(by_case[name], sign))
    rows = []
    for place, name in enumerate(order, 1):
        found = _between(by_case[name], by_case[order[0]], rules, random)
        told = {m.name: samples[m.name][name] for m in metrics}
        if found is None:
            rows.append(Ranked(name, place, NO_VALUE, told))
        elif place == 1:
            rows.append(Ranked(name, place, FIRST, told))
        else:
            rows.append(Ranked(name, place, WORSE if found.verdict == DIFFERENT else found.verdict, told, found))
    return rows


def _key(one: Sample | None, sign: int) -> float:
    return math.inf if one is None else -sign * one.value
