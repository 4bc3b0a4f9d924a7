"""Posterior over readings (Bayes; Birge's ratio): likelihoods, marginal probabilities of each rule's values, and predictions.

The model. Under a reading a value is normal. Its mean is that of the nudged runs. Its variance is a sum of two. The first is the runs'
variance times 1 + 1/n, since their mean is over n runs. The second is the printed number's, whose standard deviation is half the
tolerance. Values are independent. A squared miss is counted in units of this variance. If its mean is above one even for the best
reading, all printed deviations are multiplied by the root of that mean (Birge's ratio). Otherwise a reading that fits badly would
be certain only because all others fit worse. The prior is uniform over the values of each rule. An order is a bound: a mean on its
side misses nothing, and its variance costs nothing. Readings drawn from the prior weigh as all do (Horvitz and Thompson); few of them may
have all the weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .space import Choice, Free, Space

if TYPE_CHECKING:
    from .infer import InferPlan, Printed

Array = np.ndarray[Any, np.dtype[np.float64]]

MIN_EFFECTIVE = 10
"""Readings drawn decide nothing if their weights are worth fewer than this many of equal weight."""
MIN_MOVE = 0.1
"""A rule moves a value if its values alone change it by this share of its tolerance."""
MIN_DECIDED, MAX_EXCLUDED = 0.95, 0.05
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
        if max(self.probability) >= MIN_DECIDED:
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
            if p < MAX_EXCLUDED * prior
        ]


class Posterior:
    """Posterior probabilities of the readings that were tried, given the fitted values.

    Args:
        space: the open rules.
        choices: the readings.
        made: their values, an array of readings, values and nudges.
        printed: the values.
        fit: which of them are fitted, by place.
        before: the readings' prior weights.
    """

    def __init__(
        self,
        space: Space,
        choices: Sequence[Choice],
        made: Array,
        printed: Sequence[Printed],
        fit: Sequence[int],
        before: Array,
    ) -> None:
        self.space, self.choices, self.printed, self.fit = space, choices, printed, list(fit)
        self.prior: Array = np.asarray(before / before.sum())
        """Each reading's probability before any value is seen: uniform over the values of each rule."""
        self.mean = made.mean(axis=2)
        nudges = made.shape[2]
        self.variance = made.var(axis=2, ddof=1) if nudges > 1 else np.zeros_like(self.mean)
        self._spread = self.variance * (1 + 1 / nudges)
        self.bound = np.array([bool(one.bound) for one in printed])
        self._sigma = np.array([one.tolerance / 2 for one in printed])
        first = self._likelihood(1.0)
        self.scale = 1.0
        if np.isfinite(first).any():
            best = int(np.argmax(first))
            misses = self.off(self.mean[best]) ** 2 / (self._sigma**2 + self._spread[best])
            self.scale = max(1.0, math.sqrt(float(misses[self.fit].mean())))
        self.likelihood = self._likelihood(self.scale)
        """The logarithm of each reading's, up to a constant; minus infinity where a run has no value."""

    def off(self, means: Array) -> Array:
        """How far means are from the printed values, in their units; nothing on a bound's side."""
        return np.stack([one.off(means[..., place]) for place, one in enumerate(self.printed)], axis=-1)

    def _likelihood(self, scale: float) -> Array:
        variance = (self._sigma * scale) ** 2 + self._spread
        width = np.where(self.bound, 0, np.log(variance / self._sigma**2))
        each = -0.5 * (self.off(self.mean) ** 2 / variance + width)
        return np.asarray(np.where(np.isnan(each), -np.inf, each)[:, self.fit].sum(axis=1))

    @cached_property
    def weights(self) -> Array:
        """Each reading's posterior probability."""
        if not np.isfinite(self.likelihood).any():
            return np.zeros_like(self.prior)
        found = self.prior * np.exp(self.likelihood - self.likelihood.max())
        return np.asarray(found / found.sum())

    @property
    def effective(self) -> float:
        """How many readings of equal weight the weights are worth (Kish)."""
        return float(1 / (self.weights**2).sum())

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
        return float(np.sqrt(((self.off(predicted) / (2 * self._sigma))[chosen] ** 2).mean()))

    def rules(self) -> list[Rule]:
        """The marginal posterior of each rule."""
        found = []
        for name in dict.fromkeys(self.space.columns.values()):
            groups: dict[Any, list[int]] = {}
            for row, one in enumerate(self.choices):
                if name in one.cells:
                    groups.setdefault(self._cell(name, one), []).append(row)
            cells = self._ordered(name, list(groups))
            rows = [groups[cell] for cell in cells]
            before, after = (np.array([of[row].sum() for row in rows]) for of in (self.prior, self.weights))
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


def drawn_weight(space: Space, one: Choice, draws: int) -> float:
    """How many of N draws a reading stands for that is kept once: those expected, over the probability of any.

    A value between two bounds is drawn once.
    """
    if any(not free.points for free in space.frees if free.name in one.parameters):
        return 1.0
    own = prior(space, one)
    return -draws * own / math.expm1(draws * math.log1p(-own))


@dataclass(frozen=True)
class Reached:
    """The reading whose mean is nearest to a printed value."""

    mean: float
    """The nearest mean over the nudges."""
    distance: float
    """From the printed value, in its unit."""
    within: int
    """Readings whose mean is within the tolerance."""
    reading: int

    @property
    def is_reached(self) -> bool:
        """Whether some reading's mean is within the tolerance."""
        return self.within > 0


@dataclass(frozen=True)
class LeftOut:
    """A group of values predicted from the others."""

    group: str
    places: Sequence[int]
    winner: Array
    """The values under the reading that fits the others best."""
    mean: Array
    """Their posterior means."""
    misses: tuple[float, float, float]
    """Root mean squared miss in tolerances: of the baseline, of that reading, of the posterior mean."""


@dataclass(frozen=True)
class InferenceResult:
    """The results of an inference."""

    plan: InferPlan
    choices: Sequence[Choice]
    """The readings tried that are scenarios."""
    made: Array
    """Their values: an array of readings, values and nudges."""
    base: Array
    """The baseline's: of values and nudges."""
    refused: Mapping[str, int]
    """Why readings are no scenario, values alone among them, and how many."""
    before: Array
    """The readings' prior weights."""
    drawn: bool
    """Whether they are a sample of those there are."""
    moves: Mapping[str, Array]
    """For each rule how far its values alone move each value from the baseline's, in tolerances, at most."""
    runs: int
    kept: int

    def posterior_of(self, fit: Sequence[int]) -> Posterior:
        """The posterior over readings, given some of the values."""
        return Posterior(self.plan.space, self.choices, self.made, self.plan.values, fit, self.before)

    @property
    def fitted(self) -> list[int]:
        """Places of the values that may be fitted."""
        return [place for place, one in enumerate(self.plan.values) if one.fit]

    @property
    def held_out(self) -> list[int]:
        """Places of the others."""
        return [place for place, one in enumerate(self.plan.values) if not one.fit]

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior over readings, given the values that may be fitted."""
        return self.posterior_of(self.fitted)

    @cached_property
    def rules(self) -> list[Rule]:
        """The posterior of each rule's values."""
        return self.posterior.rules()

    @property
    def winner(self) -> Choice:
        """The most probable reading."""
        return self.choices[self.posterior.winner]

    @property
    def best(self) -> Mapping[str, Any]:
        """The keys that it sets."""
        return dict(self.winner.sets)

    @property
    def baseline(self) -> Array:
        """The baseline's means."""
        return np.asarray(self.base.mean(axis=1))

    @cached_property
    def reached(self) -> list[Reached]:
        """For each value the reading whose mean is nearest."""
        found, mean = [], self.posterior.mean
        for place, one in enumerate(self.plan.values):
            far = np.abs(one.off(mean[:, place]))
            nearest = int(np.nanargmin(far)) if not np.isnan(far).all() else 0
            found.append(
                Reached(float(mean[nearest, place]), float(far[nearest]), int((far <= one.tolerance).sum()), nearest)
            )
        return found

    def within(self, means: Array, places: Sequence[int]) -> int:
        """How many of some values are within their tolerance."""
        values = self.plan.values
        return sum(values[place].within(means[place]) for place in places)

    @cached_property
    def left_out(self) -> list[LeftOut]:
        """Each group of fitted values predicted from the other fitted ones."""
        groups: dict[str, list[int]] = {}
        for place in self.fitted:
            groups.setdefault(self.plan.values[place].group, []).append(place)
        if len(groups) < 2:
            return []
        found = []
        for group, places in groups.items():
            others = self.posterior_of([place for place in self.fitted if place not in places])
            winner, mean = others.predicted(others.winner)[0], others.predicted()[0]
            misses = (others.misses(self.baseline, places), others.misses(winner, places), others.misses(mean, places))
            found.append(LeftOut(group, places, winner, mean, misses))
        return found

    @cached_property
    def checks(self) -> list[Check]:
        """How well values are predicted that were not fitted."""
        return checks(self)

    @cached_property
    def further(self) -> list[Further]:
        """What would decide the open rules."""
        return further_rows(self)


ALLOWED = 0.1
"""The share of the groups that a check may miss."""
DECIDED, FAVOURED = "decided", "favoured"


@dataclass(frozen=True)
class Check:
    """One way of predicting values that were not fitted."""

    kind: str
    """``held out`` or ``left out``."""
    groups: int
    missed: Sequence[tuple[str, int]]
    """Groups that it misses, each with the place of the first value outside its tolerance."""

    @property
    def failed(self) -> bool:
        """Whether it misses more than the share that is allowed."""
        return len(self.missed) > ALLOWED * self.groups


def checks(result: InferenceResult) -> list[Check]:
    """The checks that the values allow; none where one group is fitted and nothing is held out."""
    found = []
    if result.left_out:
        missed = [
            (one.group, place)
            for one in result.left_out
            if (place := _outside(result, one.places, one.winner, one.mean)) is not None
        ]
        found.append(Check("left out", len(result.left_out), missed))
    groups: dict[str, list[int]] = {}
    for place in result.held_out:
        groups.setdefault(result.plan.values[place].group, []).append(place)
    if groups:
        one = result.posterior
        winner, mean = one.predicted(one.winner)[0], one.predicted()[0]
        missed = [
            (group, place)
            for group, places in groups.items()
            if (place := _outside(result, places, winner, mean)) is not None
        ]
        found.append(Check("held out", len(groups), missed))
    return found


def _outside(result: InferenceResult, places: Sequence[int], winner: Array, mean: Array) -> int | None:
    """The first value outside its tolerance."""
    for place in places:
        value = result.plan.values[place]
        if not (value.within(winner[place]) and value.within(mean[place])):
            return place
    return None


def verdict(result: InferenceResult, rule: Rule) -> str:
    """A rule's verdict; ``favoured`` instead of ``decided`` where a check fails."""
    return FAVOURED if rule.verdict == DECIDED and failed(result) else rule.verdict


def failed(result: InferenceResult) -> bool:
    """Whether some check fails, or too few of the readings drawn have weight."""
    return any(one.failed for one in result.checks) or result.drawn and result.posterior.effective < MIN_EFFECTIVE


@dataclass(frozen=True)
class Further:
    """An open rule, its two most probable values, and the value of the plan in which they are farthest apart."""

    rule: str
    cells: tuple[Any, Any]
    value: str
    fitted: bool
    apart: float
    """In tolerances."""
    decides: Sequence[int]
    """Places of the values that one answer has within their tolerance, and another has not."""


def further_rows(result: InferenceResult) -> list[Further]:
    """One for each open rule, and for each rule if a check fails."""
    every = failed(result)
    open_ = [one for one in result.rules if len(one.cells) > 1 and any(one.probability) and (every or _open(one))]
    return [_further(result, one) for one in open_]


def _open(rule: Rule) -> bool:
    """Whether a second value is not excluded."""
    ordered = sorted(zip(rule.probability, rule.prior, strict=True), reverse=True)
    return len(ordered) > 1 and ordered[1][0] >= MAX_EXCLUDED * ordered[1][1]


def _further(result: InferenceResult, rule: Rule) -> Further:
    values, posterior = result.plan.values, result.posterior
    first, second = sorted(range(len(rule.cells)), key=lambda k: (-rule.probability[k], k))[:2]
    cells = rule.cells[first], rule.cells[second]
    one, other = (posterior.mean[_best(result, rule, cell)] for cell in cells)
    apart = np.nan_to_num(np.abs(one - other) / np.array([value.tolerance for value in values]))
    place = max(result.held_out or result.fitted, key=lambda k: apart[k])
    return Further(rule.name, cells, values[place].name, values[place].fit, float(apart[place]), _decides(result, rule))


MIN_DECIDES = 0.5
"""An open rule decides a value if the probability that it is within its tolerance differs by this much between two answers."""


def _decides(result: InferenceResult, rule: Rule) -> list[int]:
    """Places of the values that an answer would decide."""
    posterior, shares = result.posterior, []
    within = np.array(
        [[one.within(mean) for one, mean in zip(result.plan.values, row, strict=True)] for row in posterior.mean]
    )
    for cell, probability in zip(rule.cells, rule.probability, strict=True):
        if probability > 0 and (cell not in rule.excluded or failed(result)):
            rows = _having(result, rule, cell)
            shares.append((posterior.weights[rows, None] * within[rows]).sum(axis=0) / posterior.weights[rows].sum())
    apart = np.max(shares, axis=0) - np.min(shares, axis=0)
    moved = result.moves.get(rule.name, np.full(len(apart), math.inf))
    return [int(place) for place in np.flatnonzero((apart >= MIN_DECIDES) & (moved >= MIN_MOVE))]


def _having(result: InferenceResult, rule: Rule, cell: object) -> list[int]:
    """The readings with a value of a rule."""
    posterior = result.posterior
    return [
        row
        for row, one in enumerate(result.choices)
        if rule.name in one.cells and posterior._cell(rule.name, one) == cell
    ]


def _best(result: InferenceResult, rule: Rule, cell: object) -> int:
    """The most probable reading with a value of a rule."""
    return max(_having(result, rule, cell), key=lambda row: (result.posterior.weights[row], -row))
