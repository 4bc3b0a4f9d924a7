"""What would decide more: for each open rule, the value of the plan that is farthest apart between its two most probable values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .posterior import EXCLUDED, Rule

if TYPE_CHECKING:
    from .found import Found


@dataclass(frozen=True)
class Further:
    """An open rule, its two most probable values, and the value of the plan in which they are farthest apart."""

    rule: str
    cells: tuple[Any, Any]
    value: str
    fitted: bool
    apart: float
    """In tolerances."""


def rows(result: Found) -> list[Further]:
    """One for each open rule; none where readings have no probabilities."""
    return [_rule(result, one) for one in result.rules if _open(one)] if result.whole else []


def _open(rule: Rule) -> bool:
    """Whether a second value is not excluded."""
    ordered = sorted(zip(rule.probability, rule.prior, strict=True), reverse=True)
    return len(ordered) > 1 and ordered[1][0] >= EXCLUDED * ordered[1][1]


def _rule(result: Found, rule: Rule) -> Further:
    values, posterior = result.plan.values, result.posterior
    first, second = sorted(range(len(rule.cells)), key=lambda k: (-rule.probability[k], k))[:2]
    cells = rule.cells[first], rule.cells[second]
    one, other = (posterior.mean[_best(result, rule, cell)] for cell in cells)
    apart = np.nan_to_num(np.abs(one - other) / np.array([value.tolerance for value in values]))
    place = max(result.held_out or result.fitted, key=lambda k: apart[k])
    return Further(rule.name, cells, values[place].name, values[place].fit, float(apart[place]))


def _best(result: Found, rule: Rule, cell: object) -> int:
    """The most probable reading with a value of a rule."""
    posterior = result.posterior
    rows = [
        row
        for row, one in enumerate(result.choices)
        if rule.name in one.cells and posterior._cell(rule.name, one) == cell
    ]
    return max(rows, key=lambda row: (posterior.weights[row], -row))
