"""The finding in sentences: which case the seeds show to be better by the declared objectives, by how much, and what they leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from ...figures.stats import LEAST_SEEDS, Sample
from ...plot.words import digits, listing
from ...text.counts import counted
from .changes import UNDECIDED, WORSE, Change, apart, changes, reach, size
from .decision import Decision, moved
from .difference import EQUIVALENT, POWER, SAME, Difference, moves, rounded
from .metrics import Metric
from .numbers import pair, percent
from .rank import Ranking

if TYPE_CHECKING:
    from .result import Compared

#: Other cases that a sentence lists by name.
MOST_NAMES = 4


def advice(told: Compared) -> str:
    """A few sentences, the finding first."""
    if not told.random:
        return _one_run(told)
    if told.seeds < LEAST_SEEDS:
        return f"Too few seeds: {told.seeds} give no interval and no recommendation, at least {LEAST_SEEDS} do; --seeds 10 makes ten."
    made = Decision(told)
    if made.chosen is None:
        return " ".join([_without_a_choice(made), *_silent(told)])
    return " ".join([_use(made, made.chosen), *_costs(made, made.chosen), *_also(made), *_silent(told)])


def _costs(made: Decision, name: str) -> list[str]:
    """What a case costs by metrics that are no objectives. What may be worse by those, and every objective that is undecided."""
    told, found = made.told, changes(made.told, name, made.base)
    worse = [one for one in found if one.verdict == WORSE and one.metric not in told.comparison.objectives]
    open_ = [
        one
        for one in changes(told, name, made.base, 0.0)
        if one.verdict == UNDECIDED and one.metric in told.comparison.objectives
    ]
    open_ += [
        one
        for one in found
        if one.verdict == UNDECIDED and one.metric not in told.comparison.objectives and one.leans_worse
    ]
    listed = (("Worse, but no objective", worse), ("Undecided", open_))
    return [f"{head}: {listing([_named(told, one) for one in each])}." for head, each in listed if each]


def recommended(told: Compared) -> str | None:
    """The case that the sentences recommend: one to use, or the first to stay with; None where they leave it open."""
    made = Decision(told)
    return made.chosen or (made.base if _all_worse(made) else None)


# ---- the verdicts ----------------------------------------------------------------------------------------------------
def _one_run(told: Compared) -> str:
    """Nothing random: an order of single runs, no verdict."""
    metric = told.rankings[0].by
    orders = []
    for ranking in told.rankings:
        steps: list[list[tuple[str, Sample | None]]] = []
        for row in ranking.rows:
            mine = row.samples[ranking.by.name]
            lead = steps[-1][0][1] if steps else None
            if mine is not None and lead is not None and not moves(mine.value, lead.value, told.comparison.margin):
                steps[-1].append((row.case, mine))
            else:
                steps.append([(row.case, mine)])
        orders.append(_where(ranking) + ", ".join(_step(told, ranking.by, step) for step in steps))
    return (
        f"One deterministic run each, best {metric.name} first: {'; '.join(orders)}. "
        "A nudge of the delays can change the order: --spread-delays 1% tries that."
    )


def _step(told: Compared, metric: Metric, step: Sequence[tuple[str, Sample | None]]) -> str:
    names = listing([quoted(name) for name, _ in step])
    within = f", within {percent(told.comparison.margin)}" if len(step) > 1 else ""
    return f"{names} ({shown(metric, step[0][1])}{within})"


def _use(made: Decision, chosen: str) -> str:
    """Every objective by which the chosen case is better, in the situation in which it is so by most."""
    found = _findings(made, moved(made, chosen, made.base, 1), chosen)
    return f"Use {quoted(chosen)} instead of {quoted(made.base)}: {found} ({counted(made.told.seeds, 'seed')})."


def _findings(made: Decision, found: Sequence[tuple[Ranking, Metric]], name: str) -> str:
    """Findings beside the first case, each with its interval; a situation is named once where several follow each other in it."""
    said, before = [], None
    for ranking, metric in found:
        text = _finding(made.told, ranking, metric, name, made.base, sample=False)
        said.append(text.removeprefix(_where(ranking)) if ranking is before else text)
        before = ranking
    return "; ".join(said)


def _finding(told: Compared, ranking: Ranking, metric: Metric, one: str, other: str, *, sample: bool = True) -> str:
    """One finding with its interval, and with its sample."""
    found = ranking.between(metric, one, other)
    new, old = ranking.row(one).samples[metric.name], ranking.row(other).samples[metric.name]
    if found is None or new is None or old is None:
        return f"{_where(ranking)}{metric.name} is {shown(metric, new)} instead of {shown(metric, old)}"
    texts, unit = pair(new.value, old.value), f" {metric.quantity.unit}".rstrip()
    seeds = f"{counted(told.seeds, 'seed')}{', each with the same result' if found.constant else ''}"
    said = f"{_where(ranking)}{metric.name} is {texts[0]}{unit} instead of {texts[1]}{unit}, {apart(found, metric.quantity.unit)}"
    return f"{said} ({seeds})" if sample or found.constant else said


def _named(told: Compared, one: Change) -> str:
    """A change in a list."""
    unit = one.metric.quantity.unit
    interval = f" ({reach(one.found, unit)})" if one.found.interval is not None else ""
    return f"{one.metric.name} {size(one.found, unit)}{interval}{_under(told, one.situation)}"


def _under(told: Compared, situation: str) -> str:
    return f" {situation}" if situation and len(told.rankings) > 1 else ""


def _traded(made: Decision, name: str) -> str:
    """A case that gains by an objective, and has a shown or possible loss."""
    gains, costs = _both(made, name)
    return f"With {quoted(name)}, {gains}; but {costs}."


def beside(made: Decision, name: str) -> str:
    """Its largest gain and its largest loss by an objective, shown or possible, each where there is one."""
    told = made.told
    gains, losses = (moved(made, name, made.base, way) for way in (1, -1))
    doubts = [] if losses else made.doubts(name, made.base)
    found = [_finding(told, *each[0], name, made.base) for each in (gains, losses or doubts) if each]
    return "; but ".join(found) if found else f"not distinguished from {quoted(made.base)}"


def _both(made: Decision, name: str) -> tuple[str, str]:
    """Every objective by which it gains, and every one by which it loses; the largest that it may lose by where no loss is shown."""
    gains, losses = (moved(made, name, made.base, way) for way in (1, -1))
    sample = f" ({counted(made.told.seeds, 'seed')})"
    return _findings(made, gains, name), f"{_findings(made, losses or made.doubts(name, made.base)[:1], name)}{sample}"


def _also(made: Decision) -> list[str]:
    rest = [name for name in made.front if name != made.chosen]
    verb = "is" if len(rest) == 1 else "are"
    said = []
    if rest:
        said.append(
            f"{listing(list(map(quoted, rest)))} {verb} also better than {quoted(made.base)} by an objective, without a shown or possible loss by any objective."
        )
    worse = {name: [one for one in changes(made.told, name, made.base) if one.verdict == WORSE] for name in rest}
    said += [
        f"Worse with {quoted(name)}, but no objective: {listing([_named(made.told, one) for one in found])}."
        for name, found in worse.items()
        if found
    ]
    more = next(iter(made.gaining), None)
    if more is not None and made.chosen is not None and max(sign for *_, sign in made.signs(more, made.chosen)) > 0:
        said.append(_traded(made, more))
    return said


def _all_worse(made: Decision) -> bool:
    """Whether each other case is worse than the first by an objective, and better by none."""
    if made.told.seeds < LEAST_SEEDS or not made.told.random:
        return False
    return all(made.dominates(made.base, name) for name in made.others)


def _without_a_choice(made: Decision) -> str:
    """No case is shown to be better than the first."""
    told, base, words = made.told, quoted(made.base), _objectives(made.told)
    if made.mixed is not None:
        gains, costs = _both(made, made.mixed)
        more = (
            f" {listing(list(map(quoted, made.trades[1:])))} {'are trades' if len(made.trades) > 2 else 'is a trade'}, too."
            if made.trades[1:]
            else ""
        )
        said = (
            []
            if moved(made, made.mixed, made.base, -1)
            else [(ranking.situation, metric) for ranking, metric in made.doubts(made.mixed, made.base)[:1]]
        )
        opened = [
            _named(told, one)
            for one in changes(told, made.mixed, made.base, 0.0)
            if one.verdict == UNDECIDED
            and one.metric in told.comparison.objectives
            and (one.situation, one.metric) not in said
        ]
        left = f" Undecided: {listing(opened)}." if opened else ""
        return f"{quoted(made.mixed)} is a trade: {gains}; but {costs}.{left} No case is better than {base} without a shown or possible loss.{more}"
    if _all_worse(made):
        if len(made.others) == 1:
            other = made.others[0]
            return f"Stay with {base}: with {quoted(other)}, {_finding(told, *moved(made, other, made.base, -1)[0], other, made.base)}."
        return f"Stay with {base}: {listing([quoted(name) for name in made.others])} are worse by {words}."
    open_ = [name for name in made.others if not any(sign for *_, sign in made.signs(name, made.base))]
    worse = [quoted(name) for name in made.others if made.dominates(made.base, name)]
    verb = "is" if len(worse) == 1 else "are"
    further = f" {listing(worse)} {verb} worse than {base}." if worse else ""
    return f"{_between(told, [made.base, *open_])}{_beside_equals(made)}.{further}"


def _beside_equals(made: Decision) -> str:
    """By what else an equivalent case differs most, if the objectives decide nothing: what a reader can choose by."""
    open_ = [name for name in made.others if any(sign for *_, sign in made.signs(name, made.base))]
    if made.aside is None or open_:
        return ""
    name, one = made.aside
    ranking = next(ranking for ranking in made.told.rankings if ranking.situation == one.situation)
    return f"; with {quoted(name)}, {_finding(made.told, ranking, one.metric, name, made.base)}"


def _between(told: Compared, names: list[str]) -> str:
    """What the seeds leave open between the first case and others."""
    base, *others = names
    who = (
        f"{quoted(base)} and {len(others)} other cases"
        if len(others) > MOST_NAMES
        else listing([quoted(name) for name in names])
    )
    words = _objectives(told)
    pairs = [
        (found, ranking, metric, other)
        for ranking in told.rankings
        if ranking.random
        for metric in ranking.objectives
        for other in others
        if (found := ranking.between(metric, other, base)) is not None
    ]
    if not pairs:
        return f"{who} have no value by {words}"
    verdicts = {found.verdict for found, *_ in pairs}
    if verdicts <= {SAME}:
        return f"{who} have the same {words} in every seed"
    if verdicts <= {SAME, EQUIVALENT}:
        return f"{who} are equivalent within {percent(told.comparison.margin)} by {words}"
    found, ranking, metric, other = max(
        (each for each in pairs if each[0].verdict not in (SAME, EQUIVALENT)), key=lambda each: _widest(each[0])
    )
    sampled = (
        f"{shown(metric, ranking.row(base).samples[metric.name])} with {quoted(base)}, {counted(told.seeds, 'seed')}"
    )
    may = f"{metric.name} may be {apart(found, metric.quantity.unit)} ({sampled})"
    needs = _needs(told, [each[0] for each in pairs])
    said = f"Undecided between {who} by {words}: {_where(ranking)}with {quoted(other)}, {may}"
    return f"{said}. {needs}" if needs else said


def _widest(found: Difference) -> float:
    if found.constant:
        return 1.0
    return found.interval.high / found.interval.low if found.interval is not None and found.relative else math.inf


def _needs(told: Compared, found: Sequence[Difference]) -> str:
    """The number of seeds that would show the difference that needs most, and the assumption of this estimate."""
    needed, effect = max(
        ((one.needed, one.effect) for one in found if one.needed is not None and one.effect is not None),
        default=(0, 0.0),
    )
    if not needed:
        return ""
    return (
        f"About {rounded(needed):,} seeds would show a difference of {percent(effect)} with a chance of "
        f"{percent(POWER)}, if seeds vary as these {told.seeds} do"
    )


def _silent(told: Compared) -> list[str]:
    """Of the objectives that respond in no situation, where another does."""
    responds = [one for ranking in told.rankings for one in ranking.objectives if one not in ranking.silent]
    return [_silence(told, one) for one in told.comparison.objectives if responds and one not in responds]


def _silence(told: Compared, metric: Metric) -> str:
    """What is known of an objective by which no two cases are shown to differ: they are equivalent, or the seeds leave it open."""
    within, unit = percent(told.comparison.margin), metric.quantity.unit
    pairs = [
        (found, ranking, one, other)
        for ranking in told.rankings
        for other, one in combinations([case.name for case in told.comparison.cases], 2)
        if (found := ranking.between(metric, one, other)) is not None
    ]
    if not pairs:
        return f"No two cases have a value of {metric.name}."
    if all(found.verdict in (SAME, EQUIVALENT) for found, *_ in pairs):
        return f"{metric.name} does not respond to what the cases change: all are equivalent within {within}."
    said = f"No two cases are shown to differ by more than {within} in {metric.name}"
    found, ranking, one, other = max(pairs, key=lambda each: _width(each[0]))
    if found.interval is None:
        return f"{said}."
    where = f", {ranking.situation}" if ranking.situation else ""
    return f"{said}; the widest interval is {reach(found, unit)} (from {quoted(other)} to {quoted(one)}{where})."


def _width(found: Difference) -> float:
    return found.interval.high - found.interval.low if found.interval is not None else 0.0


# ---- names and numbers -----------------------------------------------------------------------------------------------
def quoted(name: str) -> str:
    """A case's name in a sentence: in quotation marks where it has several words.

    >>> quoted("codel"), quoted("no filter")
    ('codel', '“no filter”')
    """
    return f"“{name}”" if " " in name or "," in name else name


def shown(metric: Metric, one: Sample | None) -> str:
    """A mean with its unit."""
    return "no value" if one is None else f"{digits(one.value)} {metric.quantity.unit}".rstrip()


def _objectives(told: Compared) -> str:
    return listing([metric.name for metric in told.comparison.objectives])


def _where(ranking: Ranking) -> str:
    return f"{ranking.situation}, " if ranking.situation else ""
