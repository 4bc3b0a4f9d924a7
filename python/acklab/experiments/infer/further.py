"""What would decide more: for each rule that is still open, the value of the plan that is farthest apart between its two most probable values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...text.numbers import digits, listing
from ..search.output import spoken
from ..sweep.names import worded
from . import check
from .posterior import EXCLUDED, Rule

if TYPE_CHECKING:
    from .found import Found

#: Two readings are apart by a value where they differ by more than so many tolerances.
APART = 1.0


def told(result: Found) -> str:
    """What to do next, in sentences; empty where every rule is decided, or where readings have no probabilities."""
    if not result.whole:
        return ""
    said = [_rule(result, one) for one in result.rules if _open(one)]
    runs = {run for place in result.fitted for run, _ in result.plan.values[place].read}
    if check.failed(result):
        another = (
            "of another run, because all that are fitted are of one"
            if len(runs) == 1 and len(result.fitted) > 1
            else "more"
        )
        said.append(f"Too few values are fitted, or no reading is right: add values {another}.")
    return f"What to do next. {' '.join(said)}" if said else ""


def _open(rule: Rule) -> bool:
    """Whether a second value is not excluded."""
    ordered = sorted(zip(rule.probability, rule.prior, strict=True), reverse=True)
    return len(ordered) > 1 and ordered[1][0] >= EXCLUDED * ordered[1][1]


def _rule(result: Found, rule: Rule) -> str:
    """By which value that is not fitted the two most probable values of a rule would be distinguished."""
    values, posterior = result.plan.values, result.posterior
    first, second = sorted(range(len(rule.cells)), key=lambda k: (-rule.probability[k], k))[:2]
    rows = [_best(result, rule, rule.cells[place]) for place in (first, second)]
    means = [posterior.mean[row] for row in rows]
    tolerances = np.array([one.tolerance for one in values])
    apart = np.nan_to_num(np.abs(means[0] - means[1]) / tolerances)
    name = worded(rule.name)
    which = f"{name[:1].upper()}{name[1:]} {spoken(rule.cells[first])} or {spoken(rule.cells[second])}"
    held = [place for place in result.held_out if apart[place] > APART]
    if not held:
        return f"{which}: no value of the plan distinguishes them by more than its tolerance; measure another one, as of a transfer of another size."
    place = max(held, key=lambda one: apart[one])
    ends = listing([digits(float(mean[place])) for mean in means])
    unit = f" {values[place].unit}".rstrip()
    return (
        f"{which}: the most probable readings of the two have {ends}{unit} of “{values[place].name}”, {digits(float(apart[place]), 2)} tolerances apart. "
        "It is held out; fit it, too, and hold out another."
    )


def _best(result: Found, rule: Rule, cell: object) -> int:
    """The most probable reading with a value of a rule."""
    posterior = result.posterior
    rows = [
        row
        for row, one in enumerate(result.choices)
        if rule.name in one.cells and posterior._cell(rule.name, one) == cell
    ]
    return max(rows, key=lambda row: (posterior.weights[row], -row))
