"""A search as facts and tables, and its files: the best trial beside the baseline on fresh paths, and how well it is determined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import polars as pl

from ..report.report import Report, Table
from ..scenario._toml import dumps
from ..text.escapes import cell
from ..text.numbers import digits, ends, number
from ..text.templates import Fact, fact
from .answers import choice, spoken, write_files, written
from .intervals import LEAST_SEEDS, Sample, split
from .keys import names as short
from .keys import worded
from .search import COMPLETE, Trial
from .seeds import Draw
from .space import Free
from .tune_charts import by_path, called, charts, verdict
from .values import read, readable

if TYPE_CHECKING:
    from .metrics import Objective
    from .runs import Bench
    from .search import SearchResult


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


def base(cell: Any) -> float:
    """A cell as a number of its base unit."""
    found = read(cell)
    assert found is not None  # of a range, or of ordered choices
    return found.base


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
    feet = [fact("beside-middle")] if several else [fact("own-interval")] if len(result.paths) > 1 else []
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
