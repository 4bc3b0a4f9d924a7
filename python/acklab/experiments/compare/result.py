"""Results of a comparison, and their tables: a row a run, and a row a case and metric."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...figures.stats import Sample, bounded
from ...results.findings import Finding
from ...results.frames import Tabular
from ...text.counts import counted
from .configure import Setting
from .findings import findings
from .plan import Comparison
from .rank import Ranking

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True, repr=False)
class Compared(Tabular):
    """Results of a comparison."""

    comparison: Comparison
    title: str
    rankings: Sequence[Ranking]
    values: Mapping[Key, Sequence[float]]
    """Every metric's value in each run."""
    seeds: int
    """Seeds of each case."""
    configure: Sequence[Setting] = ()
    """How a router gets the queues of each case, a row for each direction of a link whose queue differs from the first's."""

    @property
    def findings(self) -> list[Finding]:
        """Each metric of each case beside the first."""
        return findings(self)

    @property
    def text(self) -> str:
        """All of it, as a terminal shows it."""
        from .report import report

        return report(self).text()

    def to_polars(self) -> pl.DataFrame:
        """A row a situation, case and metric: rank, verdict, mean, and the ends of its 95 % interval."""
        table: pl.DataFrame = frames(self)["ranking"]
        return table

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        cases = ", ".join(case.name for case in self.comparison.cases)
        return f"<Compared {self.title!r}: {cases}; {counted(self.seeds, 'seed')}; print() shows the tables>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    @property
    def random(self) -> bool:
        """Two seeds gave different numbers."""
        return any(ranking.random for ranking in self.rankings)


def frames(told: Compared) -> dict[str, Any]:
    """``runs``, a row a run; ``ranking``, a row a case and metric; ``findings``, a row a metric of a case beside the first."""
    import polars as pl

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


def ends(told: Compared, one: Sample) -> dict[str, float | None]:
    """The ends of a mean's interval, where seeds give one."""
    span = bounded(one, told.comparison.rule.looks)
    return {"low": None, "high": None} if span is None else {"low": span.low, "high": span.high}
