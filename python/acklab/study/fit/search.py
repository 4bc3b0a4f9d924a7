"""The search for what the estimates leave open: choices of a small space are simulated, and compared with the capture.

A simulation is captured at the same place. It is as far from the capture as the instants at which the same shares of the data are
acknowledged, and the number of ACKs.

The space is one of :mod:`acklab.study.space`. It has named alternatives of the sender, of the losses and of the ACK policy. Then
come a queue's length, random losses, timers, and the ends of the rate's interval.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ... import _core
from ...scenario.given import assignments
from ..space import Alternatives, Choice, Free, Space
from .estimates import events, policies
from .measure import Measured
from .place import STAMPS, FitError, Row, Waits, header, stamped, waits

if TYPE_CHECKING:
    from ...captures import Analysis

#: Shares of the data that are compared.
SHARES = np.linspace(0.02, 1.0, 50)


@dataclass(frozen=True)
class Score:
    """A comparison of two curves of acknowledged data."""

    curve: float
    """Mean of the differences in time at :data:`SHARES`, as a share of the time that the capture took."""
    end: float
    """Difference of the last instants, as a share of the capture's; positive where the simulation takes longer."""
    acks: float
    """Difference of the numbers of ACKs of new data, as a share of the capture's."""
    sizes: float = 0.0
    """Share of the ACKs that acknowledge another number of bytes: the distributions' total variation. Errors that cancel in ``acks`` do not here."""

    @property
    def cost(self) -> float:
        """What a search makes small: the difference of the curves, and a tenth of that of the ACKs' numbers."""
        return self.curve + 0.1 * min(abs(self.acks), 1.0)


NONE = Score(float("inf"), float("inf"), float("inf"), 1.0)
"""Of a simulation without data."""


def times(curve: pl.DataFrame, amounts: Any) -> Any:
    """When so many bytes were acknowledged; infinite where they never were."""
    bytes_, time = curve["ack_bytes"].to_numpy(), curve["time_s"].to_numpy()
    places = np.searchsorted(bytes_, amounts, side="left")
    return np.where(places < len(time), time[np.minimum(places, len(time) - 1)], np.inf)


def score(measured: pl.DataFrame, simulated: pl.DataFrame) -> Score:
    """Compares ``simulated`` with ``measured`` as far as that goes; both have ``time_s`` and ``ack_bytes``."""
    if not simulated.height or not measured.height:
        return NONE
    reached = int(measured["ack_bytes"][-1])
    end = max(float(measured["time_s"][-1]), 1e-9)
    ours, theirs = times(simulated, SHARES * reached), times(measured, SHARES * reached)
    until = simulated.filter(pl.col("ack_bytes") <= reached).height
    sizes = _apart(_sizes(simulated.head(until)), _sizes(measured))
    return Score(
        float(np.mean(np.abs(ours - theirs)) / end), float(ours[-1] / end - 1), until / measured.height - 1, sizes
    )


def _sizes(curve: pl.DataFrame) -> dict[int, float]:
    """Share of the ACKs that acknowledge each number of bytes."""
    found, counts = np.unique(np.diff(curve["ack_bytes"].to_numpy(), prepend=0), return_counts=True)
    return dict(zip(found.tolist(), (counts / max(curve.height, 1)).tolist(), strict=True))


def _apart(one: dict[int, float], other: dict[int, float]) -> float:
    return sum(abs(one.get(size, 0.0) - other.get(size, 0.0)) for size in {*one, *other}) / 2


def after(curve: pl.DataFrame, done: int) -> pl.DataFrame:
    """A curve from the instant at which ``done`` bytes were acknowledged."""
    start = curve.filter(pl.col("ack_bytes") >= done)["time_s"].min()
    later = curve.filter(pl.col("ack_bytes") > done)
    return later.select(time_s=pl.col("time_s") - (start or 0.0), ack_bytes=pl.col("ack_bytes") - done)


#: Rate of the links that are no bottleneck, and packets of a queue that never fills.
FAST, DEEP = "100Gbps", 100_000
#: A simulation ends after so many times what the capture took, and a few seconds.
PATIENCE, MORE_S = 4.0, 10.0


def base(measured: Measured, size: int | None = None, whole: Measured | None = None) -> dict[str, Any]:
    """The scenario's tree without what a search chooses.

    Args:
        measured: the estimates.
        size: bytes to send; as many as the capture acknowledges without it.
        whole: whose application and duration it has, if not those of ``measured``.
    """
    row, values, whole = measured.row, measured.values, whole or measured
    rtt = values["round trip"].value
    delays = measured.place.delays(rtt)
    sender: dict[str, Any] = {
        "packet": row["segment_bytes"] + STAMPS * stamped(row), "header": header(row), "timestamps": stamped(row),
        "initial_window": values["initial window"].value, "window": f"{max(values['window'].value, 2 * row['segment_bytes'])}B",
    }  # fmt: skip
    deep = {"kind": "drop-tail", "packets": DEEP}
    middle = {
        "between": ["A", "B"], "rate": f"{values['rate'].value:.0f}bps", "delay": f"{delays[1]:.9f}s", "queue": dict(deep),
        "back": {"queue": deep},
    }  # fmt: skip
    near = {"between": ["S", "A"], "rate": FAST, "delay": f"{delays[0]:.9f}s", "queue": deep}
    far = {"between": ["B", "R"], "rate": FAST, "delay": f"{delays[2]:.9f}s", "queue": deep}
    flow: dict[str, Any] = {"name": "fitted", "from": "S", "to": "R"}
    wanted = size or whole.bytes
    if whole.writes:
        flow["source"] = {"kind": "listed", "writes": _listed(whole, wanted, rtt)}
    else:
        flow["size"] = {"bytes": f"{wanted}B"}
    return {
        "title": f"Fitted to {row['from']} -> {row['to']}",
        "seed": 1,
        "stop": {"when": "flows-complete", "at_most": f"{PATIENCE * whole.end_s + MORE_S:.3f}s"},
        "link": [middle, near, far],
        "flow": [{**flow, "sender": sender, "receiver": {}}],
    }


def _listed(whole: Measured, wanted: int, rtt: float) -> list[list[str]]:
    """The writes, later than the handshake, up to ``wanted`` bytes together.

    If data ended the captured handshake, the first write was there before: the simulated handshake must end with the same packet, because
    its time may be the least round trip.
    """
    early, rows, total = whole.row["handshake"] and whole.row["handshake_rtt_s"] is None, list[list[str]](), 0
    shift = rtt if early else 1.5 * rtt + 0.01
    for time, size in whole.writes:
        size = min(size, wanted - total)
        if size <= 0:
            break
        rows.append([f"{0.0 if early and not rows else shift + time:.6f}s", f"{size}B"])
        total += size
    if total < wanted and rows:
        rows[-1][1] = f"{int(rows[-1][1][:-1]) + wanted - total}B"
    return rows


@dataclass(frozen=True)
class Simulated:
    """A simulation as a capture at the same place shows it."""

    found: Analysis | None
    row: Row | None
    curve: pl.DataFrame
    """``time_s`` from the first data, ``ack_bytes`` acknowledged."""
    start_s: float = 0.0

    @property
    def end_s(self) -> float:
        """From the first data to the last ACK of new data; infinite without any."""
        return float(self.curve["time_s"][-1]) if self.curve.height else math.inf

    def against(self, curve: pl.DataFrame) -> Score:
        """The comparison with a capture's curve."""
        return score(curve, self.curve) if self.curve.height else NONE


NOTHING = Simulated(
    None, None, pl.DataFrame({"time_s": [], "ack_bytes": []}, schema={"time_s": pl.Float64, "ack_bytes": pl.Int64})
)


def simulate(scenario: str, end: str, sets: Sequence[str] = (), seed: int | None = None) -> Simulated:
    """Runs a scenario, writes a capture at a link end, and analyses that.

    Raises:
        FitError: it is no legal scenario, or the run failed.
    """
    from ... import _core
    from ...captures import of_capture

    try:
        result = _core.Simulation(scenario, file="the fitted scenario", sets=list(sets), seed=seed, captures=True).run()
    except (_core.ScenarioError, _core.RunError) as error:
        raise FitError(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="acklab-fit-") as folder:
        path = Path(folder) / "simulated.pcapng"
        _core.capture(result, end, path, snap_length=128)
        found = of_capture(path)
    rows = [row for row in found.rows() if row["acked_bytes"]]
    if not rows:
        return NOTHING
    row = max(rows, key=lambda one: one["acked_bytes"])
    acks = pl.DataFrame(found.acks).filter((pl.col("direction") == row["direction"]) & (pl.col("acked_bytes") > 0))
    data = pl.DataFrame(found.segments).filter(
        (pl.col("direction") == row["direction"]) & (pl.col("payload_bytes") > 0)
    )
    if not data.height or not acks.height:
        return NOTHING
    start = float(data["time_s"][0])
    curve = acks.select(
        time_s=(pl.col("time_s") - start).clip(0.0), ack_bytes=pl.col("acked_bytes").cum_sum().cast(pl.Int64)
    )
    return Simulated(found, row, curve, start)


def deepest(scenario: str, sets: Sequence[str]) -> int:
    """Packets that waited at most at the bottleneck, which is the first link."""
    from ... import _core

    result = _core.Simulation(scenario, file="the fitted scenario", sets=list(sets)).run()
    link: dict[str, Any] = json.loads(result.json(False))["links"][0]
    return int(link["max_queue_packets"])


def text(tree: Mapping[str, Any]) -> str:
    """A tree as one line."""
    return json.dumps(tree)


#: A choice fits as well as the best if its cost is within this factor and margin: what differs within is not determined.
ALIKE, MARGIN = 1.25, 0.002
#: What costs at most this factor, or this margin, more may be true as well where its round trips agree with the capture's.
LOOSE, LOOSE_MARGIN = 2.0, 0.02
#: Senders that are tried.
SENDERS = {
    f"{stack} {control}": (stack, control)
    for stack, control in [("linux", "cubic"), ("linux", "reno"), ("linux", "bbr"), ("rfc", "reno")]
}
#: Queues that are tried, in bandwidth-delay products, where none is measured; then ever closer to the best.
PRODUCTS, CLOSER = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0), (1.4, 1.18, 1.08, 1.03)
#: Seeds of random losses; the mean cost counts.
SEEDS = 3
#: Keys of the fitted scenario.
QUEUE, RATE, LOSS = "link.0.queue.packets", "link.0.rate", "link.0.loss"
TIMER = "flow.0.receiver.ack.timer"
#: Timers that are tried where none is measured, then closer to the best.
TIMERS_MS, CLOSE = (10, 25, 40, 60, 100, 150, 200, 300, 500), (0.8, 0.9, 1.1, 1.25)
DELAYS = ("link.1.delay", "link.0.delay", "link.2.delay")
NAMES = ("sender", "losses", "acks")
BY_QUEUE, AT_RANDOM, BOTH, LISTED, NO_LOSS = (
    "by the queue",
    "at random",
    "by the queue and at random",
    "one by one",
    "none",
)
#: Queues that are tried with random losses beside theirs, as multiples of the best without.
WIDER = (1.0, 1.5, 2.5)


@dataclass(frozen=True)
class Tried:
    """A choice, and how far its simulation is from the capture."""

    names: Mapping[str, str]
    """What was chosen of the alternatives: ``sender``, ``losses``, ``acks``."""
    sets: Mapping[str, Any]
    """Keys of the scenario, and their values."""
    score: Score
    simulated: Simulated
    """Without its packets; :meth:`Search.again` gives them."""
    cost: float
    seed: int = 1

    @property
    def queue(self) -> int | None:
        """Packets of the queue, if it is limited."""
        return self.sets.get(QUEUE)

    @property
    def listed(self) -> bool:
        """Whether the losses are replayed one by one, which says nothing of other circumstances."""
        return self.names["losses"].startswith(LISTED)


class Search:
    """Simulations of choices, each made once."""

    def __init__(self, measured: Measured, tick: Callable[[int], None] = lambda made: None) -> None:
        self.measured, self._tick = measured, tick
        self.text = text(base(measured))
        self._made: dict[str, Simulated] = {}
        self._template = _core.Template(self.text)
        self._shift: dict[str, Any] = {}
        self.open: Sequence[Tried] = []
        """Models that may be true as well, for questions about queues and senders: their round trips agree with the capture's, if it
        shows any."""
        self.models: Sequence[Tried] = []
        """Every choice of :meth:`best` that is a model, the best first."""
        self.rtt_s = float(measured.values["round trip"].value)
        """The round trip of the scenario's delays."""

    @property
    def count(self) -> int:
        """How many were made."""
        return len(self._made)

    def check(self, sets: Sequence[str]) -> None:
        """Checks changes, ``key=value`` texts, before the simulations: a choice of senders, losses and policies has to take them.

        Raises:
            ScenarioError: none does; the message names key and value.
        """
        wrong: _core.ScenarioError | None = None
        for choice in _points(self._space()) if sets else ():
            try:
                return self._template.check([*assignments(dict(choice.sets)), *sets])
            except _core.ScenarioError as error:
                wrong = wrong or error
        if wrong is not None:
            raise wrong

    def best(self, curve: pl.DataFrame) -> tuple[Tried, list[Tried]]:
        """The choice that replays the curve best, and the models that fit alike, the best first.

        A model has losses by its queue, or at random, or none: it can be asked about other circumstances.

        Raises:
            FitError: no choice is a scenario that transfers data.
        """
        found = self._all(self._space(), curve)
        self._calibrate(found)
        found = self._all(self._space(), curve) if self._shift else found
        if self.measured.lost[0]:
            found += self._models(found, curve)
        found = _sorted(found)
        if not math.isfinite(found[0].cost):
            raise FitError("no choice of sender, losses and ACK policy gives a simulation with data")
        found = _sorted([*found, *self._timers(found, curve)])
        models = [one for one in found if not one.listed]
        self.models = models = _sorted([*models, *self._around(models[0], curve)])
        self.open = self._agreeing(models)
        models = [one for one in self.open if self.waits(one) is not None] or models
        return min([found[0], models[0]], key=lambda one: one.cost), [
            one for one in models if one.cost <= ALIKE * models[0].cost + MARGIN
        ]

    def waits(self, tried: Tried) -> Waits | None:
        """Round trips of a choice beside the capture's."""
        return waits(self.measured.row, tried.simulated.row)

    def _agreeing(self, models: Sequence[Tried]) -> list[Tried]:
        """Those of the models that fit about as well, and whose round trips agree with the capture's if it shows any; the best first."""
        most = max(LOOSE * models[0].cost, models[0].cost + LOOSE_MARGIN)
        return [one for one in models if one.cost <= most and ((both := self.waits(one)) is None or both.agree)]

    def _space(self) -> Space:
        """Senders, losses as they were, ACK policies."""
        measured = self.measured
        lost: dict[str, tuple[Mapping[str, Any], Sequence[Free]]] = {NO_LOSS: ({}, [])}
        if measured.lost[0]:
            several = [LISTED, f"{LISTED}, before retransmissions"]
            lost = {
                name: ({LOSS: {"list": list(one), "only": "payload"}}, [])
                for name, one in zip(several, measured.lost, strict=False)
            }
        senders: dict[str, tuple[Mapping[str, Any], Sequence[Free]]] = {
            name: (
                {
                    "flow.0.sender.stack": stack,
                    "flow.0.sender.control": {"kind": control},
                    "flow.0.receiver.stack": stack,
                },
                [],
            )
            for name, (stack, control) in SENDERS.items()
        }
        acks: dict[str, tuple[Mapping[str, Any], Sequence[Free]]] = {
            name: ({"flow.0.receiver.ack": value}, [])
            for name, value in policies(measured.row, measured.values["ACK timer"]).items()
        }
        parts = [Alternatives("sender", senders), Alternatives("losses", lost), Alternatives("acks", acks)]
        return Space(parts, {name: name for name in NAMES})

    def _models(self, replays: Sequence[Tried], curve: pl.DataFrame) -> list[Tried]:
        """Choices with losses by the queue and at random, of the senders and policies that replay best."""
        acks = replays[0].names["acks"]
        starts = [
            (one.names, {key: value for key, value in one.sets.items() if key != LOSS})
            for one in _firsts(replays, "sender")
            if one.names["acks"] == acks
        ]
        queues = Space([Free(QUEUE, QUEUE, choices=self._queues())], {QUEUE: "queue"})
        found = [
            self._tried({**names, "losses": BY_QUEUE}, {**sets, **choice.sets}, curve)
            for names, sets in starts
            for choice in _points(queues)
        ]
        for factor in CLOSER:
            best = _sorted(found)[0]
            at = best.queue or 2
            near = {max(round(at / factor), 2), max(round(at * factor), 2), max(at - 1, 2), at + 1} - {at}
            found += [self._tried(best.names, {**best.sets, QUEUE: one}, curve) for one in sorted(near)]
        found += [
            self._random({**names, "losses": AT_RANDOM}, sets, self.measured.values["loss"].value, curve)
            for names, sets in starts[:2]
        ]
        more = (events(self.measured.lost[0], self.measured.row) - 1) / max(self.measured.row["segments"], 1)
        if more > 0:
            for best in _firsts(_sorted(one for one in found if one.queue is not None), "sender")[:2]:
                for factor in WIDER:
                    names, sets = (
                        {**best.names, "losses": BOTH},
                        {**best.sets, QUEUE: round(factor * (best.queue or 2))},
                    )
                    found.append(self._random(names, sets, more, curve))
        return found

    def _random(self, names: Mapping[str, str], sets: Mapping[str, Any], rate: float, curve: pl.DataFrame) -> Tried:
        """Random losses at a rate: the seed of the middle cost, with the mean of the costs."""
        loss = {"rate": float(f"{rate:.6g}"), "only": "payload"}
        seeds = _sorted(self._tried(names, {**sets, LOSS: loss}, curve, seed) for seed in range(1, SEEDS + 1))
        return replace(seeds[SEEDS // 2], cost=fmean(one.cost for one in seeds))

    def _timers(self, found: Sequence[Tried], curve: pl.DataFrame) -> list[Tried]:
        """Other timers of a delaying receiver, where the capture shows none, at the best replay and the best model."""
        if self.measured.values["ACK timer"].determined:
            return []
        tried: list[Tried] = []
        for best in {
            id(one): one
            for one in (found[0], next(one for one in found if not one.listed))
            if one.names["acks"].endswith("segments")
        }.values():
            here = [self._tried(best.names, {**best.sets, TIMER: f"{one}ms"}, curve) for one in TIMERS_MS]
            middle = TIMERS_MS[min(range(len(here)), key=lambda place: here[place].cost)]
            here += [
                self._tried(best.names, {**best.sets, TIMER: f"{middle * factor:.1f}ms"}, curve) for factor in CLOSE
            ]
            tried += here
        return tried

    def _queues(self) -> list[int]:
        """Queues to try, in packets."""
        values, row = self.measured.values, self.measured.row
        known = values["queue"].value
        product = values["rate"].value * values["round trip"].value / (8.0 * (row["segment_bytes"] + 52))
        several = {max(round(share * product), 2 + place) for place, share in enumerate(PRODUCTS)}
        return sorted({*several, max(known, 2)} if known is not None else several)

    def _calibrate(self, found: Sequence[Tried]) -> None:
        """Removes from the delays what the analysis of a simulation reads above them: packets' times at the bottleneck.

        The simulation has its least round trip from what the capture has it from: a handshake, or data.
        """
        shaken = self.measured.row["handshake_rtt_s"] is not None
        rows = [
            one.simulated.row
            for one in found
            if one.simulated.row is not None and one.simulated.row["path_rtt_min_s"] is not None
        ]
        row = next((one for one in rows if (one["handshake_rtt_s"] is not None) == shaken), None)
        if row is None:
            return
        above = row["path_rtt_min_s"] - self.rtt_s + self._smaller(row)
        if 0.002 * self.rtt_s < above < 0.5 * self.rtt_s:
            self.rtt_s -= above
            self._shift = self.delays(self.rtt_s)

    def _smaller(self, simulated: Row) -> float:
        """Seconds by which the packet that ended the capture's least trip to the sender was sent faster than the simulation's.

        Behind the bottleneck such a packet passed it, and perhaps another one ended the simulation's least trip.
        """
        if not self.measured.place.behind:
            return 0.0
        theirs, ours = (row["sender_rtt_payload_bytes"] or 0 for row in (self.measured.row, simulated))
        return float(8.0 * (theirs - ours) / self.measured.values["rate"].value)

    def delays(self, rtt_s: float) -> dict[str, str]:
        """The keys of a round trip."""
        return dict(zip(DELAYS, (f"{one:.9f}s" for one in self.measured.place.delays(rtt_s)), strict=True))

    def _around(self, best: Tried, curve: pl.DataFrame) -> list[Tried]:
        """The ends of the rate's interval, at the best choice."""
        speed = self.measured.values["rate"]
        ends = [end for end in (speed.low, speed.high) if end and abs(end / speed.value - 1) > 0.005]
        if not speed.determined and speed.high is None and speed.low:
            ends = [speed.low * factor for factor in (1.02, 1.2, 1.5, 3.0)]
        return [self._tried(best.names, {**best.sets, RATE: f"{end:.0f}bps"}, curve) for end in ends]

    def _all(self, space: Space, curve: pl.DataFrame) -> list[Tried]:
        return _sorted(
            self._tried({name: str(choice.cells[name]) for name in NAMES}, choice.sets, curve)
            for choice in _points(space)
        )

    def _tried(self, names: Mapping[str, str], sets: Mapping[str, Any], curve: pl.DataFrame, seed: int = 1) -> Tried:
        sets = {**self._shift, **sets}
        key = json.dumps([seed, sets], sort_keys=True)
        if key not in self._made:
            try:
                # The packets of a hundred simulations would fill the memory.
                self._made[key] = replace(
                    simulate(self.text, self.measured.place.end, assignments(sets), seed), found=None
                )
            except FitError:
                self._made[key] = NOTHING
            self._tick(self.count)
        simulated = self._made[key]
        found = simulated.against(curve)
        return Tried(names, sets, found, simulated, found.cost, seed)

    def again(self, tried: Tried, more: Sequence[str] = ()) -> Simulated:
        """The simulation of a choice, made once more and with its packets; with ``more`` changes."""
        return simulate(self.text, self.measured.place.end, [*assignments(dict(tried.sets)), *more], tried.seed)

    def tree(self, sets: Mapping[str, Any]) -> dict[str, Any]:
        """The scenario of a choice as people write it."""
        found: dict[str, Any] = json.loads(self._template.lines(assignments(sets), [1])[0])
        return {key: value for key, value in found.items() if value not in ({}, [])}


def _points(space: Space) -> list[Choice]:
    return [space.point(parameters) for parameters in space.every()]


def _sorted(found: Iterable[Tried]) -> list[Tried]:
    return sorted(found, key=lambda one: one.cost)


def _firsts(found: Sequence[Tried], name: str) -> list[Tried]:
    """The best choice with each value of an alternative."""
    best: dict[str, Tried] = {}
    for one in found:
        best.setdefault(one.names[name], one)
    return list(best.values())
