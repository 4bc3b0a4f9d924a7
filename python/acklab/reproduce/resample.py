"""Intervals of rank correlations of means over the seeds, by resampling the seeds.

The jackknife of :mod:`.stats` assumes a smooth statistic, which a rank correlation is not. Leaving out one seed of many seldom
swaps two ranks. If it swaps none, all pseudo-values are equal and the interval has no width. If it swaps two, the change is
multiplied by the number of seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..study.intervals import Interval, Sample
from .grid import Array

RESAMPLES = 3999


@dataclass(frozen=True)
class RankCorrelation(Sample):
    """One of all seeds together; ``values`` are those of :data:`RESAMPLES` drawings of as many seeds, ordered."""

    whole: float = math.nan
    """Its value with every seed once."""
    seeds: int = 0

    @property
    def value(self) -> float:
        """The estimate."""
        return self.whole

    @property
    def count(self) -> int:
        """How many seeds."""
        return self.seeds

    def interval(self, level: float) -> Interval:
        """From the quantiles of the resampled values, and these mirrored at the estimate, whichever are farther out.

        Noise draws a rank correlation toward 0, and resampling adds as much again: the mirror takes it off. Where ranks can
        hardly be more alike only the quantiles themselves have a width.
        """
        rank = max(math.floor((len(self.values) + 1) * (1 - level) / 2 + 1e-9), 1)
        low, high = self.values[rank - 1], self.values[-rank]
        return Interval(max(min(low, 2 * self.whole - high), -1.0), min(max(high, 2 * self.whole - low), 1.0), level)

    def minus(self, other: Sample) -> Sample:
        """There is none: its values do not belong to seeds."""
        raise TypeError("a rank correlation has no value for each seed")

    def over(self, divisor: float) -> Sample:
        """Nor this: it is the same whatever its lists are multiplied by."""
        raise TypeError("a rank correlation is not divided")


def rank_correlation(statistic: Callable[..., Array], *tables: Array) -> RankCorrelation:
    """A rank correlation of means over the seeds.

    Args:
        statistic: given for each table the means, the resamples as the last axis, gives one number a resample.
        tables: what was measured, the seeds as the last axis; the same seeds in all.
    """
    seeds = tables[0].shape[-1]
    weights = _weights(seeds)
    values = np.asarray(statistic(*(table @ weights for table in tables)), dtype=np.float64)
    return RankCorrelation(tuple(sorted(values[1:].tolist())), whole=float(values[0]), seeds=seeds)


@lru_cache(maxsize=8)
def _weights(seeds: int) -> Array:
    """A column a resample: how much each seed weighs. The first has every seed once."""
    draws = np.random.RandomState(1).randint(
        seeds, size=(RESAMPLES, seeds)
    )  # whose numbers no version of numpy changes
    columns = [np.bincount(one, minlength=seeds) / seeds for one in draws]
    return np.stack([np.full(seeds, 1 / seeds), *columns], axis=1)


def spearman(x: Any, y: Any) -> Any:
    """Rank correlation without ties, of two lists, of two tables column by column, or of a list with each column."""
    ranks, others = (np.argsort(np.argsort(np.asarray(v), axis=0), axis=0) - (len(x) - 1) / 2 for v in (x, y))
    if ranks.ndim < others.ndim:
        ranks = ranks[:, np.newaxis]
    return (ranks * others).sum(axis=0) / (ranks**2).sum(axis=0)
