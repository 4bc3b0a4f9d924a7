"""The sentences and tables of an inference: the winner, what each rule's values are worth, what no reading reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._texts import one_line
from ..cli.summary import align
from ..plot.words import digits, listing
from ..sweep.text import counted
from ..tune.words import written
from .posterior import DECIDED, EXCLUDED, Rule

if TYPE_CHECKING:
    from .found import Found

#: Values of a rule that a table shows, and readings.
MOST_VALUES, MOST_ROWS = 6, 20


def cells(told: Found, reading: int | None = None) -> str:
    """A reading, the winner if left out."""
    one = told.choices[told.posterior.winner if reading is None else reading]
    return ", ".join(f"{name}={written(value)}" for name, value in one.cells.items())


def sentence(told: Found) -> str:
    """The answer."""
    one = told.posterior
    fitted = told.within(one.predicted(one.winner)[0], told.fitted)
    share = float(one.weights[one.winner])
    probable = f" (probability {_weight(share)})" if told.whole else ""
    many = f"{fitted} of {counted(len(told.fitted), 'fitted value')}"
    return (
        f"{'Most probable' if told.whole else 'Best'} of {counted(len(told.choices), 'reading')}: {cells(told)}{probable}. "
        f"It explains {many} within the tolerance (the baseline: {told.within(told.baseline, told.fitted)})."
    )


def basis(told: Found) -> list[str]:
    """What the numbers rest on."""
    plan, tried = told.plan, len(told.choices)
    size = plan.space.size
    of = "all there are" if told.whole else f"of {size:,}, chosen by {plan.search}" if size else f"chosen by {plan.search}"
    said = [f"{counted(tried, 'reading')} tried ({of}), {counted(plan.nudges, 'nudge')} each, {counted(told.runs, 'run')}"]
    if told.refused:
        said.append(f"{counted(sum(told.refused.values()), 'reading')} no scenario: {next(iter(told.refused))}")
    if told.kept:
        said.append(f"{told.kept:,} of the runs done before")
    return said


def assumed(told: Found) -> list[str]:
    """What the probabilities assume."""
    scale = told.posterior.scale
    said = [
        "Assumed: values independent and normal; half a tolerance is one standard deviation of a printed number; what nudges change is added.",
        "Prior: uniform over the values that the plan names for each rule. A rule that it does not name counts as known." if told.whole else
        "Readings that a sampler chose have no probabilities: a rule's value counts by the best fit found with it.",
    ]  # fmt: skip
    if scale > 1:
        said.append(f"No reading explains every fitted value: printed deviations are scaled by {scale:.2g}, so that the best reading's mean squared miss is one.")
    return said


def prediction(told: Found) -> str:
    """How well values that were not fitted are predicted."""
    if not told.held_out:
        return ""
    one, places = told.posterior, told.held_out
    winner, mean = one.predicted(one.winner)[0], one.predicted()[0]
    compared = _compared(one.misses(told.baseline, places), one.misses(winner, places), one.misses(mean, places))
    return (
        f"Held out: the winner predicts {told.within(winner, places)} of {counted(len(places), 'value')} within the tolerance "
        f"(the baseline: {told.within(told.baseline, places)}); {compared}."
    )


def _compared(base: float, winner: float, mean: float) -> str:
    return f"root mean squared miss in tolerances {_shown(winner)}, of the posterior mean {_shown(mean)}, of the baseline {_shown(base)}"


def left_out(told: Found) -> str:
    """Each group predicted from the others."""
    if not told.left_out:
        return ""
    weighed = [(len(one.places), one.misses) for one in told.left_out]
    total = sum(count for count, _ in weighed)
    base, winner, mean = (math.sqrt(sum(count * miss[k] ** 2 for count, miss in weighed) / total) for k in range(3))
    better = sum(one.misses[1] < one.misses[0] for one in told.left_out)
    return (
        f"Leave one group out: fitted to the others, the best reading predicts {better} of {counted(len(weighed), 'group')} better than the "
        f"baseline; {_compared(base, winner, mean)}."
    )


def unreached(told: Found) -> list[str]:
    """Values that no reading reaches, and by how much."""
    found = []
    for one, near in zip(told.plan.values, told.reached, strict=True):
        if math.isnan(near.distance):
            found.append(f"No reading has a value of {one.name}.")
        elif not near.is_reached:
            found.append(
                f"No reading reaches {one.name}: {_shown(one.value)} {one.unit}".rstrip()
                + f" +- {_shown(one.tolerance)} printed, {_shown(near.mean)} at best, {_shown(near.distance / one.tolerance)} tolerances away."
            )
    return found


def rule_rows(told: Found) -> tuple[list[str], list[list[str]]]:
    """What the values say of each rule: heads and rows."""
    return ["rule", "verdict", "value: probability" if told.whole else "value: relative best fit"], [_rule(one) for one in told.rules]


def _rule(one: Rule) -> list[str]:
    order = sorted(range(len(one.cells)), key=lambda k: (-one.probability[k], k))
    shown = [f"{written(one.cells[k])}: {_weight(one.probability[k])}" for k in order[:MOST_VALUES]]
    rest = f", {len(order) - MOST_VALUES} more" if len(order) > MOST_VALUES else ""
    verdict = one.verdict
    if verdict == "decided":
        verdict += f": {written(one.best)}"
    elif verdict == "narrowed":
        verdict = f"excluded: {listing([written(cell) for cell in one.excluded])}"
    return [one.name, verdict, ", ".join(shown) + rest]


def _shown(value: Any, figures: int = 3) -> str:
    """A number, or that there is none."""
    return "none" if math.isnan(value) else digits(float(value), figures)


def _weight(value: float) -> str:
    """A probability; how small a very small one is depends on the tails of what is assumed."""
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}"


def value_rows(told: Found) -> tuple[list[str], list[list[str]]]:
    """Each value beside what readings give: heads and rows."""
    one = told.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    rows = []
    for k, (value, near) in enumerate(zip(told.plan.values, told.reached, strict=True)):
        rows.append([
            value.label, "fitted" if value.fit else "held out", f"{_shown(value.value)} +- {_shown(value.tolerance)}", _shown(told.baseline[k]),
            _with(winner[k], chance[k]), *([_with(mean[k], spread[k])] if told.whole else []), _shown(near.mean), f"{near.within:,}",
        ])  # fmt: skip
    middle = ["posterior"] if told.whole else []
    return ["value", "use", "printed", "baseline", "winner", *middle, "nearest", "within"], rows


def _with(mean: Any, deviation: Any) -> str:
    return f"{_shown(mean)} ({_shown(deviation, 2)})" if deviation > 1e-6 * abs(mean) else _shown(mean)


def group_rows(told: Found) -> tuple[list[str], list[list[str]]]:
    """Each value predicted from the other groups: heads and rows."""
    rows = []
    for one in told.left_out:
        for k in one.places:
            value = told.plan.values[k]
            rows.append([one.group, value.label, _shown(value.value), _shown(told.baseline[k]), _shown(one.winner[k]), _shown(one.mean[k])])
    return ["left out", "value", "printed", "baseline", "best of the others", "posterior mean"], rows


def notes() -> str:
    """What the tables' words mean."""
    return (
        f"decided: a value has a probability of {DECIDED:g} or more. excluded: less than {EXCLUDED:g} of its prior. "
        "Behind a mean, in brackets, is the standard deviation over the nudges. nearest: the reading's mean that is nearest to "
        "the printed value, whatever it does to the others. within: readings whose mean is within the tolerance."
    )


def as_text(told: Found) -> str:
    """Everything a terminal is told."""
    blocks: list[str] = [one_line(told.plan.title or told.plan.name), *basis(told), ""]
    for (heads, rows), names in ((rule_rows(told), 3), (value_rows(told), 2)):
        blocks += [*align(heads, rows, names=names), ""]
    said: Sequence[str] = [sentence(told), prediction(told), left_out(told), *unreached(told), *assumed(told)]
    return "\n".join([*blocks, *filter(None, said)])
