"""A fit for a terminal, and its sentences for the page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from ...captures import text as capture_text
from ...plot.words import NB, amount, digits, listing, seconds
from ...text.columns import align
from ...text.counts import counted
from ...text.escapes import one_line
from .fit import Fit
from .held_out import HeldOut
from .predict import SAME, Prediction, Range
from .receivers import LINUX_NAMES, Named, called
from .score import Score
from .value import Value
from .widening import CLAIM, WIDER

WIDTH = 100
HEADS = ["parameter", "value", "interval", "determined", "how"]


def shown(value: Any, unit: str) -> str:
    """A value with its unit."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if unit == "bps":
        return amount(value, "b/s")
    if unit == "s":
        return seconds(value)
    if unit == "B":
        return amount(value, "B")
    if unit:
        return counted(value, unit.removesuffix("s")).replace(" ", NB) if isinstance(value, int) else f"{digits(value)}{NB}{unit}"
    return digits(value) if value else "0"


def interval(value: Value) -> str:
    """The interval, or the bound that there is."""
    if value.low is None and value.high is None:
        return ""
    if value.high is None:
        return f"at least {shown(value.low, value.unit)}"
    if value.low is None:
        return f"at most {shown(value.high, value.unit)}"
    if value.low == value.high:
        return ""
    low, high = shown(value.low, value.unit), shown(value.high, value.unit)
    return f"about {low}" if low == high else f"{low} to {high}"


def rows(found: Fit) -> list[list[str]]:
    """The table of parameters."""
    return [[one.name, shown(one.value, one.unit), interval(one), "yes" if one.determined else "no", one_line(one.how)] for one in found.values]


def signed(share: float) -> str:
    """A relative difference."""
    return f"{round(100 * share, 1) + 0.0:+.1f}{NB}%" if abs(share) < 10 else "more than 10 times"


def heading(found: Fit, *, short: bool = False) -> str:
    """What was fitted; ``short`` without the file's directory."""
    measured = found.measured
    title = f"{capture_text.title_of_file(found.file, short=short)}, {capture_text.title(measured.row)}"
    return f"{title}: {amount(measured.bytes, 'B')} acknowledged in {seconds(measured.end_s)}"


def headline(found: Fit) -> str:
    """What was fitted, and how far its end is from the capture's."""
    if found.bad:
        return f"No model of this path is good enough: {found.bad}."
    values = {one.name: shown(one.value, one.unit) for one in found.values if one.determined}
    told = [f"{word}{values[name]}" for name, word in (("rate", ""), ("round trip", "a round trip of "), ("queue", "a queue of ")) if name in values]
    score = found.model.score
    takes, acks = _as(score.end, "takes as long as", "takes {} longer than", "takes {} less than"), _as(score.acks, "as many", "{} more", "{} fewer")
    return f"{listing(told)}{': a simulation with these' if told else 'The simulation that fits best'} {takes} the capture, with {acks} ACKs."


def _as(share: float, same: str, more: str, less: str) -> str:
    """A relative difference in words."""
    many = signed(share)
    return same if many.strip("+-").startswith("0.0") else (less if share < 0 else more).format(many.strip("+-"))


def scores(found: Fit) -> tuple[list[str], list[list[str]]]:
    """How far simulations are from the capture, as a table: heads and rows."""
    told = [("the model", found.model.score)]
    if found.replay is not found.model and found.replay.listed:
        told.append(("the captured losses one by one", found.replay.score))
    if found.held_out is not None:
        told.append(("the second half, predicted from the first", found.held_out.score))
    cells = [[name, signed(one.end), _curve(one), signed(one.acks)] for name, one in told]
    return ["simulated", "completion", "curve off by", "ACKs"], cells


def verdicts(found: Fit, *, scored: bool = True) -> list[str]:
    """How good the fit is, in sentences; without the scores where a table has them."""
    said = [found.measured.row["headline"]]
    if scored:
        said.append(f"Model beside capture: {_beside(found.model.score)}.")
    if scored and found.replay is not found.model and found.replay.listed:
        said.append(f"Replay with the captured losses one by one: {_beside(found.replay.score)}.")
    if found.receiver is not None and found.receiver.known:
        said.append(receiver(found.receiver))
    if found.held_out is None:
        said.append(f"Nothing was held out: {found.why_not}.")
    else:
        said += second_half(found.held_out)[not scored :]
    said.append(asked(found))
    if found.measured.writes and not found.bad:
        said.append("The application's writes are replayed at their times, also where another path would have let it write earlier.")
    return [*said, *(f"Note: {note}." for note in found.notes)]


def asked(found: Fit) -> str:
    """What may be asked of a fit."""
    if found.bad:
        return f"No what-if follows from this fit: {found.bad}."
    if found.blind:
        return f"No what-if about a queue or a sender follows from this fit: {found.blind}. Other questions may be asked."
    both = found.search.waits(found.model)
    share = f" (median and 95th of 100 differ by {100 * both.apart:.0f}{NB}% at most)" if both is not None else ""
    senders = list(dict.fromkeys(one.names["sender"] for one in found.search.open))
    several = f" {_several(senders)} fit about as well, so a what-if about a queue covers them." if len(senders) > 1 else ""
    return f"The fit is good enough for --what-if: its round trips agree with the capture's{share}.{several}"


#: What a name is worth where the receiver is another (``--seed 3641`` in docs/reference/fits.md).
OTHERS = "A receiver that acklab does not know may look the same: in a test 1 of 34 did."


def receiver(named: Named) -> str:
    """What the receiver acknowledges like, and what is next."""
    share = sum(named.odds[one] for one in named.names)
    linux = named.names[0].startswith(LINUX_NAMES)
    other = next((one for one in named.odds if one not in named.names and not (linux and one.startswith(LINUX_NAMES))), None)
    said = f"Of the receivers that acklab knows, the likeliest is {called(named.names)}"
    if other is None:
        return f"{said}. {OTHERS}"
    odds = share / named.odds[other] if named.odds[other] else math.inf
    surely = "more than 1,000 to 1" if odds > 1000 else f"{odds:.0f} to 1"
    return f"{said}, by {surely} before {other}. {OTHERS}"


def second_half(held: HeldOut) -> list[str]:
    """The held-out check."""
    said = [f"Held-out check, the second half of the data as the fit of the first half predicts it: {_beside(held.score)}."]
    lies = "within" if held.covered else "outside"
    said.append(f"The models that the first half allows predict this time from {signed(held.low)} to {signed(held.high)}; the captured time is {lies}.")
    if held.open:
        said.append(f"The first half does not determine {_several(held.open)}.")
    return said


def _several(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"


def _beside(score: Score) -> str:
    return f"completion {signed(score.end)}, curve off by {_curve(score)} of the time in the mean, ACKs {signed(score.acks)}"


def _curve(score: Score) -> str:
    return f"{100 * min(score.curve, 10):.1f}{NB}%"


def as_text(found: Fit, prediction: Prediction | None = None) -> str:
    """The fit for a terminal."""
    table = [row[:4] + textwrap.wrap(row[4], 60)[:1] if row[4] else [*row[:4], ""] for row in rows(found)]
    more = [textwrap.wrap(row[4], 60)[1:] for row in rows(found)]
    lines = align(HEADS, [cells for row, rest in zip(table, more, strict=True) for cells in [row, *(["", "", "", "", one] for one in rest)]], names=5)
    told = [line for said in verdicts(found) for line in textwrap.wrap(said, WIDTH)]
    parts = [heading(found), "", *lines, "", *told, f"{counted(found.simulations, 'simulation')}."]
    if prediction is not None:
        parts += ["", *predicted(prediction)]
    return "\n".join(parts)


def range_(found: Range, unit: str) -> str:
    """A median with its ends."""
    if found.low == found.high:
        return shown(found.median, unit)
    return f"{shown(found.median, unit)} ({shown(found.low, unit)} to {shown(found.high, unit)})"


def change(found: Range) -> str:
    """A relative change with its ends."""
    if found.low == found.high:
        return signed(found.median)
    return f"{signed(found.median)} ({signed(found.low)} to {signed(found.high)})"


def prediction_rows(prediction: Prediction) -> list[list[str]]:
    """The table of a prediction."""
    return [[one.name, range_(one.fitted, one.unit), range_(one.changed, one.unit), change(one.change)] for one in prediction.quantities]


PREDICTION_HEADS = ["what if", "as fitted", "changed", "change"]


def basis(prediction: Prediction) -> str:
    """The draws behind a prediction."""
    models = "the one model that fits" if prediction.models == 1 else f"{prediction.models} models that fit alike"
    left = f" {prediction.unfinished} of them did not finish and are left out." if prediction.unfinished else ""
    wider = ", ".join(f"{100 * WIDER[one.name]:.1f}{NB}% of {one.name}" for one in prediction.quantities if one.name in WIDER)
    return (
        f"Median (range) of {prediction.draws} draws from {models}, the intervals of rate and round trip, and seeds.{left} A range goes beyond the least and the "
        f"largest draw by what models missed in tests: {wider}. It is to have the truth in {100 * CLAIM:.0f}{NB}%."
    )


def unchanged(prediction: Prediction) -> str:
    """The sentence for changes that no draw shows; empty where one does."""
    if any(max(abs(one.change.low), abs(one.change.high)) >= SAME for one in prediction.quantities):
        return ""
    names = [one.name for one in prediction.quantities]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    first = prediction.quantities[0]
    return f"Nothing changes: {listed} differ by less than {100 * SAME:g}{NB}% in every draw. The {first.name} stays {range_(first.changed, first.unit)}."


def foreseen(prediction: Prediction) -> str:
    """What the changes would do, as a headline: the quantities whose ranges leave no change out, and the others."""
    sets = one_line(", ".join(prediction.sets))
    if unchanged(prediction):
        return f"With {sets} nothing changes."
    moved = [one for one in prediction.quantities if one.change.low > 0 or one.change.high < 0]
    rest = [one.name for one in prediction.quantities if one not in moved]
    told = f"With {sets}, {listing([f'{one.name} changes by {change(one.change)}' for one in moved])}." if moved else f"With {sets} nothing is shown to change."
    return f"{told} Not shown to change: {listing(rest)}." if moved and rest else told


def predicted(prediction: Prediction) -> Sequence[str]:
    """A prediction for a terminal."""
    sets = [one_line(f"What if {', '.join(prediction.sets)}:")]
    if same := unchanged(prediction):
        return [*sets, *textwrap.wrap(same, WIDTH), *textwrap.wrap(basis(prediction), WIDTH)]
    return [*sets, *align(PREDICTION_HEADS, prediction_rows(prediction)), *textwrap.wrap(basis(prediction), WIDTH)]
