"""Output files of a search: the table of trials, ``tune.json``, charts, one offline page, and the winner's scenario."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...scenario._toml import dumps
from ...text.escapes import cell
from ..search import output
from ..search.draws import Path as Drawn
from .report import facts, report

if TYPE_CHECKING:
    import polars as pl

    from ..search.trials import Bench
    from .found import Found


def frame(result: Found) -> pl.DataFrame:
    """A row a trial, the baseline first as trial 0."""
    import polars as pl

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
            row | dict(zip(_parts(result), result.parts.get(one.number, [None] * len(_parts(result))), strict=True))
        )
    for name in named:  # one type a column: numbers, or texts as the scenario has them
        if not all(
            row[name] is None or (isinstance(row[name], (int, float)) and not isinstance(row[name], bool))
            for row in rows
        ):
            for row in rows:
                row[name] = None if row[name] is None else output.written(row[name])
    return pl.DataFrame(rows, infer_schema_length=None)


def _parts(result: Found) -> list[str]:
    """The columns of the metrics of weighted sums; none where no objective is one."""
    return (
        [f"{one.name}: {metric.name}" for one in result.plan.objectives for _, metric in one.terms]
        if result.parts
        else []
    )


def plain(result: Found) -> dict[str, Any]:
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
    from ...figures.stats import split

    ends = one.turned(found.interval(split(1)))
    return {"mean": one.back(found.value), "low": ends.low, "high": ends.high}


def write(result: Found, bench: Bench, folder: Path) -> None:
    """Writes everything into a directory."""
    from .picture import charts

    _paths(result).write_csv(folder / "paths.csv")
    (folder / "best.toml").write_text(_scenario(result, bench, _heaviest(result)), encoding="utf-8")
    if worst := result.worst:
        (folder / "loses.toml").write_text(_scenario(result, bench, worst.path), encoding="utf-8")
        (folder / "loses-baseline.toml").write_text(
            _scenario(result, bench, worst.path, winner=False), encoding="utf-8"
        )
    table = ("trials", frame(result))
    output.write(
        folder,
        "tune",
        result.plan,
        result.plan.seeds,
        table,
        plain(result),
        charts(result),
        lambda picture: report(result, picture),
    )


def _heaviest(result: Found) -> Drawn:
    """The path of the list that is drawn most often, without its draws."""
    entries = result.plan.entries
    number = max(range(len(entries)), key=lambda place: (entries[place].weight, -place))
    return Drawn(0, number, entries[number].name, {}, (1,))


def _scenario(result: Found, bench: Bench, path: Drawn, winner: bool = True) -> str:
    """The scenario of the winner, or of the baseline, on a path."""
    one = result.winner if winner else result.base
    who = f"trial {one.number}" if one.number else "the baseline"
    where = (
        f" on {path.told}" if path.number else f" on path {path.name!r}, without what paths draw" if path.name else ""
    )
    tree = bench.written(one.choice.sets, path, exactly=bool(path.number))
    return f"# Of `acklab tune`: {who}{where}.\n{dumps(tree)}"


def _paths(result: Found) -> pl.DataFrame:
    """A row a drawn path: those of the search, then the fresh ones."""
    import polars as pl

    fresh = result.judged.paths if result.judged else []
    keys = list(dict.fromkeys(one.key for entry in result.plan.entries for one in entry.draws))
    rows = [
        {"set": kind, "path": path.number, "name": cell(path.name), "seed": path.seeds[0], "seeds": len(path.seeds),
         **{key: output.written(path.drew[key]) if key in path.drew else None for key in keys}}
        for kind, several in (("search", result.paths), ("fresh", fresh)) for path in several
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)
