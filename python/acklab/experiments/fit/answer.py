"""The answer of a what-if in words: a headline, a table, a picture's data, and what the ranges cover."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from ...figures.charts import Dot, DotPanel, Dots
from ...study.answers import spoken
from ...text.columns import align
from ...text.escapes import one_line
from ...text.numbers import NB, amount, digits, listing
from ...text.toml import loads
from .predict import SAME, Predicted, Prediction, Range
from .value import shown, signed
from .widening import CLAIM, COUNTED, WIDER

WIDTH = 100
HEADS = ["what if", "as fitted", "changed", "change"]
#: Names of queues, and of keys.
QUEUES = {"fq-codel": "FQ-CoDel", "codel": "CoDel", "pie": "PIE", "dualpi2": "DualPI2", "cake": "CAKE"}
KEYS = {
    "link.0.rate": "rate", "link.0.queue": "queue", "link.0.queue.packets": "packets in the queue at most", "flow.0.receiver.ack": "ACK policy",
    "flow.0.receiver.ack.segments": "segments an ACK", "flow.0.sender.control": "congestion control", "flow.0.sender.window": "sender's window",
}  # fmt: skip
#: What a headline and a picture tell first. A headline leaves goodput out, which is the completion in other units.
FIRST = ("mean round trip", "completion", "ACKs", "retransmissions", "goodput")
#: Units of the picture's axes, and their factors.
SCALES = {"s": ("ms", 1e3), "bps": ("Mb/s", 1e-6), "": ("", 1.0)}


def range_(found: Range, unit: str) -> str:
    """A median with its ends."""
    if found.low == found.high:
        return shown(found.median, unit)
    return f"{shown(found.median, unit)} ({shown(found.low, unit)} to {shown(found.high, unit)})"


def change(one: Predicted, factors: bool = False) -> str:
    """A relative change with its ends, or what it multiplies by where ``factors``; there is none of nothing."""
    if not one.fitted.median:
        return "none in any draw" if not one.fitted.high and not one.changed.high else "from none"
    found = one.change
    said = _factor if factors else signed
    if found.low == found.high:
        return said(found.median)
    return f"{said(found.median)} ({said(found.low)} to {said(found.high)})"


def _factor(share: float) -> str:
    """What a change multiplies by; without a bound where some draws have nothing as fitted."""
    return f"×{NB}{digits(1 + share)}" if math.isfinite(share) else "no bound"


def rows(prediction: Prediction) -> list[list[str]]:
    """The table of an answer. Its changes have one form: where one of them may double, all are factors."""
    factors = any(one.fitted.median and max(one.change.median, one.change.high) >= 1 for one in prediction.quantities)
    return [
        [
            f"{one.name}{_doubted(prediction, one)}",
            range_(one.fitted, one.unit),
            range_(one.changed, one.unit),
            change(one, factors),
        ]
        for one in prediction.quantities
    ]


def _doubted(prediction: Prediction, one: Predicted) -> str:
    """A mark of the number of ACKs, where a sentence says that it is in doubt."""
    return " (in doubt)" if prediction.doubt and one.name == "ACKs" else ""


def basis(prediction: Prediction) -> str:
    """The draws behind an answer, and by how much its ranges are wider."""
    models = (
        "the one model that fits" if prediction.models == 1 else f"one of {prediction.models} models that fit alike"
    )
    if prediction.differ:
        models += f" (they differ in {listing(list(prediction.differ))})"
    left = f" {prediction.unfinished} of them did not finish and are left out." if prediction.unfinished else ""
    wider = ", ".join(
        f"{100 * WIDER[one.name]:.1f}{NB}% of {one.name}" for one in prediction.quantities if one.name in WIDER
    )
    return (
        f"Each number is the median of {prediction.draws} draws, with the range in brackets. A draw takes {models}, a rate and a round trip of their intervals, "
        f"and a seed; it runs as fitted, and changed.{left} A range goes beyond the least and the largest draw by what models missed in tests: {wider}."
    )


def claim(prediction: Prediction) -> str:
    """What the ranges claim."""
    real = "No answer was compared with a network that was really changed."
    if not prediction.untested:
        return (
            f"Each range, by itself, is meant to have the true value in {100 * CLAIM:.0f}{NB}% of such questions; all together have it less often. "
            f"{COUNTED} {real}"
        )
    low, high = (amount(one, "b/s") for one in prediction.rates)
    drawn = (
        ""
        if prediction.rate_known
        else f" The draws have rates from {low} to {high}; the ranges do not cover another rate."
    )
    return f"How often these ranges have the true value is not known: {'; '.join(prediction.untested)}.{drawn} {real}"


def clock(prediction: Prediction) -> str:
    """Which time the completion is."""
    near, end = prediction.near_s, prediction.captured_s
    told = "Completion is the sender's: from its first data to the ACK of its last."
    if near < 0.01 * end:
        return told
    return f"{told} The capture is {shown(near, 's')} of round trip away from the sender, and its time, {shown(end, 's')}, lacks that."


def unchanged(prediction: Prediction) -> str:
    """The sentence for changes that no draw shows; empty where one does."""
    if any(max(abs(one.change.low), abs(one.change.high)) >= SAME for one in prediction.quantities):
        return ""
    names = [one.name for one in prediction.quantities]
    first = prediction.quantities[0]
    return f"Nothing changes: {listing(names)} differ by less than {100 * SAME:g}{NB}% in every draw. The {first.name} stays {range_(first.changed, first.unit)}."


def called(sets: Sequence[str]) -> str:
    """The changes as people say them."""
    told = []
    for one in sets:
        key, _, text = (part.strip() for part in one.partition("="))
        try:
            value = loads(f"x = {text}")["x"]
        except ValueError:
            value = text
        parts = dict(value) if isinstance(value, dict) else {"": value}
        first = parts.pop("kind", parts.pop("policy", parts.pop("", "")))
        if key == "flow.0.receiver.ack" and first == "delayed" and "segments" in parts:
            first = f"an ACK for every {parts.pop('segments')} segments"
            told.append(", ".join([first, *(f"{name} {spoken(part)}" for name, part in parts.items())]))
            continue
        said = ", ".join([QUEUES.get(first, str(first)), *(f"{name} {part}" for name, part in parts.items())])
        told.append(said if key == "link.0.queue" and first in QUEUES else f"{KEYS.get(key, key)} {said}")
    line = one_line(listing(told))
    return line[:1].upper() + line[1:]


def foreseen(prediction: Prediction) -> str:
    """What the changes would do, as a headline: the quantities whose ranges leave no change out."""
    name = called(prediction.sets)
    if unchanged(prediction):
        return f"{name}: nothing changes in the model."
    moved = {
        one.name: one
        for one in prediction.quantities
        if one.fitted.median and (one.change.low > 0 or one.change.high < 0)
    }
    if not moved:
        return f"{name}: no change is shown."
    told = [moved[one] for one in FIRST if one in moved and not (one == "goodput" and "completion" in moved)]
    same = "" if "completion" in moved else "; no change of the completion is shown"
    return f"{name}: {', '.join(f'{one.name} {_to(one)}{_doubted(prediction, one)}' for one in told)}{same}."


def _to(one: Predicted) -> str:
    before, after = (shown(of.median, one.unit) for of in (one.fitted, one.changed))
    number, _, unit = before.partition(NB)
    return f"{number if unit and unit == after.partition(NB)[2] else before}{NB}→{NB}{after}"


def picture(prediction: Prediction) -> Dots:
    """As fitted beside changed: a panel for each quantity, each range a line."""
    panels = []
    for one in (one for name in FIRST for one in prediction.quantities if one.name == name):
        unit, factor = (
            SCALES[one.unit] if one.unit != "s" or one.changed.high < 1 and one.fitted.high < 1 else ("s", 1.0)
        )
        dots = [
            Dot(place, of.median * factor, (of.low * factor, of.high * factor), colour)
            for place, (of, colour) in enumerate(((one.fitted, "orange"), (one.changed, "purple")))
        ]
        panels.append(DotPanel(f"{one.name} ({unit})" if unit else one.name, dots))
    about = "A dot is the median of the draws, a line its range. Each panel has its own scale, which begins at 0."
    return Dots("what-if", about, ["as fitted", "changed"], panels)


def predicted(prediction: Prediction) -> Sequence[str]:
    """An answer for a terminal."""
    sets = [one_line(f"What if {', '.join(prediction.sets)}:")]
    if same := unchanged(prediction):
        return [*sets, *_wrapped(same, basis(prediction), claim(prediction))]
    about = _wrapped(prediction.doubt, basis(prediction), claim(prediction), clock(prediction))
    return [*sets, *_wrapped(foreseen(prediction)), *align(HEADS, rows(prediction)), *about]


def _wrapped(*several: str) -> list[str]:
    return [line for text in several for line in textwrap.wrap(text, WIDTH)]
