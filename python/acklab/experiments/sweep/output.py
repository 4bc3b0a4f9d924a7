"""What a sweep leaves behind beside its tables: ``sweep.json``, charts as SVG and PNG, one offline page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...results.frames import write_scenario
from ...text.templates import sentence
from .design import Design
from .picture import Pictures
from .report import facts, report
from .result import Swept


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
    from ...figures.html import saved

    pictures = Pictures(told.plan.axes, design.metrics, told.summary, told.title)
    shown = "".join(saved(pictures.charts(), folder))
    shown += "".join(f'<p class="note">{sentence(note)}</p>' for note in pictures.notes)
    (folder / "sweep.html").write_text(report(told, design, shown, page=True).page(), encoding="utf-8")
    write_scenario(design.plan.scenario, folder)
    (folder / "plan.toml").write_text(design.plan.told()["plan"], encoding="utf-8")
    with (folder / "sweep.json").open("w", encoding="utf-8") as file:
        json.dump(plain(told, design), file)
        file.write("\n")
