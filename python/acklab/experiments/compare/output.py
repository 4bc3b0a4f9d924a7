"""Output files of a comparison: Parquet tables, a chart as SVG, PNG and PDF, one offline page, ``comparison.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import median
from typing import Any

from ...engines.journal import forget
from ...figures.charts import Dot, DotPanel, Dots
from ...figures.stats import LEAST_SEEDS, bounded
from ...results.columns import LESS, MORE, NEITHER, WORDS
from ...results.directory import Folder
from ...results.frames import provenance, system_errors, write_scenario
from ...scenario._toml import dumps
from ..sweep.flags import assignment, value
from .difference import Difference
from .first import first_runs
from .metrics import Metric
from .rank import Ranking
from .report import facts, report
from .result import Compared, ends, frames

_ARROWS = {MORE: "→", LESS: "←", NEITHER: ""}
#: Panels that are wide enough for a name with its unit in one line.
MOST_WIDE = 5
#: The ratio of the greatest end to the median above which a panel is logarithmic. A chart as wide as a page has 20, and a panel is a
#: third of that.
FLATTENED = 8.0
SHADES = ("blue", "orange", "green", "purple", "red", "sky", "pink", "gold", "slate")


def plain(told: Compared) -> dict[str, Any]:
    """The comparison as plain values: the object of ``--json`` and ``comparison.json``."""
    metrics = told.comparison.metrics
    return {
        "title": told.title,
        "seeds": told.seeds,
        "margin": told.comparison.margin,
        "for": [one.name for one in told.comparison.objectives],
        "random": told.random,
        "metrics": [
            {"name": m.name, "quantity": m.quantity.name, "where": m.where, "unit": m.quantity.unit,
             "better": WORDS[m.quantity.better]}
            for m in metrics
        ],
        "situations": [_situation(told, ranking) for ranking in told.rankings],
        "facts": [one.plain() for one in facts(told, told.findings)],
        "findings": [one.plain() for one in told.findings],
        "configure": [dict(zip(("case", "link", "command", "differs"), row, strict=True)) for row in told.configure],
    }  # fmt: skip


def _situation(told: Compared, ranking: Ranking) -> dict[str, Any]:
    rows = []
    for row in ranking.rows:
        found = {}
        for metric in told.comparison.metrics:
            one = row.samples[metric.name]
            found[metric.name] = (
                None if one is None else {"mean": one.value, **ends(told, one), "values": list(one.values)}
            )
        rows.append({"case": row.case, "rank": row.place, "verdict": row.verdict, "beside_first": _beside(row.beside),
                     "metrics": found})  # fmt: skip
    return {
        "situation": ranking.situation,
        "random": ranking.random,
        "ranked_by": ranking.by.name,
        "not_responding": [one.name for one in ranking.silent],
        "ranking": rows,
    }


def _beside(found: Difference | None) -> dict[str, Any] | None:
    """A comparison of two cases: the ratio of their means, or, where a value is 0, the difference in the metric's unit."""
    if found is None:
        return None
    span = found.interval
    interval = (
        {"low": None, "high": None, "level": None}
        if span is None
        else {"low": span.low, "high": span.high, "level": span.level}
    )
    return {"ratio" if found.relative else "difference": found.value, **interval, "seeds_needed": found.needed}


def chart(told: Compared, metrics: Sequence[Metric] = (), name: str = "comparison") -> Dots:
    """One panel a metric, one row a case, one mark a situation."""
    order, metrics = [case.name for case in told.comparison.cases], metrics or told.comparison.metrics
    panels = []
    for metric in metrics:
        dots = []
        for shade, ranking in zip(SHADES, told.rankings, strict=False):
            for case in order:
                one = ranking.row(case).samples[metric.name]
                if one is None:
                    continue
                span = bounded(one, told.comparison.rule.looks)
                dots.append(
                    Dot(order.index(case), one.value, (span.low, span.high) if span else (one.value, one.value), shade)
                )
        title = metric.label.replace(" (", "\n(") if len(metrics) > MOST_WIDE else metric.label
        panels.append(DotPanel(title, dots, _ARROWS[metric.quantity.better], log=_flattened(dots)))
    keys = [
        (ranking.situation, shade) for shade, ranking in zip(SHADES, told.rankings, strict=False) if ranking.situation
    ]
    few = "means of too few seeds for intervals" if told.seeds < LEAST_SEEDS else "means and 95 % intervals"
    shows = few if told.random else "one deterministic run each"
    return Dots(name, f"{shows[:1].upper()}{shows[1:]}", order, panels, keys)


def _flattened(dots: Sequence[Dot]) -> bool:
    """Whether the greatest end of an interval would press all other dots together on a linear axis."""
    if not dots or min(dot.value for dot in dots) <= 0:
        return False
    return max(dot.interval[1] for dot in dots) > FLATTENED * median(dot.value for dot in dots)


def _cases(told: Compared) -> dict[str, Any]:
    """The comparison as a file of cases."""
    one = told.comparison

    def table(name: str, sets: Sequence[str], about: str, settable: bool | None = None) -> dict[str, Any]:
        return {
            "name": name,
            **({"about": about} if about else {}),
            **({"settable": settable} if settable is not None else {}),
            "set": {key: value(text) for key, text in map(assignment, sets)},
        }

    found: dict[str, Any] = {
        "seeds": one.rule.told(),
        "metrics": [f"{m.name}: {m.quantity.name}@{m.where}" for m in one.metrics],
    }
    found["margin"] = repr(one.margin)
    if one.objective_names:
        found["for"] = list(one.objective_names)
    if one.spread_starts_s:
        found["spread_starts"] = f"{one.spread_starts_s!r}s"
    if one.spread_delays:
        found["spread_delays"] = repr(one.spread_delays)
    found["case"] = [table(case.name, [*one.sets, *case.sets], case.about, case.settable) for case in one.cases]
    situations = [
        table(situation.name, situation.sets, situation.about) for situation in one.situations if situation.name
    ]
    return found | ({"situation": situations} if situations else {})


#: The files of a comparison.
NAMES = (
    "cases.toml",
    "comparison.pdf",
    "comparison.png",
    "comparison.svg",
    "comparison.html",
    "comparison.json",
    "runs.parquet",
    "ranking.parquet",
    "findings.parquet",
)


def write(told: Compared, folder: Folder) -> None:
    """Writes everything, or, if interrupted, nothing; what was kept for an interrupt goes.

    Raises:
        FolderError: a foreign file has the name of a result.
        OSError: the directory cannot be written.
    """
    from ...figures.pictures import embedded, saved

    with folder.replacing({"seeds": told.seeds}) as scratch:
        drawn = chart(told)
        saved([drawn], scratch)
        scenario = told.comparison.scenario
        cases = dumps({"scenario": write_scenario(scenario, scratch), **_cases(told)})
        (scratch / "cases.toml").write_text(cases, encoding="utf-8")
        page = report(told, embedded(drawn), first_runs(told)).page()
        (scratch / "comparison.html").write_text(page, encoding="utf-8")
        (scratch / "comparison.json").write_text(json.dumps(plain(told), indent=1) + "\n", encoding="utf-8")
        text = scenario if isinstance(scenario, str) else scenario.decode(errors="replace")
        about = provenance(scenario=text, plan=cases, seeds=told.seeds)
        for name, frame in frames(told).items():
            with system_errors(scratch / f"{name}.parquet"):
                frame.write_parquet(scratch / f"{name}.parquet", metadata=about)
    forget(folder)
