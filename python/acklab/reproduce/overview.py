"""A claim's place on one scale, as HTML: what was measured, its interval, and the band of what is allowed."""

from __future__ import annotations

from collections.abc import Iterable

from ..report.pieces import esc
from ..text.templates import fact, sentence
from .evidence import LIMIT, Place


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
