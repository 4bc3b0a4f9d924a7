"""The check of a fit by the half of the connection that was held out: what the first half predicts of the second, with an interval.

The first half is a capture that ends there: no estimate has seen what comes later. The amount of data and the writes of a pausing
application are given, because no network decides them. Losses of the second half are not given.

What the first half leaves open widens the interval. Its members are simulations of what fits the first half about as well: other
senders, other queues, other seeds of random losses. A member counts for less the more it misses. Where the first half has no loss, the queue may
be any that holds what waited, and random losses may be as frequent as that allows. The weights are a choice; how often the interval has the
truth is counted (docs/reference/fits.md).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...scenario.given import assignments
from .errors import FitError
from .measure import Measured, measure, same
from .scenario import base, deepest, simulate, text
from .score import Score, after, score
from .search import LOSS, QUEUE, TIMER, Search, Tried

#: The share of the acknowledged data that is fitted where the rest is held out.
FITTED = 0.5
#: Fewest ACKs of new data in each half.
LEAST_ACKS = 10
#: Seeds of a prediction with random losses; its median counts.
SEEDS = 5
#: The interval holds this share of the members.
CLAIM = 0.9
#: Members are choices that cost at most this factor, or this margin, more than the best; at most so many.
LOOSE, LOOSE_MARGIN, MOST = 2.0, 0.02, 24
#: Queues of members, as multiples of what waited in a first half without a loss; and losses of members in it.
BEYOND, UNSEEN = (1.0, 1.5, 2.5, 5.0), ((1.0, 0.1), (3.0, 0.03))
#: A cost that is more than the best by that of the best, or by this, counts e times less.
LEAST_MISFIT = 0.005
#: The interval is wider by this, and by so many times the misfit of the first half.
LEAST_MARGIN, MISFITS = 0.01, 2.0


@dataclass(frozen=True)
class HeldOut:
    """The second half as the first predicts it, beside what was captured."""

    score: Score
    """Of the model that fits the first half best."""
    low: float
    high: float
    """Ends of the interval of the second half's time, as differences from what it took, relative to that."""
    members: int
    """Simulations behind the interval."""
    open: Sequence[str]
    """What the first half does not determine."""

    @property
    def end(self) -> float:
        """Difference of the time that the best model predicts, relative to what it took."""
        return self.score.end

    @property
    def covered(self) -> bool:
        """True if the interval has what the second half took."""
        return self.low <= 0.0 <= self.high


@dataclass(frozen=True)
class Member:
    """A simulation of the second half that the first allows."""

    sets: Mapping[str, Any]
    seed: int
    weight: float


def check(path: str | os.PathLike[str], whole: Measured, tick: Callable[[int], None]) -> tuple[HeldOut, int]:
    """Fits the first half alone, and compares what it predicts of the second; and the number of simulations.

    Raises:
        FitError: the first half does not show enough.
    """
    from ...captures import analyze

    half = whole.curve.filter(whole.curve["ack_bytes"] <= FITTED * whole.bytes)
    if half.height < LEAST_ACKS or whole.curve.height - half.height < LEAST_ACKS:
        raise FitError(f"its first half has {half.height} ACKs of new data; {LEAST_ACKS} in each half are needed")
    part = analyze(path, until_s=whole.start_s + float(half["time_s"][-1]))
    row = same(part, whole.row)
    if row is None:
        raise FitError("its first half has no data")
    first = measure(part, row)
    search = Search(first, tick)
    models = search.best(first.curve)[1]
    best, made = models[0], dict[str, Score]()

    def second(member: Member) -> Score:
        sets, seed = dict(member.sets), member.seed
        key = json.dumps([seed, sets], sort_keys=True)
        if key not in made:
            simulated = simulate(text(base(first, whole.bytes, whole)), first.place.end, assignments(sets), seed)
            made[key] = score(after(whole.curve, first.bytes), after(simulated.curve, first.bytes))
            tick(search.count + len(made))
        return made[key]

    point = sorted((second(one) for one in _seeds(best, 1.0)), key=lambda one: one.end)
    several = list(members(first, search, models))
    ends = [second(one).end for one in several]
    low, high = interval(ends, [one.weight for one in several], best.score.curve)
    return HeldOut(point[len(point) // 2], low, high, len(ends), unknown(first, models)), search.count + len(made)


def interval(ends: Sequence[float], weights: Sequence[float], misfit: float) -> tuple[float, float]:
    """The middle share of the members' ends by their weights, wider by the first half's misfit."""
    margin = max(LEAST_MARGIN, MISFITS * misfit)
    order = np.argsort(ends)
    reached = np.cumsum(np.array(weights)[order]) / np.sum(weights)
    low, high = (float(np.array(ends)[order][np.searchsorted(reached, one)]) for one in ((1 - CLAIM) / 2, (1 + CLAIM) / 2))
    return (1 + low) * (1 - margin) - 1, (1 + high) * (1 + margin) - 1


def members(first: Measured, search: Search, models: Sequence[Tried]) -> Iterable[Member]:
    """Choices that the first half allows, with seeds."""
    best = models[0]
    within = [one for one in search.models if one.cost <= max(LOOSE * best.cost, best.cost + LOOSE_MARGIN)]
    distinct: dict[str, Tried] = {}
    for one in [*models, *within]:
        distinct.setdefault(_but_timer(one.sets), one)
    loose = list(distinct.values())[:MOST]
    for one in loose:
        yield from _seeds(one, _weight(one, best))
    senders = list({one.names["sender"]: one for one in reversed(loose)}.values())
    sent = max(first.row["segments"], 1)
    for one in senders:
        weight = _weight(one, best)
        if not first.lost[0] or first.repairing:
            waited = deepest(search.text, assignments(dict(one.sets)))
            yield from (Member({**one.sets, QUEUE: max(round(factor * waited), 3)}, 1, weight / len(BEYOND)) for factor in BEYOND)
        if LOSS not in one.sets:
            yield from (Member({**one.sets, LOSS: _random(count / sent)}, seed, part * weight) for count, part in UNSEEN for seed in (1, 2))
    if LOSS in best.sets:
        share = first.values["loss"]
        yield from (Member({**best.sets, LOSS: _random(end)}, seed, 0.1) for end in (share.low or 0.0, share.high or 1.0) for seed in (1, 2, 3))


def _weight(one: Tried, best: Tried) -> float:
    """What costs more than the best counts for less."""
    return math.exp((best.cost - one.cost) / max(best.cost, LEAST_MISFIT))


def _but_timer(sets: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in sets.items() if key != TIMER}, sort_keys=True)


def _random(rate: float) -> dict[str, Any]:
    return {"rate": float(f"{rate:.4g}"), "only": "payload"}


def _seeds(one: Tried, weight: float) -> list[Member]:
    seeds = range(1, SEEDS + 1 if LOSS in one.sets else 2)
    return [Member(one.sets, seed, weight / len(seeds)) for seed in seeds]


def unknown(first: Measured, models: Sequence[Tried]) -> list[str]:
    """What the first half leaves open, in words."""
    found = []
    if not first.lost[0]:
        found.append("the queue, because it has no loss")
    elif first.repairing:
        found.append("the queue, because it ends while losses are repaired")
    elif len({one.names["losses"] for one in models}) > 1:
        found.append("whether the queue or chance lost packets")
    if not first.values["rate"].determined:
        found.append("the rate")
    if len({one.names["sender"] for one in models}) > 1:
        found.append("the sender")
    return found
