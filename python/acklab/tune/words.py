"""The sentences of a search: the winner beside the baseline on fresh paths, what the search saw, and where the winner loses."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .._texts import one_line
from ..cli.summary import align
from ..compare.numbers import ends, number
from ..figures.stats import Interval, Sample, sample, split
from ..plot.words import digits, listing
from ..sweep.text import counted
from .search import COMPLETE, NO_VALUE, REFUSED, STOPPED

if TYPE_CHECKING:
    from .objective import Objective
    from .found import Found, Loss

#: Trials that a terminal shows.
MOST_ROWS = 10


def cells(told: Found) -> str:
    """The winner's choice."""
    return ", ".join(f"{name}={written(value)}" for name, value in told.winner.choice.cells.items())


def written(value: Any) -> str:
    """A cell of a choice."""
    from ..scenario._toml import inline

    return value if isinstance(value, str) else inline(value)


def sentence(told: Found) -> str:
    """The answer."""
    plan, tried = told.plan, counted(len(told.trials), "trial")
    names = listing([one.name for one in plan.objectives])
    if not told.winner.number:
        return f"Stay with the baseline: none of {tried} has a better mean {names} on {_paths(len(told.paths), plan.seeds)}."
    if len(plan.objectives) > 1:
        chosen = f"{counted(len(told.front), 'trial')} of {len(told.trials):,} on the front of {names}; its middle is {cells(told)}"
        return f"{chosen}: {_against(told)}."
    if told.judged is None:
        one, (mean, _), (base, _) = plan.objectives[0], told.interval(told.winner, 0), told.interval(told.base, 0)
        rest = "one run each, so no interval" if plan.paths == 1 else "not judged on fresh paths, so this looks better than it is"
        return f"Best of {tried}: {cells(told)}, with {one.name} {_value(one, mean)} (baseline: {_value(one, base)}); {rest}."
    lead = {1: "Use", 0: "Undecided:", -1: "Stay with the baseline; do not use"}[verdict(told)]
    return f"{lead} {cells(told)}: {_against(told)}."


def verdict(told: Found) -> int:
    """1 where fresh paths show that the winner is better than the baseline by the first objective, -1 worse, 0 neither."""
    found = told.judged.differences[0] if told.judged else None
    if found is None:
        return 0
    one = found.interval(split(1))
    return 1 if one.high < 0 else -1 if one.low > 0 else 0


def _against(told: Found) -> str:
    """The winner beside the baseline, objective by objective."""
    judged = told.judged
    if judged is None:
        found = []
        for place, one in enumerate(told.plan.objectives):
            (mean, _), (base, _) = told.interval(told.winner, place), told.interval(told.base, place)
            found.append(f"{one.name} {_value(one, mean)} (baseline: {_value(one, base)})")
        return f"{listing(found)}, in the search"
    found = [_beside(one, judged, place, len(told.plan.objectives)) for place, one in enumerate(told.plan.objectives)]
    return f"{listing(found)}, on {_paths(len(judged.paths), told.plan.seeds, 'fresh ')} (95 % interval{'s' * (len(found) > 1)})"


def _beside(one: Objective, judged: Any, place: int, objectives: int) -> str:
    found = judged.differences[place]
    if found is None:
        lost = sum(math.isnan(cost[place]) for cost in judged.costs)
        return f"{one.name} has no value on {counted(lost, 'path')}"
    if one.relative:
        return f"{one.name} {change(one, found, objectives)}"
    mean, base = (fmean(row[place] for row in rows) for rows in (judged.values, judged.base))
    return f"{one.name} {_value(one, mean)} (baseline: {_value(one, base)}; difference {change(one, found, objectives)})"


def change(one: Objective, difference: Sample, objectives: int = 1) -> str:
    """A paired difference of costs, as the objective counts it, with its interval."""
    found = one.turned(difference.interval(split(objectives)))
    if one.relative:
        mean = one.back(difference.value)
        return f"{number(mean, found.half_width)} times the baseline's ({ends(found.low, found.high)})"
    return f"{ends(found.low, found.high)} {one.unit}".rstrip()


def _paths(count: int, seeds: int, kind: str = "") -> str:
    each = "with one seed each" if seeds == 1 else f"with {seeds} seeds each"
    return f"{counted(count, kind + 'path')} {each}"


def _value(one: Objective, value: float) -> str:
    """A value with its unit."""
    unit = "times the baseline's" if one.relative else one.unit
    return f"{digits(value)} {unit}".rstrip()


def basis(told: Found) -> list[str]:
    """What the numbers rest on."""
    plan, states = told.plan, [one.state for one in told.trials]
    ended = [f"{states.count(state):,} {word}" for state, word in _STATES.items() if state in states and state != COMPLETE]
    ends = f" ({', '.join(ended)})" if ended else ""
    every = f"every trial saw the same {_paths(len(told.paths), plan.seeds)}"
    said = [f"{counted(len(states), 'trial')}{ends}, {counted(told.runs, 'run')}; {every}"]
    if plan.space.size and len(states) == plan.space.size:
        said.append("these are all the choices there are")
    if told.kept:
        said.append(f"{told.kept:,} of the runs done before")
    if STOPPED in states:
        said.append("stopped: the interval of the paired difference said on the first paths that the trial is worse than the best so far")
    if plan.paths > 1:
        said.append("intervals: 95 %, Student's, over paths drawn independently")
    return said


_STATES = {COMPLETE: "complete", STOPPED: "stopped early", REFUSED: "no scenario", NO_VALUE: "without a value"}


def search_told(told: Found) -> str:
    """What the search itself saw of the winner, which was chosen for looking best."""
    if not told.winner.number or told.seen is None or told.judged is None:
        return ""
    found = [f"{one.name} {change(one, seen, len(told.plan.objectives))}" if one.relative else
             f"{one.name} {_value(one, told.interval(told.winner, place)[0])}, difference {change(one, seen, len(told.plan.objectives))}"
             for place, (one, seen) in enumerate(zip(told.plan.objectives, told.seen, strict=True)) if seen is not None]  # fmt: skip
    return (
        f"On the {_paths(len(told.paths), told.plan.seeds)} of the search: {listing(found)}. "
        f"The best of {counted(len(told.trials), 'trial')} looks better there than it is."
    )


def losing(told: Found) -> str:
    """One path where the winner loses, or that there is none among those drawn."""
    if not told.winner.number:
        return ""
    drawn = len(told.paths) + (len(told.judged.paths) if told.judged else 0)
    if not told.losses:
        return f"The winner loses on none of the {drawn:,} paths drawn." if drawn > 1 else ""
    lost = len({(loss.fresh, loss.path.number) for loss in told.losses})
    return f"The winner loses on {lost:,} of the {counted(drawn, 'path')} drawn, most on {_lost(told, told.losses[0])}."


def _lost(told: Found, loss: Loss) -> str:
    one = told.plan.objectives[loss.objective]
    values = [f"{digits(value)} {one.unit}".rstrip() if not math.isnan(value) else "no value" for value in (loss.value, loss.base)]
    return f"{'fresh path ' if loss.fresh else ''}{loss.path.told}: {one.name} {values[0]}, baseline {values[1]}"


def columns(told: Found, most: int) -> tuple[list[str], list[list[str]]]:
    """The best trials and the baseline as a table: its heads and its rows."""
    plan = told.plan
    named = list(dict.fromkeys(plan.space.columns.values()))
    done = [one for one in told.trials if one.state == COMPLETE]
    chosen = list(told.front) if len(plan.objectives) > 1 else sorted(done, key=lambda one: (one.cost, one.number))
    rows = []
    for one in [*chosen[:most], told.base]:
        choice = [written(one.choice.cells[name]) if name in one.choice.cells else "" for name in named]
        rows.append([str(one.number) if one.number else "baseline", *choice, *(_mean(told, one, k) for k in range(len(plan.objectives)))])
    return ["trial", *named, *(one.label for one in plan.objectives)], rows


def _mean(told: Found, trial: Any, objective: int) -> str:
    mean, found = told.interval(trial, objective)
    if found is None or found.half_width == 0:
        return digits(mean)
    return f"{number(mean, found.half_width)} ({ends(found.low, found.high)})"


def by_path(told: Found) -> list[tuple[str, int, list[tuple[Sample | None, Interval | None]]]]:
    """For each path of the list: its name, how many were drawn, and each objective's paired difference in cost."""
    if told.judged is None:
        return []
    one, found = told.judged, []
    for entry, given in enumerate(told.plan.entries):
        places = [place for place, path in enumerate(one.paths) if path.entry == entry]
        samples = []
        for k in range(len(told.plan.objectives)):
            found_here = sample([one.costs[place][k] - one.base_costs[place][k] for place in places]) if places else None
            samples.append((found_here, found_here.interval(split(1)) if found_here is not None and len(places) > 1 else None))
        found.append((given.name, len(places), samples))
    return found


def as_text(told: Found) -> str:
    """Everything a terminal is told."""
    heads, rows = columns(told, MOST_ROWS)
    lines = [one_line(told.plan.title or told.plan.name), *basis(told), "", *align(heads, rows, names=len(heads) - len(told.plan.objectives)), ""]
    return "\n".join([*lines, *filter(None, [sentence(told), search_told(told), losing(told)])])
