"""Paired comparisons of cases over the same seeds, the verdicts on them, and the order of the cases.

Positive values are compared by their ratio in each seed: the mean of its logarithms has Student's interval, so the interval of the ratio
is positive. Where a value is 0, the paired difference is taken instead. Equivalence within the margin has two one-sided tests
(Schuirmann 1987) at the same error. All take seeds as independent. If two cases differ by chance alone, either is as often the larger
one, so that also skewed values decide falsely at most about as often as said.

Where each case gave one value in every seed, the values are compared as they are, without an interval: such seeds tell nothing of chance.
They still decide. If the cases had one distribution, and the common seeds did not make them opposite, this would have a chance of at most
2 / 4^n in n seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from ..results import findings
from ..results.findings import Finding
from .intervals import ALPHA, LEAST_SEEDS, Interval, Sample, seeds_needed
from .metrics import Metric

#: Verdicts, in order. The samples differ by more than the margin, and not by chance. Neither a difference nor equivalence is shown.
#: The means are within the margin. The values are equal in every seed. The last two decide nothing: one deterministic run each, or
#: too few seeds.
DIFFERENT, UNDECIDED, EQUIVALENT, SAME, ONE_RUN, TOO_FEW = (
    "different",
    "undecided",
    "equivalent",
    "same",
    "one run",
    "too few seeds",
)
#: The share of the mean below which a difference does not matter, unless another is given.
MARGIN = 0.02
#: The difference, as a share of the mean, for which the needed seeds are estimated if the margin is less, and the power of the test.
RESOLUTION, POWER = 0.05, 0.8


@dataclass(frozen=True)
class Rules:
    """The size of a comparison's family of differences, and the margin."""

    family: int = 1
    """Differences that may be looked at; their error is shared by all (Bonferroni)."""
    margin: float = MARGIN
    """Share of the smaller mean up to which a difference does not matter."""
    looks: int = 1

    @property
    def level(self) -> float:
        """Confidence level of one difference's interval."""
        return 1 - ALPHA / (self.family * self.looks)

    @property
    def tested(self) -> float:
        """Confidence level of the interval that two one-sided tests of equivalence look at."""
        return 2 * self.level - 1

    @property
    def resolution(self) -> float:
        """The difference to detect, as a share of the mean."""
        return max(self.margin, RESOLUTION)


@dataclass(frozen=True)
class Difference:
    """One sample compared with another."""

    value: float
    """The ratio of the means; where not ``relative``, their difference in the metric's unit."""
    interval: Interval | None
    """Of the mean ratio over the seeds (geometric), or of the difference; None where seeds give none. Of equivalent ones that of the tests."""
    verdict: str
    relative: bool = True
    needed: int | None = None
    """Seeds that would show ``effect``, where undecided and more than there are."""
    effect: float | None = None
    """The difference that they would show, as a share: the measured one, or the resolution if that is larger."""
    constant: bool = False
    """Each of the two has one value in every seed."""

    @property
    def more(self) -> bool:
        """Whether the first mean is the larger one."""
        return self.value > (1 if self.relative else 0)


def moves(one: float, other: float, margin: float) -> bool:
    """Whether two means are further apart than the margin, which is a share of the smaller one.

    >>> moves(43.61, 43.57, 0.02), moves(3.44, 4.43, 0.02), moves(0.0, 2.0, 0.02)
    (False, True, True)
    """
    return abs(one - other) > margin * min(abs(one), abs(other))


def difference(one: Sample, other: Sample, rules: Rules, *, random: bool = True) -> Difference:
    """``one`` compared with ``other``, seed by seed; without ``random`` variation all seeds are one run."""
    relative = min(*one.values, *other.values) > 0
    apart = _logarithms(one, other) if relative else one.minus(other)
    value = one.value / other.value if relative else apart.value
    if one.values == other.values:
        return Difference(value, None, SAME, relative)
    if not random or one.count < LEAST_SEEDS:
        return Difference(value, None, TOO_FEW if random else ONE_RUN, relative)
    if all(len(set(each.values)) == 1 for each in (one, other)):
        return _constant(
            Difference(value, None, _beyond(one, other, apart.value, relative, rules), relative, constant=True),
            one.count,
            rules,
        )
    found = apart.interval(rules.level)
    signs = 1 + math.ceil(-math.log2(1 - rules.level))
    shown = Interval(math.exp(found.low), math.exp(found.high), found.level) if relative else found
    verdict = _beyond(one, other, apart.value, relative, rules)
    if verdict == EQUIVALENT and (within := _within(apart, rules)) is not None:
        return Difference(value, within, EQUIVALENT, relative)
    if (one.minus(other).deviation == 0 or apart.deviation < 1e-12) and verdict == DIFFERENT and apart.count < signs:
        # The same difference in every seed has no variance to judge by: its sign alone decides (sign test).
        return Difference(value, shown, UNDECIDED, relative, signs)
    if not found.low <= 0 <= found.high:
        return Difference(value, shown, DIFFERENT if verdict == DIFFERENT else UNDECIDED, relative)
    effect = math.log1p(rules.resolution)
    if not relative or max(-found.low, found.high) <= effect:
        return Difference(value, shown, UNDECIDED, relative)
    effect = max(effect, abs(apart.value))
    needed = seeds_needed(apart.deviation, effect, rules.level, POWER)
    return Difference(
        value, shown, UNDECIDED, relative, *((needed, math.expm1(effect)) if needed > apart.count else ())
    )


def _logarithms(one: Sample, other: Sample) -> Sample:
    """The logarithm of the ratio in each seed."""
    return Sample.of([math.log(a / b) for a, b in zip(one.values, other.values, strict=True)])


def _beyond(one: Sample, other: Sample, apart: float, relative: bool, rules: Rules) -> str:
    """The verdict that an exact comparison would have: the means and, where relative, the mean logarithm have to agree."""
    moved = moves(one.value, other.value, rules.margin)
    if not relative:
        return DIFFERENT if moved else UNDECIDED
    if moved and abs(apart) > math.log1p(rules.margin) and (apart > 0) == (one.value > other.value):
        return DIFFERENT
    return EQUIVALENT if rules.margin and not moved else UNDECIDED


def _within(apart: Sample, rules: Rules) -> Interval | None:
    """The interval of two one-sided tests, each at the family's error, if they show the ratio to be within the margin either way."""
    if rules.tested <= 0:
        return None
    found, most = apart.interval(rules.tested), math.log1p(rules.margin)
    return (
        Interval(math.exp(found.low), math.exp(found.high), found.level)
        if -most < found.low and found.high < most
        else None
    )


def _constant(found: Difference, count: int, rules: Rules) -> Difference:
    """Two values, one in every seed each; undecided where a family's error is too small for so few seeds."""
    if found.verdict != DIFFERENT or 2 * 4.0**-count <= 1 - rules.level:
        return found
    needed = math.ceil(math.log(2 / (1 - rules.level), 4))
    apart = abs(math.log(found.value)) if found.relative else None
    return replace(found, verdict=UNDECIDED, needed=needed, effect=None if apart is None else math.expm1(apart))


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


def finding(
    metric: Metric,
    situation: str,
    cases: tuple[str, str],
    samples: tuple[Sample | None, Sample | None],
    shown: Difference | None,
    finished: tuple[int, int],
    runs: int,
) -> Finding:
    """Returns a difference as a finding.

    Args:
        metric: what is compared.
        situation: in which.
        cases: the case, and the base.
        samples: their values; None where a run gave none.
        shown: their difference; None where there is none.
        finished: runs of each that gave a value.
        runs: runs of each.
    """
    value, base_value = (None if sample is None else sample.value for sample in samples)
    less = 1.0 if shown is not None and shown.relative else 0.0
    span = shown.interval if shown is not None else None
    return Finding(
        metric=metric.name,
        unit=metric.quantity.unit,
        situation=situation,
        case=cases[0],
        base=cases[1],
        value=value,
        base_value=base_value,
        change=None if shown is None else shown.value - less,
        relative=bool(less),
        low=None if span is None else span.low - less,
        high=None if span is None else span.high - less,
        level=None if span is None else span.level,
        verdict=_typed(metric, shown),
        finished=finished[0],
        base_finished=finished[1],
        runs=runs,
        seeds_needed=None if shown is None else shown.needed,
    )


def _typed(metric: Metric, shown: Difference | None) -> str:
    if shown is None:
        return findings.NO_VALUE
    if shown.verdict in (SAME, EQUIVALENT):
        return findings.EQUIVALENT
    if shown.verdict != DIFFERENT:
        return findings.UNDECIDED
    if not metric.ranks:
        return findings.DIFFERS
    return findings.BETTER if shown.more == metric.quantity.more_is_better else findings.WORSE
