"""The sentence at the end: which case to use, what it gains, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..figures.stats import Sample
from ..plot.words import digits, listing
from .metrics import Metric
from .rank import Ranked, Ranking, differs, interval

if TYPE_CHECKING:
    from .run import Compared


def shown(metric: Metric, one: Sample | None) -> str:
    """A mean with its unit."""
    return "none" if one is None else f"{digits(one.value)} {metric.quantity.unit}"


def choose(told: Compared) -> str:
    """The case to use: of those that are nowhere told apart from the best, or else lose least where they lose most,
    the one that does best by the further metrics."""
    metric = told.comparison.metrics[0]
    names = [case.name for case in told.comparison.cases]
    candidates = [name for name in names if all(r.row(name).tied for r in told.rankings)]
    if not candidates:
        return max(names, key=lambda name: min(_share(metric, r, name) for r in told.rankings))
    return max(candidates, key=lambda name: (_wins(told, name, candidates), -names.index(name)))


def _share(metric: Metric, ranking: Ranking, name: str) -> float:
    """How near a case comes to the best: 1 is as good."""
    mine, best = ranking.row(name).samples[metric.name], ranking.best.samples[metric.name]
    if mine is None or best is None:
        return -1.0
    if mine.value == best.value:
        return 1.0
    over, under = (mine.value, best.value) if metric.quantity.more_is_better else (best.value, mine.value)
    return over / under if under else 0.0


def _wins(told: Compared, name: str, others: list[str]) -> tuple[int, ...]:
    """For each further metric, how many candidates it beats less how many beat it."""
    return tuple(
        sum(
            differs(metric, ranking.row(name).samples[metric.name], ranking.row(other).samples[metric.name])
            for ranking in told.rankings
            for other in others
        )
        for metric in told.comparison.metrics[1:]
    )


def advice(told: Compared) -> str:
    """One or two sentences."""
    chosen, base = choose(told), told.comparison.cases[0].name
    told_apart = _told_apart(told, chosen)
    if chosen == base:
        others = [case.name for case in told.comparison.cases if case.name != base]
        verb = "is" if len(others) == 1 else "are"
        worse = all(not r.row(name).tied for r in told.rankings for name in others)
        what = told.comparison.metrics[0].name
        why = f"{listing(others)} {verb} worse by {what}" if worse else f"nothing compared here does better by {what}"
        return f"Stay with {base}: {why} ({_numbers(told, base)}).{told_apart}"
    gains = [_changes(told, ranking, chosen, base) for ranking in told.rankings]
    return f"Use {chosen} instead of {base}: {'; '.join(gains)}.{told_apart}"


def _numbers(told: Compared, name: str) -> str:
    metric = told.comparison.metrics[0]
    pieces = [f"{shown(metric, r.row(name).samples[metric.name])}{_under(r)}" for r in told.rankings]
    return ", ".join(pieces)


def _under(ranking: Ranking) -> str:
    return f" {ranking.situation}" if ranking.situation else ""


def _changes(told: Compared, ranking: Ranking, chosen: str, base: str) -> str:
    """What is better, then what is worse; of the first metric also that it is neither."""
    mine, old = ranking.row(chosen), ranking.row(base)
    gains, costs = [], []
    for metric in told.comparison.metrics:
        one, other = mine.samples[metric.name], old.samples[metric.name]
        sign = differs(metric, one, other)
        text = f"{metric.name} {shown(metric, one)} instead of {shown(metric, other)}"
        if sign > 0:
            gains.append(text)
        elif sign < 0:
            costs.append(text)
        elif metric is told.comparison.metrics[0]:
            gains.append(f"{metric.name} not told apart ({shown(metric, one)} and {shown(metric, other)})")
    where = f"{ranking.situation}, " if ranking.situation else ""
    text = listing(gains) if gains else ""
    if costs:
        text += f"{', but ' if text else ''}{listing(costs)}"
    return where + text


def _told_apart(told: Compared, chosen: str) -> str:
    """Which others the seeds do not tell from it by the first metric."""
    same = [
        case.name
        for case in told.comparison.cases
        if case.name != chosen and all(_alike(told, r.row(chosen), r.row(case.name)) for r in told.rankings)
    ]
    if not same or not told.random:
        return ""
    verb = "does" if len(same) == 1 else "do"
    metric = told.comparison.metrics[0].name
    return f" By {metric} alone {listing(same)} {verb} as well, as far as {told.comparison.seeds} seeds can tell."


def _alike(told: Compared, one: Ranked, other: Ranked) -> bool:
    metric = told.comparison.metrics[0]
    a, b = one.samples[metric.name], other.samples[metric.name]
    return a is not None and b is not None and differs(metric, a, b) == 0


def spread(one: Sample) -> float:
    """Half a mean's interval."""
    return interval(one).half_width
