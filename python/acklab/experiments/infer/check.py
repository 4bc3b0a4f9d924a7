"""The checks of an inference on values that were not fitted, and the rule by which a failed one softens a verdict.

The rule. Values are predicted in two ways. Held-out ones are predicted by the fit to all fitted values. Each group of fitted values is
predicted by a fit to the other groups (leave one out). A group is *missed* where the best reading of that fit, or its posterior mean, lies outside the
tolerance of a value of the group. Where half a tolerance is one standard deviation, the right reading misses one value in twenty by
chance. So a check fails where it misses more than twice as many groups, a tenth. After a failed check no rule is *decided*: a value
of the same probability is *favoured*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .posterior import Array, Rule

if TYPE_CHECKING:
    from .found import Found

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


def checks(result: Found) -> list[Check]:
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


def _outside(result: Found, places: Sequence[int], winner: Array, mean: Array) -> int | None:
    """The first value outside its tolerance; readings that a sampler chose have no posterior mean."""
    for place in places:
        value = result.plan.values[place]
        if not all(
            abs(told[place] - value.value) <= value.tolerance
            for told in ((winner, mean) if result.whole else (winner,))
        ):
            return place
    return None


def verdict(result: Found, rule: Rule) -> str:
    """A rule's verdict; ``favoured`` instead of ``decided`` where a check fails."""
    return FAVOURED if rule.verdict == DECIDED and failed(result) else rule.verdict


def failed(result: Found) -> bool:
    """Whether some check fails."""
    return any(one.failed for one in result.checks)
