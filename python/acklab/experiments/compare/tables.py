"""A comparison as tables: a row a run, and a row a case and metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...figures.stats import Sample, bounded

if TYPE_CHECKING:
    from .result import Compared


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
        {"situation": r.situation, "rank": row.place, "case": row.case, "verdict": row.verdict, "metric": m.name,
         "unit": m.quantity.unit, "mean": one.value, **ends(told, one)}
        for r in told.rankings
        for row in r.rows
        for m in metrics
        if (one := row.samples[m.name]) is not None
    ]  # fmt: skip
    return {"runs": pl.DataFrame(runs), "ranking": pl.DataFrame(ranking, schema_overrides={"low": pl.Float64, "high": pl.Float64})}


def ends(told: Compared, one: Sample) -> dict[str, float | None]:
    """The ends of a mean's interval, where seeds give one."""
    span = bounded(one, told.comparison.rule.looks)
    return {"low": None, "high": None} if span is None else {"low": span.low, "high": span.high}
