"""The sentences and tables of an inference: the winner, the probabilities of each rule's values, and the values that no reading reaches."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from ...text.columns import align, wrapped
from ...text.counts import counted
from ...text.escapes import one_line
from ...text.numbers import digits, listing
from ..search.output import choice, spoken
from ..sweep.names import worded
from . import check, further
from .posterior import DECIDED, EXCLUDED, Rule

if TYPE_CHECKING:
    from .found import Found

#: Values of a rule that a table shows, and readings.
MOST_VALUES, MOST_ROWS = 6, 20
#: Whose rules a headline tells together.
ENDS = ("sender", "receiver")


def cells(result: Found, reading: int | None = None) -> str:
    """A reading, the winner if left out."""
    one = result.choices[result.posterior.winner if reading is None else reading]
    return choice(one.cells)


def sentence(result: Found) -> str:
    """The answer."""
    of = f"{_most(result)} of {counted(len(result.choices), 'reading')}"
    return f"{of}: {cells(result)}{_probable(result)}. {explained(result)}"


def headline(result: Found) -> str:
    """The answer's first half, with the rules of an end of the connection together."""
    ends: dict[str, list[str]] = {}
    for name, value in result.choices[result.posterior.winner].cells.items():
        end, _, rule = worded(name).partition(" ")
        if end not in ENDS:
            end, rule = "", worded(name)
        ends.setdefault(end, []).append(f"{rule} {spoken(value)}".strip())
    told = "; ".join(
        f"{end} {'with ' * (' ' in rules[0] and end != '')}{listing(rules)}".strip() for end, rules in ends.items()
    )
    return f"{_most(result)}{', but a check fails' * check.failed(result)}: {told}{_probable(result, bool(together(result)))}."


def explained(result: Found) -> str:
    """How many of the fitted values the winner explains."""
    one = result.posterior
    fitted = result.within(one.predicted(one.winner)[0], result.fitted)
    many = f"{fitted} of {counted(len(result.fitted), 'fitted value')}"
    return f"It explains {many} within the tolerance (the baseline: {result.within(result.baseline, result.fitted)})."


def _most(result: Found) -> str:
    return "Most probable" if result.whole else "Best"


def _probable(result: Found, dependent: bool = False) -> str:
    one, assumed_ = result.posterior, " if the values are independent" if dependent else ""
    return f" (probability {_weight(float(one.weights[one.winner]))}{assumed_})" if result.whole else ""


def checked(result: Found) -> list[str]:
    """What the checks on values that were not fitted say, the failed ones first."""
    if not result.checks:
        return ["Not checked: the fitted values are one group, and none is held out."]
    found = [_failed(result, one) for one in result.checks if one.failed]
    if found:
        found[-1] += (
            f" So no rule is called decided: a value with a probability of {DECIDED:g} or more is called {check.FAVOURED}, and one that would be excluded, unlikely."
        )
    for one in result.checks:
        if not one.failed and one.kind == "left out":  # what is held out has its own sentence
            found.append(
                f"A check holds: of {_groups(result, one)} predicted from the other fitted values, {one.groups - len(one.missed)} are within the tolerance."
            )
    return found


#: Missed values that a sentence names.
MOST_MISSED = 3


def _groups(result: Found, one: check.Check) -> str:
    """How many groups a check has; where each is one value, they are called values."""
    places = result.fitted if one.kind == "left out" else result.held_out
    return counted(one.groups, "value" if len(places) == one.groups else "group")


def _failed(result: Found, one: check.Check) -> str:
    """The values that a check misses, with their predictions."""
    alone = {group.group: group for group in result.left_out} if one.kind == "left out" else {}
    posterior, told = result.posterior, []
    for group, place in one.missed[:MOST_MISSED]:
        value = result.plan.values[place]
        if group in alone:
            winner, mean = alone[group].winner, alone[group].mean
        else:
            winner, mean = posterior.predicted(posterior.winner)[0], posterior.predicted()[0]
        both = [
            ("by the best reading", winner[place]),
            *([("by the posterior mean", mean[place])] if result.whole else []),
        ]
        by = ", ".join(
            f"{_shown(at)} {who}{' (missed)' * (not abs(at - value.value) <= value.tolerance)}" for who, at in both
        )
        told.append(
            f"{value.name}: printed {_shown(value.value)} ± {value.tolerance:.3g} {value.unit}".rstrip()
            + f", predicted {by}"
        )
    what = (
        "predicted from the other fitted values"
        if one.kind == "left out"
        else "held out and predicted from the fitted values"
    )
    more = f", and {len(one.missed) - MOST_MISSED} more" if len(one.missed) > MOST_MISSED else ""
    either = ", by the best reading or by the posterior mean" * result.whole
    return f"A check fails. Of {_groups(result, one)} {what}, {len(one.missed)} {'is' if len(one.missed) == 1 else 'are'} missed by more than the tolerance{either}. {'; '.join(told)}{more}."


def together(result: Found) -> str:
    """How many fitted values come from one run, though all count as independent."""
    runs: Counter[int] = Counter()
    for place in result.fitted:
        runs.update({run for run, _ in result.plan.values[place].read})
    run, most = max(runs.items(), key=lambda one: (one[1], -one[0]))
    if most < 2:
        return ""
    many = f"All {most}" if most == len(result.fitted) else f"{most} of the {len(result.fitted)}"
    return f"{many} fitted values are of one run ({result.plan.entries[run].name}), but count as independent. If they are not, the probabilities are too near 0 and 1."


def origin(result: Found) -> str:
    """How the values came about, where the plan says it."""
    return f"Where the values come from, by the plan: {result.plan.origin}." if result.plan.origin else ""


def basis(result: Found) -> list[str]:
    """The sample behind the numbers: readings, nudges, runs."""
    plan, tried = result.plan, len(result.choices)
    size = plan.space.size
    of = (
        "all there are"
        if result.whole
        else f"of {size:,}, chosen by {plan.search}"
        if size
        else f"chosen by {plan.search}"
    )
    said = [
        f"{counted(tried, 'reading')} tried ({of}), {counted(plan.nudges, 'nudge')} each, {counted(result.runs, 'run')}"
    ]
    if result.refused:
        said.append(f"{counted(sum(result.refused.values()), 'reading')} no scenario: {next(iter(result.refused))}")
    return said


def kept(result: Found) -> list[str]:
    """What an earlier attempt spared; the files do not have it, so that they are those of an undisturbed search."""
    return [f"{result.kept:,} of the runs done before"] if result.kept else []


def assumed(result: Found) -> list[str]:
    """What the probabilities assume."""
    scale = result.posterior.scale
    said = [
        "Assumed: values independent and normal; half a tolerance is one standard deviation of a printed number; what nudges change is added.",
        "Prior: uniform over the values that the plan names for each rule. A rule that it does not name counts as known." if result.whole else
        "Readings that a sampler chose have no probabilities: a rule's value counts by the best fit found with it.",
    ]  # fmt: skip
    if scale > 1:
        said.append(
            f"No reading explains every fitted value: printed deviations are scaled by {scale:.2g}, so that the best reading's mean squared miss is one."
        )
    return said


def prediction(result: Found) -> str:
    """How well values that were not fitted are predicted."""
    if not result.held_out:
        return ""
    one, places = result.posterior, result.held_out
    winner, mean = one.predicted(one.winner)[0], one.predicted()[0]
    compared = _compared(one.misses(result.baseline, places), one.misses(winner, places), one.misses(mean, places))
    return (
        f"Held out: the winner predicts {result.within(winner, places)} of {counted(len(places), 'value')} within the tolerance "
        f"(the baseline: {result.within(result.baseline, places)}); {compared}."
    )


def predicted(result: Found) -> str:
    """How many of the values that were not fitted the winner predicts."""
    if not result.held_out:
        return ""
    winner, places = result.posterior.predicted(result.posterior.winner)[0], result.held_out
    many = f"{result.within(winner, places)} of {counted(len(places), 'value')}"
    return f"It predicts {many} that it was not fitted to (the baseline: {result.within(result.baseline, places)})."


def _compared(base: float, winner: float, mean: float) -> str:
    return f"it misses by {_shown(winner)} tolerances (root mean square), the posterior mean by {_shown(mean)}, the baseline by {_shown(base)}"


def left_out(result: Found) -> str:
    """Each group predicted from the others."""
    if not result.left_out:
        return ""
    weighed = [(len(one.places), one.misses) for one in result.left_out]
    total = sum(count for count, _ in weighed)
    base, winner, mean = (math.sqrt(sum(count * miss[k] ** 2 for count, miss in weighed) / total) for k in range(3))
    better = sum(one.misses[1] < one.misses[0] for one in result.left_out)
    return (
        f"Leave one group out: fitted to the others, the best reading predicts {better} of {counted(len(weighed), 'group')} better than the "
        f"baseline; {_compared(base, winner, mean)}."
    )


def unreached(result: Found) -> list[str]:
    """Values that no reading reaches, and by how much."""
    found = []
    for one, near in zip(result.plan.values, result.reached, strict=True):
        if math.isnan(near.distance):
            found.append(f"No reading has a value of {one.name}.")
        elif not near.is_reached:
            found.append(
                f"No reading reaches {one.name}: {_shown(one.value)} {one.unit}".rstrip()
                + f" ± {_shown(one.tolerance)} printed, {_shown(near.mean)} at best, {_shown(near.distance / one.tolerance)} tolerances away."
            )
    return found


def rule_rows(result: Found) -> tuple[list[str], list[list[str]]]:
    """The posterior of each rule: heads and rows."""
    return ["rule", "verdict", "value: probability" if result.whole else "value: relative best fit"], [
        _rule(result, one) for one in result.rules
    ]


def _rule(result: Found, one: Rule) -> list[str]:
    order = sorted(range(len(one.cells)), key=lambda k: (-one.probability[k], k))
    shown = [f"{spoken(one.cells[k])}: {_weight(one.probability[k])}" for k in order[:MOST_VALUES]]
    rest = f", {len(order) - MOST_VALUES} more" if len(order) > MOST_VALUES else ""
    verdict = check.verdict(result, one)
    if verdict in (check.DECIDED, check.FAVOURED):
        verdict += f": {spoken(one.best)}"
    elif verdict == "narrowed":
        verdict = (
            f"{'unlikely' if check.failed(result) else 'excluded'}: {listing([spoken(cell) for cell in one.excluded])}"
        )
    return [worded(one.name), verdict, ", ".join(shown) + rest]


def _shown(value: Any, figures: int = 3) -> str:
    """A number, or that there is none."""
    return "none" if math.isnan(value) else digits(float(value), figures)


def _weight(value: float) -> str:
    """A probability; how small a very small one is depends on the tails of what is assumed."""
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}"


def value_rows(result: Found) -> tuple[list[str], list[list[str]]]:
    """Each measured value beside the readings' results: heads and rows."""
    one = result.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    rows = []
    for k, (value, near) in enumerate(zip(result.plan.values, result.reached, strict=True)):
        rows.append([
            value.label, "fitted" if value.fit else "held out", f"{_shown(value.value)} ± {value.tolerance:.3g}", _shown(result.baseline[k]),
            _with(winner[k], chance[k]), *([_with(mean[k], spread[k])] if result.whole else []), _shown(near.mean), f"{near.within:,}",
        ])  # fmt: skip
    middle = ["posterior"] if result.whole else []
    return ["value", "use", "printed", "baseline", "winner", *middle, "nearest", "within"], rows


def _with(mean: Any, deviation: Any) -> str:
    """A mean, and its standard deviation where the mean's digits show it."""
    shown = _shown(mean)
    last = 10.0 ** -len(shown.partition(".")[2])
    return f"{shown} ({_shown(deviation, 2)})" if deviation >= last / 2 else shown


def group_rows(result: Found) -> tuple[list[str], list[list[str]]]:
    """Each value predicted from the other groups: heads and rows."""
    rows = []
    for one in result.left_out:
        for k in one.places:
            value = result.plan.values[k]
            rows.append(
                [
                    one.group,
                    value.label,
                    _shown(value.value),
                    _shown(result.baseline[k]),
                    _shown(one.winner[k]),
                    _shown(one.mean[k]),
                ]
            )
    return ["left out", "value", "printed", "baseline", "best of the others", "posterior mean"], rows


def notes() -> str:
    """What the tables' words mean."""
    return (
        "reading: one choice of a value for each open rule. baseline: the reading with which the most probable one, the winner, is compared; it is "
        "the scenario as it stands, unless the plan names another. posterior: the mean of all readings, weighted by their probability. "
        f"decided: a value has a probability of {DECIDED:g} or more, and no check fails. {check.FAVOURED}: the same, but a check fails. "
        f"excluded: less than {EXCLUDED:g} of its prior; unlikely: the same, but a check fails. nudge: a repetition of a run with another seed, later starts and longer delays. "
        "Behind a mean, in brackets, is the standard deviation over the nudges, where its digits show it. "
        "group: values that the plan puts together, each by itself if it names none. The check leaves out one group at a time, fits the others "
        f"and predicts it. A check fails where it misses more than {check.ALLOWED:.0%} of its groups: by the best reading or by the posterior mean, "
        "by more than the tolerance. nearest: the reading's mean that is nearest to "
        "the printed value, whatever it does to the others. within: readings whose mean is within the tolerance."
    )


def as_text(result: Found) -> str:
    """The whole text for a terminal."""
    blocks: list[str] = [one_line(result.plan.title or result.plan.name), *basis(result), *kept(result), ""]
    for (heads, rows), names in ((rule_rows(result), 3), (value_rows(result), 2)):
        blocks += [*align(heads, rows, names=names), ""]
    said = [
        sentence(result),
        *checked(result),
        together(result),
        further.told(result),
        origin(result),
        prediction(result),
        left_out(result),
        *unreached(result),
        *assumed(result),
    ]
    return "\n".join([*blocks, *wrapped(said)])
