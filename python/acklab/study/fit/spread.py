"""The interval of a prediction: what its members predict, each with a weight that falls with its misfit.

A member is a simulation that the fitted part allows. The weights were calibrated on drawn connections whose
truth is known: they gave the best interval score (Gneiting and Raftery, JASA 2007, section 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: What an interval claims: the share of connections whose truth it has.
CLAIM = 0.9
#: A misfit that is smaller than this cost says nothing of which choice is better.
LEAST_MISFIT = 0.005


@dataclass(frozen=True)
class Weights:
    """How members count, and how much wider the interval is than they are."""

    decay: float
    """A choice whose cost is more by so many times the best one's cost counts *e* times less."""
    queue: float
    """Weight of all queues that a first half without a loss allows, beside 1 for the choice itself."""
    once: float
    """Weight of random losses that were not seen, as frequent as one in the first half."""
    thrice: float
    """The same, as frequent as three."""
    ends: float
    """Weight of the two ends of the interval of random losses."""
    held: float
    """The middle share of the weight that the interval has."""
    margin: float
    """The interval is wider by this share of the time at each end."""
    misfits: float
    """And by so many times the misfit of the first half, if that is more."""


#: The calibrated weights.
WEIGHTS = Weights(decay=0.5, queue=2.0, once=0.2, thrice=0.06, ends=0.3, held=0.9, margin=0.01, misfits=4.0)


@dataclass(frozen=True)
class Member:
    """A simulation of the second half that the first allows."""

    sets: Mapping[str, Any]
    seed: int
    kind: str
    """``choice`` of the search, or the field of :class:`Weights` for what was added to one."""
    excess: float
    """Cost of the choice above the best one's, in units of that."""
    share: float
    """Part of its kind's weight."""

    def weight(self, by: Weights) -> float:
        """How much it counts."""
        kind = 1.0 if self.kind == "choice" else float(getattr(by, self.kind))
        return kind * self.share * math.exp(-self.excess / by.decay)


def excess(cost: float, best: float) -> float:
    """Cost above the best one's, in units of that."""
    return (cost - best) / max(best, LEAST_MISFIT)


def interval(
    members: Sequence[Member], ends: Sequence[float], misfit: float, by: Weights = WEIGHTS
) -> tuple[float, float]:
    """The middle share of what members predict by their weights, made wider.

    Args:
        members: the simulations.
        ends: relative difference of each one's time from a common time; above -1.
        misfit: mean difference of the best model's curve in the fitted part, as a share of its time.
        by: the weights.

    Returns:
        The ends of the interval, as relative differences from the same time.
    """
    margin = min(max(by.margin, by.misfits * misfit), 0.9)
    order = np.argsort(ends)
    reached = np.cumsum(np.array([one.weight(by) for one in members])[order])
    places = np.searchsorted(reached / reached[-1], [(1 - by.held) / 2, (1 + by.held) / 2])
    low, high = np.array(ends)[order][np.minimum(places, len(order) - 1)]
    return float((1 + low) * (1 - margin) - 1), float((1 + high) * (1 + margin) - 1)
