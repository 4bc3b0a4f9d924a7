"""Confidence intervals from a handful of independent seeds, without a statistics package."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist, fmean, median

#: Chance of a wrong verdict on one claim, shared by all the intervals it looks at (Bonferroni).
ALPHA = 0.05
#: The least number of seeds from which an interval is printed. With fewer, Student's interval is wider than the mean itself, or narrow
#: by chance.
LEAST_SEEDS = 5


@dataclass(frozen=True)
class Interval:
    """Where the true value lies, at a confidence level."""

    low: float
    high: float
    level: float

    @property
    def half_width(self) -> float:
        """Half its length."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Sample:
    """A quantity measured once for each seed; ``median`` says that its median is meant, not its mean."""

    values: tuple[float, ...]
    median: bool = False

    @staticmethod
    def of(values: Sequence[float], median: bool = False) -> Sample:
        """From any sequence of numbers."""
        return Sample(tuple(float(v) for v in values), median)

    @property
    def count(self) -> int:
        """How many seeds."""
        return len(self.values)

    @property
    def value(self) -> float:
        """The estimate."""
        return median(self.values) if self.median else fmean(self.values)

    @property
    def deviation(self) -> float:
        """The standard deviation over the seeds."""
        mean = fmean(self.values)
        return math.sqrt(math.fsum((v - mean) ** 2 for v in self.values) / (len(self.values) - 1))

    def interval(self, level: float) -> Interval:
        """Student's interval of the mean, or the order statistics' interval of the median."""
        return _median_interval(self.values, level) if self.median else _mean_interval(self.values, level)

    def minus(self, other: Sample) -> Sample:
        """Paired difference, seed by seed."""
        return self.having(a - b for a, b in zip(self.values, other.values, strict=True))

    def over(self, divisor: float) -> Sample:
        """Every value divided by one number."""
        return self.having(v / divisor for v in self.values)

    def having(self, values: Iterable[float]) -> Sample:
        """A sample of the same kind with other values."""
        return replace(self, values=tuple(values))


def sample(values: Sequence[float]) -> Sample | None:
    """A sample, unless a seed gave nothing (NaN)."""
    return None if any(math.isnan(v) for v in values) else Sample.of(values)


def interval(one: Sample, looks: int = 1) -> Interval:
    """The 95 % interval of the mean; with ``looks``, where its width decided how many seeds there are."""
    return one.interval(split(1, looks))


def bounded(one: Sample, looks: int = 1) -> Interval | None:
    """:func:`interval` as it is printed: none of fewer than :data:`LEAST_SEEDS`, and not below 0 where no value is.

    >>> bounded(Sample.of([1.0, 2.0])), bounded(Sample.of([0.0, 0.0, 0.0, 0.0, 5.0])).low
    (None, 0.0)
    """
    if one.count < LEAST_SEEDS:
        return None
    found = interval(one, looks)
    return Interval(max(found.low, 0.0), found.high, found.level) if min(one.values) >= 0 else found


def jackknife(count: int, statistic: Callable[[list[int]], float]) -> Sample:
    """Pseudo-values of a smooth statistic of ``count`` seeds (given as indices): their mean's interval is the statistic's."""
    everything = list(range(count))
    whole = statistic(everything)
    without = [statistic(everything[:i] + everything[i + 1 :]) for i in everything]
    return Sample.of([count * whole - (count - 1) * one for one in without])


def split(comparisons: int, looks: int = 1) -> float:
    """Confidence level of each of so many intervals, looked at so often, that keeps the claim's error at ALPHA."""
    return 1 - ALPHA / (max(comparisons, 1) * max(looks, 1))


def seeds_needed(deviation: float, effect: float, level: float, power: float) -> int:
    """How many seeds show a mean of ``effect`` by its interval at ``level``, with chance ``power``.

    For normal values (Guenther 1981, "Sample size formulas for normal theory t tests", equation for one sample).
    """
    decides, shows = (NormalDist().inv_cdf(share) for share in ((1 + level) / 2, power))
    return math.ceil(((decides + shows) * deviation / effect) ** 2 + decides**2 / 2)


def _mean_interval(values: Sequence[float], level: float) -> Interval:
    n = len(values)
    if n < 2:
        return Interval(-math.inf, math.inf, level)
    mean = fmean(values)
    half = t_quantile((1 + level) / 2, n - 1) * Sample.of(values).deviation / math.sqrt(n)
    return Interval(mean - half, mean + half, level)


def _median_interval(values: Sequence[float], level: float) -> Interval:
    """The widest pair of order statistics is taken whose coverage is still at least the level."""
    ordered, n = sorted(values), len(values)
    tail = 0.0
    rank = 0
    for k in range(n // 2):
        tail += math.comb(n, k) / 2**n
        if 1 - 2 * tail < level:
            break
        rank = k + 1
    if rank == 0:
        return Interval(-math.inf, math.inf, level)
    return Interval(ordered[rank - 1], ordered[n - rank], level)


@lru_cache(maxsize=4096)
def binomial(hits: int, count: int, level: float) -> Interval:
    """Clopper and Pearson's interval of a share, of which ``hits`` of ``count`` trials were seen; exact, so never too narrow.

    >>> found = binomial(10, 10, 0.99)
    >>> round(found.low, 3), found.high
    (0.589, 1.0)
    """
    tail = (1 - level) / 2
    low = _root(lambda p: _beta_regularised(hits, count - hits + 1, p) - tail) if hits else 0.0
    high = _root(lambda p: _beta_regularised(hits + 1, count - hits, p) - (1 - tail)) if hits < count else 1.0
    return Interval(low, high, level)


def _root(rising: Callable[[float], float], low: float = 0.0, high: float = 1.0, steps: int = 60) -> float:
    """Where a function that rises between two ends passes zero, by bisection."""
    for _ in range(steps):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: int) -> float:
    """Student's t, by bisection of its distribution; ``probability`` of at least one half."""
    return _root(lambda t: _t_cdf(t, freedom) - probability, 0.0, 1e9, 200)


def _t_cdf(t: float, freedom: int) -> float:
    x = freedom / (freedom + t * t)
    return 1 - 0.5 * _beta_regularised(freedom / 2, 0.5, x)


def _beta_regularised(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_regularised(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / (c if abs(c) > tiny else tiny)
            fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return front * fraction
