"""The charts of a search: the objective by trial or the Pareto front, what decides, and each key by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..figures.charts import Axis, Bar, Bars, Chart, Line, Lines, Mark, Panel
from ..sweep.quantity import read
from .search import COMPLETE, STOPPED, Trial
from .space import Free

if TYPE_CHECKING:
    from .result import Tuned

#: Charts beside each other, and keys that have one.
BESIDE, MOST_KEYS = 3, 6


def charts(told: Tuned) -> Iterator[Chart]:
    """Every chart."""
    if len(told.plan.objectives) > 1:
        yield from _fronts(told)
    yield _progress(told)
    if told.importance:
        named = told.plan.space.columns
        bars = [Bar(_named(name, named), [share]) for name, share in told.importance.items()]
        about = "Importance: how much each key decides about being among the best tenth (PED-ANOVA), complete trials"
        yield Bars("importance", about, [""], ["blue"], bars, Axis("share", low=0.0))
    yield from _keys(told)


def _named(name: str, columns: Any) -> str:
    return str(columns.get(name) or next((column for key, column in columns.items() if name.endswith(f".{key}")), name))


def _dots(name: str, trials: Sequence[Trial], x: Sequence[float], y: Sequence[float], colour: str, marker: str = "o") -> list[Line]:
    return [Line(name, x, y, colour, dash="", marker=marker)] if trials else []


def _fronts(told: Tuned) -> Iterator[Chart]:
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


def _progress(told: Tuned) -> Chart:
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


def _keys(told: Tuned) -> Iterator[Chart]:
    """The first objective over each key that has numbers."""
    done = [one for one in told.trials if one.state == COMPLETE]
    panels = []
    columns: dict[str, Free] = {}
    for free in told.plan.space.frees:
        columns.setdefault(told.plan.space.columns[free.key], free)
    for column, free in list(columns.items()):
        points = [(found.number, one) for one in done if column in one.choice.cells and (found := read(_first(free, one.choice.cells[column]))) is not None]
        if len(points) < 3 or len({x for x, _ in points}) < 2 or (free.choices and not free.ordered):
            continue
        unit = free.low.unit if not free.choices else ""
        xs, lines = [x for x, _ in points], []
        y = [told.interval(one, 0)[0] for _, one in points]
        lines += _dots("complete trial", done, xs, y, "blue")
        if column in told.winner.choice.cells and (mine := read(told.winner.choice.cells[column])) is not None:
            lines += _dots("winner", [told.winner], [mine.number], [told.interval(told.winner, 0)[0]], "orange", "D")
        log = free.log or (min(xs) > 0 and max(xs) / min(xs) > 30)
        panels.append(Panel("", Axis(f"{column} ({unit})" if unit else column, log=log), Axis(told.plan.objectives[0].label), lines))
    for start in range(0, min(len(panels), MOST_KEYS), BESIDE):
        yield Lines(f"keys-{start // BESIDE + 1}", "The objective over each key; other keys differ too", panels[start : start + BESIDE])


def _first(free: Free, value: Any) -> Any:
    """A value that a chart can place: of choices only numbers of one kind."""
    return value if not free.choices or free.ordered else None
