"""Results of a comparison, and their text on a terminal."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .._texts import one_line
from ..cli.summary import align
from ..figures.stats import interval
from .difference import EQUIVALENT, POWER, SAME, UNDECIDED, rounded
from .numbers import ends, number, percent
from .plan import Comparison
from .rank import Ranked, Ranking
from .tc import HEAD

MARKS = {UNDECIDED: "?", EQUIVALENT: "=", SAME: "="}

Key = tuple[str, str, int]
"""Situation, case, seed."""


@dataclass(frozen=True)
class Compared:
    """Results of a comparison."""

    comparison: Comparison
    title: str
    rankings: Sequence[Ranking]
    values: Mapping[Key, Sequence[float]]
    """Every metric's value in each run."""
    seeds: int
    """Seeds of each case."""
    advice: str = ""
    """The recommendation, in sentences."""
    configure: Sequence[str] = ()
    """How a Linux router gets the queues of the recommended case, a line for each direction of a link whose queue the cases change."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(as_text(self))}</pre>"

    @property
    def random(self) -> bool:
        """Two seeds gave different numbers."""
        return any(ranking.random for ranking in self.rankings)


def mark(row: Ranked) -> str:
    """A case's place, and a sign where it may be as good as the first."""
    return f"{row.place}{MARKS.get(row.verdict, '')}"


def cell(told: Compared, ranking: Ranking, row: Ranked, metric: str) -> str:
    """A mean and half its interval."""
    one = row.samples[metric]
    if one is None:
        return "-"
    half = interval(one, told.comparison.rule.looks).half_width if ranking.random else 0.0
    mean = number(one.value, half)
    shown = f"{half:.{len(mean.partition('.')[2])}f}"
    return f"{mean} ± {shown}" if float(shown) > 0 else mean


def behind(ranking: Ranking, row: Ranked) -> str:
    """How much worse than the first, as an interval where seeds differ."""
    if row.behind is None:
        return ""
    return ends(row.behind.low, row.behind.high)


def columns(told: Compared, ranking: Ranking) -> tuple[list[str], list[list[str]]]:
    """A ranked table: its heads and its rows."""
    metrics = told.comparison.metrics
    unit = {"": "", "%": " (percentage points)"}.get(metrics[0].quantity.unit, f" ({metrics[0].quantity.unit})")
    heads = ["", "case", *(metric.label for metric in metrics), f"behind by{unit}"]
    rows = [
        [mark(row), row.case, *(cell(told, ranking, row, m.name) for m in metrics), behind(ranking, row)]
        for row in ranking.rows
    ]
    if any(row.needed for row in ranking.rows):
        heads.append("seeds needed")
        for row, cells in zip(ranking.rows, rows, strict=True):
            cells.append(f"about {rounded(row.needed):,}" if row.needed else "")
    return heads, rows


def basis(told: Compared) -> list[str]:
    """The sample behind the numbers, and the meaning of the signs beside them."""
    if not told.random:
        return [f"all {told.seeds} seeds gave the same results: one deterministic run each, without intervals"]
    rules = told.rankings[0].rules
    said = [f"{told.seeds} seeds, the same for every case; ± is half the 95 % interval of one mean"]
    if rules.family == 1:
        said.append("behind by: 95 % interval of the paired difference")
    else:
        more = "; another 95 % for the other metrics" if len(told.comparison.metrics) > 1 else ""
        said.append(f"behind by: paired differences, 95 % for all {rules.family} together (Bonferroni){more}")
    rows = [row for ranking in told.rankings for row in ranking.rows]
    found = {row.verdict for row in rows}
    if UNDECIDED in found:
        said.append("? : undecided")
        if any(row.needed for row in rows):
            what = "that cases are equivalent within" if rules.margin else "a difference of"
            said[-1] += (
                f"; seeds needed: to show {what} {percent(rules.resolution)} with a chance of {percent(POWER)}, "
                "if they vary as these do"
            )
    if EQUIVALENT in found:
        said.append(f"= : equivalent, neither mean more than {percent(rules.margin)} above the other (two one-sided tests)")
    if SAME in found:
        said.append("= : the same in every seed" if EQUIVALENT not in found else "= without a difference: the same in every seed")
    return said


def as_text(told: Compared) -> str:
    """The whole text for a terminal."""
    lines = [one_line(told.title), *basis(told)]
    for ranking in told.rankings:
        once = ["one deterministic run each"] if told.random and not ranking.random else []
        head = ": ".join([one_line(ranking.situation), *once] if ranking.situation else once)
        lines += ["", *([head] if head else []), *align(*columns(told, ranking), names=2)]
    configure = ["", HEAD, *(f"  {one_line(text)}" for text in told.configure)] if told.configure else []
    return "\n".join([*lines, "", one_line(told.advice), *configure])
