"""Every claim of a paper on one scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..report.pieces import esc
from ..text.templates import fact, sentence
from .measure import Comparison, Finding
from .paper import Paper
from .verdict import Verdict

LIMIT = 2.5
"""Beyond so many tolerances a mark is drawn at the edge, as an arrow."""


def position(comparison: Comparison, value: float) -> float:
    """A value on the common scale: from -1 to 1 is what the ledger allows, 0 its middle.

    With one end only, the distance from that end counts as a share of the end itself (of 1 where that is 0).
    """
    low, high = comparison.low, comparison.high
    if math.isfinite(low) and math.isfinite(high):
        half = (high - low) / 2
        if half == 0:
            return 0.0 if value == low else math.copysign(LIMIT, value - low)
        return (value - (low + high) / 2) / half
    if math.isfinite(low):
        return min(1.0, -1 + (value - low) / (abs(low) or 1.0))
    return max(-1.0, 1 + (value - high) / (abs(high) or 1.0))


def hardest(verdict: Verdict) -> Finding | None:
    """The finding that decides a claim: one that does not hold if there is any, else the one nearest to an end."""
    if not verdict.findings:
        return None

    def strain(finding: Finding) -> tuple[bool, float]:
        return finding.holds is False, abs(position(finding.comparison, finding.value))

    return max(verdict.findings, key=strain)


@dataclass(frozen=True)
class Place:
    """A claim on the common scale."""

    ours: float
    ns2: float | None
    interval: tuple[float, float] | None
    verdict: str
    text: str


def place(verdict: Verdict, paper: Paper) -> Place | None:
    """Where a claim stands; of one with several parts or cells, the part that decides."""
    finding = hardest(verdict)
    if finding is None:
        return None
    interval = None
    if finding.interval is not None and all(map(math.isfinite, finding.interval)):
        low, high = (position(finding.comparison, end) for end in finding.interval)
        interval = low, high
    ns2 = paper.ns2_numbers.get(verdict.claim.id)
    alone = len(verdict.findings) == 1
    text = f"{finding.value:.4g}, wanted {finding.comparison.requirement}"[:44] if alone else _cells(verdict)
    theirs = position(finding.comparison, ns2) if ns2 is not None and alone else None
    return Place(position(finding.comparison, finding.value), theirs, interval, verdict.verdict, text)


def _cells(verdict: Verdict) -> str:
    good = sum(f.holds is True for f in verdict.findings)
    return f"{good} of {len(verdict.findings)} comparisons hold"


def keys(places: Iterable[Place]) -> str:
    """What the marks mean."""
    marks = "".join(f'<span class="{kind}"><b></b>{kind}</span>' for kind in ("reproduced", "differs", "undecided"))
    marks += "<span><u></u>ns-2</span>" * any(one.ns2 is not None for one in places)
    return f'<p class="keys">{marks}<span>{esc(sentence(fact("scale")))}</span></p>'


def scale(of: Place) -> str:
    """A mark, its interval and ns-2's value beside what is allowed."""
    interval = ""
    if of.interval is not None:
        low, high = map(_place, of.interval)
        interval = f'<s style="left:{low:.1f}%;width:{high - low:.1f}%"></s>'
    ns2 = f'<u style="left:{_place(of.ns2):.1f}%"></u>' if of.ns2 is not None else ""
    mark = f'<b style="left:{_place(of.ours):.1f}%"></b>'
    return f'<i class="scale {of.verdict}" role="img" aria-label="{esc(of.text)}" title="{esc(of.text)}">{interval}{ns2}{mark}</i>'


def _place(value: float) -> float:
    """A position on the scale, in percent of its width."""
    return 50 + 50 * max(-LIMIT, min(LIMIT, value)) / LIMIT
