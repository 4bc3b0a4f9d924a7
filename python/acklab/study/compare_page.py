"""A comparison as facts and tables, a chart and files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import polars as pl

from .. import _core
from ..engines.journal import PROGRAMS, SIMULATOR
from ..plot.runs import Run
from ..report.charts import Dot, DotPanel, Dots
from ..report.contents import CHARTS, manifest
from ..report.report import Cell, Report, Row, Table, cell, glyphs
from ..results.columns import LESS, MORE, NEITHER, WORDS
from ..results.findings import BETTER, Finding
from ..results.frames import provenance, system_errors, write_scenario
from ..scenario._toml import dumps
from ..text.numbers import digits, estimate, number
from ..text.templates import Fact, fact
from .intervals import LEAST_SEEDS, Sample, bounded
from .metrics import Metric
from .reading import assignment, value
from .statistics import Difference, Ranking

if TYPE_CHECKING:
    from .compare import Compared

#: Most cases, and recorded rows of each, that are drawn.
MOST_CASES, MOST_ROWS = 6, 500_000


def first_runs(told: Compared) -> list[Run]:
    """Each case in the first situation with seed 1; none where that is too many to draw, or too long."""
    found = []
    sets = [f"record.{table}=true" for table in ("series", "queue", "packets")]
    situation = told.comparison.situations[0].name
    trees = {case: tree for (where, case), tree in told.comparison.trees().items() if where == situation}
    if len(trees) > MOST_CASES or told.comparison.engine == PROGRAMS:
        return []
    for case, tree in trees.items():
        simulation = _core.Simulation(told.comparison.seeded(tree, 1), sets=sets)
        result = simulation.advance(MOST_ROWS)
        if not simulation.finished:
            return []
        found.append(Run.of(result, case))
    return found


#: Metrics whose best case is a fact.
MAX_BEST = 3


def report(result: Compared, picture: str = "", runs: Sequence[Run] = ()) -> Report:
    """The report of a comparison.

    Args:
        result: the comparison.
        picture: HTML of the chart of all metrics.
        runs: a recorded run of each case, to be drawn over time.
    """
    rows = result.findings
    tables = [_decision(result, ranking, rows) for ranking in result.rankings]
    tables += [_means(result, ranking) for ranking in result.rankings]
    tables += [_settings(result), _abouts(result), _cases(result)]
    viewer = None
    if runs:
        viewer = manifest(list(runs), charts=[name for name in CHARTS if name != "timeline"], words=False)
    return Report(
        "compare",
        result.title,
        facts(result, rows),
        tables,
        picture,
        viewer,
        "One run of each case, over time" * bool(runs),
    )


def facts(result: Compared, rows: Sequence[Finding]) -> list[Fact]:
    """How much was run, which cases lose nothing, and the best case of each of the first objectives."""
    comparison = result.comparison
    base = comparison.cases[0].name
    counts = {"cases": len(comparison.cases), "situations": len(comparison.situations), "seeds": result.seeds}
    shown = [fact("study", **counts)]
    if not result.random:
        return [*shown, fact("one-run")]
    if result.seeds < LEAST_SEEDS:
        return [*shown, fact("too-few-seeds", seeds=result.seeds, least=LEAST_SEEDS)]
    names = result.lossless
    top = fact("loses-nothing", cases=names) if names else fact("each-loses")
    gains = [row for metric in result.columns[:MAX_BEST] if (row := _largest(rows, metric.name)) is not None]
    return [top, *(_best(row) for row in gains), *([] if gains else [fact("no-gain", base=base)]), *shown]


def _largest(rows: Sequence[Finding], metric: str) -> Finding | None:
    """The largest improvement of a metric that is shown, by the end of its interval that is nearer to none."""
    return max((row for row in rows if row.metric == metric and row.verdict == BETTER), key=_at_least, default=None)


def _at_least(row: Finding) -> float:
    ends = [row.change] if row.low is None else [row.low, row.high]
    sizes = [abs(math.log1p(end)) if row.relative else abs(end) for end in ends if end is not None]
    return min(sizes)


def _best(row: Finding) -> Fact:
    names = ("metric", "situation", "case", "value", "unit", "base", "base_value")
    return fact("best", **{name: getattr(row, name) for name in names})


def _decision(result: Compared, ranking: Ranking, rows: Sequence[Finding]) -> Table:
    """The cases by metrics in a situation, each beside the first; without metrics that no run there has."""
    base = result.comparison.cases[0].name
    metrics = [one for one in result.columns if any(row.samples[one.name] is not None for row in ranking.rows)]
    ours = {(row.case, row.metric): row for row in rows if row.situation == ranking.situation}
    leading = {metric.name: _leading(ranking, metric) for metric in metrics}
    names = result.lossless
    judged = result.random and result.seeds >= LEAST_SEEDS
    settable = _settable(result)
    marks = [*(["loses nothing"] if names else []), *(["settable"] if settable else [])]
    heads = ["case", *marks, *(metric.label for metric in metrics)]
    table: list[Row] = []
    for case in result.comparison.cases:
        cells: list[str | Cell] = [case.name]
        cells += ["*" if case.name in names else ""] if names else []
        cells += [settable[case.name]] if settable else []
        for metric in metrics:
            text = cell(ours[case.name, metric.name]) if case.name != base else _value(result, ranking, metric, base)
            cells.append(Cell(text.text, f"{text.mark} best".strip()) if leading[metric.name] == case.name else text)
        table.append(cells)
    feet: list[Fact] = []
    if judged and ranking is result.rankings[0]:
        feet += [*glyphs(result.comparison.margin), *([fact("mark")] if names else []), fact("best-mean")]
    if ranking is result.rankings[-1]:
        rule = result.comparison.rule
        feet += [fact("changes", base=base, family=ranking.rules.family)] if judged else []
        feet += [fact("until-decided", most=rule.most, looks=rule.looks)] if judged and rule.decide else []
        feet.append(fact("origin-simulated" if result.comparison.engine == SIMULATOR else "origin-virtual"))
    return Table(heads, table, ranking.situation, feet, lead=True)


def _value(result: Compared, ranking: Ranking, metric: Metric, case: str) -> Cell:
    sample = ranking.row(case).samples[metric.name]
    if sample is None:
        return Cell(f"{result.finished(ranking.situation, case, metric)} of {result.seeds} finished")
    return Cell(digits(sample.value))


def _leading(ranking: Ranking, metric: Metric) -> str:
    """The case with the best mean; none where the metric has no direction, or two share it."""
    means = {row.case: sample.value for row in ranking.rows if (sample := row.samples[metric.name]) is not None}
    if not metric.ranks or not means:
        return ""
    most = (max if metric.quantity.more_is_better else min)(means.values())
    names = [name for name, mean in means.items() if mean == most]
    return names[0] if len(names) == 1 else ""


def _settable(result: Compared) -> dict[str, str]:
    """Whether a real box can be set to each case, where the plan or a missing command says so of any."""
    lacking = {case for case, _, command, _ in result.configure if not command}
    said = {case.name: case.settable for case in result.comparison.cases}
    found = {name: name not in lacking if told is None else told for name, told in said.items()}
    return {} if all(found.values()) else {name: "yes" if able else "no" for name, able in found.items()}


def _means(result: Compared, ranking: Ranking) -> Table:
    metrics = result.columns
    looks = result.comparison.rule.looks
    rows = []
    for case in result.comparison.cases:
        cells = [case.name]
        for metric in metrics:
            sample = ranking.row(case.name).samples[metric.name]
            span = bounded(sample, looks) if sample is not None and ranking.random else None
            if sample is None:
                cells.append(_value(result, ranking, metric, case.name).text)
            else:
                cells.append(estimate(sample.value, span.low, span.high) if span else number(sample.value, 0.0))
        rows.append(cells)
    name = ", ".join(["Means", *([ranking.situation] if ranking.situation else [])])
    feet = [fact("means")] if ranking.random and result.seeds >= LEAST_SEEDS else []
    return Table(["case", *(metric.label for metric in metrics)], rows, name, feet, fold=True)


def _settings(result: Compared) -> Table:
    rows: list[Row] = [[case, link, Cell(command, "code"), note] for case, link, command, note in result.configure]
    feet = [fact("device")] if any(" DEV " in command for _, _, command, _ in result.configure) else []
    return Table(["case", "link", "setting", "differs"], rows, "Set it up", feet, names=4, fold=True)


def _cases(result: Compared) -> Table:
    comparison = result.comparison
    several = (*comparison.cases, *(situation for situation in comparison.situations if situation.name))
    rows: list[Row] = [[case.name, Cell("; ".join(case.sets), "code")] for case in several]
    return Table(["case or situation", "keys"], rows, "What each case sets", names=2, fold=True, terminal=False)


def _abouts(result: Compared) -> Table:
    rows = [[case.name, case.about] for case in result.comparison.cases if case.about]
    return Table(["case", "what it is"], rows, "What each case is", names=2, fold=True)


def frames(told: Compared) -> dict[str, Any]:
    """``runs``, a row a run; ``ranking``, a row a case and metric; ``findings``, a row a metric of a case beside the first."""
    metrics = told.comparison.metrics
    runs = [
        {"situation": situation, "case": case, "seed": seed, "metric": m.name, "unit": m.quantity.unit, "value": value}
        for (situation, case, seed), values in told.values.items()
        for m, value in zip(metrics, values, strict=True)
    ]
    ranking = [
        {"situation": r.situation, "rank": row.place, "case": row.case, "verdict": row.verdict, "metric": m.name,
         "unit": m.quantity.unit, "mean": one.value, **ends(told, one)}
        for r in told.rankings
        for row in r.rows
        for m in metrics
        if (one := row.samples[m.name]) is not None
    ]  # fmt: skip
    return {
        "runs": pl.DataFrame(runs),
        "findings": pl.DataFrame([row.plain() for row in told.findings], infer_schema_length=None),
        "ranking": pl.DataFrame(ranking, schema_overrides={"low": pl.Float64, "high": pl.Float64}),
    }


def frame(told: Compared) -> pl.DataFrame:
    """A row a situation, case and metric: rank, verdict, mean, and the ends of its 95 % interval."""
    table: pl.DataFrame = frames(told)["ranking"]
    return table


def ends(told: Compared, one: Sample) -> dict[str, float | None]:
    """The ends of a mean's interval, where seeds give one."""
    span = bounded(one, told.comparison.rule.looks)
    return {"low": None, "high": None} if span is None else {"low": span.low, "high": span.high}


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


def _cases_file(told: Compared) -> dict[str, Any]:
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


def write(told: Compared, scratch: Path) -> None:
    """Writes everything into a directory.

    Raises:
        OSError: the directory cannot be written.
    """
    from ..report.pieces import embedded, save_all

    drawn = chart(told)
    save_all([drawn], scratch)
    scenario = told.comparison.scenario
    cases = dumps({"scenario": write_scenario(scenario, scratch), **_cases_file(told)})
    (scratch / "cases.toml").write_text(cases, encoding="utf-8")
    page = report(told, embedded(drawn), first_runs(told)).page()
    (scratch / "comparison.html").write_text(page, encoding="utf-8")
    (scratch / "comparison.json").write_text(json.dumps(plain(told), indent=1) + "\n", encoding="utf-8")
    text = scenario if isinstance(scenario, str) else scenario.decode(errors="replace")
    about = provenance(scenario=text, plan=cases, seeds=told.seeds)
    for name, frame in frames(told).items():
        with system_errors(scratch / f"{name}.parquet"):
            frame.write_parquet(scratch / f"{name}.parquet", metadata=about)
