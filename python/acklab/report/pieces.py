"""HTML pages of results: the run report's look, inline SVG, nothing fetched."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..text.escapes import visible
from ..text.templates import Fact, sentence
from .page import VIEWER, document

if TYPE_CHECKING:
    from .charts import Chart

__all__ = ["SCROLLER", "VIEWER", "aside", "closed", "document", "esc", "fold", "header", "listed", "saved", "table"]


def esc(text: object) -> str:
    """Text as HTML."""
    return html.escape(visible(str(text)))


#: Rows of a table that a telephone shows as blocks, and characters of a cell that shares a line with others there.
MAX_STACKED, MAX_BESIDE = 20, 18
_TAG = re.compile("<[^>]*>")
SCROLLER = '<div class="scroller" tabindex="0" role="group" aria-label="Table">'
"""Opens what a wide table is pushed along in, with keys too."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], classes: Sequence[str] = (), kind: str = "") -> str:
    """A table; cells are HTML already. On a telephone each row of a short one is a block, in which a cell says its heading."""
    rows, marks = list(rows), [*classes, *[""] * (len(heads) - len(classes))]
    head = "".join(
        f'<th class="{m}" scope=col>{h}</th>' if h else f'<td class="{m}"></td>'
        for h, m in zip(heads, marks, strict=True)
    )
    top = f"<thead><tr>{head}</tr></thead>" if any(heads) else ""
    if any(heads) and not kind and len(rows) <= MAX_STACKED:
        kind = "stacked" if len(heads) > 2 else ""
        marks = [f"{mark} named".strip() if place == 0 else mark for place, mark in enumerate(marks)]
    body = "".join(f"<tr>{''.join(map(_cell, row, heads, marks))}</tr>" for row in rows)
    named = f' class="{kind}"' if kind else ""
    return f"{SCROLLER}<table{named}>{top}<tbody>{body}</tbody></table></div>"


def _cell(cell: str, head: str, mark: str) -> str:
    long = " long" if len(_TAG.sub("", cell)) > MAX_BESIDE and "named" not in mark else ""
    return f'<td class="{mark}{long}{"" if cell else " empty"}" data-head="{head}">{cell}</td>'


def aside(words: str, body: str) -> str:
    """HTML that a telephone folds behind these words, and that every other screen shows as it is."""
    return f'<details class="aside" open><summary>{esc(words)}</summary>{body}</details>'


def closed(words: str, body: str) -> str:
    """A closed part of a card."""
    return f'<details class="fold"><summary>{esc(words)}</summary>{body}</details>'


def fold(title: str, body: str) -> str:
    """A part of a page that starts closed: the title says what is in it."""
    return f'<details class="card fold"><summary><h2>{esc(title)}</h2></summary>{body}</details>'


def listed(facts: Iterable[Fact]) -> str:
    """Facts as a list."""
    return f"<ul class=facts>{''.join(f'<li>{esc(sentence(one))}</li>' for one in facts)}</ul>"


def header(
    title: str,
    kicker: str,
    headline: str,
    *,
    quick: bool,
    changed: Sequence[str] = (),
    command: str = "acklab reproduce",
) -> str:
    """The top of a page, left open for what follows; with the keys that were ``changed`` against the paper, and the ``command`` that runs all of it."""
    warning = (
        '<p class="warning"><b>A quick look</b>: fewer seeds and cells than the full run, and no slow checks. '
        f'Verdicts may change. <span class="command">{esc(command)}</span> makes the full run, which takes minutes or longer.</p>'
        if quick
        else ""
    )
    if changed:
        warning += f'<p class="warning"><b>Changed: not the paper.</b> Every run has <span class="command">{esc(", ".join(changed))}</span>.</p>'
    return (
        '<header class="top"><div id="theme"></div>'
        f'<p class="kicker">{esc(kicker)}</p><h1>{esc(title)}</h1>{f"<p>{esc(headline)}</p>" if headline else ""}{warning}'
    )


def saved(charts: Iterable[Chart], folder: Path, *, wide: bool = False) -> list[str]:
    """Returns charts as figures of a page, and writes them into a directory if the user asked for files.

    One chart, and each if ``wide``, takes the width of the page.
    """
    from . import pictures  # a page without charts needs none of what draws

    several = list(charts)
    pictures.saved(several, folder)
    return [pictures.embedded(chart, wide=wide or len(several) == 1) for chart in several]
