"""A search as facts, tables, charts and files: the best trial beside the baseline on fresh paths, and how well it is determined."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from .intervals import LEAST_SEEDS, Sample, sample, split
from .keys import names as short
from .keys import worded
from .search import COMPLETE, STOPPED, Trial
from .seeds import Draw
from .statistics import MARGIN

if TYPE_CHECKING:
    from .runs import Bench
    from .search import SearchResult

#: Charts beside each other.
BESIDE = 3


def chart(result: SearchResult) -> Chart:
    """The front of several objectives; else the winner on fresh paths; without any, the objective by trial."""
    if len(result.plan.objectives) > 1:
        return _front(result)
    return _progress(result) if result.judged is None else _by_path(result)


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


def _by_path(result: SearchResult) -> Chart:
    """The winner beside the baseline on fresh paths: of each entry of the list, and over all."""
    assert result.judged is not None
    judged, (one,) = result.judged, result.plan.objectives
    groups = [
        (entry.name, [k for k, path in enumerate(judged.paths) if path.entry == place])
        for place, entry in enumerate(result.plan.entries)
    ]
    groups = [*(groups if len(groups) > 1 else []), ("all", list(range(len(judged.paths))))]
    dots = []
    for row, (_, places) in enumerate(groups):
        apart = sample([judged.costs[k][0] - judged.base_costs[k][0] for k in places]) if places else None
        if apart is not None:
            value, span = one.back(apart.value), one.turned(apart.interval(split(1))) if apart.count > 1 else None
            dots.append(
                Dot(
                    row,
                    value,
                    (span.low, span.high) if span else (value, value),
                    "orange" if row == len(groups) - 1 else "blue",
                )
            )
    unit = "times the baseline's" if one.relative else f"{one.unit} more than the baseline's".strip()
    panel = DotPanel(f"{one.name} ({unit})", dots, "→" if one.sign > 0 else "←", beside=1.0 if one.relative else 0.0)
    about = f"The {called(result)} beside the baseline (dashed) on fresh paths: means and 95 % intervals"
    return Dots("paths", about, [f"{name}, {counted(len(places), 'path')}" for name, places in groups], [panel])


def _dots(
    name: str, trials: Sequence[Trial], x: Sequence[float], y: Sequence[float], colour: str, marker: str = "o"
) -> list[Line]:
    return [Line(name, x, y, colour, dash="", marker=marker)] if trials else []


def _front(result: SearchResult) -> Chart:
    """The first objective against each other one."""
    done = [one for one in result.trials if one.state == COMPLETE]
    beaten = [one for one in done if one not in result.front]
    groups = [("beaten by another trial", beaten, "slate", "o"), ("front", result.front, "blue", "o"),
              ("its middle", [result.winner], "orange", "D"), ("baseline", [result.base], "red", "s")]  # fmt: skip
    panels = []
    for other in range(1, len(result.plan.objectives)):
        lines = []
        for name, several, colour, marker in groups:
            x, y = ([result.interval(one, place)[0] for one in several] for place in (0, other))
            lines += _dots(name, several, x, y, colour, marker)
        across, up = (Axis(result.plan.objectives[place].label) for place in (0, other))
        panels.append(Panel("", across, up, lines))
    return Lines("front", "Pareto front: means over the paths of the search", panels[:BESIDE], height=3.4)


def _progress(result: SearchResult) -> Chart:
    """The objective by complete trial, and the best so far."""
    (objective,), done = result.plan.objectives, [one for one in result.trials if one.state == COMPLETE]
    best, so_far = result.base, []
    for one in result.trials:
        best = one if one.state == COMPLETE and one.cost < best.cost else best
        so_far.append(result.interval(best, 0)[0])
    lines = _dots("complete", done, [one.number for one in done], [result.interval(one, 0)[0] for one in done], "blue")
    lines.append(Line("best so far", [one.number for one in result.trials], so_far, "orange", step=True))
    marks = [Mark(result.interval(result.base, 0)[0], "baseline")]
    panel = Panel("", Axis("trial"), Axis(objective.label), lines, marks)
    return Lines("trials", f"Objective by trial: means over {counted(len(result.paths), 'path')}", [panel], height=3.2)


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
    return Report("tune", result.plan.title or result.plan.name, facts(result), [_trials(result)], picture)


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
    stopped = sum(one.state == STOPPED for one in result.trials)
    feet = [fact("chosen-for", objectives=result.chosen_for, stopped=stopped)] if result.chosen_for else []
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
        chart(result),
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
