"""A comparison on a terminal."""

from __future__ import annotations

import math

from .._texts import one_line
from ..cli.summary import align
from .advice import spread
from .rank import Ranked, Ranking
from .run import Compared


def number(value: float, step: float) -> str:
    """A number with as many places as its uncertainty gives a meaning to: two digits of ``step``, at most four of its own."""
    own = 3 - math.floor(math.log10(abs(value))) if value else 0
    places = min(1 - math.floor(math.log10(step)), own) if step > 0 else own
    return f"{value:.{min(6, max(0, places))}f}"


def cell(row: Ranked, metric: str, random: bool) -> str:
    """A mean and half its interval."""
    one = row.samples[metric]
    if one is None:
        return "-"
    half = spread(one) if random else 0.0
    mean = number(one.value, half)
    places = len(mean.partition(".")[2])
    shown = f"{half:.{places}f}"
    return f"{mean} ± {shown}" if float(shown) > 0 else mean


def table(told: Compared, ranking: Ranking) -> list[str]:
    """A ranked table's lines."""
    metrics = told.comparison.metrics
    heads = ["", "case", *(metric.label for metric in metrics), f"behind by ({metrics[0].quantity.unit})"]
    rows = []
    for row in ranking.rows:
        behind = ""
        if row.behind is not None:
            step = row.behind.half_width if told.random else 0.0
            ends = (number(end, step) for end in (row.behind.low, row.behind.high))
            behind = " to ".join(ends) if step > 0 else number(row.behind.low, 0.0)
        rows.append([f"{row.place}{'=' if row.tied else ''}", row.case, *(cell(row, m.name, told.random) for m in metrics), behind])
    return align(heads, rows, names=2)


def basis(told: Compared) -> str:
    """What the numbers rest on, and what the signs beside them mean."""
    seeds = told.comparison.seeds
    if told.random:
        return f"{seeds} seeds, the same for every case; ± is half a 95 % interval; = : not told from the best by paired seeds"
    return f"all {seeds} seeds gave the same: nothing here is random, so there are no intervals (see --spread-starts)"


def as_text(told: Compared) -> str:
    """Everything a terminal is told."""
    lines = [one_line(told.title), basis(told)]
    for ranking in told.rankings:
        lines += ["", *([one_line(ranking.situation)] if ranking.situation else []), *table(told, ranking)]
    return "\n".join([*lines, "", one_line(told.advice)])
