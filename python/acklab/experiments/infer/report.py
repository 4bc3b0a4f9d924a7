"""An inference as facts and tables: the best reading, the probabilities of each rule's values, and the values that no reading reaches."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from ...render.report import Report, Table
from ...text.numbers import digits, listing
from ...text.templates import Fact, fact
from ..search.output import choice, spoken
from ..sweep.names import worded
from . import check, further
from .posterior import DECIDED, EXCLUDED, Rule

if TYPE_CHECKING:
    from .found import Found

#: Values of a rule that a table shows.
MAX_VALUES = 6


def report(result: Found, picture: str = "") -> Report:
    """The report of an inference."""
    tables = [_rules(result), _values(result), _groups(result), _next(result), _assumed(result)]
    return Report("infer", result.plan.title or result.plan.name, facts(result), tables, picture)


def facts(result: Found) -> list[Fact]:
    """The best reading, how much it explains and predicts, what the checks say, and what no reading reaches."""
    one = result.posterior
    winner = one.predicted(one.winner)[0]
    kind = "most-probable" if result.whole else "best-reading"
    shown = [fact(kind, choice=choice(result.winner.cells), probability=float(one.weights[one.winner]))]
    for name, places in (("explains", result.fitted), ("predicts", result.held_out)):
        if places:
            base = result.within(result.baseline, places)
            shown.append(fact(name, within=result.within(winner, places), values=len(places), baseline=base))
    for each in result.checks:
        shown.append(fact("check-fails" if each.failed else "check-holds", check=each.kind, missed=len(each.missed), groups=each.groups))  # fmt: skip
    for value, near in zip(result.plan.values, result.reached, strict=True):
        if not near.is_reached:
            nearest = None if math.isnan(near.mean) else near.mean
            shown.append(fact("not-reached", value=value.name, printed=value.value, tolerance=value.tolerance, unit=value.unit, nearest=nearest))  # fmt: skip
    size = {"readings": len(result.choices), "of": result.plan.space.size or None, "nudges": result.plan.nudges}
    return [*shown, fact("inference", runs=result.runs, **size), *_one_run(result)]


def _one_run(result: Found) -> list[Fact]:
    """How many fitted values come from one run, though all count as independent."""
    runs: Counter[int] = Counter()
    for place in result.fitted:
        runs.update({run for run, _ in result.plan.values[place].read})
    run, most = max(runs.items(), key=lambda one: (one[1], -one[0]))
    name = result.plan.entries[run].name
    return [fact("dependent", values=most, of=len(result.fitted), run=name)] if most > 1 else []


def _rules(result: Found) -> Table:
    """The posterior of each rule."""
    heads = ["rule", "verdict", "value: probability" if result.whole else "value: relative best fit"]
    feet = [fact("decided", share=DECIDED, excluded=EXCLUDED)]
    return Table(heads, [_rule(result, rule) for rule in result.rules], "Rules", feet, names=3)


def _rule(result: Found, rule: Rule) -> list[str]:
    order = sorted(range(len(rule.cells)), key=lambda k: (-rule.probability[k], k))
    shown = [f"{spoken(rule.cells[k])}: {_weight(rule.probability[k])}" for k in order[:MAX_VALUES]]
    rest = f", {len(order) - MAX_VALUES} more" if len(order) > MAX_VALUES else ""
    verdict = check.verdict(result, rule)
    if verdict in (check.DECIDED, check.FAVOURED):
        verdict += f": {spoken(rule.best)}"
    elif verdict == "narrowed":
        verdict = f"{'unlikely' if check.failed(result) else 'excluded'}: {listing(list(map(spoken, rule.excluded)))}"
    return [worded(rule.name), verdict, ", ".join(shown) + rest]


def _shown(value: Any, figures: int = 3) -> str:
    """A number, or that there is none."""
    return "none" if math.isnan(value) else digits(float(value), figures)


def _weight(value: float) -> str:
    """A probability; how small a very small one is depends on the tails of what is assumed."""
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}"


def _values(result: Found) -> Table:
    """Each measured value beside the readings' results."""
    one = result.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    rows = []
    for k, (value, near) in enumerate(zip(result.plan.values, result.reached, strict=True)):
        rows.append([
            value.label, "fitted" if value.fit else "held out", f"{_shown(value.value)} ± {value.tolerance:.3g}", _shown(result.baseline[k]),
            _with(winner[k], chance[k]), *([_with(mean[k], spread[k])] if result.whole else []), _shown(near.mean), f"{near.within:,}",
        ])  # fmt: skip
    middle = ["posterior mean"] if result.whole else []
    heads = ["value", "use", "printed", "baseline", "best reading", *middle, "nearest", "readings within"]
    return Table(heads, rows, "Values, printed and simulated", [fact("deviation")], names=2)


def _with(mean: Any, deviation: Any) -> str:
    """A mean, and its standard deviation where the mean's digits show it."""
    shown = _shown(mean)
    last = 10.0 ** -len(shown.partition(".")[2])
    return f"{shown} ({_shown(deviation, 2)})" if deviation >= last / 2 else shown


def _groups(result: Found) -> Table:
    """Each value predicted from the other groups."""
    rows = []
    for one in result.left_out:
        for k in one.places:
            value = result.plan.values[k]
            cells = (value.value, result.baseline[k], one.winner[k], one.mean[k])
            rows.append([one.group, value.label, *map(_shown, cells)])
    heads = ["left out", "value", "printed", "baseline", "best of the others", "posterior mean"]
    return Table(heads, rows, "Check: each group predicted from the others", names=2, fold=True, terminal=False)


def _next(result: Found) -> Table:
    """For each open rule the value that would distinguish its two most probable values best."""
    rows = [
        [worded(one.rule), *map(spoken, one.cells), one.value, "yes" if one.fitted else "no", digits(one.apart, 2)]
        for one in further.rows(result)
    ]
    heads = ["open rule", "value", "or", "farthest apart in", "fitted", "tolerances apart"]
    return Table(heads, rows, "What would decide more", names=4, fold=True, terminal=False)


def _assumed(result: Found) -> Table:
    rows = [
        ["values", "independent and normal"],
        ["deviation of a printed number", "half its tolerance, and what nudges change"],
        ["prior", "uniform over the values of each rule" if result.whole else "none: readings chosen by a sampler"],
        ["scale of printed deviations", f"{result.posterior.scale:.2g}"],
        *([["origin of the values", result.plan.origin]] if result.plan.origin else []),
        *([[f"no scenario ({count:,} readings)", why] for why, count in result.refused.items()]),
    ]
    return Table(["assumed", "as"], rows, "What is assumed", names=2, fold=True, terminal=False)
