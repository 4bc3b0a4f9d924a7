"""The sentences of a search: the winner beside the baseline on fresh paths, the objective during the search, and the paths on which the winner loses."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...figures.stats import Interval, Sample, sample, split
from ...text.columns import align, wrapped
from ...text.counts import counted
from ...text.escapes import one_line
from ...text.numbers import digits, ends, listing, number
from ..search.output import choice, spoken
from ..search.space import Free
from ..sweep.names import names as short
from ..sweep.names import worded
from ..sweep.quantity import read, readable
from . import determined as how_well
from .search import COMPLETE, NO_VALUE, REFUSED, STOPPED

if TYPE_CHECKING:
    from ..search.draws import Path as Drawn
    from ..search.objective import Objective
    from .found import Found, Loss

#: Trials that a terminal shows.
MOST_ROWS = 10
#: Characters of a sum that a headline has in place of its name.
MOST_FORMULA = 60


def cells(result: Found, brief: bool = False) -> str:
    """The winner's choice, and the values that are not distinguished from it; where it is brief, only that there are some."""
    chosen = choice(result.winner.choice.cells)
    spans = how_well.ranges(result) if len(result.plan.objectives) == 1 else {}
    told = [f"{worded(name)} {spoken(low)} to {spoken(high)}" for name, (low, high) in spans.items()]
    if brief and spans:
        sure = {name: cell for name, cell in result.winner.choice.cells.items() if name not in spans}
        if not sure:
            return f"{chosen}, for example"
        return choice(sure)  # the lead below has the others
    return f"{chosen} (not distinguished: {', '.join(told)})" if told else chosen


def sentence(result: Found, brief: bool = False) -> str:
    """The answer; brief where the sentences of :func:`determined` come below it."""
    plan, tried = result.plan, counted(len(result.trials), "trial")
    names = listing([one.name for one in plan.objectives])
    if not result.winner.number:
        return f"Stay with the baseline: none of {tried} has a better mean {names} on {_paths(len(result.paths), plan.seeds)}."
    if len(plan.objectives) > 1:
        return f"A compromise of {names} is {cells(result, brief)}: {_short(result)}."
    if result.judged is None:
        one, (mean, _), (base, _) = (
            plan.objectives[0],
            result.interval(result.winner, 0),
            result.interval(result.base, 0),
        )
        rest = (
            "one run each, so no interval"
            if plan.paths == 1
            else "not judged on fresh paths, so this looks better than it is"
        )
        return f"Best of {tried}: {cells(result, brief)}, with {one.name} {_value(one, mean)} (baseline: {_value(one, base)}); {rest}."
    if not verdict(result):
        lead = f"Undecided: no choice is shown to be better than the baseline{_base(result)}."
        one, found, mine = plan.objectives[0], result.judged.differences[0], choice(result.winner.choice.cells)
        if brief and found is not None:
            much = (
                f"{one.name} {change(one, found)}" if one.relative else f"difference in {one.name} {change(one, found)}"
            )
            return f"{lead} The best trial, {mine}: {much} (95 % interval, {counted(len(result.judged.paths), 'fresh path')})."
        return f"{lead} The best trial, {mine}, has {_against(result)}. {_contains(result)}".rstrip()
    lead = {1: "Use", -1: "Stay with the baseline; do not use"}[verdict(result)]
    return f"{lead} {cells(result, brief)}: {_in_short(result) if brief else _against(result)}."


def called(result: Found) -> str:
    """What the first trial of the search is called: the winner, unless fresh paths did not show it to be better than the baseline."""
    return "winner" if result.judged is None or len(result.plan.objectives) > 1 or verdict(result) > 0 else "best trial"


def _base(result: Found) -> str:
    """The keys of the baseline, where the plan has any."""
    return f", {_baseline(result)}" if result.plan.baseline else ""


def _baseline(result: Found) -> str:
    named = short([(key, "") for key in result.plan.baseline], {}, ())
    return listing([f"{worded(named[key])} {spoken(value)}" for key, value in result.plan.baseline.items()])


def _contains(result: Found) -> str:
    """What the interval of the difference contains: better and worse."""
    if result.judged is None or result.judged.differences[0] is None:
        return ""
    return f"The interval contains {1 if result.plan.objectives[0].relative else 0}, so better and worse are both possible."


def _in_short(result: Found) -> str:
    """The winner beside the baseline by the one objective of the plan, as a headline."""
    one, judged = result.plan.objectives[0], result.judged
    assert judged is not None  # what was not judged has no verdict
    found = judged.differences[0]
    if found is None or not one.relative:
        return _against(result)
    span = one.turned(found.interval(split(1)))
    mean = number(one.back(found.value), span.half_width)
    formula = _formula(one)
    what = formula if len(one.terms) > 1 and len(formula) <= MOST_FORMULA else one.name
    than = f" ({_baseline(result)})" if result.plan.baseline else ""
    return f"{what} is {mean} times the baseline's{than} on {counted(len(judged.paths), 'fresh path')} (95 %: {ends(span.low, span.high)})"


def determined(result: Found) -> list[str]:
    """What stands behind the answer: the front, what is not distinguished from the winner, and values at a bound."""
    front = ""
    if len(result.plan.objectives) > 1 and result.winner.number:
        names = listing([one.name for one in result.plan.objectives])
        front = f"{counted(len(result.front), 'trial')} of {len(result.trials):,} on the front of {names}; this is its middle: {_against(result)}."
    return [text for text in (front, how_well.told(result), how_well.bounds(result)) if text]


def example(result: Found) -> str:
    """The winner's values of keys that are not determined."""
    spans = how_well.open_(result)
    sure = [name for name in result.winner.choice.cells if name not in spans]
    if not result.winner.number or not spans or not sure or not verdict(result):
        return ""
    mine = {name: cell for name, cell in result.winner.choice.cells.items() if name in spans}
    return f"The best trial has {choice(mine)}."


def defined(result: Found) -> list[str]:
    """What the objectives and the baseline are."""
    found = []
    for one in result.plan.objectives:
        if len(one.terms) > 1 or one.name != one.terms[0][1].name:
            found.append(
                f"{one.name[:1].upper()}{one.name[1:]} is {_formula(one)}; {'more' if one.sign > 0 else 'less'} is better."
            )
    if any("*" in metric.name for one in result.plan.objectives for _, metric in one.terms):
        found.append("A * stands for any ending of a flow's name.")
    if any(one.relative for one in result.plan.objectives):
        found.append("Each path counts by its ratio to the baseline's value on the same path; means are geometric.")
    found.append(
        f"The baseline is the scenario with {_baseline(result)}."
        if result.plan.baseline
        else "The baseline is the scenario as it stands."
    )
    return found


def _formula(one: Objective) -> str:
    """An objective's sum, with signs between its terms."""
    told = ""
    for weight, metric in one.terms:
        term = metric.name if abs(weight) == 1 else f"{abs(weight):g} × {metric.name}"
        told += (" − " if weight < 0 else " + ") * bool(told) + ("−" if weight < 0 and not told else "") + term
    return told


def keys_defined(result: Found, of_winner: bool = False) -> list[str]:
    """What the free keys mean, all or the winner's, as `acklab explain` says."""
    from ..search.meaning import meaning

    found = {}
    for part in result.plan.space.parts:
        for choice_, frees in (
            [("", [part])] if isinstance(part, Free) else [(name, frees) for name, (_, frees) in part.choices.items()]
        ):
            for free in frees:
                told = (
                    "" if of_winner and free.name not in result.winner.choice.parameters else meaning(free.key, choice_)
                )
                if told:
                    found[free.key, told] = (
                        f"{worded(result.plan.space.columns[free.key])}{f' ({choice_})' * bool(choice_)}: {told}"
                    )
    return list(found.values())


def gained(result: Found) -> str:
    """The means of the metrics of a weighted sum on fresh paths, the baseline's and the winner's."""
    if result.fresh_parts is None or result.judged is None:
        return ""
    found, place = [], 0
    for one in result.plan.objectives:
        for _, metric in one.terms:
            old, new = (part[place] for part in result.fresh_parts)
            place += 1
            found.append(f"{metric.name} from {digits(old)} to {digits(new)} {metric.quantity.unit}".rstrip())
    return f"What it changes on the fresh paths, means without intervals: {listing(found)}."


def _short(result: Found) -> str:
    """The middle of a front beside the baseline, without intervals."""
    rows = (result.judged.values, result.judged.base) if result.judged else (result.winner.values, result.base.values)
    costs = (
        (result.judged.costs, result.judged.base_costs) if result.judged else (result.winner.costs, result.base.costs)
    )
    told = []
    for place, one in enumerate(result.plan.objectives):
        if one.relative:
            told.append(f"{one.name} {digits(one.back(fmean(row[place] for row in costs[0])))} times the baseline's")
        else:
            mean, base = (fmean(row[place] for row in several) for several in rows)
            told.append(f"{one.name} {_value(one, mean)} (baseline {digits(base)})")
    return listing(told)


def verdict(result: Found) -> int:
    """1 where fresh paths show that the winner is better than the baseline by the first objective, -1 worse, 0 neither."""
    found = result.judged.differences[0] if result.judged else None
    if found is None:
        return 0
    one = found.interval(split(1))
    return 1 if one.high < 0 else -1 if one.low > 0 else 0


def _against(result: Found) -> str:
    """The winner beside the baseline, objective by objective."""
    judged = result.judged
    if judged is None:
        found = []
        for place, one in enumerate(result.plan.objectives):
            (mean, _), (base, _) = result.interval(result.winner, place), result.interval(result.base, place)
            found.append(f"{one.name} {_value(one, mean)} (baseline: {_value(one, base)})")
        return f"{listing(found)}, in the search"
    found = [
        _beside(one, judged, place, len(result.plan.objectives)) for place, one in enumerate(result.plan.objectives)
    ]
    return f"{listing(found)}, on {_paths(len(judged.paths), result.plan.seeds, 'fresh ')} (95 % interval{'s' * (len(found) > 1)})"


def _beside(one: Objective, judged: Any, place: int, objectives: int) -> str:
    found = judged.differences[place]
    if found is None:
        lost = sum(math.isnan(cost[place]) for cost in judged.costs)
        return f"{one.name} has no value on {counted(lost, 'path')}"
    if one.relative:
        return f"{one.name} {change(one, found, objectives)}"
    mean, base = (fmean(row[place] for row in rows) for rows in (judged.values, judged.base))
    return (
        f"{one.name} {_value(one, mean)} (baseline: {_value(one, base)}; difference {change(one, found, objectives)})"
    )


def change(one: Objective, difference: Sample, objectives: int = 1) -> str:
    """A paired difference of costs, as the objective counts it, with its interval."""
    found = one.turned(difference.interval(split(objectives)))
    if one.relative:
        mean = one.back(difference.value)
        return f"{number(mean, found.half_width)} times the baseline's ({ends(found.low, found.high)})"
    return f"{ends(found.low, found.high)} {one.unit}".rstrip()


def compared(one: Objective, samples: list[Sample | None]) -> list[str]:
    """Paired differences below each other, with one precision and what is not distinguished; means alone where there is no interval."""
    spans = [
        one.turned(found.interval(split(1))) if found is not None and found.count > 1 else None for found in samples
    ]
    widest = max((span.half_width for span in spans if span is not None), default=0.0)
    places = min(6, max(0, 1 - math.floor(math.log10(widest)))) if widest > 0 else 3
    same = 1.0 if one.relative else 0.0
    told = []
    for found, span in zip(samples, spans, strict=True):
        if found is None:
            told.append("-")
        elif span is None:
            told.append(f"{one.back(found.value):.{places}f}, no interval")
        else:
            open_ = "; not distinguished" if span.low <= same <= span.high else ""
            told.append(f"{one.back(found.value):.{places}f} ({span.low:.{places}f} to {span.high:.{places}f}){open_}")
    return told


def _paths(count: int, seeds: int, kind: str = "") -> str:
    each = "with one seed each" if seeds == 1 else f"with {seeds} seeds each"
    return f"{counted(count, kind + 'path')} {each}"


def _value(one: Objective, value: float) -> str:
    """A value with its unit."""
    unit = "times the baseline's" if one.relative else one.unit
    return f"{digits(value)} {unit}".rstrip()


def basis(result: Found) -> list[str]:
    """The sample behind the numbers: trials, paths, seeds, runs."""
    plan, states = result.plan, [one.state for one in result.trials]
    ended = [
        f"{states.count(state):,} {word}" for state, word in _STATES.items() if state in states and state != COMPLETE
    ]
    ends = f" ({', '.join(ended)})" if ended else ""
    every = f"the same {_paths(len(result.paths), plan.seeds)} for all"
    said = [f"{counted(len(states), 'trial')}{ends}, {counted(result.runs, 'run')}; {every}"]
    if plan.space.size and len(states) == plan.space.size:
        said.append("these are all the choices there are")
    if STOPPED in states:
        said.append(
            "stopped early: on the first of these paths, the interval of its differences from the best so far says that it is worse"
        )
    if plan.paths > 1:
        said.append("intervals: 95 %, Student's, over paths drawn independently")
    return said


def kept(result: Found) -> list[str]:
    """What an earlier attempt spared; the files do not have it, so that they are those of an undisturbed search."""
    return [f"{result.kept:,} of the runs done before"] if result.kept else []


_STATES = {COMPLETE: "complete", STOPPED: "stopped early", REFUSED: "no scenario", NO_VALUE: "without a value"}


def search_told(result: Found) -> str:
    """The winner's objective on the search's own paths, which is biased because the winner was chosen by it."""
    if not result.winner.number or result.seen is None or result.judged is None:
        return ""
    found = [f"{one.name} {change(one, seen, len(result.plan.objectives))}" if one.relative else
             f"{one.name} {_value(one, result.interval(result.winner, place)[0])} (baseline: {_value(one, result.interval(result.base, place)[0])}; "
             f"difference {change(one, seen, len(result.plan.objectives))})"
             for place, (one, seen) in enumerate(zip(result.plan.objectives, result.seen, strict=True)) if seen is not None]  # fmt: skip
    who = (
        f"The best of {counted(len(result.trials), 'trial')}"
        if len(result.plan.objectives) == 1
        else "A trial that was chosen by them"
    )
    return f"On the {_paths(len(result.paths), result.plan.seeds)} of the search: {listing(found)}. {who} looks better there than it is."


def losing(result: Found) -> str:
    """One path where the winner loses, or that there is none; fresh paths, because the winner was chosen by the others."""
    if not result.winner.number:
        return ""
    drawn, kind = (len(result.judged.paths), "fresh path") if result.judged else (len(result.paths), "path")
    losses = result.fresh_losses
    if not losses:
        if result.losses:  # of the search alone
            seen = len({loss.path.number for loss in result.losses})
            return (
                f"The {called(result)} loses on none of the {counted(drawn, kind)}, but on {seen:,} of the {counted(len(result.paths), 'path')} of the search, "
                f"most on {_lost(result, result.losses[0])}."
            )
        return f"The {called(result)} loses on none of the {counted(drawn, kind)}." if drawn > 1 else ""
    lost = len({loss.path.number for loss in losses})
    by = ""
    if len(result.plan.objectives) > 1:
        counts = [
            len({loss.path.number for loss in losses if loss.objective == k})
            for k in range(len(result.plan.objectives))
        ]
        by = f" ({listing([f'{count:,} by {one.name}' for one, count in zip(result.plan.objectives, counts, strict=True)])})"
    return (
        f"The {called(result)} loses on {lost:,} of the {counted(drawn, kind)}{by}, most on {_lost(result, losses[0])}."
    )


def _lost(result: Found, loss: Loss) -> str:
    one = result.plan.objectives[loss.objective]
    values = [
        f"{digits(value)} {one.unit}".rstrip() if not math.isnan(value) else "no value"
        for value in (loss.value, loss.base)
    ]
    return f"{'fresh ' * loss.fresh}path {_path(loss.path)}: {one.name} {values[0]}, baseline {values[1]}"


def _path(path: Drawn) -> str:
    """A drawn path by its name, its number, and what it drew, in words and three figures."""
    names = short([(key, "") for key in path.drew], {}, ())
    drew = [f"{worded(names[key])} {_rounded(value)}" for key, value in path.drew.items()]
    seeds = f"seed {path.seeds[0]}" if len(path.seeds) == 1 else f"seeds {path.seeds[0]} to {path.seeds[-1]}"
    return f"{path.name} {path.number} ({', '.join([*drew, seeds])})".strip()


def _rounded(value: Any) -> str:
    found = read(readable(value))
    text = spoken(f"{found.number:.3g}{found.unit}" if found is not None and found.unit else value)
    return text.replace("\u00a0", " ")


def columns(result: Found, most: int) -> tuple[list[str], list[list[str]]]:
    """The best trials and the baseline as a table: its heads and its rows."""
    plan = result.plan
    named = list(dict.fromkeys(plan.space.columns.values()))
    done = [one for one in result.trials if one.state == COMPLETE]
    chosen = list(result.front) if len(plan.objectives) > 1 else sorted(done, key=lambda one: (one.cost, one.number))
    rows = []
    for one in [*chosen[:most], result.base]:
        cells = [spoken(one.choice.cells[name]) if name in one.choice.cells else "" for name in named]
        rows.append(
            [
                str(one.number) if one.number else "baseline",
                *cells,
                *(_mean(result, one, k) for k in range(len(plan.objectives))),
            ]
        )
    beside = " (beside the middle)" if len(plan.objectives) > 1 else ""
    return ["trial", *map(worded, named), *(f"{one.label}{beside}" for one in plan.objectives)], rows


def made_of(result: Found) -> tuple[list[str], list[list[str]]]:
    """The metrics of weighted sums as a table: the baseline's and the winner's mean, and what each adds to the sum."""
    rows, place = [], 0
    for one in result.plan.objectives:
        for weight, metric in one.terms:
            means = result.fresh_parts or [result.parts[trial.number] for trial in (result.base, result.winner)]
            base, mine = (part[place] for part in means)
            rows.append(
                [
                    f"{one.name}: {metric.label}",
                    digits(weight),
                    digits(base),
                    digits(mine),
                    digits(weight * base),
                    digits(weight * mine),
                ]
            )
            place += 1
    return ["metric", "weight", "baseline", called(result), "weighted: baseline", f"{called(result)}, weighted"], rows


def _mean(result: Found, trial: Any, objective: int) -> str:
    mean, found = result.interval(trial, objective)
    if len(result.plan.objectives) > 1:  # trials of a front are compared with each other, on the same paths
        apart = how_well.beside(result, trial, objective)
        one = result.plan.objectives[objective]
        if apart is None:
            return digits(mean)
        span = one.turned(apart.interval(how_well.LEVEL))
        return f"{digits(mean)} ({ends(span.low, span.high)}{' times' if one.relative else f' {one.unit}'.rstrip()})"
    if found is None or found.half_width == 0:
        return digits(mean)
    return f"{number(mean, found.half_width)} ({ends(found.low, found.high)})"


def by_path(result: Found) -> list[tuple[str, int, list[tuple[Sample | None, Interval | None]]]]:
    """For each path of the list: its name, how many were drawn, and each objective's paired difference in cost."""
    if result.judged is None:
        return []
    one, found = result.judged, []
    for entry, given in enumerate(result.plan.entries):
        places = [place for place, path in enumerate(one.paths) if path.entry == entry]
        samples = []
        for k in range(len(result.plan.objectives)):
            found_here = (
                sample([one.costs[place][k] - one.base_costs[place][k] for place in places]) if places else None
            )
            samples.append(
                (found_here, found_here.interval(split(1)) if found_here is not None and len(places) > 1 else None)
            )
        found.append((given.name, len(places), samples))
    return found


def as_text(result: Found) -> str:
    """The whole text for a terminal."""
    heads, rows = columns(result, MOST_ROWS)
    lines = [
        one_line(result.plan.title or result.plan.name),
        *basis(result),
        *kept(result),
        "",
        *align(heads, rows, names=len(heads) - len(result.plan.objectives)),
        "",
    ]
    said = [
        sentence(result),
        *defined(result),
        losing(result),
        gained(result),
        *determined(result),
        search_told(result),
    ]
    return "\n".join([*lines, *wrapped(said)])
