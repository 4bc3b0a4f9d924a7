"""The charts of a search: the objective by trial or the Pareto front, the importance of keys, and each key alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..report.charts import Axis, Chart, Dot, DotPanel, Dots, Line, Lines, Mark, Panel
from ..results.findings import BETTER, UNDECIDED, WORSE
from ..text.counts import counted
from .intervals import Interval, Sample, sample, split
from .keys import worded
from .search import COMPLETE, STOPPED, Trial
from .space import Alternatives, Free
from .values import read

if TYPE_CHECKING:
    from .search import SearchResult


SHADES = ("blue", "orange", "green", "purple", "sky", "pink", "gold", "slate")
#: Charts beside each other, and keys that have one.
BESIDE, MOST_KEYS = 3, 6


def charts(result: SearchResult) -> Iterator[Chart]:
    """Every chart."""
    if len(result.plan.objectives) > 1:
        yield from _fronts(result)
    yield from _by_path(result)
    yield _progress(result)
    if result.importance:
        dots = [Dot(place, share, (share, share), "blue") for place, share in enumerate(result.importance.values())]
        about = "How strongly each key decides whether a complete trial is among the best tenth, as a share of all keys (Optuna's PED-ANOVA)"
        most = max(result.importance.values())
        yield Dots(
            "importance",
            about,
            [_named(name, result) for name in result.importance],
            [DotPanel("importance (share)", dots, ends=(-0.03 * most, 1.06 * most))],
        )
    yield from _keys(result)


def verdict(result: SearchResult, place: int = 0) -> str | None:
    """What fresh paths decide between the winner and the baseline by an objective; None where they did not judge."""
    difference = result.judged.differences[place] if result.judged else None
    if difference is None:
        return None
    span = difference.interval(split(len(result.plan.objectives)))
    return BETTER if span.high < 0 else WORSE if span.low > 0 else UNDECIDED


def called(result: SearchResult) -> str:
    """What the first trial of the search is called: the winner, unless fresh paths did not show it to be better."""
    several = len(result.plan.objectives) > 1
    return "winner" if result.judged is None or several or verdict(result) == BETTER else "best trial"


def by_path(result: SearchResult) -> list[tuple[str, int, list[tuple[Sample | None, Interval | None]]]]:
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


def _by_path(result: SearchResult) -> Iterator[Chart]:
    """The winner beside the baseline on fresh paths, path by path of the list, and over all."""
    if result.judged is None or not result.winner.number:
        return
    several = by_path(result)
    found = [(f"{name}, {counted(count, 'path')}", samples) for name, count, samples in several if len(several) > 1]
    found.append(
        (
            f"all {counted(len(result.judged.paths), 'path')}",
            [(one, one.interval(split(1)) if one is not None else None) for one in result.judged.differences],
        )
    )
    panels = []
    for place, one in enumerate(result.plan.objectives[:BESIDE]):
        dots = []
        for row, (_, samples) in enumerate(found):
            sample, ends = samples[place]
            if sample is not None:
                turned = one.turned(ends) if ends is not None else None
                value = one.back(sample.value)
                dots.append(
                    Dot(
                        row,
                        value,
                        (turned.low, turned.high) if turned else (value, value),
                        "orange" if row == len(found) - 1 else "blue",
                    )
                )
        unit = "times the baseline's" if one.relative else f"{one.unit} more than the baseline's".strip()
        panels.append(
            DotPanel(f"{one.name} ({unit})", dots, "→" if one.sign > 0 else "←", beside=1.0 if one.relative else 0.0)
        )
    yield Dots(
        "paths",
        f"The {called(result)} beside the baseline (dashed) on fresh paths: means and 95 % intervals",
        [name for name, _ in found],
        panels,
    )


def _named(name: str, result: SearchResult) -> str:
    """What Optuna's parameter is called: the column, and the alternative that it belongs to."""
    for part in result.plan.space.parts:
        if isinstance(part, Free) or part.name == name:
            continue
        for choice, (_, frees) in part.choices.items():
            if any(free.name == name for free in frees):
                return f"{worded(result.plan.space.columns[name.removeprefix(f'{part.name}.{choice}.')])} ({choice})"
    return worded(result.plan.space.columns[name])


def _dots(
    name: str, trials: Sequence[Trial], x: Sequence[float], y: Sequence[float], colour: str, marker: str = "o"
) -> list[Line]:
    return [Line(name, x, y, colour, dash="", marker=marker)] if trials else []


def _fronts(result: SearchResult) -> Iterator[Chart]:
    """The first objective against each other one."""
    done = [one for one in result.trials if one.state == COMPLETE]
    panels = []
    for other in range(1, len(result.plan.objectives)):

        def at(one: Trial, other: int = other) -> tuple[float, float]:
            return result.interval(one, 0)[0], result.interval(one, other)[0]

        def dots(name: str, several: Sequence[Trial], colour: str, marker: str = "o", at: Any = at) -> list[Line]:
            return _dots(
                name, several, [at(one)[0] for one in several], [at(one)[1] for one in several], colour, marker
            )

        beaten = [one for one in done if one not in result.front]
        lines = [*dots("beaten by another trial", beaten, "slate"), *dots("front", result.front, "blue")]
        lines += [*dots("its middle", [result.winner], "orange", "D"), *dots("baseline", [result.base], "red", "s")]
        panels.append(
            Panel("", Axis(result.plan.objectives[0].label), Axis(result.plan.objectives[other].label), lines)
        )
    for start in range(0, len(panels), BESIDE):
        yield Lines(
            f"front-{start // BESIDE + 1}",
            "Pareto front: means over the paths of the search",
            panels[start : start + BESIDE],
            height=3.4,
        )


def _progress(result: SearchResult) -> Chart:
    """Each objective by trial, and the best so far."""
    panels = []
    for place, objective in enumerate(result.plan.objectives):
        mean = {one.number: result.interval(one, place)[0] for one in result.trials if one.state == COMPLETE}
        mean |= {one.number: _corrected(result, one) for one in result.trials if one.state == STOPPED}
        lines = []
        for name, state, colour, marker in (
            ("complete", COMPLETE, "blue", "o"),
            ("stopped early", STOPPED, "slate", "x"),
        ):
            several = [one for one in result.trials if one.state == state]
            lines += _dots(
                name, several, [one.number for one in several], [mean[one.number] for one in several], colour, marker
            )
        marks = [Mark(result.interval(result.base, place)[0], "baseline")]
        if len(result.plan.objectives) == 1:
            best, so_far = result.base, []
            for one in result.trials:
                best = one if one.state == COMPLETE and one.cost < best.cost else best
                so_far.append(result.interval(best, 0)[0])
            lines.append(Line("best so far", [one.number for one in result.trials], so_far, "orange", step=True))
        panels.append(Panel("", Axis("trial"), Axis(objective.label), lines, marks))
    about = f"Objective by trial: means over {counted(len(result.paths), 'path')}"
    if any(one.state == STOPPED for one in result.trials):
        about += ". A trial that stopped early saw only the first of them: its cross stands as far from the best so far as it was on these"
    return Lines("trials", about, panels[:BESIDE], height=3.2)


def _corrected(result: SearchResult, one: Trial) -> float:
    """A stopped trial's first objective as far from the best of the earlier batches as on the paths that both saw; its own mean is of other paths."""
    first = one.number - (one.number - 1) % result.plan.batch
    best = min(
        [result.base, *(old for old in result.trials if old.state == COMPLETE and old.number < first)],
        key=lambda old: old.cost,
    )
    apart = fmean(mine[0] - theirs[0] for mine, theirs in zip(one.costs, best.costs, strict=False))
    return result.plan.objectives[0].back(fmean(row[0] for row in best.costs) + apart)


def _keys(result: SearchResult) -> Iterator[Chart]:
    """The first objective over each key that has numbers, coloured by the first alternatives."""
    space, objective = result.plan.space, result.plan.objectives[0]
    done = [one for one in result.trials if one.state == COMPLETE]
    named = next((part for part in space.parts if isinstance(part, Alternatives)), None)
    groups = {"complete trial": "blue"} if named is None else dict(zip(named.choices, SHADES, strict=False))
    panels = []
    columns: dict[str, Free] = {}
    for free in space.frees:
        columns.setdefault(space.columns[free.key], free)
    for column, free in columns.items():
        if free.choices and not free.ordered:
            continue
        points = [(_place(one, column), result.interval(one, 0)[0], one) for one in done if column in one.choice.cells]
        xs = sorted({x for x, _, _ in points})
        if len(points) < 3 or len(xs) < 2:
            continue
        lines = []
        for name, colour in groups.items():
            mine = [point for point in points if named is None or point[2].choice.cells[named.name] == name]
            lines += _dots(name, [one for *_, one in mine], [x for x, _, _ in mine], [y for _, y, _ in mine], colour)
        if column in result.winner.choice.cells:
            lines += _dots(
                called(result),
                [result.winner],
                [_place(result.winner, column)],
                [result.interval(result.winner, 0)[0]],
                "red",
                "D",
            )
        log = free.log or (xs[0] > 0 and xs[-1] / xs[0] > 30)
        unit = "" if free.choices else free.low.unit
        ticks = _ticks(xs[0], xs[-1]) if log else None
        across = Axis(
            f"{worded(column)} ({unit})" if unit else worded(column),
            log=log,
            ticks=ticks,
            words=[f"{tick:g}" for tick in ticks or ()],
        )
        panels.append(Panel("", across, Axis(objective.label), lines))
    ends = [y for panel in panels for line in panel.lines for y in line.y]
    if ends:  # one scale for all
        room = 0.04 * (max(ends) - min(ends))
        scale = Axis(objective.label, low=min(ends) - room, high=max(ends) + room)
        panels = [replace(panel, y=scale) for panel in panels]
    for start in range(0, min(len(panels), MOST_KEYS), BESIDE):
        yield Lines(
            f"keys-{start // BESIDE + 1}",
            "The objective over each key, of complete trials; other keys differ too",
            panels[start : start + BESIDE],
        )


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
