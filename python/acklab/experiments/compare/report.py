"""A comparison as facts and tables: the decision table, the means behind it, and what was run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engines.batches import SIMULATOR
from ...figures.stats import LEAST_SEEDS, bounded
from ...plot.runs import Run
from ...render.decision import cell, glyphs
from ...render.report import Cell, Report, Row, Table
from ...report.contents import CHARTS, manifest
from ...results.columns import NEITHER, WORDS
from ...results.findings import Finding
from ...text.numbers import digits, estimate, number
from ...text.templates import Fact, fact
from .findings import best, columns, findings, finished, lossless
from .metrics import Metric
from .rank import Ranking
from .setup import network

if TYPE_CHECKING:
    from .result import Compared

#: Metrics whose best case is a fact.
MAX_BEST = 3


def report(result: Compared, picture: str = "", runs: Sequence[Run] = ()) -> Report:
    """The report of a comparison.

    Args:
        result: the comparison.
        picture: HTML of the chart of all metrics.
        runs: a recorded run of each case, to be drawn over time.
    """
    rows = findings(result)
    tables = [_decision(result, ranking, rows) for ranking in result.rankings]
    tables += [_means(result, ranking) for ranking in result.rankings]
    tables += [_settings(result), _abouts(result), _cases(result), _metrics(result), _run(result)]
    viewer = None
    if runs:
        viewer = manifest(list(runs), charts=[name for name in CHARTS if name != "timeline"], words=False)
    return Report("compare", result.title, facts(result, rows), tables, picture, viewer)


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
    names = lossless(result, rows)
    top = fact("loses-nothing", cases=names) if names else fact("each-loses")
    gains = [row for metric in columns(result)[:MAX_BEST] if (row := best(rows, metric.name)) is not None]
    return [top, *(_best(row) for row in gains), *([] if gains else [fact("no-gain", base=base)]), *shown]


def _best(row: Finding) -> Fact:
    names = ("metric", "situation", "case", "value", "unit", "base", "base_value")
    return fact("best", **{name: getattr(row, name) for name in names})


def _decision(result: Compared, ranking: Ranking, rows: Sequence[Finding]) -> Table:
    """The cases by metrics in a situation, each beside the first."""
    metrics, base = columns(result), result.comparison.cases[0].name
    ours = {(row.case, row.metric): row for row in rows if row.situation == ranking.situation}
    leading = {metric.name: _leading(ranking, metric) for metric in metrics}
    names = lossless(result, rows)
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
    if ranking is not result.rankings[-1]:
        return Table(heads, table, ranking.situation)
    feet = [*glyphs(result.comparison.margin), *([fact("mark")] if names else []), fact("best-mean")]
    feet += [fact("changes", base=base, family=ranking.rules.family)]
    origin = fact("origin-simulated" if result.comparison.engine == SIMULATOR else "origin-virtual")
    return Table(heads, table, ranking.situation, [*(feet if judged else []), origin])


def _value(result: Compared, ranking: Ranking, metric: Metric, case: str) -> Cell:
    sample = ranking.row(case).samples[metric.name]
    if sample is None:
        return Cell(f"{finished(result, ranking.situation, case, metric)} of {result.seeds} finished")
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
    metrics = columns(result)
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


def _metrics(result: Compared) -> Table:
    rows = [
        [one.name, one.quantity.name, one.where, one.quantity.unit, WORDS[one.quantity.better]]
        for one in columns(result)
    ]
    feet = [fact("no-direction")] if any(one.quantity.better == NEITHER for one in columns(result)) else []
    heads = ["metric", "quantity", "of", "unit", "better"]
    return Table(heads, rows, "Metrics", feet, names=5, fold=True, terminal=False)


def _run(result: Compared) -> Table:
    comparison = result.comparison
    base, trees = comparison.cases[0].name, comparison.trees()
    first = [(situation.name, trees[situation.name, base]) for situation in comparison.situations]
    rows = [*map(list, network(first))]
    if comparison.spread_starts_s:
        rows.append(["a seed starts a flow later by up to", f"{comparison.spread_starts_s:.6g} s"])
    if comparison.spread_delays:
        rows.append(["a seed lengthens a link by up to", f"{100 * comparison.spread_delays:.4g} %"])
    return Table(["", ""], rows, "What was run", names=2, fold=True)
