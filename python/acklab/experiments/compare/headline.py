"""The finding in a line, for the top of a page, and what follows it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...figures.stats import LEAST_SEEDS
from ...plot.words import listing
from .advice import quoted
from .changes import WORSE, changes, reach, size
from .decision import Decision, moved
from .metrics import Metric
from .numbers import pair
from .rank import Ranking

#: Gains that a headline has room for.
MOST_GAINS = 2

if TYPE_CHECKING:
    from .result import Compared


def headline(told: Compared) -> tuple[str, str]:
    """The line, and the sentences below it, which have its interval and its sample."""
    first, _, more = told.advice.partition(". ")
    if not told.random:  # the finding before what it rests on
        kind, _, order = first.partition(", ")
        return capital(order), f"{kind}. {more}"
    made = Decision(told)
    rest = capital(told.advice.partition(": ")[2])
    if told.seeds < LEAST_SEEDS:
        return "Too few seeds for a recommendation", rest
    if made.chosen is not None:
        return f"Use {quoted(made.chosen)} instead of {quoted(made.base)}{_gain(made, made.chosen)}", rest
    if len(made.trades) > 1:
        return (
            f"{len(made.trades)} trades, none without a loss: with {quoted(made.trades[0])}, {_first_trade(made)}",
            f"{told.advice} The table below the chart has each.",
        )
    if made.mixed is not None:
        return f"{quoted(made.mixed)} is a trade: {_trade(made, made.mixed)}", rest
    head, colon, rest = first.partition(": ")
    if not colon:
        return f"{first}{'.' if more else ''}", more
    return head, capital(f"{rest}. {more}" if more else rest)


def capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _gain(made: Decision, name: str) -> str:
    """The largest gains of one situation without their intervals, and what is shown to be worse there; nothing where a value is missing."""
    gains = moved(made, name, made.base, 1)
    where = gains[0][0]
    said = [
        text
        for _, metric in (each for each in gains if each[0] is where)
        if (text := _values(made, name, where, metric))
    ]
    worse = next(
        (
            one
            for one in changes(made.told, name, made.base)
            if one.verdict == WORSE and one.situation == where.situation
        ),
        None,
    )
    cost = _values(made, name, where, worse.metric) if worse is not None else ""
    return (
        f": {listing(said[:MOST_GAINS])}{f', but {cost}' if cost else ''}{f' {where.situation}' if where.situation else ''}"
        if said
        else ""
    )


def _first_trade(made: Decision) -> str:
    """The largest gains of the first trade in one situation, and its largest loss, shown or possible."""
    name = made.trades[0]
    gains, losses = moved(made, name, made.base, 1), moved(made, name, made.base, -1)
    where, (loss, sure) = gains[0][0], (losses[0], "") if losses else (made.doubts(name, made.base)[0], "perhaps ")
    gained = [text for ranking, metric in gains if ranking is where and (text := _values(made, name, where, metric))][
        :MOST_GAINS
    ]
    lost = _values(made, name, *loss)
    said = [(listing(gained), where.situation if where is not loss[0] or not lost else ""), (lost, loss[0].situation)]
    return f", but {sure}".join(f"{text} {place}".rstrip() for text, place in said if text)


def _values(made: Decision, name: str, where: Ranking, metric: Metric) -> str:
    """A metric's two means; nothing where one is missing."""
    new, old = (where.row(case).samples[metric.name] for case in (name, made.base))
    if new is None or old is None:
        return ""
    texts = pair(new.value, old.value)
    return f"{metric.name} {texts[0]} instead of {texts[1]} {metric.quantity.unit}".rstrip()


def _trade(made: Decision, name: str) -> str:
    """By which objectives a trade gains, loses, and may lose."""
    signs = made.signs(name, made.base)
    named = {
        "better by": [metric.name for _, metric, sign in signs if sign > 0],
        "worse by": [metric.name for _, metric, sign in signs if sign < 0],
        "perhaps worse by": [metric.name for _, metric in made.doubts(name, made.base)],
    }
    return ", ".join(f"{words} {listing(list(dict.fromkeys(names)))}" for words, names in named.items() if names)


def trades(told: Compared) -> tuple[list[str], list[list[str]]] | None:
    """The head and the rows of a table of the trades; none where a case is recommended or there is no trade."""
    made = Decision(told)
    if not told.random or made.chosen is not None or not made.trades:
        return None
    rows = []
    for name in made.trades:
        signs, doubts = made.signs(name, made.base), made.doubts(name, made.base)
        better, worse = ([(ranking, metric) for ranking, metric, sign in signs if sign == way] for way in (1, -1))
        maybe = [each for each in made.doubts(made.base, name) if each not in doubts]
        rows.append(
            [name, *("; ".join(_change(made, name, *one) for one in found) for found in (better, maybe, worse, doubts))]
        )
    return ["case", "better", "perhaps better", "worse", "perhaps worse"], rows


def _change(made: Decision, name: str, ranking: Ranking, metric: Metric) -> str:
    """How far an objective moves from the first case to a trade."""
    found, unit = ranking.between(metric, name, made.base), metric.quantity.unit
    where = f" {ranking.situation}" if ranking.situation else ""
    if found is None:
        return f"{metric.name}: a value is missing{where}"
    return f"{metric.name} {size(found, unit)}{f' ({reach(found, unit)})' if found.interval is not None else ''}{where}"
