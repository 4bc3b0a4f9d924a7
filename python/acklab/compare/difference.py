"""Paired differences between two cases over the same seeds, and the verdicts on them.

Differences are decided by Student's interval of the mean difference, equivalence within a margin by two one-sided tests
(Schuirmann 1987) at the same error. Both take the differences of seeds as independent and nearly normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..figures.stats import ALPHA, Interval, Sample, seeds_needed

#: Verdicts: the interval excludes 0; it does not; the means are within the margin; the values are equal in every seed.
DIFFERENT, UNDECIDED, EQUIVALENT, SAME = "different", "undecided", "equivalent", "same"
#: The difference, as a share of the mean, for which the needed seeds are estimated if no margin is given, and the power of the test.
RESOLUTION, POWER = 0.05, 0.8


@dataclass(frozen=True)
class Rules:
    """The size of a comparison's family of differences, and the margin of equivalence."""

    family: int = 1
    """Differences that may be looked at; their error is shared by all (Bonferroni)."""
    margin: float = 0.0
    """Share of the smaller mean within which cases are equivalent; 0 where equivalence is not tested."""
    looks: int = 1

    @property
    def level(self) -> float:
        """Confidence level of one difference's interval."""
        return 1 - ALPHA / (self.family * self.looks)

    @property
    def resolution(self) -> float:
        """The difference to detect, as a share of the mean."""
        return self.margin or RESOLUTION


@dataclass(frozen=True)
class Difference:
    """One sample less another, in the metric's unit."""

    interval: Interval
    verdict: str
    needed: int | None = None
    """Seeds that would show a difference of the resolution, where undecided and more than there are."""


def difference(one: Sample, other: Sample, rules: Rules, *, random: bool = True) -> Difference:
    """``one`` less ``other``, seed by seed; without ``random`` variation one run of each is exact."""
    minus = one.minus(other)
    interval = minus.interval(rules.level)
    if not any(minus.values):
        return Difference(interval, SAME)
    if not random:
        return Difference(interval, DIFFERENT)
    if minus.deviation == 0:
        return _constant(minus, interval, rules)
    if rules.margin and _equivalent(one, other, rules):
        return Difference(interval, EQUIVALENT)
    if not interval.low <= 0 <= interval.high:
        return Difference(interval, DIFFERENT)
    effect = rules.resolution * min(abs(one.value), abs(other.value))
    if effect <= 0 or max(-interval.low, interval.high) <= effect:
        return Difference(interval, UNDECIDED)
    if rules.margin:  # equivalence, if there is no difference at all
        needed = seeds_needed(minus.deviation, effect, 2 * rules.level - 1, (1 + POWER) / 2)
    else:
        needed = seeds_needed(minus.deviation, effect, rules.level, POWER)
    return Difference(interval, UNDECIDED, needed if needed > minus.count else None)


def _constant(minus: Sample, interval: Interval, rules: Rules) -> Difference:
    """A difference that is the same in every seed has no variance to judge by: its sign alone decides (sign test)."""
    needed = 1 + math.ceil(-math.log2(1 - rules.level))
    return Difference(interval, DIFFERENT) if minus.count >= needed else Difference(interval, UNDECIDED, needed)


def _equivalent(one: Sample, other: Sample, rules: Rules) -> bool:
    """Whether neither mean exceeds the other by more than the margin: two one-sided tests, each at the family's error."""
    level = 2 * rules.level - 1
    if min(one.value, other.value) <= 0 or level <= 0:
        return False
    grown = [
        Sample.of([a - (1 + rules.margin) * b for a, b in zip(x.values, y.values, strict=True)])
        for x, y in ((one, other), (other, one))
    ]
    return all(each.interval(level).high < 0 for each in grown)


def rounded(count: int) -> int:
    """A number of seeds to two digits, upwards.

    >>> rounded(37), rounded(1234)
    (37, 1300)
    """
    step = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // step) * step
