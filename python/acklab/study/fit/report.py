"""A fit, and the answer of a what-if, as facts and tables."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ...captures.findings import CAUSES, limit
from ...captures.text import title, title_of_file
from ...report.charts import Dot, DotPanel, Dots
from ...report.report import Report, Table
from ...text.escapes import one_line
from ...text.numbers import NB, between, change, percent, shown
from ...text.templates import Fact, fact, sentence
from .predict import SAME, Predicted, Prediction, Range
from .receivers import LINUX_ALL, called
from .score import Score
from .search import QUEUE, TIMER, Tried
from .trust import WIDER, doubt, given
from .value import Row, Value

if TYPE_CHECKING:
    from .fit import Fit

HEADS = ["parameter", "value", "interval", "determined", "how"]
#: The order of facts and panels. Facts leave goodput out where there is a completion, which is the same in other units.
FIRST = ("mean round trip", "completion", "ACKs", "retransmissions", "goodput")
#: Units of the picture's axes, and their factors.
SCALES = {"s": ("ms", 1e3), "bps": ("Mb/s", 1e-6), "": ("", 1.0)}


def report(found: Fit, prediction: Prediction | None = None, *, short: bool = False) -> Report:
    """The report of a fit, and of what was asked of it; ``short``: the capture's name without its directory."""
    name = f"{title_of_file(found.file, short=short)}, {title(found.measured.row)}"
    tables = [_parameters(found), _scores(found), _receivers(found)]
    if prediction is None:
        return Report("fit", name, facts(found), [replace(tables[0], fold=False, lead=True), *tables[1:]])
    name = f"{name}: what if {one_line(', '.join(prediction.sets))}"
    return Report("fit", name, foreseen(prediction), [_answer(prediction), *tables, _models(prediction)])


def facts(found: Fit) -> list[Fact]:
    """What was fitted, what limits it, what may be asked of it, and the held-out check."""
    measured, held = found.measured, found.held_out
    several = [fact("fitted", bytes=measured.bytes, took=measured.end_s, simulations=found.simulations)]
    several += [limit(measured.row), _asked(found), *filter(None, [doubt(found)]), *_receiver(found)]
    if held is None:
        return [*several, fact("not-held-out", why=found.why_not)]
    return [*several, fact("held-out" if held.covered else "held-out-missed", low=held.low, high=held.high)]


def _asked(found: Fit) -> Fact:
    if found.bad:
        return fact("answers-none", why=found.bad)
    return fact("answers-but", why=found.blind) if found.blind else fact("answers")


def _receiver(found: Fit) -> list[Fact]:
    """What the receiver acknowledges like, and how much likelier that is than the next; nothing where no name is said."""
    named = found.receiver
    if named is None or not named.known:
        return []
    linux = named.names[0].startswith(LINUX_ALL)
    rest = [one for one in named.odds if one not in named.names and not (linux and one.startswith(LINUX_ALL))]
    if not rest:
        return [fact("receiver-alone", names=called(named.names))]
    odds = sum(named.odds[one] for one in named.names) / (named.odds[rest[0]] or math.ulp(0.0))
    return [fact("receiver-like", names=called(named.names), odds=odds, next=rest[0])]


def interval(value: Value) -> str:
    """The interval, or the bound that there is."""
    # A rate that passed is a lower bound, also where the search varies it.
    bound = value.name == "rate" and not value.determined
    return between(value.low, None if bound else value.high, value.unit) if value.low != value.high else ""


def rows(found: Fit) -> list[list[str]]:
    """The rows of parameters, below :data:`HEADS`."""
    return [
        [one.name, shown(one.value, one.unit), interval(one), "yes" if one.determined else "no", "" if one.how is None else one_line(sentence(one.how))]
        for one in found.values
    ]  # fmt: skip


def _parameters(found: Fit) -> Table:
    feet, last = [fact("determined"), *found.notes], given(found)
    if last:
        feet.append(fact("given", last=last, took=found.measured.end_s))
    if found.measured.writes:
        feet.append(fact("writes-replayed"))
    if found.held_out and found.held_out.open:
        feet.append(fact("held-open", names=found.held_out.open))
    return Table(HEADS, rows(found), "Parameters", feet, names=5, fold=True)


def _scores(found: Fit) -> Table:
    """How far simulations are from the capture."""
    heads = ["simulated", "completion", "curve off by", "ACKs", "ACKs of other sizes", "round trips", "limit"]
    both = found.search.waits(found.model)
    trips = "-" if both is None else change(both.simulated_s / both.captured_s - 1)
    table = [["the capture", "", "", "", "", "", _limit(found.measured.row)]]
    table.append(["the model", *_cells(found.model.score), trips, _limit(found.model.simulated.row)])
    if found.replay is not found.model and found.replay.listed:
        cells = _cells(found.replay.score)
        table.append(["the captured losses one by one", *cells, "-", _limit(found.replay.simulated.row)])
    if found.held_out is not None:
        table.append(["the second half, from the first", *_cells(found.held_out.score), "-", "-"])
    return Table(heads, table, "Beside the capture", [fact("scored"), fact("sized")], fold=True)


def _cells(score: Score) -> list[str]:
    curve = f"{100 * min(score.curve, 10):.1f}{NB}%"
    return [change(score.end), curve, change(score.acks), f"{100 * score.sizes:.0f}{NB}%"]


def _limit(row: Row | None) -> str:
    if row is None or row["limit"] not in CAUSES:
        return "-" if row is None else str(row["limit"])
    column, name = CAUSES[row["limit"]]
    return f"{name}, {percent(row[column] / row['limits_s'])}"


def _receivers(found: Fit) -> Table:
    odds = found.receiver.odds if found.receiver is not None else {}
    table = [[name, f"{share:.3f}"] for name, share in odds.items()]
    return Table(["receiver", "probability"], table, "Receivers", [fact("receiver-unknown")], fold=True, terminal=False)


def moved(prediction: Prediction) -> dict[str, Predicted]:
    """The quantities whose ranges leave no change out."""
    several = {one.name: one for one in prediction.quantities if one.fitted.median}
    return {name: several[name] for name in FIRST if name in several and not several[name].change.low <= 0 <= several[name].change.high}  # fmt: skip


def foreseen(prediction: Prediction) -> list[Fact]:
    """What the changes would do, and how far to trust that."""
    changes = moved(prediction)
    told = [_change(one) for name, one in changes.items() if not (name == "goodput" and "completion" in changes)]
    if all(max(abs(one.change.low), abs(one.change.high)) < SAME for one in prediction.quantities):
        told = [fact("unchanged", share=SAME)]
    trust = [*filter(None, [prediction.doubt]), *prediction.claims]
    return [*(told or [fact("no-change-shown")]), *trust, fact("never-real")]


def _change(one: Predicted) -> Fact:
    fitted, changed = (shown(of.median, one.unit) for of in (one.fitted, one.changed))
    return fact("what-if", quantity=one.name, fitted=fitted, changed=changed, low=one.change.low, high=one.change.high)


def _answer(prediction: Prediction) -> Table:
    """Each quantity as fitted and changed."""

    def cells(range_: Range, unit: str) -> str:
        ends = f"{shown(range_.low, unit)} to {shown(range_.high, unit)}"
        return shown(range_.median, unit) if range_.low == range_.high else f"{shown(range_.median, unit)} ({ends})"

    def relative(one: Predicted) -> str:
        if not one.fitted.median:
            return "-"
        low, middle, high = (change(end) for end in (one.change.low, one.change.median, one.change.high))
        return middle if one.change.low == one.change.high else f"{middle} ({low} to {high})"

    table = [
        [one.name, cells(one.fitted, one.unit), cells(one.changed, one.unit), relative(one), change(WIDER.get(one.name, 0.0)).lstrip("+")]
        for one in prediction.quantities
    ]  # fmt: skip
    feet = [fact("draws", draws=prediction.draws, models=len(prediction.models))]
    if prediction.unfinished:
        feet.append(fact("unfinished-draws", unfinished=prediction.unfinished, draws=prediction.draws))
    if prediction.near_s >= 0.01 * prediction.captured_s:
        feet.append(fact("away", near=prediction.near_s))
    return Table(["quantity", "as fitted", "changed", "change", "wider by"], table, "What if", feet)


def _models(prediction: Prediction) -> Table:
    """The models of the draws."""

    def row(one: Tried) -> list[str]:
        names = [one.names[name] for name in ("sender", "losses", "acks")]
        return [*names, shown(one.sets.get(QUEUE), "packets"), one.sets.get(TIMER, "-"), percent(one.cost)]

    heads = ["sender", "losses", "replayed policy", "queue", "ACK timer", "cost"]
    return Table(heads, list(map(row, prediction.models)), "Models of the draws", names=3, fold=True, terminal=False)


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
    return Dots("what-if", sentence(fact("chart-what-if")), ["as fitted", "changed"], panels)
