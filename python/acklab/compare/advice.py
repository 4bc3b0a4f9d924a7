"""The sentences at the end: what the runs decide between the cases, by how much, at what cost, and what they leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from ..figures.stats import Interval, Sample
from ..plot.words import digits, listing
from .difference import EQUIVALENT, POWER, SAME, Difference, rounded
from .metrics import Metric
from .numbers import ends, percent
from .rank import NO_VALUE, WORSE, Ranking

if TYPE_CHECKING:
    from .result import Compared


def advice(told: Compared) -> str:
    """A few sentences."""
    if not told.random:
        return _one_run(told)
    base, best, better = _candidates(told)
    if not best:
        return _none(told, [case.name for case in told.comparison.cases])
    if best == [base]:
        return _stay(told, base, [case.name for case in told.comparison.cases[1:]])
    if len(best) == 1:
        return f"{_only(told, best[0], base)}."
    open_ = f"{_between(told, best)}."
    if better:
        return f"{_use(told, _first(told, better), base)}. {open_}"
    chosen = _first(told, best)
    further = _further(told, chosen, [name for name in best if name != chosen])
    return f"{open_} {further}." if further else open_


def recommended(told: Compared) -> str | None:
    """The case that the sentences recommend; None where they leave it open."""
    if not told.random:
        return None
    _, best, better = _candidates(told)
    return best[0] if len(best) == 1 else _first(told, better) if better else None


def _candidates(told: Compared) -> tuple[str, list[str], list[str]]:
    """The first case, those that may be the best in every situation, and which of them are better than the first, unless it is one."""
    names = [case.name for case in told.comparison.cases]
    best = [name for name in names if all(r.row(name).may_be_best for r in told.rankings)]
    return names[0], best, [name for name in best if names[0] not in best and _gain(told, name, names[0])]


def _first(told: Compared, names: list[str]) -> str:
    """Of several cases the one that wins by most further metrics; of these the first."""
    return max(names, key=lambda name: (_wins(told, name, names), -names.index(name)))


# ---- the verdicts ----------------------------------------------------------------------------------------------------
def _one_run(told: Compared) -> str:
    """Nothing random: an order of single runs, no verdict."""
    metric = told.comparison.metrics[0]
    orders = []
    for ranking in told.rankings:
        steps = [f"{quoted(row.case)} ({shown(metric, row.samples[metric.name])})" for row in ranking.rows]
        orders.append(f"{_where(ranking)}{', '.join(steps)}")
    return (
        f"One deterministic run each, best {metric.name} first: {'; '.join(orders)}. "
        "A nudge of the start times can change the order: --spread-starts TIME tries that."
    )


def _stay(told: Compared, base: str, others: list[str]) -> str:
    metric, verb = told.comparison.metrics[0], "is" if len(others) == 1 else "are"
    everywhere = all(r.row(name).verdict == WORSE for r in told.rankings for name in others)
    behind = "; ".join(text for ranking in told.rankings if (text := _behind(metric, ranking, others)))
    if everywhere:
        return f"Stay with {quoted(base)}: {listing([*map(quoted, others)])} {verb} worse by {metric.name} ({behind})."
    return f"Stay with {quoted(base)}: every other case is worse by {metric.name} or has no value in at least one situation ({behind})."


def _behind(metric: Metric, ranking: Ranking, names: list[str]) -> str:
    """How far some cases are behind, where that is decided."""
    texts = []
    for name in names:
        row = ranking.row(name)
        if row.verdict == WORSE and row.behind is not None:
            texts.append(f"{quoted(name)} behind by {span(metric, row.behind)}" if len(names) > 1 else f"by {span(metric, row.behind)}")
        elif row.verdict == NO_VALUE:
            texts.append(f"{quoted(name)} has no value")
    return _where(ranking) + listing(texts) if texts else ""


def _only(told: Compared, chosen: str, base: str) -> str:
    """The one case that may be the best everywhere; beside the first case that need not be decided."""
    if _gain(told, chosen, base):
        return _use(told, chosen, base)
    changes = "; ".join(_changes(told, ranking, chosen, base) for ranking in told.rankings)
    name = told.comparison.metrics[0].name
    return f"Only {quoted(chosen)} may be the best by {name} in every situation. Beside {quoted(base)}: {changes}"


def _use(told: Compared, chosen: str, base: str) -> str:
    changes = [text for ranking in told.rankings if (text := _changes(told, ranking, chosen, base))]
    return f"Use {quoted(chosen)} instead of {quoted(base)}: {'; '.join(changes)}"


def _changes(told: Compared, ranking: Ranking, chosen: str, base: str) -> str:
    """The decided differences from the first case: gains, then costs; of the first metric also that it is open."""
    gains: list[str] = []
    costs: list[str] = []
    for metric in told.comparison.metrics:
        sign, found = ranking.better(metric, chosen, base), ranking.between(metric, chosen, base)
        mine, old = ranking.row(chosen).samples[metric.name], ranking.row(base).samples[metric.name]
        if found is None:
            if metric is told.comparison.metrics[0]:
                gains.append(f"{metric.name} {shown(metric, mine)} ({quoted(base)}: {shown(metric, old)})")
            continue
        both = f"{metric.name} {shown(metric, mine)} instead of {shown(metric, old)}"
        if sign:
            (gains if sign > 0 else costs).append(both + (f" ({_by(metric, found.interval)})" if ranking.random else ""))
        elif metric is told.comparison.metrics[0]:
            gains.append(f"{metric.name} {_open(metric, found.verdict, found.interval)}")
    text = listing(gains) if gains else ""
    if costs:
        text += f"{', but ' if text else ''}{listing(costs)}"
    return _where(ranking) + text


def _open(metric: Metric, verdict: str, interval: Interval) -> str:
    if verdict == SAME:
        return "the same in every seed"
    return f"{'equivalent' if verdict == EQUIVALENT else 'undecided'} (difference {span(metric, interval)})"


def _between(told: Compared, names: list[str]) -> str:
    """The undecided differences between cases each of which may be the best."""
    metric, who = told.comparison.metrics[0], listing([*map(quoted, names)])
    pairs = [
        (found, ranking, one, other)
        for ranking in told.rankings
        for one, other in combinations([row.case for row in ranking.rows if row.case in names], 2)
        if (found := ranking.between(metric, other, one)) is not None
    ]
    verdicts = {found.verdict for found, *_ in pairs}
    if verdicts <= {SAME}:
        return f"{who} have the same {metric.name} in every seed"
    found, ranking, one, other = max(pairs, key=lambda pair: _most(pair[0]))
    mean = ranking.row(one).samples[metric.name]
    if len(pairs) == 1:
        apart = f"that of {quoted(other)} minus that of {quoted(one)} is {span(metric, found.interval)} ({quoted(one)}: {shown(metric, mean)})"
    else:
        share = f" ({percent(_most(found) / abs(mean.value))} of {shown(metric, mean)})" if mean and mean.value else ""
        apart = f"{_where(ranking)}they may differ by up to {digits(_most(found))} {_apart(metric)}{share}"
    if verdicts <= {SAME, EQUIVALENT}:
        return f"{who} are equivalent within {percent(told.comparison.margin)} by {metric.name}: {apart}"
    needs = _needs(told, [found for found, *_ in pairs], ranking)
    return f"Undecided between {who} by {metric.name}: {apart}" + (f". {needs}" if needs else "")


def _most(found: Difference) -> float:
    """The largest difference that an interval leaves possible."""
    return max(-found.interval.low, found.interval.high)


def _needs(told: Compared, found: Sequence[Difference], ranking: Ranking) -> str:
    """The number of seeds that would decide, and the assumption of this estimate."""
    needed = [one.needed for one in found if one.needed is not None]
    if not needed:
        return ""
    what = "that they are equivalent within" if told.comparison.margin else "a difference of"
    return (
        f"About {rounded(max(needed)):,} seeds would show {what} {percent(ranking.rules.resolution)} with a chance of "
        f"{percent(POWER)}, if seeds vary as these {told.seeds} do"
    )


def _none(told: Compared, names: list[str]) -> str:
    """No case is among the best everywhere: the one that may lose least where it may lose most."""
    metric = told.comparison.metrics[0]
    able = [name for name in names if all(r.row(name).verdict != NO_VALUE for r in told.rankings)]
    said = f"No case is among the best by {metric.name} in every situation"
    if not able:
        return f"{said}."
    worst = {name: max(told.rankings, key=lambda ranking: _loss(metric, ranking, name)) for name in able}
    chosen = min(able, key=lambda name: _loss(metric, worst[name], name))
    ranking, share = worst[chosen], _loss(metric, worst[chosen], chosen)
    behind = ranking.row(chosen).behind
    assert behind is not None
    most = f", up to {percent(share)}" if share < math.inf else ""
    return (
        f"{said}. {quoted(chosen)} may lose least where it may lose most: {_where(ranking)}{span(metric, behind)} behind "
        f"{quoted(ranking.best.case)}{most}."
    )


def _loss(metric: Metric, ranking: Ranking, name: str) -> float:
    """The share of the first's mean by which a case may be behind it."""
    behind, best = ranking.row(name).behind, ranking.best.samples[metric.name]
    if behind is None or best is None:
        return 0.0
    return behind.high / abs(best.value) if best.value else math.inf


# ---- what decides further --------------------------------------------------------------------------------------------
def _gain(told: Compared, one: str, other: str) -> bool:
    """Whether a case is better than another by the first metric in some situation, and worse in none."""
    signs = [ranking.better(told.comparison.metrics[0], one, other) for ranking in told.rankings]
    return max(signs) > 0 and min(signs) >= 0


def _wins(told: Compared, name: str, others: Sequence[str]) -> tuple[int, ...]:
    """For each further metric, how many of the others it beats less how many beat it."""
    return tuple(
        sum(ranking.better(metric, name, other) for ranking in told.rankings for other in others if other != name)
        for metric in told.comparison.metrics[1:]
    )


def _further(told: Compared, chosen: str, others: Sequence[str]) -> str:
    """By which further metrics a case is better than others, and by how much."""
    texts = []
    for ranking in told.rankings:
        for metric in told.comparison.metrics[1:]:
            if all(ranking.better(metric, chosen, other) > 0 for other in others):
                found = [one for other in others if (one := ranking.between(metric, chosen, other)) is not None]
                size = f" ({', '.join(_by(metric, one.interval) for one in found)})" if ranking.random else ""
                texts.append(f"{metric.name}{_under(ranking)}{size}")
    return f"{quoted(chosen)} is better than {listing([*map(quoted, others)])} by {listing(texts)}" if texts else ""


# ---- names and numbers -----------------------------------------------------------------------------------------------
def quoted(name: str) -> str:
    """A case's name in a sentence: in quotation marks where a comma in it would end it.

    >>> quoted("no filter"), quoted("delayed, queue of 8")
    ('no filter', '“delayed, queue of 8”')
    """
    return f"“{name}”" if "," in name else name


def shown(metric: Metric, one: Sample | None) -> str:
    """A mean with its unit."""
    return "no value" if one is None else f"{digits(one.value)} {metric.quantity.unit}".rstrip()


def span(metric: Metric, interval: Interval) -> str:
    """The ends of an interval, with as many places as its width gives a meaning to."""
    return f"{ends(interval.low, interval.high)} {_apart(metric)}".rstrip()


def _apart(metric: Metric) -> str:
    """The unit of a difference."""
    return "percentage points" if metric.quantity.unit == "%" else metric.quantity.unit


def _by(metric: Metric, interval: Interval) -> str:
    less = interval.high < 0
    size = Interval(-interval.high, -interval.low, interval.level) if less else interval
    return f"{span(metric, size)} {'less' if less else 'more'}"


def _where(ranking: Ranking) -> str:
    return f"{ranking.situation}, " if ranking.situation else ""


def _under(ranking: Ranking) -> str:
    return f" {ranking.situation}" if ranking.situation else ""
