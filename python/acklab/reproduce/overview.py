"""Every claim of a paper on one scale, as HTML: each row leads to its claim, and rows stand in as many columns as fit."""

from __future__ import annotations

from collections.abc import Mapping

from ..figures.charts import Forest, Row
from ..figures.html import aside, esc
from ..text.counts import counted
from .evidence import LIMIT
from .ledger import Claim

_KEYS = (("reproduced", "reproduced"), ("differs", "differs"), ("undecided", "undecided"))


def overview(chart: Forest, claims: Mapping[str, Claim]) -> str:
    """The section; ``claims`` has each row's claim."""
    keys = "".join(f'<span class="{kind}"><b></b>{word}</span>' for kind, word in _KEYS)
    keys += "<span><u></u>the same with ns-2, another simulator</span>" * any(row.ns2 is not None for row in chart.rows)
    rows = "".join(_row(row, claims.get(row.label)) for row in chart.rows)
    body = (
        '<p class="note">A row is a claim and leads to its details. Inside the band a measured value counts as reproduced. A mark is that value, and a line '
        "its interval. The band's edges are the least and the greatest value that is allowed. Where there is one limit, as for more than another, it is one edge, and a "
        "mark at the other edge is far from it. For a claim with several parts, the mark is that of the part which decides. A mark at the end of the scale lies beyond it."
        f"{_left_out(len(claims) - len(chart.rows))}"
        f'</p><p class="keys" aria-hidden="true">{keys}</p><div class="card"><ul class="overview">{rows}</ul></div>'
    )
    return f'<section id="overview"><h2>Every claim on one scale</h2>{aside(f"The {len(chart.rows)} claims, and how far each is from what is allowed", body)}</section>'


def _left_out(many: int) -> str:
    """What is said of claims without a measurement."""
    return (
        f" {counted(many, 'claim')} that no run can test {'is' if many == 1 else 'are'} not in it." if many > 0 else ""
    )


def _row(row: Row, claim: Claim | None) -> str:
    text, place = (claim.claim, claim.figure) if claim else (row.label, "")
    interval = ""
    if row.interval is not None:
        low, high = map(_place, row.interval)
        interval = f'<s style="left:{low:.1f}%;width:{high - low:.1f}%"></s>'
    ns2 = f'<u style="left:{_place(row.ns2):.1f}%"></u>' if row.ns2 is not None else ""
    scale = f'<i aria-hidden="true">{interval}{ns2}<b style="left:{_place(row.ours):.1f}%"></b></i>'
    return (
        f'<li><a class="{row.verdict}" href="#claim-{esc(row.label)}" title="{esc(text)} ({esc(row.text)})">'
        f'<small>{esc(place)}</small><span>{esc(text)}</span><span class="unseen">{row.verdict}</span>{scale}</a></li>'
    )


def _place(value: float) -> float:
    """A position on the scale, in percent of its width."""
    return 50 + 50 * max(-LIMIT, min(LIMIT, value)) / LIMIT
