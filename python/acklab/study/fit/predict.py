"""What if: the fitted model with changes, over what the fit leaves open; what may be asked, and what the ranges of an answer claim.

Each draw takes one of the models that fit alike, a rate and a round trip from their intervals, and a seed. The model runs as fitted and
with the changes, so each difference is between two runs of one draw.

A fit that breaks a rule of :func:`bad` predicts nothing. One that breaks a rule of :func:`blind` predicts no other queue and no other sender.
Else a what-if is answered, and :func:`claims` says what its ranges do not cover. They were compared with true answers (:data:`WIDER`) for
one question only: FQ-CoDel at a bottleneck whose rate the capture shows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...scenario.draws import Draws
from ...scenario.given import assignments
from ...text.numbers import between, shown
from ...text.templates import Fact, fact, sentence
from .place import AGREE, FitError, Row
from .search import RATE, Tried

if TYPE_CHECKING:
    from .fit import Fit

#: A fit is bad beyond these shares: of the mean difference of the curves, of the whole or held-out part's time, of their numbers of ACKs.
BAD_CURVE, BAD_END, BAD_ACKS = 0.10, 0.15, 0.5
#: And with more writes of the application than this share of the segments.
BAD_WRITES = 0.2
#: And where one of these holds the capture back for this share of the time, but the model for less than half as long.
MAIN = 0.5
LIMITS: Mapping[str, str] = {
    "window_limited_s": "the receiver's window", "sender_window_limited_s": "the sender's own limit", "application_limited_s": "the application",
}  # fmt: skip
#: What may be done where no prediction follows.
INSTEAD = "A longer transfer of an application that always has data may do, or captures at both ends. The charts of acklab fit FILE --out DIR show where model and capture differ."
#: A completion is given, not predicted, where the last write that is replayed comes after this share of the time.
GIVEN = 0.5
#: The key and the value of the question that was compared with the truth.
TESTED = ("link.0.queue", "fq-codel")
#: Share of the questions in which each range claims to have the true value, and the least and the largest share in a test of 44 downloads
#: (the table is in docs/reference/fits.md).
CLAIM, COUNTED = 0.9, (0.86, 1.0)
#: How much wider a range is than its draws, which do not contain the error of the model itself: as fitted, with the changes, and of their
#: ratio, a share at each end. The shares are from 46 drawn downloads over access links that were asked for FQ-CoDel at the bottleneck. They are the least, in steps of 0.1 %, with which each quantity's ranges had the
#: truth in 93 %.
WIDER: Mapping[str, float] = {
    "completion": 0.014,
    "goodput": 0.013,
    "mean round trip": 0.031,
    "ACKs": 0.121,
    "retransmissions": 0.334,
}


def bad(found: Fit) -> Fact | None:
    """Why no prediction follows from a fit; None if one does."""
    score, held = found.model.score, found.held_out
    share = len(found.measured.writes) / max(found.measured.row["segments"], 1)
    if share > BAD_WRITES:
        return fact("bad-writes", segments=1 / share, least=1 / BAD_WRITES)
    if score.curve > BAD_CURVE:
        return fact("bad-curve", share=min(score.curve, 10.0), most=BAD_CURVE)
    if abs(score.end) > BAD_END:
        return fact("bad-end", share=score.end, most=BAD_END)
    if (lacks := _lacks(found.measured.row, found.model.simulated.row)) is not None:
        return lacks
    if held is None:
        return fact("bad-whole", why=found.why_not)
    if abs(held.end) > BAD_END:
        return fact("bad-half", share=held.end, most=BAD_END)
    for kind, acks in (("bad-acks", score.acks), ("bad-half-acks", held.score.acks)):
        if abs(acks) > BAD_ACKS:
            return fact(kind, share=acks, most=BAD_ACKS)
    return None


def _lacks(captured: Row, simulated: Row | None) -> Fact | None:
    """What holds the capture back and not the model; None without any."""
    for column, name in LIMITS.items():
        ours, theirs = (_share(row, column) for row in (simulated, captured))
        if theirs >= MAIN and ours < theirs / 2:
            return fact("bad-limit", limit=name, captured=theirs, simulated=ours)
    return None


def _share(row: Row | None, column: str) -> float:
    return float((row[column] or 0.0) / (row["limits_s"] or 1.0)) if row is not None else 0.0


def blind(found: Fit) -> Fact | None:
    """Why no prediction of another queue or sender follows from a fit; None if one does."""
    if found.bad:
        return found.bad
    both, held = found.search.waits(found.model), found.held_out.waits if found.held_out else None
    if both is None:
        return fact("blind-place")
    if not found.search.open:
        return fact("blind-models", captured=both.captured_s, simulated=both.simulated_s, most=AGREE)
    if held is not None and not held.agree:
        return fact("blind-half", captured=held.captured_s, simulated=held.simulated_s, most=AGREE)
    return None


def refusal(reason: Fact) -> str:
    """Why no question is answered, and what may be done."""
    both = " One at the sender shows them (acklab fit SENDER RECEIVER takes both)."
    return f"{sentence(reason)}.{both if reason.kind == 'blind-place' else f' {INSTEAD}'}"


def doubt(found: Fit) -> Fact | None:
    """Why an answer's number of ACKs is in doubt: the held-out check missed it by more than a range allows for; None if it did not."""
    acks = found.held_out.score.acks if found.held_out is not None else 0.0
    return fact("doubt", share=acks, most=WIDER["ACKs"]) if abs(acks) > WIDER["ACKs"] else None


def given(found: Fit) -> float:
    """When the last write is replayed, in seconds from the first data, if that decides the completion; else 0."""
    last = found.measured.writes[-1][0] if found.measured.writes else 0.0
    return last if last > GIVEN * found.measured.end_s else 0.0


def claims(found: Fit, sets: Sequence[str], rates: Sequence[float]) -> list[Fact]:
    """How often the ranges of an answer have the truth; or why that is not known, for draws with these rates."""
    why = []
    if not all(one.partition("=")[0].strip().startswith(TESTED[0]) and TESTED[1] in one for one in sets):
        why.append(fact("claim-question"))
    if not next(one for one in found.values if one.name == "rate").determined:
        why.append(fact("claim-rate", low=min(rates), high=max(rates)))
    if found.held_out is not None and not found.held_out.covered:
        why.append(fact("claim-half"))
    if found.blind:
        why.append(fact("claim-trips"))
    return why or [fact("claim", share=CLAIM, least=COUNTED[0], most=COUNTED[1])]


#: Draws of a prediction.
DRAWS = 20
#: Models of a question about a queue or a sender at most; and what its keys hold.
MAX_MODELS, NEEDS = 12, (".queue", ".sender.")
#: What is predicted: a column of a run's flows, its name, its unit.
QUANTITIES = (
    ("completion_s", "completion", "s"), ("goodput_bps", "goodput", "bps"), ("mean_rtt_s", "mean round trip", "s"),
    ("acks_sent", "ACKs", ""), ("retransmits", "retransmissions", ""),
)  # fmt: skip
TRIP = "mean_rtt_s"
#: Changes that are smaller in every draw count as none.
SAME = 0.0005


@dataclass(frozen=True)
class Range:
    """The median of the draws, and the least and the largest, made wider."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Predicted:
    """A quantity of the model as fitted, and with the changes."""

    name: str
    unit: str
    fitted: Range
    changed: Range
    change: Range
    """Of the ratio of the two runs of each draw, less one; infinite where the first is 0 and the second is not."""


@dataclass(frozen=True)
class Prediction:
    """What the changes would do."""

    sets: Sequence[str]
    quantities: Sequence[Predicted]
    draws: int
    models: Sequence[Tried]
    unfinished: int
    """Draws in which the transfer with the changes did not finish; the quantities leave them out."""
    rates: tuple[float, float]
    """The least and the largest rate of the draws, in bits a second."""
    claims: Sequence[Fact]
    """How often the ranges have the truth, or why that is not known."""
    doubt: Fact | None
    """Why the number of ACKs is in doubt."""
    near_s: float
    """Round trip between the sender and the place of the capture."""
    captured_s: float
    """From the first data to the last ACK, at that place."""


def what_if(
    found: Fit, sets: Sequence[str], tick: Callable[[int], None] = lambda made: None, wider: Mapping[str, float] = WIDER
) -> Prediction:
    """Runs the model with changes, ``key=value`` texts as of ``--set``; ``wider`` has the share by which each quantity's ranges are wider.

    Raises:
        FitError: the fit is bad, the reason is in the message; or no transfer finishes.
        ScenarioError: a change is not legal; the message names key and value.
    """
    for one in found.models:
        _core.Template(found.search.text).check([*assignments(dict(one.sets)), *sets])
    if found.bad:
        raise FitError(f"no prediction: {refusal(found.bad)}")
    asked = any(part in key for part in NEEDS for key in (one.partition("=")[0].strip() for one in sets))
    if asked and found.blind:
        raise FitError(
            f"no prediction of another queue or sender: {refusal(found.blind)} A question about the receiver or the rate may be asked"
        )
    models = _open(found) if asked else found.models
    draws = max(DRAWS, 2 * len(models))
    pairs, unfinished, rates = [], 0, []
    for draw in range(draws):
        drawn, rate = _drawn(found, models[draw % len(models)], draw)
        rates.append(rate)
        pair = [_flow(found.search.text, [*drawn, *more], draw + 1) for more in ((), sets)]
        tick(2 * (draw + 1))
        if all(flow["completed"] for flow in pair):
            pairs.append(pair)
        else:
            unfinished += 1
    if not pairs:
        raise FitError(
            "no prediction: with these changes the transfer does not finish within four times what the capture took; a smaller change may"
        )
    _inside(found, float(np.median([fitted["lost_share"] for fitted, _ in pairs])))
    # Where no round trip was compared with the capture's, the model's is not told.
    several = [
        one
        for one in QUANTITIES
        if not (found.blind and one[0] == TRIP) and all(flow[one[0]] is not None for pair in pairs for flow in pair)
    ]
    values = {name: [(float(a[column]), float(b[column])) for a, b in pairs] for column, name, _ in several}
    # Where nothing changes in any draw, an error of the model makes no change of it.
    same = all(abs(_ratio(*pair) - 1) < SAME for of in values.values() for pair in of)
    quantities = [_predicted(name, unit, values[name], wider.get(name, 0.0), same) for _, name, unit in several]
    near, ends = 2 * found.measured.place.before_s, (min(rates), max(rates))
    told, end = claims(found, sets, ends), found.measured.end_s
    return Prediction(sets, quantities, draws, models, unfinished, ends, told, doubt(found), near, end)


def _inside(found: Fit, lost: float) -> None:
    """Checks that the model as fitted loses a share of its segments within the fit's interval, made wider as that of retransmissions.

    Raises:
        FitError: it does not.
    """
    loss = next(one for one in found.values if one.name == "loss")
    low, high = (loss.low or 0.0) * (1 - WIDER["retransmissions"]), (loss.high or 0.0) * (1 + WIDER["retransmissions"])
    if not low <= lost <= high:
        allowed = between(loss.low, loss.high, loss.unit)
        reason = fact("outside", key=loss.name, value=shown(lost, loss.unit), allowed=allowed)
        raise FitError(f"no prediction: {refusal(reason)}")


def _open(found: Fit) -> list[Tried]:
    """The models of a question about queues and senders: every sender and kind of losses that may be true, the best of each first."""
    order: dict[tuple[str, str], list[Tried]] = {}
    for one in found.search.open:
        order.setdefault((one.names["sender"], one.names["losses"]), []).append(one)
    kinds = list(order.values())
    turns = [kind[place] for place in range(max(map(len, kinds))) for kind in kinds if place < len(kind)]
    return turns[:MAX_MODELS]


def _drawn(found: Fit, one: Tried, draw: int) -> tuple[list[str], float]:
    """The assignments of a draw, and its rate: a model, with a rate and a round trip of the intervals."""
    values = {value.name: value for value in found.values}
    sets = dict(one.sets)

    def within(name: str) -> float | None:
        value = values[name]
        if value.low is None or value.high is None or not value.determined:
            return None
        return value.low + (value.high - value.low) * Draws(draw, f"what-if {name}").uniform()

    if draw and RATE not in sets and (rate := within("rate")) is not None:
        sets[RATE] = f"{rate:.0f}bps"
    if draw and (trip := within("round trip")) is not None:
        sets |= found.search.delays(trip)
    return assignments(sets), float(str(sets.get(RATE, values["rate"].value)).removesuffix("bps"))


def _flow(text: str, sets: Sequence[str], seed: int) -> dict[str, Any]:
    result = _core.Simulation(text, file="the fitted scenario", sets=list(sets), seed=seed).run()
    summary = json.loads(result.json(False))
    flow: dict[str, Any] = summary["flows"][0]
    lost = sum(row["drops"] + row["lost"] for row in summary["links"]) - flow["acks_dropped"]
    return flow | {"lost_share": lost / max(flow["segments_sent"] - flow["retransmits"], 1)}


def _ratio(before: float, after: float) -> float:
    return after / before if before else (1.0 if not after else math.inf)


def _predicted(name: str, unit: str, values: Sequence[tuple[float, float]], share: float, same: bool) -> Predicted:
    fitted, changed = (_range(list(of), share) for of in zip(*values, strict=True))
    if not unit:
        fitted, changed = (Range(of.median, math.floor(of.low), math.ceil(of.high)) for of in (fitted, changed))
    ratios = _range([_ratio(*pair) for pair in values], 0.0 if same else share)
    return Predicted(name, unit, fitted, changed, Range(ratios.median - 1, ratios.low - 1, ratios.high - 1))


def _range(values: Sequence[float], share: float) -> Range:
    return Range(float(np.median(values)), min(values) * (1 - share), max(values) * (1 + share))
