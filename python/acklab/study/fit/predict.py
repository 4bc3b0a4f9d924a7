"""What if: the fitted model with changes, over what the fit leaves open.

Each draw takes one of the models that fit alike, a rate and a round trip from their intervals, and a seed. The model runs as fitted and
with the changes, so each difference is between two runs of one draw.
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
from ...text.templates import Fact, fact
from . import trust
from .errors import FitError
from .search import RATE, Tried
from .trust import WIDER

if TYPE_CHECKING:
    from .fit import Fit

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
        raise FitError(f"no prediction: {trust.refusal(found.bad)}")
    asked = any(part in key for part in NEEDS for key in (one.partition("=")[0].strip() for one in sets))
    if asked and found.blind:
        raise FitError(
            f"no prediction of another queue or sender: {trust.refusal(found.blind)} A question about the receiver or the rate may be asked"
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
    claims, end = trust.claims(found, sets, ends), found.measured.end_s
    return Prediction(sets, quantities, draws, models, unfinished, ends, claims, trust.doubt(found), near, end)


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
        raise FitError(f"no prediction: {trust.refusal(reason)}")


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
