"""A fit for a terminal, and its sentences for the page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from ...captures import text as capture_text
from ...captures.findings import limit
from ...text.columns import align
from ...text.counts import counted
from ...text.escapes import one_line
from ...text.numbers import NB, amount, listing, seconds
from ...text.templates import sentence
from . import answer, trust
from .fit import Fit
from .held_out import HeldOut
from .predict import Prediction
from .receivers import LINUX_NAMES, Named, called
from .score import Score
from .trust import INSTEAD, given
from .value import Value, shown, signed

WIDTH = 100
HEADS = ["parameter", "value", "interval", "determined", "how"]


def interval(value: Value) -> str:
    """The interval, or the bound that there is."""
    if value.low is None and value.high is None:
        return ""
    # A rate that passed is a lower bound, also where the search varies it.
    if value.high is None or (value.name == "rate" and not value.determined):
        return f"at least {shown(value.low, value.unit)}"
    if value.low is None:
        return f"at most {shown(value.high, value.unit)}"
    if value.low == value.high:
        return ""
    low, high = shown(value.low, value.unit), shown(value.high, value.unit)
    return f"about {low}" if low == high else f"{low} to {high}"


def rows(found: Fit) -> list[list[str]]:
    """The table of parameters."""
    return [
        [one.name, shown(one.value, one.unit), interval(one), "yes" if one.determined else "no", one_line(one.how)]
        for one in found.values
    ]


#: Where a capture was taken, in words.
PLACES = {"sender": "near the sender", "receiver": "near the receiver"}


def heading(found: Fit, *, short: bool = False) -> str:
    """What was fitted; ``short`` without the file's directory."""
    measured = found.measured
    title = f"{capture_text.title_of_file(found.file, short=short)}, {capture_text.title(measured.row)}"
    where = PLACES.get(measured.row["vantage"], "where it was captured")
    return f"{title}: {amount(measured.bytes, 'B')} acknowledged in {seconds(measured.end_s)}, from the first data to the last ACK {where}"


def headline(found: Fit) -> str:
    """What limits the connection, and whether a model agrees."""
    said = sentence(limit(found.measured.row))
    if found.bad:
        return f"{said}. No model of this connection is good enough for a what-if."
    values = {one.name: shown(one.value, one.unit) for one in found.values if one.determined}
    told = [
        f"{word}{values[name]}"
        for name, word in (("rate", ""), ("round trip", "a round trip of "), ("queue", "a queue of "))
        if name in values
    ]
    model = f"A model with {listing(told)}" if told else "The model that fits best"
    if given(found):
        return f"{said}. {model} replays the application's writes."
    return f"{said}. {model} {_as(found.model.score.end, 'takes as long', 'takes {} longer', 'takes {} less')}."


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
    cells = [[name, signed(one.end), _curve(one), signed(one.acks), _sizes(one)] for name, one in told]
    return ["simulated", "completion", "curve off by", "number of ACKs", "ACKs of other sizes"], cells


def limits(found: Fit) -> list[str]:
    """What limits the connection, and what limits the model, by the same analysis."""
    said, simulated = [sentence(limit(found.measured.row)) + "."], found.model.simulated.row
    return said if simulated is None else [*said, f"The same analysis of the model: {sentence(limit(simulated))}."]


def trusted(found: Fit, *, scored: bool = False) -> list[str]:
    """What else is to be known of a fit, in sentences; ``scored`` with the scores of the held-out half."""
    said = []
    if found.receiver is not None and found.receiver.known:
        said.append(receiver(found.receiver))
    if found.held_out is None:
        said.append(f"Nothing was held out: {found.why_not}.")
    else:
        said += second_half(found.held_out)[not scored :]
    if last := given(found):
        said.append(
            f"The last write is replayed at {seconds(last)} of {seconds(found.measured.end_s)}. So the completion is given, and its agreement is no evidence."
        )
    if found.measured.writes and not found.bad:
        said.append(
            "The application's writes are replayed at their times, also where another path would have let it write earlier."
        )
    return [*said, *(f"Note: {note}." for note in found.notes)]


def verdicts(found: Fit) -> list[str]:
    """How good the fit is, in sentences."""
    said = [*limits(found), f"Model beside capture: {_beside(found.model.score)}."]
    if found.replay is not found.model and found.replay.listed:
        said.append(f"Replay with the captured losses one by one: {_beside(found.replay.score)}.")
    return [*said, *trusted(found, scored=True), asked(found)]


def asked(found: Fit) -> str:
    """What may be asked of a fit."""
    if found.bad:
        return f"No what-if follows from this fit: {found.bad}. {INSTEAD}"
    if found.blind:
        return f"No what-if about a queue or a sender follows from this fit: {found.blind}.{trust.elsewhere(found)} Other questions may be asked.{_missed(found)}"
    both = found.search.waits(found.model)
    share = (
        f" (median and 95th of 100 differ by {f'{100 * both.apart:.0f}' if both.apart >= 0.01 else 'less than 1'}{NB}%)"
        if both is not None
        else ""
    )
    senders = list(dict.fromkeys(one.names["sender"] for one in found.search.open))
    several = (
        f" {_several(senders)} fit about as well, so a what-if about a queue covers them." if len(senders) > 1 else ""
    )
    return f"The fit passes every rule for --what-if, also for a queue: its round trips agree with the capture's{share}.{several}{_missed(found)}"


def _missed(found: Fit) -> str:
    """The held-out check of the number of ACKs, where it missed more than a what-if's range allows for."""
    doubt = trust.doubt(found)
    return f" But {doubt[:1].lower()}{doubt[1:]}" if doubt else ""


#: What to read in the table of scores, and in that of parameters.
SCORED = (
    "Completion and number of ACKs: the simulation's beside the capture's. Curve: how far apart in time both acknowledge the same data, in the mean, as a share of "
    "the captured time. ACKs of other sizes: those that acknowledge another amount than in the capture."
)
KNOWN = "Determined: whether the capture shows the value. If not, the simulation has it, and others may fit as well. How: the evidence."


#: What a name is worth where the receiver is another (``--seed 3641`` in docs/reference/fits.md).
OTHERS = "A receiver that acklab does not know may look the same: in a test 1 of 34 did."


def receiver(named: Named) -> str:
    """What the receiver acknowledges like, and what is next."""
    share = sum(named.odds[one] for one in named.names)
    linux = named.names[0].startswith(LINUX_NAMES)
    other = next(
        (one for one in named.odds if one not in named.names and not (linux and one.startswith(LINUX_NAMES))), None
    )
    said = f"Of the receivers that acklab knows, the likeliest is {called(named.names)}"
    if other is None:
        return f"{said}. {OTHERS}"
    odds = share / named.odds[other] if named.odds[other] else math.inf
    surely = "more than 1,000 to 1" if odds > 1000 else f"{odds:.0f} to 1"
    return f"{said}, by {surely} before {other}. {OTHERS}"


def second_half(held: HeldOut) -> list[str]:
    """The held-out check."""
    said = [
        f"Held-out check, the second half of the data as the fit of the first half predicts it: {_beside(held.score)}."
    ]
    lies = "within" if held.covered else "outside"
    said.append(
        f"The models that the first half allows predict the second half's time from {signed(held.low)} to {signed(held.high)} of the captured: that is {lies}."
    )
    if held.open:
        said.append(f"The first half alone does not determine {_several(held.open)}.")
    return said


def _several(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"


def _beside(score: Score) -> str:
    return f"completion {signed(score.end)}, curve off by {_curve(score)} of the time in the mean, ACKs {signed(score.acks)} in number, {_sizes(score)} for other amounts of data"


def _sizes(score: Score) -> str:
    return f"{100 * score.sizes:.0f}{NB}%"


def _curve(score: Score) -> str:
    return f"{100 * min(score.curve, 10):.1f}{NB}%"


def as_text(found: Fit, prediction: Prediction | None = None) -> str:
    """The fit for a terminal."""
    table = [row[:4] + textwrap.wrap(row[4], 60)[:1] if row[4] else [*row[:4], ""] for row in rows(found)]
    more = [textwrap.wrap(row[4], 60)[1:] for row in rows(found)]
    lines = align(
        HEADS,
        [
            cells
            for row, rest in zip(table, more, strict=True)
            for cells in [row, *(["", "", "", "", one] for one in rest)]
        ],
        names=5,
    )
    told = [line for said in verdicts(found) for line in textwrap.wrap(said, WIDTH)]
    parts = [
        heading(found),
        *textwrap.wrap(headline(found), WIDTH),
        "",
        *lines,
        "",
        *told,
        f"{counted(found.simulations, 'simulation')}.",
    ]
    if prediction is not None:
        parts += ["", *answer.predicted(prediction)]
    return "\n".join(parts)
