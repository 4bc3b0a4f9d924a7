"""A search as facts, tables, charts and files: the best trial beside the baseline on fresh paths, and how well it is determined."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import polars as pl

from ..report.charts import Axis, Chart, Dot, DotPanel, Dots, Line, Lines, Mark, Panel
from ..report.report import Report, Table
from ..results.findings import BETTER, EQUIVALENT, UNDECIDED, WORSE
from ..scenario._toml import dumps
from ..text.numbers import counted, digits, ends, number
from ..text.templates import Fact, fact
from ..text.terminal import cell
from .answers import choice, spoken, write_files, written
from .grammar import base, read, readable
from .intervals import LEAST_SEEDS, Interval, Sample, sample, split
from .keys import names as short
from .keys import worded
from .search import COMPLETE, STOPPED, Trial
from .seeds import Draw
from .space import Alternatives, Free
from .statistics import MARGIN

if TYPE_CHECKING:
    from .metrics import Objective
    from .runs import Bench
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
    yield from _key_charts(result)


def verdict(result: SearchResult, place: int = 0) -> str | None:
    """What fresh paths decide between the winner and the baseline by an objective; None where they did not judge.

    A difference of less than :data:`~acklab.study.statistics.MARGIN` does not matter, as in a comparison.
    """
    difference = result.judged.differences[place] if result.judged else None
    if result.judged is None or difference is None:
        return None
    span = difference.interval(split(len(result.plan.objectives)))
    objective, judged = result.plan.objectives[place], result.judged
    near = math.log1p(MARGIN) if objective.relative else MARGIN * abs(fmean(row[place] for row in judged.base))
    if max(abs(span.low), abs(span.high)) <= near:
        return EQUIVALENT
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
        for chosen, (_, frees) in part.choices.items():
            if any(free.name == name for free in frees):
                return f"{worded(result.plan.space.columns[name.removeprefix(f'{part.name}.{chosen}.')])} ({chosen})"
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


def _key_charts(result: SearchResult) -> Iterator[Chart]:
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


#: The share of a range that counts as its bound.
NEAR = 0.03
LEVEL = 0.95


def beside(result: SearchResult, one: Trial, objective: int) -> Sample | None:
    """A trial's cost minus the winner's, path by path; None of the winner itself, of one path, or where a trial was stopped early."""
    if (
        one is result.winner
        or one.state != COMPLETE
        or len(one.costs) < 2
        or len(one.costs) != len(result.winner.costs)
    ):
        return None
    return one.sample(objective).minus(result.winner.sample(objective))


def alike(result: SearchResult) -> list[Trial]:
    """Complete trials that the search's paths do not distinguish from the winner by the first objective (Student's, paired, 95 %)."""
    if not result.winner.number or len(result.paths) < LEAST_SEEDS:
        return []
    found = []
    for one in result.trials:
        apart = beside(result, one, 0)
        if apart is not None:
            ends = apart.interval(LEVEL)
            if ends.low <= 0 <= ends.high:
                found.append(one)
    return found


def ranges(result: SearchResult) -> dict[str, tuple[Any, Any]]:
    """Of each column with numbers the least and greatest value among those trials and the winner, where they differ."""
    trials, found = [result.winner, *alike(result)], {}
    for free in numbers(result):
        column = result.plan.space.columns[free.key]
        cells = {
            base(one.choice.cells[column]): one.choice.cells[column] for one in trials if column in one.choice.cells
        }
        if len(cells) > 1:
            found[column] = cells[min(cells)], cells[max(cells)]
    return found


def numbers(result: SearchResult) -> list[Free]:
    """The free keys with a range, or with choices that are numbers in order."""
    return [free for free in result.plan.space.frees if not free.choices or free.ordered]


def whole(result: SearchResult, column: str) -> bool:
    """Whether the values that are not distinguished span the whole range of the winner's key."""
    named = result.winner.choice.parameters
    free = next(
        (
            one
            for one in numbers(result)
            if result.plan.space.columns[one.key] == column and (one.name in named or not named)
        ),
        None,
    )
    spans = ranges(result).get(column)
    if free is None or free.choices or spans is None:
        return False
    return base(spans[0]) <= free.low.base and base(spans[1]) >= free.high.base


def bounds(result: SearchResult) -> list[dict[str, str]]:
    """The winner's values that stand at a bound of their range, beyond which there may be better ones: key, value, bound."""
    rows = []
    for free in result.plan.space.frees:
        column = result.plan.space.columns[free.key]
        if free.choices or column not in result.winner.choice.cells:
            continue
        low, high, here = free.low.base, free.high.base, base(result.winner.choice.cells[column])
        place = math.log(here / low) / math.log(high / low) if free.log else (here - low) / (high - low)
        if place <= NEAR or place >= 1 - NEAR:
            end = free.value(free.low.number if place <= NEAR else free.high.number)
            cell = result.winner.choice.cells[column]
            rows.append({"key": worded(column), "value": spoken(cell), "bound": spoken(end)})
    return rows


#: Trials in a table.
MAX_ROWS = 10


def report(result: SearchResult, picture: str = "") -> Report:
    """The report of a search."""
    first = _parts(result)
    rest = [_by_kind(result), _trials(result), _open(result), _objectives(result), _keys(result)]
    if not first.rows:
        first = rest.pop(1)
    tables = [first, *(replace(table, fold=True) for table in rest)]
    return Report("tune", result.plan.title or result.plan.name, facts(result), tables, picture)


def facts(result: SearchResult) -> list[Fact]:
    """The best trial, each objective on fresh paths, where it loses, what limits it, and how much was run."""
    plan, trials = result.plan, len(result.trials)
    names = [one.name for one in plan.objectives]
    size = fact("search", trials=trials, runs=result.runs, paths=len(result.paths), seeds=plan.seeds)
    if not result.winner.number:
        return [fact("baseline-stays", trials=trials, objectives=names), size]
    kind = "best-trial" if len(names) == 1 else "middle-trial"
    shown = [fact(kind, trials=trials, choice=choice(result.winner.choice.cells), front=len(result.front))]
    shown += [fact("baseline", choice=choice(plan.baseline))] if plan.baseline else []
    shown += [_judged(result, place) for place in range(len(names))]
    shown += [_lost(result), *_alike(result)]
    shown += [fact("at-bound", **bound) for bound in bounds(result)]
    return [*shown, size]


def _judged(result: SearchResult, place: int) -> Fact:
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


def _lost(result: SearchResult) -> Fact:
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


def _alike(result: SearchResult) -> list[Fact]:
    several = alike(result) if len(result.plan.objectives) == 1 else []
    return [fact("alike", trials=len(several), of=len(result.trials), paths=len(result.paths))] if several else []


def _path(path: Draw) -> str:
    """A drawn path by its name, its number, and what it drew, to three figures."""
    names = short([(key, "") for key in path.drew], {}, ())
    drew = [f"{worded(names[key])} {_rounded(value)}" for key, value in path.drew.items()]
    return f"{path.name} {path.number} ({', '.join([*drew, f'seed {path.seeds[0]}'])})".strip()


def _rounded(value: Any) -> str:
    quantity = read(readable(value))
    return spoken(f"{quantity.number:.3g}{quantity.unit}" if quantity is not None and quantity.unit else value)


def _by_kind(result: SearchResult) -> Table:
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


def _trials(result: SearchResult) -> Table:
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
    feet = [fact("chosen-for", objectives=result.chosen_for)] if result.chosen_for else []
    feet += [fact("beside-middle")] if several else [fact("own-interval")] if len(result.paths) > 1 else []
    name = "The front" if several else "The best trials"
    return Table([heads[k] for k in filled], [[row[k] for k in filled] for row in rows], name, feet)


def _mean(result: SearchResult, trial: Any, objective: int) -> str:
    mean, span = result.interval(trial, objective)
    if len(result.plan.objectives) > 1:  # trials of a front are compared with each other, on the same paths
        apart = beside(result, trial, objective)
        if apart is None:
            return digits(mean)
        span = result.plan.objectives[objective].turned(apart.interval(LEVEL))
        return f"{digits(mean)} ({ends(span.low, span.high)})"
    if span is None or span.half_width == 0:
        return digits(mean)
    return f"{number(mean, span.half_width)} ({ends(span.low, span.high)})"


def _parts(result: SearchResult) -> Table:
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
    return Table(heads, rows, f"Parts of the objective, means over the {where}")


def _open(result: SearchResult) -> Table:
    """Values of keys that the paths of the search do not distinguish from the winner's."""
    spans = ranges(result) if len(result.plan.objectives) == 1 else {}
    rows = [
        [worded(column), spoken(low), spoken(high), "yes" if whole(result, column) else "no"]
        for column, (low, high) in spans.items()
    ]
    return Table(["key", "from", "to", "whole range"], rows, "Not distinguished from the best trial")


def _objectives(result: SearchResult) -> Table:
    rows = [
        [one.name, _formula(one), "more" if one.sign > 0 else "less", "yes" if one.relative else "no"]
        for one in result.plan.objectives
    ]
    heads = ["objective", "is", "better", "ratio to the baseline"]
    return Table(heads, rows, "Objectives", names=4, terminal=False)


def _formula(one: Objective) -> str:
    """An objective's sum, with signs between its terms."""
    text = ""
    for weight, metric in one.terms:
        term = metric.name if abs(weight) == 1 else f"{abs(weight):g} × {metric.name}"
        text += (" − " if weight < 0 else " + ") * bool(text) + ("−" if weight < 0 and not text else "") + term
    return text


def _keys(result: SearchResult) -> Table:
    """What the free keys mean, and the baseline's values."""
    from .answers import meaning

    plan, rows = result.plan, {}
    for part in plan.space.parts:
        groups = [("", [part])] if isinstance(part, Free) else [(name, frees) for name, (_, frees) in part.choices.items()]  # fmt: skip
        for name, frees in groups:
            for free in frees:
                rows[free.key, name] = [worded(plan.space.columns[free.key]), name, meaning(free.key, name)]
    base = [[worded(key), "baseline", spoken(value)] for key, value in plan.baseline.items()]
    return Table(["key", "of", "meaning"], [*rows.values(), *base], "Keys", names=3, terminal=False)


def frame(result: SearchResult) -> pl.DataFrame:
    """A row a trial, the baseline first as trial 0."""
    named = list(dict.fromkeys(result.plan.space.columns.values()))
    rows = []
    for one in [result.base, *result.trials]:
        row: dict[str, Any] = {
            "trial": one.number,
            "state": one.state if one.number else "baseline",
            "paths": len(one.costs),
        }
        row |= {name: one.choice.cells.get(name) for name in named}
        for place, objective in enumerate(result.plan.objectives):
            known = bool(one.costs) and not any(math.isnan(cost[place]) for cost in one.costs)
            mean, ends = result.interval(one, place) if known else (None, None)
            row |= {
                objective.name: mean,
                f"{objective.name} low": ends.low if ends else None,
                f"{objective.name} high": ends.high if ends else None,
            }
        rows.append(
            row
            | dict(
                zip(
                    _part_columns(result),
                    result.parts.get(one.number, [None] * len(_part_columns(result))),
                    strict=True,
                )
            )
        )
    for name in named:  # one type a column: numbers, or texts as the scenario has them
        if not all(
            row[name] is None or (isinstance(row[name], (int, float)) and not isinstance(row[name], bool))
            for row in rows
        ):
            for row in rows:
                row[name] = None if row[name] is None else written(row[name])
    return pl.DataFrame(rows, infer_schema_length=None)


def _part_columns(result: SearchResult) -> list[str]:
    """The columns of the metrics of weighted sums; none where no objective is one."""
    return (
        [f"{one.name}: {metric.name}" for one in result.plan.objectives for _, metric in one.terms]
        if result.parts
        else []
    )


def plain(result: SearchResult) -> dict[str, Any]:
    """The search as plain values: the object of ``--json`` and ``tune.json``."""
    plan = result.plan
    judged = None
    if result.judged is not None:
        judged = {
            "paths": len(result.judged.paths),
            "differences": [
                _ends(one, found) for one, found in zip(plan.objectives, result.judged.differences, strict=True)
            ],
        }
    return {
        "title": plan.title or plan.name,
        "facts": [one.plain() for one in facts(result)],
        "objectives": [
            {"name": one.name, "unit": one.unit, "better": "more" if one.sign > 0 else "less", "relative": one.relative}
            for one in plan.objectives
        ],
        "chosen_for": list(result.chosen_for),
        "runs": result.runs,
        "paths": len(result.paths),
        "seeds": plan.seeds,
        "best": dict(result.best),
        "winner": result.winner.number,
        "front": [one.number for one in result.front],
        "fresh": judged,
        "importance": result.importance,
        "trials": frame(result).to_dicts(),
    }  # fmt: skip


def _ends(one: Any, found: Any) -> Any:
    if found is None:
        return None
    from .intervals import split

    ends = one.turned(found.interval(split(1)))
    return {"mean": one.back(found.value), "low": ends.low, "high": ends.high}


def write(result: SearchResult, bench: Bench, folder: Path) -> None:
    """Writes everything into a directory."""
    _paths(result).write_csv(folder / "paths.csv")
    (folder / "best.toml").write_text(_scenario(result, bench, _heaviest(result)), encoding="utf-8")
    if worst := result.worst:
        (folder / "loses.toml").write_text(_scenario(result, bench, worst.path), encoding="utf-8")
        (folder / "loses-baseline.toml").write_text(
            _scenario(result, bench, worst.path, winner=False), encoding="utf-8"
        )
    table = ("trials", frame(result))
    write_files(
        folder,
        "tune",
        result.plan,
        result.plan.seeds,
        table,
        plain(result),
        charts(result),
        lambda picture: report(result, picture),
    )


def _heaviest(result: SearchResult) -> Draw:
    """The path of the list that is drawn most often, without its draws."""
    entries = result.plan.entries
    number = max(range(len(entries)), key=lambda place: (entries[place].weight, -place))
    return Draw(0, number, entries[number].name, {}, (1,))


def _scenario(result: SearchResult, bench: Bench, path: Draw, winner: bool = True) -> str:
    """The scenario of the winner, or of the baseline, on a path."""
    one = result.winner if winner else result.base
    who = f"trial {one.number}" if one.number else "the baseline"
    where = (
        f" on {path.told}" if path.number else f" on path {path.name!r}, without what paths draw" if path.name else ""
    )
    tree = bench.written(one.choice.sets, path, exactly=bool(path.number))
    return f"# Of `acklab tune`: {who}{where}.\n{dumps(tree)}"


def _paths(result: SearchResult) -> pl.DataFrame:
    """A row a drawn path: those of the search, then the fresh ones."""
    fresh = result.judged.paths if result.judged else []
    keys = list(dict.fromkeys(one.key for entry in result.plan.entries for one in entry.draws))
    rows = [
        {"set": kind, "path": path.number, "name": cell(path.name), "seed": path.seeds[0], "seeds": len(path.seeds),
         **{key: written(path.drew[key]) if key in path.drew else None for key in keys}}
        for kind, several in (("search", result.paths), ("fresh", fresh)) for path in several
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)
