"""Posterior over readings (Bayes; Birge's ratio): likelihoods, marginal probabilities of each rule's values, and predictions.

The model. Under a reading a value is normal. Its mean is that of the nudged runs. Its variance is a sum of two. The first is the runs'
variance times 1 + 1/n, since their mean is over n runs. The second is the printed number's, whose standard deviation is half the
tolerance. Values are independent. A squared miss is counted in units of this variance. If its mean is above one even for the best
reading, all printed deviations are multiplied by the root of that mean (Birge's ratio). Otherwise a reading that fits badly would
be certain only because all others fit worse. The prior is uniform over the values of each rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..search.space import Choice, Free, Space
from .plan import Printed

Array = np.ndarray[Any, np.dtype[np.float64]]

DECIDED, EXCLUDED = 0.95, 0.05
"""A rule is decided where one value has this probability, a value excluded where it has less than this share of its prior."""
BINS = 4
"""Number of ranges into which the interval of a continuous rule is divided."""


@dataclass(frozen=True)
class Rule:
    """The marginal posterior of one rule's values."""

    name: str
    cells: Sequence[Any]
    probability: Sequence[float]
    prior: Sequence[float]
    tried: Sequence[int]

    @property
    def verdict(self) -> str:
        """``decided``, ``narrowed`` (some values are excluded) or ``open``."""
        if max(self.probability) >= DECIDED:
            return "decided"
        return "narrowed" if self.excluded else "open"

    @property
    def best(self) -> Any:
        """The most probable value."""
        return self.cells[int(np.argmax(self.probability))]

    @property
    def excluded(self) -> list[Any]:
        """Values that the data exclude."""
        return [
            cell
            for cell, p, prior in zip(self.cells, self.probability, self.prior, strict=True)
            if p < EXCLUDED * prior
        ]


class Posterior:
    """Posterior probabilities of the readings that were tried, given the fitted values.

    Args:
        space: the open rules.
        choices: the readings.
        made: their values, an array of readings, values and nudges.
        printed: the values.
        fit: which of them are fitted, by place.
        whole: whether these are all the readings there are; else the weights are of those tried.
    """

    def __init__(
        self,
        space: Space,
        choices: Sequence[Choice],
        made: Array,
        printed: Sequence[Printed],
        fit: Sequence[int],
        whole: bool,
    ) -> None:
        self.space, self.choices, self.printed, self.fit, self.whole = space, choices, printed, list(fit), whole
        self.mean = made.mean(axis=2)
        nudges = made.shape[2]
        self.variance = made.var(axis=2, ddof=1) if nudges > 1 else np.zeros_like(self.mean)
        self._spread = self.variance * (1 + 1 / nudges)
        self._value = np.array([one.value for one in printed])
        self._sigma = np.array([one.tolerance / 2 for one in printed])
        self.unscaled = first = self._likelihood(1.0)
        self.scale = 1.0
        if np.isfinite(first).any():
            best = int(np.argmax(first))
            misses = (self.mean[best] - self._value) ** 2 / (self._sigma**2 + self._spread[best])
            self.scale = max(1.0, math.sqrt(float(misses[self.fit].mean())))
        self.likelihood = self._likelihood(self.scale)
        """The logarithm of each reading's, up to a constant; minus infinity where a run has no value."""

    def _likelihood(self, scale: float) -> Array:
        variance = (self._sigma * scale) ** 2 + self._spread
        each = -0.5 * ((self.mean - self._value) ** 2 / variance + np.log(variance / self._sigma**2))
        return np.asarray(np.where(np.isnan(each), -np.inf, each)[:, self.fit].sum(axis=1))

    @cached_property
    def prior(self) -> Array:
        """Each reading's probability before any value is seen: uniform over the values of each rule, or over those tried."""
        found = np.array([prior(self.space, one) if self.whole else 1.0 for one in self.choices])
        return np.asarray(found / found.sum())

    @cached_property
    def weights(self) -> Array:
        """Each reading's posterior probability."""
        if not np.isfinite(self.likelihood).any():
            return np.zeros_like(self.prior)
        found = self.prior * np.exp(self.likelihood - self.likelihood.max())
        return np.asarray(found / found.sum())

    @property
    def winner(self) -> int:
        """The most probable reading; the first of several."""
        return int(np.argmax(self.weights))

    def predicted(self, reading: int | None = None) -> tuple[Array, Array]:
        """Mean and standard deviation of each value: of one run under a reading, or under all, by their probability."""
        if reading is not None:
            return self.mean[reading], np.sqrt(self.variance[reading])
        known = self.weights > 0
        weights, mean = self.weights[known][:, None], self.mean[known]
        middle = (weights * mean).sum(axis=0)
        return middle, np.sqrt((weights * (self.variance[known] + (mean - middle) ** 2)).sum(axis=0))

    def misses(self, predicted: Array, places: Sequence[int]) -> float:
        """Root of the mean squared miss of some values, in tolerances; NaN for none."""
        if not len(places):
            return math.nan
        chosen = list(places)
        return float(np.sqrt((((predicted - self._value) / (2 * self._sigma))[chosen] ** 2).mean()))

    def rules(self) -> list[Rule]:
        """The marginal posterior of each rule.

        A sampler tries more readings where fits are good, so shares of its readings are no probabilities. A value is then judged by
        the best fit that was found with it.
        """
        found = []
        for name in dict.fromkeys(self.space.columns.values()):
            groups: dict[Any, list[int]] = {}
            for row, one in enumerate(self.choices):
                if name in one.cells:
                    groups.setdefault(self._cell(name, one), []).append(row)
            cells = self._ordered(name, list(groups))
            rows = [groups[cell] for cell in cells]
            before = (
                np.array([self.prior[row].sum() for row in rows]) if self.whole else np.full(len(rows), 1 / len(rows))
            )
            if self.whole:
                after = np.array([self.weights[row].sum() for row in rows])
            else:
                best = np.array([self.likelihood[row].max() for row in rows])
                after = np.exp(best - best.max())
            found.append(
                Rule(
                    name,
                    cells,
                    (after / (after.sum() or 1)).tolist(),
                    (before / before.sum()).tolist(),
                    list(map(len, rows)),
                )
            )
        return found

    def _free(self, name: str) -> Free | None:
        return next((one for one in self.space.frees if self.space.columns[one.key] == name), None)

    def _cell(self, name: str, one: Choice) -> Any:
        """A reading's value of a rule, or the range that it lies in."""
        free, value = self._free(name), one.cells[name]
        if free is None or free.points:
            return value if isinstance(value, (str, int, float)) else repr(value)
        ends = edges(free)
        at = float(one.parameters[free.name])
        place = min(int(np.searchsorted(ends, at, side="right")) - 1, BINS - 1)
        return f"{free.value(ends[place])} to {free.value(ends[place + 1])}"

    def _ordered(self, name: str, cells: list[Any]) -> list[Any]:
        """The cells in the plan's order."""
        free = self._free(name)
        if free is None:
            part = next(part for part in self.space.parts if part.name == name)
            return [cell for cell in part.choices if cell in cells]
        if not free.points:
            ends = edges(free)
            every: list[Any] = [f"{free.value(a)} to {free.value(b)}" for a, b in zip(ends, ends[1:], strict=False)]
        else:
            every = [free.value(one) for one in free.parameters()]
            every = [one if isinstance(one, (str, int, float)) else repr(one) for one in every]
        return [cell for cell in every if cell in cells]


def edges(free: Free) -> list[float]:
    """The ends of the ranges of a continuous rule."""
    low, high = free.low.number, free.high.number
    shares = [place / BINS for place in range(BINS + 1)]
    return [low * (high / low) ** share if free.log else low + share * (high - low) for share in shares]


def prior(space: Space, one: Choice) -> float:
    """A reading's prior weight: uniform over each rule's values, and within an alternative over its own."""
    found = 1.0
    for part in space.parts:
        if isinstance(part, Free):
            found /= part.points or 1
            continue
        _, frees = part.choices[one.parameters[part.name]]
        found /= len(part.choices) * math.prod(free.points or 1 for free in frees)
    return found
