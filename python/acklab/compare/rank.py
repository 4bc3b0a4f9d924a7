"""Who is better: means with intervals, and paired differences from the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..figures.stats import ALPHA, Interval, Sample, split
from .metrics import Metric

Samples = Mapping[str, Sample | None]
"""A value for each seed, by case; None where a seed gave nothing."""


@dataclass(frozen=True)
class Ranked:
    """A case's place."""

    case: str
    place: int
    tied: bool
    """Whether the seeds do not tell it from the best."""
    samples: Mapping[str, Sample | None]
    """By metric."""
    behind: Interval | None
    """How much worse than the best by the first metric, in its unit: the paired difference's interval."""


@dataclass(frozen=True)
class Ranking:
    """The cases in one situation, best first."""

    situation: str
    rows: Sequence[Ranked]

    def row(self, case: str) -> Ranked:
        """A case's row."""
        return next(row for row in self.rows if row.case == case)

    @property
    def best(self) -> Ranked:
        """The first."""
        return self.rows[0]


def sample(values: Sequence[float]) -> Sample | None:
    """A sample, unless a seed gave nothing."""
    return None if any(math.isnan(v) for v in values) else Sample.of(values)


def interval(one: Sample) -> Interval:
    """Its mean's 95 % interval."""
    return one.interval(1 - ALPHA)


def rank(situation: str, metrics: Sequence[Metric], samples: Mapping[str, Samples]) -> Ranking:
    """The cases by the first metric; ``samples`` has a mapping by case for each metric."""
    first = metrics[0]
    by_case = samples[first.name]
    sign = 1 if first.quantity.more_is_better else -1
    order = sorted(by_case, key=lambda name: _key(by_case[name], sign))
    best = by_case[order[0]]
    level = split(max(len(order) - 1, 1))
    rows = []
    for place, name in enumerate(order, 1):
        mine = by_case[name]
        behind = None
        tied = place == 1
        if best is not None and mine is not None and place > 1:
            behind = Sample.of([sign * d for d in best.minus(mine).values]).interval(level)
            tied = behind.low <= 0
        rows.append(Ranked(name, place, tied, {m.name: samples[m.name][name] for m in metrics}, behind))
    return Ranking(situation, rows)


def _key(one: Sample | None, sign: int) -> float:
    return math.inf if one is None else -sign * one.value


def differs(metric: Metric, one: Sample | None, other: Sample | None) -> int:
    """1 if ``one`` is better by the metric, -1 if worse, 0 if the seeds do not tell (or hardly differ)."""
    if one is None or other is None:
        return 0
    difference = one.minus(other).interval(1 - ALPHA)
    if difference.low <= 0 <= difference.high:
        return 0
    better = (difference.low > 0) == metric.quantity.more_is_better
    return 1 if better else -1
