"""What a sweep leaves behind beside its tables: ``sweep.json``, charts as SVG and PNG, one offline page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..._core import __version__
from ...results.frames import write_scenario
from .answer import answer, experiment, findings
from .design import Design
from .picture import Pictures, labelled, scaled, word
from .result import Swept
from .text import basis, heads, missing, rows, wide

#: Points in the page's table, and charts that are also written as PNG.
MOST_ROWS, MOST_PNG = 500, 12


def plain(told: Swept, design: Design) -> dict[str, Any]:
    """The sweep as plain values: what ``--json`` prints and ``sweep.json`` holds."""
    metrics = design.metrics
    rows = told.summary.select("mean", "low", "high", "n", "missing").rows(named=True)
    columns = [column.title for column in told.plan.columns_told]
    return {
        "title": told.title,
        "runs": told.runs,
        "answer": " ".join(answer(told, design)),
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
    from ...figures.html import saved

    pictures = Pictures(told.plan.axes, design.metrics, told.summary, told.title)
    shown = saved(pictures.charts(), folder, MOST_PNG)
    (folder / "sweep.html").write_text(_page(told, design, shown, pictures.notes), encoding="utf-8")
    write_scenario(design.plan.scenario, folder)
    (folder / "plan.toml").write_text(design.plan.told()["plan"], encoding="utf-8")
    with (folder / "sweep.json").open("w", encoding="utf-8") as file:
        json.dump(plain(told, design), file)
        file.write("\n")


def _page(told: Swept, design: Design, charts: list[str], notes: list[str]) -> str:
    """One page that needs no network."""
    from ...figures.html import aside, document, esc, header, table

    finding, *others = findings(told, design)
    body = [header(finding, f"acklab sweep: {told.title}", basis(told), quick=False)]
    run = "".join(f'<p class="note"><b>{esc(word)}</b>: {esc(text)}</p>' for word, text in experiment(told, design))
    body.append(
        (f'<p class="lead">{esc(" ".join(others))}</p>' if others else "")
        + aside("What was run", run)
        + "</header><main>"
    )
    body += [f'<section class="card">{chart}</section>' for chart in charts]
    body += [f'<p class="note">{esc(note)}</p>' for note in notes]
    varied = [labelled(column, scaled(column)[1] if column.is_number else "") for column in told.plan.columns_told]
    head, cells = _without_equal_runs(
        len(varied), [*varied, *heads(design)[len(varied) :]], list(rows(told, design, MOST_ROWS))
    )
    names = ["" if column.is_number else "text wrap" for column in told.plan.columns_told]
    more = told.plan.points - len(cells)
    note = [f"The first {len(cells)} of {told.plan.points:,} points; summary.csv has all of them."] if more else []
    said = "".join(f'<p class="note">{esc(text)}</p>' for text in [*missing(told), *wide(told, design), *note])
    shown = table(list(map(esc, head)), [list(map(esc, row)) for row in cells], names)
    body.append(f'<section class="card"><h2>Every point</h2>{shown}{said}</section>')
    body.append(
        f'<section class="card"><h2>What varies, and what is set</h2>{table(["key", "column", "values"], _varied(told), ["text wrap"] * 3)}</section>'
    )
    files = (
        "flows.parquet and flows.csv: a row per run and flow; summary.parquet and summary.csv: a row per point and metric; "
        "runs.jsonl.gz: every run's whole result."
    )
    body.append(f'</main><footer class="foot">acklab {esc(__version__)}. {esc(files)}</footer>')
    return document(told.title, "".join(body))


def _without_equal_runs(place: int, head: list[str], cells: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """A table without its column of runs, at this place, where every point has as many: the page's second line says how many."""
    if len({row[place] for row in cells}) != 1:
        return head, cells
    return head[:place] + head[place + 1 :], [row[:place] + row[place + 1 :] for row in cells]


def _varied(told: Swept) -> list[list[str]]:
    """The axes' keys and values, and what is set, derived and drawn."""
    from ...figures.html import esc

    plan = told.plan
    found = []
    for axis in plan.axes:
        for column in axis.columns:
            values = [word(column, place) for place in range(len(column.cells))]
            cut = values if len(values) <= 24 else [*values[:12], "…", *values[-3:]]
            found.append([f"<code>{esc(column.key)}</code>", f"<code>{esc(column.title)}</code>", esc(", ".join(cut))])
    found += [
        [f"<code>{esc(key)}</code>", "", esc(f"{json.dumps(value)} throughout")] for key, value in plan.sets.items()
    ]
    found += [
        [f"<code>{esc(text.partition('=')[0])}</code>", "", esc(f"{text.partition('=')[2]} throughout")]
        for text in plan.given_sets
        if not text.startswith("title=")  # the page has it above
    ]
    for one in plan.derived:
        over = f" / ({' × '.join(map(str, one.over))})" if one.over else ""
        plus = "".join(f" + {term}" for term in one.plus)
        found.append([f"<code>{esc(one.key)}</code>", "", esc(f"= {' × '.join(map(str, one.times))}{over}{plus}")])
    for draw in plan.draws:
        ends = (
            ", ".join(map(str, draw.choices))
            if draw.choices
            else f"{draw.low.number:g}{draw.low.unit} to {draw.high.number:g}{draw.high.unit}"
        )
        found.append(
            [f"<code>{esc(draw.key)}</code>", f"<code>{esc(draw.title)}</code>", esc(f"drawn by each seed: {ends}")]
        )
    if plan.spread_starts_s:
        found.append(["starts of flows", "", esc(f"up to {plan.spread_starts_s:g} s later, drawn by each seed")])
    return found
