"""The check of a fit by the half of the connection that was held out: what the first half predicts of the second, with an interval.

The first half is a capture that ends there: no estimate has seen what comes later. The amount of data and the writes of a pausing
application are given, because no network decides them. Losses of the second half are not given.

What the first half leaves open widens the interval. Its members are simulations of what fits the first half about as
well: other senders, other queues, other seeds of random losses. Where the first half has no loss, the queue may be any that holds what
waited, and random losses may be as frequent as that allows. Each has a weight that falls with its misfit. The weights were calibrated on
drawn connections whose truth is known: they gave the best interval score (Gneiting and Raftery, JASA 2007, section 6.2).
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
from ...text.numbers import counted
from .measure import Measured, measure, same
from .place import FitError, Waits, waits
from .search import (
    LOOSE,
    LOOSE_MARGIN,
    LOSS,
    QUEUE,
    TIMER,
    Score,
    Search,
    Tried,
    after,
    base,
    deepest,
    score,
    simulate,
    text,
)

#: What an interval claims: the share of connections whose truth it has.
CLAIM = 0.9
#: A misfit that is smaller than this cost says nothing of which choice is better.
LEAST_MISFIT = 0.005


@dataclass(frozen=True)
class Weights:
    """How members count, and how much wider the interval is than they are."""

    decay: float
    """A choice whose cost is more by so many times the best one's cost counts *e* times less."""
    queue: float
    """Weight of all queues that a first half without a loss allows, beside 1 for the choice itself."""
    once: float
    """Weight of random losses that were not seen, as frequent as one in the first half."""
    thrice: float
    """The same, as frequent as three."""
    ends: float
    """Weight of the two ends of the interval of random losses."""
    held: float
    """The middle share of the weight that the interval has."""
    margin: float
    """The interval is wider by this share of the time at each end."""
    misfits: float
    """And by so many times the misfit of the first half, if that is more."""


#: The calibrated weights.
WEIGHTS = Weights(decay=0.5, queue=2.0, once=0.2, thrice=0.06, ends=0.3, held=0.9, margin=0.01, misfits=4.0)


@dataclass(frozen=True)
class Member:
    """A simulation of the second half that the first allows."""

    sets: Mapping[str, Any]
    seed: int
    kind: str
    """``choice`` of the search, or the field of :class:`Weights` for what was added to one."""
    excess: float
    """Cost of the choice above the best one's, in units of that."""
    share: float
    """Part of its kind's weight."""

    def weight(self, by: Weights) -> float:
        """How much it counts."""
        kind = 1.0 if self.kind == "choice" else float(getattr(by, self.kind))
        return kind * self.share * math.exp(-self.excess / by.decay)


def excess(cost: float, best: float) -> float:
    """Cost above the best one's, in units of that."""
    return (cost - best) / max(best, LEAST_MISFIT)


def interval(
    members: Sequence[Member], ends: Sequence[float], misfit: float, by: Weights = WEIGHTS
) -> tuple[float, float]:
    """The middle share of what members predict by their weights, made wider.

    Args:
        members: the simulations.
        ends: relative difference of each one's time from a common time; above -1.
        misfit: mean difference of the best model's curve in the fitted part, as a share of its time.
        by: the weights.

    Returns:
        The ends of the interval, as relative differences from the same time.
    """
    margin = min(max(by.margin, by.misfits * misfit), 0.9)
    order = np.argsort(ends)
    reached = np.cumsum(np.array([one.weight(by) for one in members])[order])
    places = np.searchsorted(reached / reached[-1], [(1 - by.held) / 2, (1 + by.held) / 2])
    low, high = np.array(ends)[order][np.minimum(places, len(order) - 1)]
    return float((1 + low) * (1 - margin) - 1), float((1 + high) * (1 + margin) - 1)


#: The share of the acknowledged data that is fitted where the rest is held out.
FITTED = 0.5
#: Fewest ACKs of new data in each half.
LEAST_ACKS = 10
#: Seeds of a prediction with random losses; its median counts.
SEEDS = 5
#: Members are choices that cost little more than the best, at most so many.
MOST = 24
#: Queues of members, as multiples of what waited in a first half without a loss.
BEYOND = (1.0, 1.5, 2.5, 5.0)
#: Random losses of members, by the name of their weight: how many in the first half; and their seeds.
UNSEEN, UNSEEN_SEEDS = {"once": 1.0, "thrice": 3.0}, (1, 2, 3, 4)


@dataclass(frozen=True)
class HeldOut:
    """The second half as the first predicts it, beside what was captured."""

    score: Score
    """Of the model that fits the first half best."""
    low: float
    high: float
    """Ends of the interval of the second half's time, as differences from what it took, relative to that."""
    members: Sequence[Member]
    """Simulations behind the interval."""
    ends: Sequence[float]
    """What each predicts, as a difference from what the second half took, relative to that."""
    misfit: float
    """Mean difference of the best model's curve in the first half, as a share of its time."""
    open: Sequence[str]
    """What the first half does not determine."""
    waits: Waits | None = None
    """Round trips of the whole transfer, as the model of the first half has them, beside the capture's; None if nothing shows them."""

    @property
    def end(self) -> float:
        """Difference of the time that the best model predicts, relative to what it took."""
        return self.score.end

    @property
    def covered(self) -> bool:
        """True if the interval has what the second half took."""
        return self.low <= 0.0 <= self.high


def check(path: str | os.PathLike[str], whole: Measured, tick: Callable[[int], None]) -> tuple[HeldOut, int]:
    """Fits the first half alone, and compares what it predicts of the second; and the number of simulations.

    Raises:
        FitError: the first half does not show enough.
    """
    from ...captures import of_capture

    half = whole.curve.filter(whole.curve["ack_bytes"] <= FITTED * whole.bytes)
    if half.height < LEAST_ACKS or whole.curve.height - half.height < LEAST_ACKS:
        raise FitError(
            f"its first half has {counted(half.height, 'ACK')} of new data; {LEAST_ACKS} in each half are needed"
        )
    part = of_capture(path, until_s=whole.start_s + float(half["time_s"][-1]))
    row = same(part, whole.row)
    if row is None:
        raise FitError("its first half has no data")
    first = measure(part, row)
    search = Search(first, tick)
    models = search.best(first.curve)[1]
    best, made, trips = models[0], dict[str, Score](), dict[str, Waits | None]()

    def second(member: Member) -> Score:
        sets, seed = dict(member.sets), member.seed
        key = json.dumps([seed, sets], sort_keys=True)
        if key not in made:
            simulated = simulate(text(base(first, whole.bytes, whole)), first.place.end, assignments(sets), seed)
            trips[key] = waits(whole.row, simulated.row)
            made[key] = score(after(whole.curve, first.bytes), after(simulated.curve, first.bytes))
            tick(search.count + len(made))
        return made[key]

    point = sorted((second(one) for one in _seeds(best, 0.0)), key=lambda one: one.end)
    several = list(members(first, search, models))
    ends = [second(one).end for one in several]
    low, high = interval(several, ends, best.score.curve)
    middle = point[len(point) // 2]
    both = next(trips[key] for key, one in made.items() if one is middle)
    return HeldOut(
        middle, low, high, several, ends, best.score.curve, unknown(first, models), both
    ), search.count + len(made)


def members(first: Measured, search: Search, models: Sequence[Tried]) -> Iterable[Member]:
    """Choices that the first half allows, with seeds."""
    best = models[0]
    within = [one for one in search.models if one.cost <= max(LOOSE * best.cost, best.cost + LOOSE_MARGIN)]
    distinct: dict[str, Tried] = {}
    for one in [*models, *within]:
        distinct.setdefault(_but_timer(one.sets), one)
    loose = list(distinct.values())[:MOST]
    for one in loose:
        yield from _seeds(one, excess(one.cost, best.cost))
    senders = list({one.names["sender"]: one for one in reversed(loose)}.values())
    sent = max(first.row["segments"], 1)
    for one in senders:
        more = excess(one.cost, best.cost)
        if not first.lost[0] or first.repairing or QUEUE not in one.sets:
            waited = deepest(search.text, assignments(dict(one.sets)))
            yield from (
                Member({**one.sets, QUEUE: max(round(factor * waited), 3)}, 1, "queue", more, 1 / len(BEYOND))
                for factor in BEYOND
            )
        if LOSS not in one.sets:
            for name, count in UNSEEN.items():
                yield from (
                    Member({**one.sets, LOSS: _random(count / sent)}, seed, name, more, 1 / len(UNSEEN_SEEDS))
                    for seed in UNSEEN_SEEDS
                )
    if LOSS in best.sets:
        share = first.values["loss"]
        yield from (
            Member({**best.sets, LOSS: _random(end)}, seed, "ends", 0.0, 1 / 6)
            for end in (share.low or 0.0, share.high or 1.0)
            for seed in (1, 2, 3)
        )


def _but_timer(sets: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in sets.items() if key != TIMER}, sort_keys=True)


def _random(rate: float) -> dict[str, Any]:
    return {"rate": float(f"{rate:.4g}"), "only": "payload"}


def _seeds(one: Tried, more: float) -> list[Member]:
    seeds = range(1, SEEDS + 1 if LOSS in one.sets else 2)
    return [Member(one.sets, seed, "choice", more, 1 / len(seeds)) for seed in seeds]


def unknown(first: Measured, models: Sequence[Tried]) -> list[str]:
    """Parameters that the first half leaves open."""
    several = {name: len({one.names[name] for one in models}) > 1 for name in ("losses", "sender")}
    queue = not first.lost[0] or first.repairing
    return [
        name
        for name, open_ in (
            ("queue", queue),
            ("losses", several["losses"] and not queue),
            ("rate", not first.values["rate"].determined),
            ("sender", several["sender"]),
        )
        if open_
    ]
