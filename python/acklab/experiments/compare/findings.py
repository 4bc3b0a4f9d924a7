"""What a comparison shows of each case beside the first: a finding a metric, case and situation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...figures.stats import LEAST_SEEDS
from ...results.findings import (
    BETTER,
    DIFFERS,
    EQUIVALENT,
    NO_VALUE,
    ONE_RUN,
    TOO_FEW,
    UNDECIDED,
    WORSE,
    Finding,
)
from . import difference
from .difference import Difference
from .metrics import Metric
from .rank import Ranking

if TYPE_CHECKING:
    from .result import Compared


def findings(result: Compared) -> list[Finding]:
    """By situation, in each by case, in each the objectives first."""
    base = result.comparison.cases[0].name
    return [
        _finding(result, ranking, metric, case.name, base)
        for ranking in result.rankings
        for case in result.comparison.cases[1:]
        for metric in columns(result)
    ]


def columns(result: Compared) -> list[Metric]:
    """The metrics, the objectives first."""
    objectives = result.comparison.objectives
    return [*objectives, *(metric for metric in result.comparison.metrics if metric not in objectives)]


def finished(result: Compared, situation: str, case: str, metric: Metric) -> int:
    """Runs of a case that gave a metric a value."""
    place = list(result.comparison.metrics).index(metric)
    return sum(not math.isnan(result.values[situation, case, seed][place]) for seed in range(1, result.seeds + 1))


def lossless(result: Compared, rows: Sequence[Finding]) -> list[str]:
    """Cases in which no metric that has a direction is worse or undecided, in any situation; none without verdicts."""
    if not result.random or result.seeds < LEAST_SEEDS:
        return []
    ranking = {metric.name for metric in result.comparison.metrics if metric.ranks}
    losing = {finding.case for finding in rows if finding.loses and finding.metric in ranking}
    return [case.name for case in result.comparison.cases[1:] if case.name not in losing]


def best(rows: Sequence[Finding], metric: str) -> Finding | None:
    """The largest improvement of a metric that is shown, by the end of its interval that is nearer to none."""
    return max((row for row in rows if row.metric == metric and row.verdict == BETTER), key=_at_least, default=None)


def _at_least(row: Finding) -> float:
    ends = [row.change] if row.low is None else [row.low, row.high]
    sizes = [abs(math.log1p(end)) if row.relative else abs(end) for end in ends if end is not None]
    return min(sizes)


def _finding(result: Compared, ranking: Ranking, metric: Metric, case: str, base: str) -> Finding:
    value, base_value = (ranking.row(name).samples[metric.name] for name in (case, base))
    shown = ranking.between(metric, case, base)
    less = 1.0 if shown is not None and shown.relative else 0.0
    span = shown.interval if shown is not None else None
    return Finding(
        metric=metric.name,
        unit=metric.quantity.unit,
        situation=ranking.situation,
        case=case,
        base=base,
        value=None if value is None else value.value,
        base_value=None if base_value is None else base_value.value,
        change=None if shown is None else shown.value - less,
        relative=bool(less),
        low=None if span is None else span.low - less,
        high=None if span is None else span.high - less,
        level=None if span is None else span.level,
        verdict=_verdict(result, ranking, metric, shown),
        finished=finished(result, ranking.situation, case, metric),
        base_finished=finished(result, ranking.situation, base, metric),
        runs=result.seeds,
        seeds_needed=None if shown is None else shown.needed,
    )


def _verdict(result: Compared, ranking: Ranking, metric: Metric, shown: Difference | None) -> str:
    if shown is None:
        return NO_VALUE
    if not ranking.random:
        return ONE_RUN
    if result.seeds < LEAST_SEEDS:
        return TOO_FEW
    if shown.verdict in (difference.SAME, difference.EQUIVALENT):
        return EQUIVALENT
    if shown.verdict != difference.DIFFERENT:
        return UNDECIDED
    if not metric.ranks:
        return DIFFERS
    return BETTER if shown.more == metric.quantity.more_is_better else WORSE
