"""Every claim of a paper on one scale, as HTML: each row leads to its claim, and rows stand in as many columns as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os.path import commonprefix

from ..figures.charts import Forest, Row
from ..figures.html import aside, esc
from .evidence import LIMIT
from .ledger import Claim

#: Of claims with so many first characters in common the rows begin with what differs.
ALIKE = 24

_HEADS = {
    "evidence": "Evidence",
    "calibration": "Calibration: a parameter was fitted to these",
    "arithmetic": "Arithmetic: these follow from the paper's numbers, or from what was set up",
}
_KEYS = (("reproduced", "reproduced"), ("differs", "differs"), ("not-testable", "undecided"))


def overview(chart: Forest, claims: Mapping[str, Claim]) -> str:
    """The section; ``claims`` has each row's claim."""
    texts = [claims[row.label].claim for row in chart.rows if row.label in claims]
    keys = "".join(f'<span class="{kind}"><b></b>{word}</span>' for kind, word in _KEYS)
    keys += "<span><u></u>ns-2</span>" * any(row.ns2 is not None for row in chart.rows)
    groups = "".join(
        f'<h3>{esc(head)}</h3><ul class="overview">{"".join(_row(row, claims.get(row.label), texts) for row in rows)}</ul>'
        for group, head in _HEADS.items()
        if (rows := [row for row in chart.rows if row.group == group])
    )
    body = (
        '<p class="note">The band is what the ledger allows. A mark is the measured value, and a line is its interval. For a claim with '
        "several parts, the mark is that of the part which decides. A mark at the edge lies beyond the scale."
        f'</p><p class="keys" aria-hidden="true">{keys}</p><div class="card">{groups}</div>'
    )
    return f'<section id="overview"><h2>Every claim on one scale</h2>{aside(f"The {len(chart.rows)} claims, and how far each is from what is allowed", body)}</section>'


def label(text: str, others: Sequence[str]) -> str:
    """A claim as its row says it, where a screen cuts its end off.

    >>> label("Median improvement over delayed ACKs, every.", ["Median improvement over delayed ACKs, LBC."])
    'every: Median improvement over delayed ACKs'
    """
    shared = [len(commonprefix((text, other)).rpartition(" ")[0]) for other in others if other != text]
    cut = min((length for length in shared if length >= ALIKE), default=0)
    return f"{text[cut:].strip(' .')}: {text[:cut].rstrip(' ,:')}" if cut else text


def _row(row: Row, claim: Claim | None, texts: Sequence[str]) -> str:
    text, place = (claim.claim, claim.figure) if claim else (row.label, "")
    word = "undecided" if row.verdict == "not-testable" else row.verdict
    interval = ""
    if row.interval is not None:
        low, high = map(_place, row.interval)
        interval = f'<s style="left:{low:.1f}%;width:{high - low:.1f}%"></s>'
    ns2 = f'<u style="left:{_place(row.ns2):.1f}%"></u>' if row.ns2 is not None else ""
    scale = f'<i aria-hidden="true">{interval}{ns2}<b style="left:{_place(row.ours):.1f}%"></b></i>'
    return (
        f'<li><a class="{row.verdict}" href="#claim-{esc(row.label)}" title="{esc(text)} ({esc(row.text)})">'
        f'<small>{esc(place)}</small><span>{esc(label(text, texts))}</span><span class="unseen">{word}</span>{scale}</a></li>'
    )


def _place(value: float) -> float:
    """A position on the scale, in percent of its width."""
    return 50 + 50 * max(-LIMIT, min(LIMIT, value)) / LIMIT
