"""Sections 5.4 to 5.6: slow return paths, changing capacity, many connections (Figures 13 to 16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ...reproduce.experiments import Effort, Traces, only, records
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement, Number
from ...reproduce.resample import spearman
from ...study.intervals import Sample
from .dynamics import Runs
from .runs import ASYMMETRIC, FIG13, FIG15, Connection, Recorded
from .setting import PAPER, many
from .times import FILLED, along, gain

BASE_RTT_S = 0.059


def crossover(grid: Grid, faster: str, slower: str) -> float:
    """The rate from which on the first scheme is the faster one, while below it the second is. It is the split that puts the fewest
    rates on the wrong side, and the lowest of several such splits. 31 kb/s means never."""
    better = grid.at(scheme=faster)["t1"] < grid.at(scheme=slower)["t1"]
    rates = [*grid.axes["kbps"], 31]
    wrong = [int(better[:k].sum() + (~better[k:]).sum()) for k in range(len(rates))]
    return float(rates[int(np.argmin(wrong))])


@PAPER.claim("fig13.21k", only(ASYMMETRIC, scheme=("acc", "smart")))
def smart_overtakes_acc(grid: Grid) -> Measurement:
    return Measurement({"rate": crossover(grid, "smart", "acc")})


@PAPER.claim("fig13.20k", only(ASYMMETRIC, scheme=("newreno", "smart")))
def smart_overtakes_newreno(grid: Grid) -> Measurement:
    return Measurement({"rate": crossover(grid, "smart", "newreno")})


@PAPER.claim("fig13.cause", FIG13)
def the_round_trip_grows(runs: Mapping[int, Recorded]) -> Measurement:
    slow = {f"{kbps} kb/s": run for kbps, run in runs.items() if kbps < 15}
    return Measurement(
        {
            "rtt": {name: float(run.smoothed_probes().max() / BASE_RTT_S) for name, run in slow.items()},
            "acks": {name: run["f1"].ack_share(0, float("inf")) for name, run in slow.items()},
        }
    )


@PAPER.claim("fig14.order", only(FILLED, scheme=("newreno", "acc", "smart-paced")))
def smart_gains_more_than_acc(grid: Grid) -> Measurement:
    gains = {s: gain(grid, s) for s in ("smart-paced", "acc")}
    found = {x: {s: float(g[i]) for s, g in gains.items()} for i, x in enumerate(along(grid))}
    return Measurement({"reduction": found})


LATER_S, ROUND_S = 0.05, 0.1
PERIOD_S, TURNS = 5.0, 3
"""How long the UDP flow sends, and is silent (section 4.2); how many of its turns are judged."""


def turns(run: Recorded) -> Array:
    """When the UDP flow of the forward direction begins to send."""
    sends = run.sends["udp2"]
    return sends[np.diff(sends, prepend=-PERIOD_S) > PERIOD_S / 2][:TURNS]


def after_release(c: Connection, at: float, rounds: int = 10) -> list[float]:
    """ACKs for a segment in each of the round trips that follow."""
    return [c.ack_share(at + LATER_S + k * ROUND_S, at + LATER_S + (k + 1) * ROUND_S) for k in range(rounds)]


MAX_ROUNDS = 20


def rounds_to_each(run: Recorded) -> list[int]:
    """After each release, the first round trip with 0.8 ACKs a segment; one more than the most where none has them."""
    c = run["f1"]
    shares = [after_release(c, at, MAX_ROUNDS) for at in turns(run) + PERIOD_S if at + 2 < float(c.time[-1])]
    return [next((k + 1 for k, share in enumerate(s) if share >= 0.8), MAX_ROUNDS + 1) for s in shares]


@PAPER.claim("fig15.react", FIG15)
def smart_reacts(runs: Runs) -> Measurement:
    c = runs["smart-paced"]["f1"]
    releases = [at for at in turns(runs["smart-paced"]) + PERIOD_S if at + PERIOD_S < float(c.time[-1])]
    within = float(np.mean([max(after_release(c, at)) for at in releases]))
    spans = {"released": (LATER_S, LATER_S + 10 * ROUND_S), "full": (3.0, PERIOD_S)}

    def mean(read: Callable[[float, float], float]) -> dict[str, Number]:
        return {when: float(np.mean([read(at + a, at + b) for at in releases])) for when, (a, b) in spans.items()}

    return Measurement({"release": within, "sparser": mean(c.ack_share), "slower": mean(partial(growth, c))})


@PAPER.claim("fig15.acc16", FIG15)
def acc_needs_many_round_trips(runs: Runs) -> Measurement:
    acc, smart = (rounds_to_each(runs[s]) for s in ("acc", "smart-paced"))
    return Measurement({"acc": max(acc), "ratio": float(np.mean(smart) / np.mean(acc))})


@PAPER.claim("fig15.losses", FIG15)
def cross_traffic_causes_losses(runs: Runs) -> Measurement:
    def fewest(run: Recorded) -> float:
        drops = run["f1"].drops
        return float(min(np.sum((drops >= at) & (drops < at + 1)) for at in turns(run)[1:]))

    return Measurement({"losses": {s: fewest(runs[s]) for s in ("paced", "smart-paced")}})


def growth(c: Connection, begin: float, end: float) -> float:
    """Segments a second."""
    grid, cwnd, _ = c.on_grid(begin, end)
    return float(np.polyfit(grid, cwnd, 1)[0])


@PAPER.claim("fig15.linear", FIG15)
def paced_newreno_grows_as_before(runs: Runs) -> Measurement:
    run = runs["paced"]
    c, around = run["f1"], 1.5
    free = [at for at in turns(run) + PERIOD_S if not np.any(np.abs(c.drops - at) < around) and at + 2 < c.time[-1]]
    found = [growth(c, at, at + around) / growth(c, at - around, at) for at in free]
    return Measurement({"ratio": float(np.mean(found)) if found else float("nan")})


CONNECTIONS, SEEDS = (1, 2, 5, 10, 20, 50), (1, 2, 3, 4, 5)


def wrong_share(result: Recorded | object) -> float:
    """Share of wrong verdicts among all after the first four seconds, by connections from A to B: an ACK at once although the bottleneck sent
    99 % of the last 60 ms, or a delayed one although it did not."""
    run = Recorded(result)
    busy_until = np.concatenate(([0.0], np.cumsum(run.served_bytes * 8 / 8e6)))

    def sent_before(at: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        place = np.searchsorted(run.served, at, side="right")
        last = np.where(place > 0, run.served[np.maximum(place - 1, 0)], 0.0)
        size = np.where(place > 0, run.served_bytes[np.maximum(place - 1, 0)] * 8 / 8e6, 0.0)
        return np.asarray(busy_until[place] - np.clip(last + size - at, 0, None))

    wrong, every = 0, 0
    for name, c in run.connections.items():
        if not name.startswith("f1"):
            continue
        seen = (c.arrivals > 4.0) & (np.diff(c.in_order, prepend=0) == 1)
        at = c.arrivals[seen]
        at_once = np.isin(at, c.acks)
        # The segment left the bottleneck 25 ms and its transmission before.
        then = at - 0.0258
        busy = sent_before(then) - sent_before(then - 0.06) >= 0.99 * 0.06
        wrong, every = wrong + int((busy == at_once).sum()), every + len(at)
    return wrong / every


def _many(effort: Effort) -> Mapping[tuple[int, int], str]:
    chosen = ((n, s) for n in CONNECTIONS for s in SEEDS if not effort.quick or (n in (1, 5, 20) and s <= 2))
    return {(n, s): records(many(n, s), "packets", "series") for n, s in chosen}


MANY = Traces("verdicts", "smartacking's verdict on the bottleneck, by the number of connections", _many, wrong_share)  # type: ignore[arg-type]


@PAPER.claim("text.isat_multiplexing", MANY)
def verdicts_get_worse(found: Mapping[tuple[int, int], float]) -> Measurement:
    numbers, seeds = (sorted(set(one)) for one in zip(*found, strict=True))
    ranks = [spearman(numbers, [found[n, s] for n in numbers]) for s in seeds]
    return Measurement({"rank": Sample.of(ranks)})
