"""What may be asked of a fit, and what the ranges of an answer claim: every rule, in one place.

A fit that breaks a rule of :func:`bad` predicts nothing. One that breaks a rule of :func:`blind` predicts no other queue and no other sender.
Else a what-if is answered, and :func:`claims` says what its ranges do not cover. They were compared with true answers (:data:`WIDER`) for
one question only: FQ-CoDel at a bottleneck whose rate the capture shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...text.templates import Fact, fact, sentence
from .place import AGREE
from .value import Row

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
