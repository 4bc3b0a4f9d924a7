"""The charts of an inference: each measured value beside the readings' results, and the probability of each rule's values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...figures.charts import Chart, Dot, DotPanel, Dots
from ..search.output import written
from ..sweep.names import worded
from .report import MAX_VALUES

if TYPE_CHECKING:
    from .found import Found

#: The share of the axis that a mark hides of a bar.
HIDDEN = 0.012
#: Misses beyond so many tolerances are drawn at the edge.
FAR = 6.0
_NAMES = {
    "slate": "baseline",
    "blue": "winner",
    "green": "best fit to the other values",
    "orange": "posterior mean of the others",
}


def charts(result: Found) -> Iterator[Chart]:
    """Every chart."""
    yield _values(result)
    if any(len(rule.cells) > MAX_VALUES for rule in result.rules):  # else the table has them all
        yield _rules(result)


def _values(result: Found) -> Chart:
    """Misses in tolerances; 0 is the printed value."""
    one, beyond = result.posterior, False
    dots: list[Dot] = []
    rows: list[str] = []
    winner, chance = one.predicted(one.winner)
    predicted = {k: (group.winner[k], group.mean[k]) for group in result.left_out for k in group.places}
    for row, value in enumerate(result.plan.values):
        rows.append(f"{value.name}, {'fitted' if value.fit else 'held out'}")
        shown = [(result.baseline[row], result.base[row].std(), "slate"), (winner[row], chance[row], "blue")]
        if row in predicted:
            shown += [
                (at, 0.0, colour)
                for at, colour in zip(predicted[row], ("green", "orange")[: 1 + result.whole], strict=False)
            ]
        for at, deviation, colour in shown:
            middle, half = (at - value.value) / value.tolerance, deviation / value.tolerance
            if middle == middle:
                dots.append(Dot(row, _near(middle), (_near(middle - half), _near(middle + half)), colour))
                beyond = beyond or abs(middle) > FAR
    ends = (-FAR * 1.03, FAR * 1.03) if any(abs(end) > 1.5 for dot in dots for end in dot.interval) else (-2.0, 2.0)
    about = "Miss in tolerances: 0 is the printed value, and what is shaded is within"
    if any(dot.interval[1] - dot.interval[0] > HIDDEN * (ends[1] - ends[0]) for dot in dots):
        about += "; a bar is one standard deviation"
    else:
        dots = [replace(dot, interval=(dot.value, dot.value)) for dot in dots]
    if beyond:
        about += f"; beyond {FAR:g} at the edge"
    keys = [(name, colour) for colour, name in _NAMES.items() if any(dot.colour == colour for dot in dots)]
    return Dots("values", about, rows, [DotPanel("miss (tolerances)", dots, ends=ends, band=(-1.0, 1.0))], keys)


def _near(value: float) -> float:
    return max(-FAR, min(FAR, float(value)))


def _rules(result: Found) -> Chart:
    """Each rule's values and their weights."""
    rows: list[str] = []
    dots: list[Dot] = []
    for rule in result.rules:
        for cell, weight, before in zip(rule.cells, rule.probability, rule.prior, strict=True):
            dots.append(Dot(len(rows), before, (before, before), "slate"))
            dots.append(Dot(len(rows), weight, (weight, weight), "blue"))
            rows.append(f"{worded(rule.name)}: {written(cell)}")
    what = "probability" if result.whole else "relative best fit"
    keys = [
        ("prior", "slate"),
        ("given the fitted values" if result.whole else "by the best fit found with it", "blue"),
    ]
    return Dots(
        "rules", "What the fitted values say of each rule", rows, [DotPanel(what, dots, ends=(-0.03, 1.03))], keys
    )
