"""Results of an inference: the readings tried, their values, the posterior, and its prediction of values that were not fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..search.space import Choice
from .check import Check, checks
from .plan import Plan
from .posterior import Array, Posterior, Rule


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
class Found:
    """The results of an inference."""

    plan: Plan
    choices: Sequence[Choice]
    """The readings tried that are scenarios."""
    made: Array
    """Their values: an array of readings, values and nudges."""
    base: Array
    """The baseline's: of values and nudges."""
    refused: Mapping[str, int]
    """Why readings are no scenario, and how many."""
    whole: bool
    """Whether every reading was tried."""
    runs: int
    kept: int

    def posterior_of(self, fit: Sequence[int]) -> Posterior:
        """The posterior over readings, given some of the values."""
        return Posterior(self.plan.space, self.choices, self.made, self.plan.values, fit, self.whole)

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
            far = np.abs(mean[:, place] - one.value)
            nearest = int(np.nanargmin(far)) if not np.isnan(far).all() else 0
            found.append(
                Reached(float(mean[nearest, place]), float(far[nearest]), int((far <= one.tolerance).sum()), nearest)
            )
        return found

    def within(self, means: Array, places: Sequence[int]) -> int:
        """How many of some values are within their tolerance."""
        values = self.plan.values
        return sum(bool(abs(means[place] - values[place].value) <= values[place].tolerance) for place in places)

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
