"""The fit: estimates first, then a search over simulations for what they leave open, judged by a part that was held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl

from .errors import FitError
from .measure import Measured, Value
from .scenario import DEEP, Point, Simulated, simulate, tree
from .score import Score, score

if TYPE_CHECKING:
    from ...captures import Analysis

#: A choice is as good as the best if its score is within this factor and margin: what differs within is not determined.
ALIKE, MARGIN = 1.25, 0.002
#: A fit is bad beyond these shares: of the mean difference of the curves, and of the held-out part's time.
BAD_CURVE, BAD_END = 0.10, 0.15
#: Queues that are tried, in bandwidth-delay products, where none is measured.
QUEUES = (0.25, 0.5, 1.0, 2.0, 4.0)
#: The share of the acknowledged data that is fitted where the rest is held out.
FITTED = 0.5


@dataclass(frozen=True)
class Tried:
    """A point, and how far its simulation is from what was fitted."""

    point: Point
    score: Score

    @property
    def cost(self) -> float:
        """The curve's difference, and a tenth of that of the ACKs' number."""
        return self.score.curve + 0.1 * min(abs(self.score.acks), 1.0)


@dataclass(frozen=True)
class Fit:
    """A fitted scenario, with what is known of each parameter."""

    measured: Measured
    best: Tried
    alike: Sequence[Tried]
    """The points that fit as well, the best first."""
    values: Sequence[Value]
    whole: Score
    """Of the whole connection."""
    held_out: Score | None
    """Of the second half of the data, where only the first was fitted: the difference of its time, and of its curve."""
    simulated: Simulated
    tried: int

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario's tree, which `acklab run` runs."""
        return {key: value for key, value in tree(self.measured, self.best.point).items() if key != "record"}

    @property
    def bad(self) -> str:
        """Why no prediction follows from it; empty if one does."""
        if self.whole.curve > BAD_CURVE:
            return f"the simulation differs from the capture by {self.whole.curve:.0%} of its time in the mean (at most {BAD_CURVE:.0%})"
        if self.held_out is not None and abs(self.held_out.end) > BAD_END:
            return f"fitted to its first half, it misses the time of the second by {self.held_out.end:+.0%} (at most {BAD_END:.0%})"
        return ""


def fit(found: Analysis, measured: Measured, tick: Callable[[int], None] = lambda tried: None) -> Fit:
    """Fits a direction.

    Args:
        found: the analysis with its packets.
        measured: the estimates.
        tick: called with the number of simulations so far.

    Raises:
        FitError: no choice is a legal scenario.
    """
    losses = lost(found, measured)
    half = measured.acked.filter(pl.col("ack_bytes") <= FITTED * measured.bytes)
    search = _Search(measured, losses, tick)
    best = search.best(measured.acked)
    whole = simulate(tree(measured, best[0].point), measured.place)
    held_out = None
    if half.height >= 20:
        first = search.best(half)
        predicted = simulate(tree(measured, _without_later(first[0].point, measured, losses)), measured.place)
        held_out = _second_half(measured.acked, predicted.acked, half)
    return Fit(measured, best[0], best, _values(measured, best, losses), score(measured.acked, whole.acked), held_out, whole, search.count)


def lost(found: Analysis, measured: Measured) -> list[int]:
    """Numbers of the data packets that were lost, in the order in which they left the sender, from 0.

    Near the sender these are the packets whose bytes passed again. Elsewhere it is the place of each gap that a late packet filled.
    """
    row = measured.row
    mine = (pl.col("connection") == row["connection"]) & (pl.col("direction") == row["direction"])
    data = pl.DataFrame(found.segments).filter(mine & (pl.col("payload_bytes") > 0)).with_columns(kind=pl.col("kind").cast(pl.String))
    unit = float(row["segment_bytes"])
    if measured.place == "sender":
        numbered = data.with_row_index("number").with_columns(place=(pl.col("seq_bytes") / unit).round())
        again = numbered.filter(pl.col("kind") == "resent").group_by("place").len("times")
        first = numbered.sort("number").join(again, on="place").with_columns(nth=pl.col("number").rank("ordinal").over("place"))
        return sorted(first.filter(pl.col("nth") <= pl.col("times"))["number"].to_list())
    # What was lost before this place left a gap; its packet's number is that of its bytes, plus the repetitions before it.
    late = data.filter(pl.col("kind") == "late")["seq_bytes"].sort().to_list()
    return [round(seq / unit) + count for count, seq in enumerate(late)]


class _Search:
    """Simulations of choices, each made once."""

    def __init__(self, measured: Measured, losses: list[int], tick: Callable[[int], None]) -> None:
        self._measured, self._losses, self._tick = measured, losses, tick
        self._made: dict[str, Simulated] = {}

    @property
    def count(self) -> int:
        """How many were made."""
        return len(self._made)

    def best(self, acked: pl.DataFrame) -> list[Tried]:
        """The best choice for what was acknowledged, and those as good."""
        start = _start(self._measured)
        found: list[Tried] = []
        several = [("linux", "cubic"), ("linux", "reno"), ("rfc", "reno")]
        losses = [(), tuple(self._losses)] if self._losses else [()]
        for (stack, control), missing, ack in product(several, losses, policies(self._measured)):
            deep = replace(start, stack=stack, control=control, losses=missing, ack=ack, queue_packets=DEEP if missing else start.queue_packets)
            found.append(self._try(deep, acked))
        found.sort(key=lambda one: one.cost)
        for queue in queues(self._measured):
            if not found[0].point.losses and self._losses:
                found.append(self._try(replace(found[0].point, queue_packets=queue), acked))
        found.sort(key=lambda one: one.cost)
        low, high = self._measured.values["rate"].low, self._measured.values["rate"].high
        for rate in ([low, high] if low and high and high > 1.01 * low else []):
            found.append(self._try(replace(found[0].point, rate_bps=rate), acked))
        found.sort(key=lambda one: one.cost)
        return [one for one in found if one.cost <= ALIKE * found[0].cost + MARGIN]

    def _try(self, point: Point, acked: pl.DataFrame) -> Tried:
        key = repr(point)
        if key not in self._made:
            self._made[key] = simulate(tree(self._measured, point), self._measured.place)
            self._tick(self.count)
        return Tried(point, score(acked, self._made[key].acked))


def _start(measured: Measured) -> Point:
    values = measured.values
    return Point(float(values["rate"].value), float(values["rtt"].value), queues(measured)[0], "cubic", "linux", policies(measured)[0])


def queues(measured: Measured) -> list[int]:
    """Queues to try, in packets: the measured one and its neighbours, or parts of a bandwidth-delay product."""
    queue = measured.values["queue"]
    if queue.value is not None:
        return [int(queue.value), *(max(int(queue.value * share), 2) for share in (0.8, 0.9, 1.1, 1.25))] if queue.determined else [DEEP]
    packet = 8.0 * (measured.row["segment_bytes"] + 52)
    product_ = measured.values["rate"].value * measured.values["rtt"].value / packet
    return [max(round(share * product_), 2) for share in QUEUES] if measured.values["rate"].determined else [DEEP]


def policies(measured: Measured) -> list[Mapping[str, Any] | str]:
    """ACK policies that the capture allows."""
    every, timer = measured.row["ack_every"], measured.row["timer_s"]
    wait = {} if timer is None else {"timer": f"{timer:.4f}s"}
    match measured.row["policy"]:
        case "every":
            return [{"policy": "every"}]
        case "delayed" if every is not None:
            return [{"policy": "delayed", "segments": every, **wait}]
        case "quick-then-delayed" | "by-phase":
            return [{"policy": "linux"}]
        case _:
            return [{"policy": "every"}, {"policy": "delayed", **wait}, {"policy": "linux"}]


def _without_later(point: Point, measured: Measured, losses: list[int]) -> Point:
    """The point without the losses of the half that was held out: what is fitted must not know them."""
    until = FITTED * measured.bytes / measured.row["segment_bytes"]
    early = tuple(number for number in losses if number <= until)
    return replace(point, losses=early if point.losses else ())


def _second_half(measured: pl.DataFrame, simulated: pl.DataFrame, half: pl.DataFrame) -> Score:
    """Compares the second halves, each from the instant at which its first half was acknowledged."""
    done = int(half["ack_bytes"][-1])

    def after(acked: pl.DataFrame) -> pl.DataFrame:
        start = acked.filter(pl.col("ack_bytes") >= done)["time_s"].min()
        later = acked.filter(pl.col("ack_bytes") > done)
        return later.select(time_s=pl.col("time_s") - (start or 0.0), ack_bytes=pl.col("ack_bytes") - done)

    return score(after(measured), after(simulated))


def _values(measured: Measured, best: Sequence[Tried], losses: list[int]) -> list[Value]:
    """Every parameter, with what the search found: a choice that others fit as well is not determined."""
    point = best[0].point

    def among(read: Callable[[Point], Any]) -> list[Any]:
        return list(dict.fromkeys(read(one.point) for one in best))

    senders = among(lambda one: f"{one.stack} {one.control}")
    queues_ = among(lambda one: one.queue_packets)
    acks = among(lambda one: str(one.ack))
    found = {**measured.values}
    found["sender"] = Value("sender", senders[0], "", None, None, len(senders) == 1, "search" if len(senders) == 1 else f"{', '.join(senders[1:])} fit as well")
    if point.losses:
        found["queue"] = Value("queue", None, "packets", determined=False, how="losses are replayed one by one")
    elif losses and measured.values["queue"].value is None:
        numbers = [one for one in queues_ if one != DEEP]
        alone = len(numbers) == 1
        found["queue"] = Value("queue", point.queue_packets, "packets", min(numbers, default=None), max(numbers, default=None), alone, "search")
    if not measured.values["policy"].determined:
        found["policy"] = Value("policy", acks[0], "", None, None, len(acks) == 1, "search" if len(acks) == 1 else f"{', '.join(acks[1:])} fit as well")
    return list(found.values())


def what_if(found: Fit, sets: Sequence[str]) -> list[tuple[Simulated, Simulated]]:
    """The fitted scenario, and the same with assignments as of ``--set``, for each point that fits as well as the best.

    Raises:
        FitError: the fit is bad, or an assignment is not legal.
    """
    if found.bad:
        raise FitError(f"no prediction: {found.bad}")
    pairs = []
    for one in found.alike[:20]:
        scenario = tree(found.measured, one.point)
        pairs.append((simulate(scenario, found.measured.place), simulate(scenario, found.measured.place, sets)))
    return pairs
