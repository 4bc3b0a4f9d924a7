"""What may be asked of a fit, and what the ranges of an answer claim: every rule, in one place.

A fit that breaks a rule of :func:`bad` predicts nothing. One that breaks a rule of :func:`blind` predicts no other queue and no other sender.
Else a what-if is answered, and :func:`untested` says what its ranges do not cover. They were compared with true answers (:mod:`.widening`) for
one question only: FQ-CoDel at a bottleneck whose rate the capture shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...text.numbers import NB, seconds
from .value import Row
from .waits import AGREE
from .widening import WIDER

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


def bad(found: Fit) -> str:
    """Why no prediction follows from a fit; empty if one does."""
    share, score, held = (
        len(found.measured.writes) / max(found.measured.row["segments"], 1),
        found.model.score,
        found.held_out,
    )
    if share > BAD_WRITES:
        return f"a write for every {1 / share:.1f} segments repeats the captured departures, and says nothing of the network (at most one for {1 / BAD_WRITES:.0f})"
    if score.curve > BAD_CURVE:
        return f"the simulation's curve of acknowledged data is off by {_percent(score.curve)} of the time in the mean (at most {_percent(BAD_CURVE)})"
    if abs(score.end) > BAD_END:
        return f"the simulation's time differs by {_percent(score.end, '+')} from the capture's (at most {_percent(BAD_END)})"
    if lacks := _lacks(found.measured.row, found.model.simulated.row):
        return lacks
    if held is not None and abs(held.end) > BAD_END:
        return f"fitted to its first half, it misses the time of the second by {_percent(held.end, '+')} (at most {_percent(BAD_END)})"
    if held is None:
        return f"no part of the connection could be held out to check the fit: {found.why_not}"
    for told, many in (
        ("the simulation's", score.acks),
        ("fitted to its first half, the second half's", held.score.acks),
    ):
        if abs(many) > BAD_ACKS:
            return f"{told} number of ACKs differs by {_percent(many, '+')} from the capture's (at most {_percent(BAD_ACKS)})"
    return ""


def _percent(share: float, sign: str = "") -> str:
    """A share as the tables have it; without a bound above 1,000 %."""
    return f"{100 * share:{sign}.0f}{NB}%" if abs(share) < 10 else f"more than 1,000{NB}%"


def _lacks(captured: Row, simulated: Row | None) -> str:
    """What holds the capture back and not the model; empty without any."""
    for column, name in LIMITS.items():
        ours, theirs = (_share(row, column) for row in (simulated, captured))
        if theirs >= MAIN and ours < theirs / 2:
            return f"the capture is limited by {name} for {_percent(theirs)} of its time, the simulation for {_percent(ours)} (at least half as long)"
    return ""


def _share(row: Row | None, column: str) -> float:
    return float((row[column] or 0.0) / (row["limits_s"] or 1.0)) if row is not None else 0.0


def blind(found: Fit) -> str:
    """Why no prediction of another queue or sender follows from a fit; empty if one does."""
    if found.bad:
        return found.bad
    both = found.search.waits(found.model)
    if both is None:
        return "near the receiver, a capture does not show the round trips that a queue changes; one at the sender shows them (acklab fit SENDER RECEIVER takes both)"
    if not found.search.open:
        return f"no model that fits has the captured round trips: the capture {seconds(both.captured_s)}, the simulation {seconds(both.simulated_s)} (at most {_percent(AGREE)} apart)"
    held = found.held_out.waits if found.held_out else None
    if held is not None and not held.agree:
        return f"fitted to its first half, it has round trips of {seconds(held.simulated_s)}, the capture {seconds(held.captured_s)} (at most {_percent(AGREE)} apart)"
    return ""


def elsewhere(found: Fit) -> str:
    """What may be done where no question about a queue or a sender is answered; empty where the reason says it."""
    return "" if "acklab fit SENDER RECEIVER" in found.blind else f" {INSTEAD}"


def doubt(found: Fit) -> str:
    """Why an answer's number of ACKs is in doubt: the held-out check missed it by more than a range allows for; empty if it did not."""
    acks = found.held_out.score.acks if found.held_out is not None else 0.0
    if abs(acks) <= WIDER["ACKs"]:
        return ""
    more = f"{_percent(abs(acks))} {'more' if acks > 0 else 'fewer'}"
    return f"A fit of the first half alone predicts {more} ACKs in the second half than were captured. A range of ACKs allows for {100 * WIDER['ACKs']:.1f}{NB}%, so do not rely on it."


def given(found: Fit) -> float:
    """When the last write is replayed, in seconds from the first data, if that decides the completion; else 0."""
    last = found.measured.writes[-1][0] if found.measured.writes else 0.0
    return last if last > GIVEN * found.measured.end_s else 0.0


def untested(found: Fit, sets: Sequence[str]) -> list[str]:
    """Why it is not known how often the ranges of an answer have the truth, in clauses; empty where it was tested."""
    why = []
    if not all(one.partition("=")[0].strip().startswith(TESTED[0]) and TESTED[1] in one for one in sets):
        why.append("only the question of FQ-CoDel at the bottleneck was compared with true answers, not this one")
    if not next(one for one in found.values if one.name == "rate").determined:
        why.append("the capture does not show the rate")
    if found.held_out is not None and not found.held_out.covered:
        why.append("the second half took a time that its prediction from the first leaves out")
    if found.blind:
        why.append("no round trip of the model was compared with the capture's, so none is told")
    return why
