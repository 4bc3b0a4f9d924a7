"""What a comparison leaves behind: Parquet tables, a chart as SVG and PNG, one offline page, ``comparison.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .._folder import Folder
from .._frames import system_errors, write_scenario
from .._journal import forget
from ..figures.charts import Dot, DotPanel, Dots
from ..scenario._toml import dumps
from ..sweep.flags import assignment, value
from .rank import Ranking, interval
from .run import Compared
from .text import basis, cell

SHADES = ("blue", "orange", "green", "purple", "red", "sky", "pink", "gold", "slate")


def plain(told: Compared) -> dict[str, Any]:
    """The comparison as plain values: what ``--json`` prints and ``comparison.json`` holds."""
    metrics = told.comparison.metrics
    return {
        "title": told.title,
        "seeds": told.comparison.seeds,
        "random": told.random,
        "metrics": [
            {"name": m.name, "quantity": m.quantity.name, "where": m.where, "unit": m.quantity.unit,
             "better": "more" if m.quantity.more_is_better else "less"}
            for m in metrics
        ],
        "situations": [_situation(told, ranking) for ranking in told.rankings],
        "advice": told.advice,
    }  # fmt: skip


def _situation(told: Compared, ranking: Ranking) -> dict[str, Any]:
    rows = []
    for row in ranking.rows:
        found = {}
        for metric in told.comparison.metrics:
            one = row.samples[metric.name]
            ends = interval(one) if one is not None else None
            found[metric.name] = (
                {"mean": one.value, "low": ends.low, "high": ends.high, "values": list(one.values)}
                if one is not None and ends is not None
                else None
            )
        behind = None if row.behind is None else {"low": row.behind.low, "high": row.behind.high}
        rows.append({"case": row.case, "rank": row.place, "tied": row.tied, "behind": behind, "metrics": found})
    return {"situation": ranking.situation, "ranking": rows}


def chart(told: Compared) -> Dots:
    """One panel a metric, one row a case, one mark a situation."""
    order = [case.name for case in told.comparison.cases]
    panels = []
    for metric in told.comparison.metrics:
        dots = []
        for shade, ranking in zip(SHADES, told.rankings, strict=False):
            for name in order:
                one = ranking.row(name).samples[metric.name]
                if one is None:
                    continue
                ends = interval(one)
                dots.append(Dot(order.index(name), one.value, (ends.low, ends.high), shade))
        panels.append(DotPanel(metric.label, dots, "→" if metric.quantity.more_is_better else "←"))
    keys = [(ranking.situation, shade) for shade, ranking in zip(SHADES, told.rankings, strict=False) if ranking.situation]
    return Dots("comparison", f"{told.title}: means and 95 % intervals", order, panels, keys)


def frames(told: Compared) -> dict[str, Any]:
    """``runs``, a row a run, and ``ranking``, a row a case and metric."""
    import polars as pl

    metrics = told.comparison.metrics
    runs = [
        {"situation": situation, "case": case, "seed": seed, "metric": m.name, "unit": m.quantity.unit, "value": value}
        for (situation, case, seed), values in told.values.items()
        for m, value in zip(metrics, values, strict=True)
    ]
    ranking = [
        {"situation": r.situation, "rank": row.place, "case": row.case, "tied": row.tied, "metric": m.name,
         "unit": m.quantity.unit, "mean": one.value, "low": interval(one).low, "high": interval(one).high}
        for r in told.rankings
        for row in r.rows
        for m in metrics
        if (one := row.samples[m.name]) is not None
    ]  # fmt: skip
    return {"runs": pl.DataFrame(runs), "ranking": pl.DataFrame(ranking)}


def page(told: Compared, svg: str) -> str:
    """One page that needs no network."""
    from ..figures.html import document, esc, header, table

    metrics = told.comparison.metrics
    body = [header(told.title, "acklab compare", basis(told), quick=False), f'<p class="lead">{esc(told.advice)}</p></header><main>']
    body.append(f'<section class="card"><figure>{svg}</figure></section>')
    heads = ["", "case", *(esc(m.label) for m in metrics)]
    for ranking in told.rankings:
        rows = [
            [f"{row.place}{'=' if row.tied else ''}", esc(row.case), *(cell(row, m.name, told.random) for m in metrics)]
            for row in ranking.rows
        ]
        name = f"<h2>{esc(ranking.situation)}</h2>" if ranking.situation else ""
        body.append(f'<section class="card">{name}{table(heads, rows, ["", "text wrap"])}</section>')
    changed = [
        [esc(case.name), "<br>".join(f"<code>{esc(text)}</code>" for text in case.sets) or "the scenario as it is"]
        for case in (*told.comparison.cases, *(s for s in told.comparison.situations if s.name))
    ]
    foot = "= : paired seeds do not tell it from the best by the first metric (corrected for the number of cases)."
    body.append(f'<section class="card"><h2>What each sets</h2>{table(["case or situation", "keys"], changed, ["text wrap", "text wrap"])}</section>')
    body.append(f'</main><footer class="foot">{foot}</footer>')
    return document(told.title, "".join(body))


def _cases(told: Compared) -> dict[str, Any]:
    """The comparison as a file of cases."""
    one = told.comparison

    def table(name: str, sets: Sequence[str]) -> dict[str, Any]:
        return {"name": name, "set": {key: value(text) for key, text in map(assignment, sets)}}

    found: dict[str, Any] = {"seeds": one.seeds, "metrics": [f"{m.name}: {m.quantity.name}@{m.where}" for m in one.metrics]}
    if one.spread_starts_s:
        found["spread_starts"] = f"{one.spread_starts_s!r}s"
    found["case"] = [table(case.name, [*one.sets, *case.sets]) for case in one.cases]
    situations = [table(situation.name, situation.sets) for situation in one.situations if situation.name]
    return found | ({"situation": situations} if situations else {})


#: The files of a comparison.
NAMES = ("cases.toml", "comparison.png", "comparison.svg", "comparison.html", "comparison.json", "runs.parquet", "ranking.parquet")


def write(told: Compared, folder: Folder) -> None:
    """Writes everything, or, if interrupted, nothing; what was kept for an interrupt goes.

    Raises:
        FolderError: a foreign file has the name of a result.
        OSError: the directory cannot be written.
    """
    from ..figures import draw

    with folder.replacing({"seeds": told.comparison.seeds}) as scratch:
        svg = draw.save(chart(told), scratch / "comparison.png")
        (scratch / "cases.toml").write_text(
            dumps({"scenario": write_scenario(told.comparison.scenario, scratch), **_cases(told)}), encoding="utf-8"
        )
        (scratch / "comparison.svg").write_text(svg, encoding="utf-8")
        (scratch / "comparison.html").write_text(page(told, draw.themed(svg, "comparison")), encoding="utf-8")
        (scratch / "comparison.json").write_text(json.dumps(plain(told), indent=1) + "\n", encoding="utf-8")
        for name, frame in frames(told).items():
            with system_errors(scratch / f"{name}.parquet"):
                frame.write_parquet(scratch / f"{name}.parquet")
    forget(folder)
