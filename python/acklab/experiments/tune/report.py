"""A search as facts and tables: the best trial beside the baseline on fresh paths, and how well it is determined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...figures.stats import Interval, Sample, sample, split
from ...render.report import Report, Table
from ...results.findings import BETTER, UNDECIDED, WORSE
from ...text.numbers import digits, ends, number
from ...text.templates import Fact, fact
from ..search.draws import Path as Drawn
from ..search.output import choice, spoken
from ..search.space import Free
from ..sweep.names import names as short
from ..sweep.names import worded
from ..sweep.quantity import read, readable
from . import determined
from .search import COMPLETE

if TYPE_CHECKING:
    from ..search.objective import Objective
    from .found import Found

#: Trials in a table.
MAX_ROWS = 10


def report(result: Found, picture: str = "") -> Report:
    """The report of a search."""
    tables = [_by_kind(result), _trials(result), _parts(result), _open(result), _objectives(result), _keys(result)]
    return Report("tune", result.plan.title or result.plan.name, facts(result), tables, picture)


def facts(result: Found) -> list[Fact]:
    """The best trial, each objective on fresh paths, where it loses, what limits it, and how much was run."""
    plan, trials = result.plan, len(result.trials)
    names = [one.name for one in plan.objectives]
    size = fact("search", trials=trials, runs=result.runs, paths=len(result.paths), seeds=plan.seeds)
    if not result.winner.number:
        return [fact("baseline-stays", trials=trials, objectives=names), size]
    kind = "best-trial" if len(names) == 1 else "middle-trial"
    shown = [fact(kind, trials=trials, choice=choice(result.winner.choice.cells), front=len(result.front))]
    shown += [_judged(result, place) for place in range(len(names))]
    shown += [_lost(result), *_alike(result)]
    shown += [fact("at-bound", **bound) for bound in determined.bounds(result)]
    return [*shown, size]


def verdict(result: Found, place: int = 0) -> str | None:
    """What fresh paths decide between the winner and the baseline by an objective; None where they did not judge."""
    difference = result.judged.differences[place] if result.judged else None
    if difference is None:
        return None
    span = difference.interval(split(len(result.plan.objectives)))
    return BETTER if span.high < 0 else WORSE if span.low > 0 else UNDECIDED


def _judged(result: Found, place: int) -> Fact:
    """The winner beside the baseline by an objective, on fresh paths where there are any."""
    one, judged = result.plan.objectives[place], result.judged
    if judged is None:
        (mean, _), (base, _) = result.interval(result.winner, place), result.interval(result.base, place)
        return fact("in-search", objective=one.name, value=mean, base=base, unit=one.unit)
    difference = judged.differences[place]
    if difference is None:
        lost = sum(math.isnan(cost[place]) for cost in judged.costs)
        return fact("no-value-on", objective=one.name, paths=lost, of=len(judged.paths))
    span = one.turned(difference.interval(split(len(result.plan.objectives))))
    values = {"objective": one.name, "low": span.low, "high": span.high, "paths": len(judged.paths)}
    if one.relative:
        return fact("judged-ratio", value=one.back(difference.value), verdict=verdict(result, place), **values)
    mean, base = (fmean(row[place] for row in rows) for rows in (judged.values, judged.base))
    return fact("judged", value=mean, base=base, unit=one.unit, verdict=verdict(result, place), **values)


def _lost(result: Found) -> Fact:
    """On how many paths the winner loses, and where it loses most; fresh paths, because the winner was chosen by the others."""
    fresh, losses = result.judged is not None, result.fresh_losses
    drawn = len(result.judged.paths) if result.judged else len(result.paths)
    if not losses:
        return fact("loses-none", paths=drawn, fresh=fresh)
    worst = losses[0]
    one = result.plan.objectives[worst.objective]
    value, base = (None if math.isnan(v) else v for v in (worst.value, worst.base))
    lost = len({loss.path.number for loss in losses})
    return fact("loses", lost=lost, paths=drawn, path=_path(worst.path), objective=one.name, value=value, base=base, unit=one.unit)  # fmt: skip


def _alike(result: Found) -> list[Fact]:
    several = determined.alike(result) if len(result.plan.objectives) == 1 else []
    return [fact("alike", trials=len(several), of=len(result.trials), paths=len(result.paths))] if several else []


def called(result: Found) -> str:
    """What the first trial of the search is called: the winner, unless fresh paths did not show it to be better."""
    several = len(result.plan.objectives) > 1
    return "winner" if result.judged is None or several or verdict(result) == BETTER else "best trial"


def _path(path: Drawn) -> str:
    """A drawn path by its name, its number, and what it drew, to three figures."""
    names = short([(key, "") for key in path.drew], {}, ())
    drew = [f"{worded(names[key])} {_rounded(value)}" for key, value in path.drew.items()]
    return f"{path.name} {path.number} ({', '.join([*drew, f'seed {path.seeds[0]}'])})".strip()


def _rounded(value: Any) -> str:
    quantity = read(readable(value))
    return spoken(f"{quantity.number:.3g}{quantity.unit}" if quantity is not None and quantity.unit else value)


def by_path(result: Found) -> list[tuple[str, int, list[tuple[Sample | None, Interval | None]]]]:
    """For each path of the list: its name, how many were drawn, and each objective's paired difference in cost."""
    if result.judged is None:
        return []
    judged, rows = result.judged, []
    for entry, given in enumerate(result.plan.entries):
        places = [place for place, path in enumerate(judged.paths) if path.entry == entry]
        samples = []
        for k in range(len(result.plan.objectives)):
            costs = sample([judged.costs[place][k] - judged.base_costs[place][k] for place in places]) if places else None  # fmt: skip
            samples.append((costs, costs.interval(split(1)) if costs is not None and len(places) > 1 else None))
        rows.append((given.name, len(places), samples))
    return rows


def _by_kind(result: Found) -> Table:
    plan, kinds = result.plan, by_path(result)
    heads = ["kind of path", "drawn", *(f"{one.name}, {_beside(one)}" for one in plan.objectives)]
    rows = [[name, str(count), *map(_change, plan.objectives, [s for s, _ in samples])] for name, count, samples in kinds]  # fmt: skip
    if len(rows) > 1 and result.judged is not None:
        rows.append(["all", str(len(result.judged.paths)), *map(_change, plan.objectives, result.judged.differences)])
        return Table(heads, rows, "By kind of path, on fresh paths", [fact("own-interval")])
    return Table(heads, [])


def _change(one: Objective, difference: Sample | None) -> str:
    """A paired difference with its interval, and ``?`` where that contains none."""
    if difference is None:
        return "no value"
    if difference.count < 2:
        return digits(one.back(difference.value))
    span = one.turned(difference.interval(split(1)))
    open_ = " ?" if span.low <= (1.0 if one.relative else 0.0) <= span.high else ""
    return f"{number(one.back(difference.value), span.half_width)} ({ends(span.low, span.high)}){open_}"


def _beside(one: Objective) -> str:
    """The unit of a paired difference."""
    return "times the baseline's" if one.relative else f"difference ({one.unit})" if one.unit else "difference"


def _trials(result: Found) -> Table:
    """The best trials, or the front, and the baseline."""
    plan = result.plan
    several = len(plan.objectives) > 1
    named = list(dict.fromkeys(plan.space.columns.values()))
    done = [one for one in result.trials if one.state == COMPLETE]
    chosen = list(result.front) if several else sorted(done, key=lambda one: (one.cost, one.number))
    rows = []
    for one in [*chosen[:MAX_ROWS], result.base]:
        cells = [spoken(one.choice.cells[name]) if name in one.choice.cells else "" for name in named]
        means = [_mean(result, one, k) for k in range(len(plan.objectives))]
        rows.append([str(one.number) if one.number else "baseline", *means, *cells])
    heads = ["trial", *(one.label for one in plan.objectives), *map(worded, named)]
    filled = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    feet = [fact("beside-middle")] if several else [fact("own-interval")] if len(result.paths) > 1 else []
    name = "The front" if several else "The best trials"
    return Table([heads[k] for k in filled], [[row[k] for k in filled] for row in rows], name, feet)


def _mean(result: Found, trial: Any, objective: int) -> str:
    mean, span = result.interval(trial, objective)
    if len(result.plan.objectives) > 1:  # trials of a front are compared with each other, on the same paths
        apart = determined.beside(result, trial, objective)
        if apart is None:
            return digits(mean)
        span = result.plan.objectives[objective].turned(apart.interval(determined.LEVEL))
        return f"{digits(mean)} ({ends(span.low, span.high)})"
    if span is None or span.half_width == 0:
        return digits(mean)
    return f"{number(mean, span.half_width)} ({ends(span.low, span.high)})"


def _parts(result: Found) -> Table:
    """The metrics of weighted sums: the baseline's and the winner's mean, and what each adds to the sum."""
    rows: list[list[str]] = []
    heads = ["metric", "weight", "baseline", called(result), "weighted: baseline", f"weighted: {called(result)}"]
    means: Sequence[Sequence[float]] = []
    if result.parts:
        means = result.fresh_parts or [result.parts[trial.number] for trial in (result.base, result.winner)]
    terms = [(one, *term) for one in result.plan.objectives for term in one.terms] if result.parts else []
    for place, (one, weight, metric) in enumerate(terms):
        base, own = (part[place] for part in means)
        cells = (weight, base, own, weight * base, weight * own)
        rows.append([f"{one.name}: {metric.label}", *map(digits, cells)])
    where = "fresh paths" if result.fresh_parts else "paths of the search"
    return Table(heads, rows, f"Parts of the objective, means over the {where}", fold=True)


def _open(result: Found) -> Table:
    """Values of keys that the paths of the search do not distinguish from the winner's."""
    spans = determined.ranges(result) if len(result.plan.objectives) == 1 else {}
    rows = [
        [worded(column), spoken(low), spoken(high), "yes" if determined.whole(result, column) else "no"]
        for column, (low, high) in spans.items()
    ]
    return Table(["key", "from", "to", "whole range"], rows, "Not distinguished from the best trial", fold=True)


def _objectives(result: Found) -> Table:
    rows = [
        [one.name, _formula(one), "more" if one.sign > 0 else "less", "yes" if one.relative else "no"]
        for one in result.plan.objectives
    ]
    heads = ["objective", "is", "better", "ratio to the baseline"]
    return Table(heads, rows, "Objectives", names=4, fold=True, terminal=False)


def _formula(one: Objective) -> str:
    """An objective's sum, with signs between its terms."""
    text = ""
    for weight, metric in one.terms:
        term = metric.name if abs(weight) == 1 else f"{abs(weight):g} × {metric.name}"
        text += (" − " if weight < 0 else " + ") * bool(text) + ("−" if weight < 0 and not text else "") + term
    return text


def _keys(result: Found) -> Table:
    """What the free keys mean, and the baseline's values."""
    from ..search.meaning import meaning

    plan, rows = result.plan, {}
    for part in plan.space.parts:
        groups = [("", [part])] if isinstance(part, Free) else [(name, frees) for name, (_, frees) in part.choices.items()]  # fmt: skip
        for name, frees in groups:
            for free in frees:
                rows[free.key, name] = [worded(plan.space.columns[free.key]), name, meaning(free.key, name)]
    base = [[worded(key), "baseline", spoken(value)] for key, value in plan.baseline.items()]
    return Table(["key", "of", "meaning"], [*rows.values(), *base], "Keys", names=3, fold=True, terminal=False)
