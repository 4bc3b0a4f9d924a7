"""The charts of a search: the objective by trial or the Pareto front, what decides, and each key by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..figures.charts import Axis, Chart, Dot, DotPanel, Dots, Line, Lines, Mark, Panel
from ..sweep.quantity import read
from .search import COMPLETE, STOPPED, Trial
from .space import Alternatives, Free

if TYPE_CHECKING:
    from .found import Found

SHADES = ("blue", "orange", "green", "purple", "sky", "pink", "gold", "slate")
#: Charts beside each other, and keys that have one.
BESIDE, MOST_KEYS = 3, 6


def charts(told: Found) -> Iterator[Chart]:
    """Every chart."""
    if len(told.plan.objectives) > 1:
        yield from _fronts(told)
    yield _progress(told)
    if told.importance:
        dots = [Dot(place, share, (share, share), "blue") for place, share in enumerate(told.importance.values())]
        about = "How much each key decides about being among the best tenth (PED-ANOVA): of complete trials, those that have the key"
        yield Dots("importance", about, [_named(name, told) for name in told.importance], [DotPanel("importance (share)", dots)])
    yield from _keys(told)


def _named(name: str, told: Found) -> str:
    """What Optuna's parameter is called: the column, and the alternative that it belongs to."""
    for part in told.plan.space.parts:
        if isinstance(part, Free) or part.name == name:
            continue
        for choice, (_, frees) in part.choices.items():
            if any(free.name == name for free in frees):
                return f"{told.plan.space.columns[name.removeprefix(f'{part.name}.{choice}.')]} ({choice})"
    return str(told.plan.space.columns[name])


def _dots(name: str, trials: Sequence[Trial], x: Sequence[float], y: Sequence[float], colour: str, marker: str = "o") -> list[Line]:
    return [Line(name, x, y, colour, dash="", marker=marker)] if trials else []


def _fronts(told: Found) -> Iterator[Chart]:
    """The first objective against each other one."""
    done = [one for one in told.trials if one.state == COMPLETE]
    panels = []
    for other in range(1, len(told.plan.objectives)):

        def at(one: Trial, other: int = other) -> tuple[float, float]:
            return told.interval(one, 0)[0], told.interval(one, other)[0]

        def dots(name: str, several: Sequence[Trial], colour: str, marker: str = "o", at: Any = at) -> list[Line]:
            return _dots(name, several, [at(one)[0] for one in several], [at(one)[1] for one in several], colour, marker)

        beaten = [one for one in done if one not in told.front]
        lines = [*dots("beaten by another trial", beaten, "slate"), *dots("front", told.front, "blue")]
        lines += [*dots("its middle", [told.winner], "orange", "D"), *dots("baseline", [told.base], "red", "s")]
        panels.append(Panel("", Axis(told.plan.objectives[0].label), Axis(told.plan.objectives[other].label), lines))
    for start in range(0, len(panels), BESIDE):
        yield Lines(f"front-{start // BESIDE + 1}", "Pareto front: means over the paths of the search", panels[start : start + BESIDE], height=3.4)


def _progress(told: Found) -> Chart:
    """Each objective by trial, and the best so far."""
    panels = []
    for place, objective in enumerate(told.plan.objectives):
        mean = {one.number: told.interval(one, place)[0] for one in told.trials if one.state in (COMPLETE, STOPPED)}
        lines = []
        for name, state, colour, marker in (("complete", COMPLETE, "blue", "o"), ("stopped early", STOPPED, "slate", "x")):
            several = [one for one in told.trials if one.state == state]
            lines += _dots(name, several, [one.number for one in several], [mean[one.number] for one in several], colour, marker)
        marks = [Mark(told.interval(told.base, place)[0], "baseline")]
        if len(told.plan.objectives) == 1:
            best, so_far = told.base, []
            for one in told.trials:
                best = one if one.state == COMPLETE and one.cost < best.cost else best
                so_far.append(told.interval(best, 0)[0])
            lines.append(Line("best so far", [one.number for one in told.trials], so_far, "orange", step=True))
        panels.append(Panel("", Axis("trial"), Axis(objective.label), lines, marks))
    about = "Objective by trial: means over the paths that the trial saw"
    return Lines("trials", about, panels[:BESIDE], height=3.2)


def _keys(told: Found) -> Iterator[Chart]:
    """The first objective over each key that has numbers, coloured by the first alternatives."""
    space, objective = told.plan.space, told.plan.objectives[0]
    done = [one for one in told.trials if one.state == COMPLETE]
    split = next((part for part in space.parts if isinstance(part, Alternatives)), None)
    groups = {"complete trial": "blue"} if split is None else dict(zip(split.choices, SHADES, strict=False))
    panels = []
    columns: dict[str, Free] = {}
    for free in space.frees:
        columns.setdefault(space.columns[free.key], free)
    for column, free in columns.items():
        if free.choices and not free.ordered:
            continue
        points = [(_place(one, column), told.interval(one, 0)[0], one) for one in done if column in one.choice.cells]
        xs = sorted({x for x, _, _ in points})
        if len(points) < 3 or len(xs) < 2:
            continue
        lines = []
        for name, colour in groups.items():
            mine = [point for point in points if split is None or point[2].choice.cells[split.name] == name]
            lines += _dots(name, [one for *_, one in mine], [x for x, _, _ in mine], [y for _, y, _ in mine], colour)
        if column in told.winner.choice.cells:
            lines += _dots("winner", [told.winner], [_place(told.winner, column)], [told.interval(told.winner, 0)[0]], "red", "D")
        log = free.log or (xs[0] > 0 and xs[-1] / xs[0] > 30)
        unit = "" if free.choices else free.low.unit
        ticks = _ticks(xs[0], xs[-1]) if log else None
        across = Axis(f"{column} ({unit})" if unit else column, log=log, ticks=ticks, words=[f"{tick:g}" for tick in ticks or ()])
        panels.append(Panel("", across, Axis(objective.label), lines))
    for start in range(0, min(len(panels), MOST_KEYS), BESIDE):
        yield Lines(f"keys-{start // BESIDE + 1}", "The objective over each key; other keys differ too", panels[start : start + BESIDE])


def _place(one: Trial, column: str) -> float:
    """A cell as a number, in the unit that it is written with."""
    found = read(one.choice.cells[column])
    assert found is not None  # of ranges and ordered choices only
    return found.number


def _ticks(low: float, high: float) -> list[float]:
    """About six ticks of a logarithmic axis: 1, 2 and 5 times powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    found = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
    found = [tick for tick in found if low / 1.2 <= tick <= high * 1.2]
    return found if len(found) <= 7 else found[:: math.ceil(len(found) / 7)]
