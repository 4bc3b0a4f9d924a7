"""A sweep as facts and tables, and its files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report.report import Cell, Report, Row, Table
from ..results.frames import write_scenario
from ..results.summary import MAX_ROWS as MAX_LINES
from ..text.numbers import estimate, number
from ..text.templates import Fact, fact, sentence
from .intervals import LEAST_SEEDS
from .network import network
from .sweep_charts import Pictures, labelled, scaled, spoken, word

if TYPE_CHECKING:
    from .metrics import Metric
    from .sweep import Design, Swept


#: Metrics whose range is a fact, points in a page's table, and values of an axis that are listed whole.
MAX_RANGES, MAX_ROWS, MAX_VALUES = 3, 500, 24


def report(result: Swept, design: Design, picture: str = "", *, page: bool = False) -> Report:
    """The report of a sweep; of a ``page`` the table has more points."""
    tables = [_points(result, design, MAX_ROWS if page else MAX_LINES), _varied(result), _run(result, design)]
    return Report("sweep", result.title, facts(result, design), tables, picture)


def facts(result: Swept, design: Design) -> list[Fact]:
    """How much was run, and each metric's range over the points, or how many of them have no value."""
    plan, metrics = result.plan, design.metrics
    shown = [fact("sweep", points=plan.points, runs=result.runs, seeds=plan.seeds.most)]
    if plan.seeds.half_width:
        low, high = plan.seeds.least, plan.seeds.most
        shown = [fact("sweep-adaptive", points=plan.points, runs=result.runs, low=low, high=high, share=plan.seeds.half_width)]  # fmt: skip
    elif 1 < plan.seeds.most < LEAST_SEEDS:
        shown.append(fact("too-few-seeds", seeds=plan.seeds.most, least=LEAST_SEEDS))
    elif alike(result):
        shown.append(fact("same-seeds", seeds=plan.seeds.most))
    if plan.points == 1:
        return shown
    rows = result.summary.select("mean").rows(named=True)
    for place, metric in enumerate(metrics[:MAX_RANGES]):
        known = [(row["mean"], point) for point, row in enumerate(rows[place :: len(metrics)]) if row["mean"] is not None]  # fmt: skip
        if known:
            shown.append(_range(metric, min(known), max(known), design))
        if len(known) < plan.points:
            shown.append(fact("unfinished", metric=metric.name, points=plan.points - len(known), all=plan.points))
    return shown


def _range(metric: Metric, least: tuple[float, int], most: tuple[float, int], design: Design) -> Fact:
    unit = metric.quantity.unit
    return fact("range", metric=metric.name, least=least[0], most=most[0], unit=unit, least_at=_at(design, least[1]), most_at=_at(design, most[1]))  # fmt: skip


def _at(design: Design, point: int) -> str:
    """A point, by the names of what varies."""
    places = zip(design.plan.axes, design.places(point), strict=True)
    return ", ".join(f"{spoken(column)} {word(column, place)}" for axis, place in places for column in axis.columns)


def cell(row: dict[str, Any]) -> str:
    """A mean and half its interval; where a run gave no value, how many did."""
    if row["mean"] is None:
        return f"{row['n'] - row['missing']} of {row['n']} finished"
    if row["low"] in (None, row["mean"]) and row["mean"] == round(row["mean"]):
        return f"{row['mean']:.0f}"  # a count
    return number(row["mean"], 0.0) if row["low"] is None else estimate(row["mean"], row["low"], row["high"])


def alike(result: Swept) -> bool:
    """Whether no seed changed a metric at any point. The mean of equal numbers may be rounded."""
    known = result.summary.filter(result.summary["low"].is_not_null())
    return (
        result.plan.seeds.most >= LEAST_SEEDS
        and known.height > 0
        and bool((known["high"] - known["low"] <= 1e-12 * known["mean"].abs()).all())
    )


def _points(result: Swept, design: Design, most: int) -> Table:
    columns = design.plan.columns_told
    units = [scaled(column)[1] if column.is_number else "" for column in columns]
    names = [labelled(column, unit) for column, unit in zip(columns, units, strict=True)]
    rows = list(_rows(result, design, most))
    counts = {row[len(names)] for row in rows}
    heads = [*names, "runs", *(metric.label for metric in design.metrics)]
    if len(counts) == 1:  # the first fact says it
        heads, rows = _without(heads, len(names)), [_without(row, len(names)) for row in rows]
    feet = [fact("more-points", shown=len(rows), all=design.plan.points)] if len(rows) < design.plan.points else []
    if result.summary["mean"].null_count():
        feet.append(fact("of-finished", end=design.tree(0).get("stop", {}).get("at", "")))
    if result.summary["low"].is_not_null().any() and not alike(result):
        feet.append(fact("means"))
    numbers = [column.is_number for column in columns]
    first = numbers.index(True) if True in numbers else len(numbers)
    return Table(heads, rows, "", [*feet, *_wide(result, design)], first, results=len(design.metrics))


def _without(row: list[str], place: int) -> list[str]:
    return row[:place] + row[place + 1 :]


def _rows(result: Swept, design: Design, most: int) -> Iterator[list[str]]:
    metrics = len(design.metrics)
    factors = [scaled(column)[0] if column.is_number else None for column in design.plan.columns_told]
    for point in range(min(most, design.plan.points)):
        part = result.summary[point * metrics : (point + 1) * metrics].to_dicts()
        varied = [
            str(value) if factor is None else f"{value * factor:.6g}"
            for value, factor in zip(design.cells(point), factors, strict=True)
        ]
        yield [*varied, str(part[0]["n"]), *(cell(row) for row in part)]


def _wide(result: Swept, design: Design) -> list[Fact]:
    """How many points had as many seeds as allowed, and an interval that is still wider than asked for."""
    seeds, metric = result.plan.seeds, design.stopping
    if not seeds.half_width:
        return []
    part = result.summary[design.metrics.index(metric) :: len(design.metrics)]
    half = part["high"] - part["mean"]
    count = int(((part["n"] == seeds.most) & (half > seeds.half_width * part["mean"].abs())).sum())
    return [fact("still-wide", points=count, seeds=seeds.most, metric=metric.name)] if count else []


def _run(result: Swept, design: Design) -> Table:
    return Table(["", ""], [*map(list, network([("", design.tree(0))]))], "What was run, at the first point", names=2, fold=True, terminal=False)  # fmt: skip


def _varied(result: Swept) -> Table:
    """The axes' keys and values, and what is set, derived and drawn."""
    plan = result.plan
    rows: list[Row] = []

    def row(key: str, column: str, values: str) -> None:
        rows.append([Cell(key, "code"), Cell(column, "code"), values])

    for axis in plan.axes:
        for column in axis.columns:
            values = [word(column, place) for place in range(len(column.cells))]
            row(column.key, column.title, ", ".join(values if len(values) <= MAX_VALUES else [*values[:12], "…", *values[-3:]]))  # fmt: skip
    for key, value in plan.sets.items():
        row(key, "", json.dumps(value))
    for text in plan.given_sets:
        if not text.startswith("title="):  # the page has it above
            row(text.partition("=")[0], "", text.partition("=")[2])
    for one in plan.derived:
        over = f" / ({' × '.join(map(str, one.over))})" if one.over else ""
        row(one.key, "", f"= {' × '.join(map(str, one.times))}{over}{''.join(f' + {term}' for term in one.plus)}")
    for draw in plan.draws:
        ends = ", ".join(map(str, draw.choices)) if draw.choices else f"{draw.low.number:g}{draw.low.unit} to {draw.high.number:g}{draw.high.unit}"  # fmt: skip
        row(draw.key, draw.title, f"by seed: {ends}")
    if plan.spread_starts_s:
        row("start", "", f"by seed: up to {plan.spread_starts_s:g} s later")
    return Table(["key", "column", "values"], rows, "What varies, and what is set", names=3, fold=True, terminal=False)


def plain(told: Swept, design: Design) -> dict[str, Any]:
    """The sweep as plain values: what ``--json`` prints and ``sweep.json`` holds."""
    metrics = design.metrics
    rows = told.summary.select("mean", "low", "high", "n", "missing").rows(named=True)
    columns = [column.title for column in told.plan.columns_told]
    return {
        "title": told.title,
        "runs": told.runs,
        "facts": [one.plain() for one in facts(told, design)],
        "metrics": [{"name": m.name, "quantity": m.quantity.name, "where": m.where, "unit": m.quantity.unit} for m in metrics],
        "axes": [
            {"columns": [{"name": c.title, "key": c.key, "unit": c.unit, "values": list(c.cells)} for c in axis.columns]}
            for axis in told.plan.axes
        ],
        "points": [
            {
                "at": dict(zip(columns, design.cells(point), strict=True)),
                "metrics": {
                    metric.name: rows[point * len(metrics) + place] for place, metric in enumerate(metrics)
                },
            }
            for point in range(told.plan.points)
        ],
    }  # fmt: skip


def write(told: Swept, design: Design, folder: Path) -> None:
    """Writes ``sweep.json``, the scenario and the plan, the charts, and ``sweep.html``."""
    from ..report.pieces import saved

    pictures = Pictures(told.plan.axes, design.metrics, told.summary, told.title)
    shown = "".join(saved(pictures.charts(), folder))
    shown += "".join(f'<p class="note">{sentence(note)}</p>' for note in pictures.notes)
    (folder / "sweep.html").write_text(report(told, design, shown, page=True).page(), encoding="utf-8")
    write_scenario(design.plan.scenario, folder)
    (folder / "plan.toml").write_text(design.plan.told()["plan"], encoding="utf-8")
    with (folder / "sweep.json").open("w", encoding="utf-8") as file:
        json.dump(plain(told, design), file)
        file.write("\n")
