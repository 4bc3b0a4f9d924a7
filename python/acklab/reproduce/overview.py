"""A claim's place on one scale, as HTML: what was measured, its interval, and the band of what is allowed."""

from __future__ import annotations

from collections.abc import Iterable

from ..figures.charts import Row
from ..figures.html import esc
from ..text.templates import fact, sentence
from .evidence import LIMIT


def keys(rows: Iterable[Row]) -> str:
    """What the marks mean."""
    marks = "".join(f'<span class="{kind}"><b></b>{kind}</span>' for kind in ("reproduced", "differs", "undecided"))
    marks += "<span><u></u>ns-2</span>" * any(row.ns2 is not None for row in rows)
    return f'<p class="keys">{marks}<span>{esc(sentence(fact("scale")))}</span></p>'


def scale(row: Row) -> str:
    """A mark, its interval and ns-2's value beside what is allowed."""
    interval = ""
    if row.interval is not None:
        low, high = map(_place, row.interval)
        interval = f'<s style="left:{low:.1f}%;width:{high - low:.1f}%"></s>'
    ns2 = f'<u style="left:{_place(row.ns2):.1f}%"></u>' if row.ns2 is not None else ""
    mark = f'<b style="left:{_place(row.ours):.1f}%"></b>'
    return f'<i class="scale {row.verdict}" role="img" aria-label="{esc(row.text)}" title="{esc(row.text)}">{interval}{ns2}{mark}</i>'


def _place(value: float) -> float:
    """A position on the scale, in percent of its width."""
    return 50 + 50 * max(-LIMIT, min(LIMIT, value)) / LIMIT
