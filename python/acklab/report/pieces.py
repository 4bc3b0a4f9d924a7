"""HTML of results: the run report's look, charts as figures of a page and as files, nothing fetched."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..plot.files import write
from ..results.directory import static_charts
from ..text.templates import Fact, sentence
from ..text.terminal import visible
from .page import VIEWER, document
from .vega import printed, specification

if TYPE_CHECKING:
    from .charts import Chart


def embedded(chart: Chart, *, wide: bool = False) -> str:
    """Returns a chart as a figure of a page. A chart of a single panel takes half of the page, unless it is ``wide``."""
    spec = specification(chart)
    meta = spec["usermeta"]
    kind = "plot small" if meta["small"] and not wide else "plot"
    about = html.escape(visible(chart.about))
    # "<" is escaped so that no text in the data can end the script element.
    text = json.dumps(spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    tall = sum(panel["height"] + 62 for panel in spec["concat"][:: meta["columns"]])
    return (
        f'<figure class="{kind}" id="{html.escape(chart.name)}-chart">{_keys(meta["keys"])}'
        f'<div class="panels" role="img" aria-label="{about}" style="min-height:{tall:.0f}px"></div>'
        f'<figcaption>{about}</figcaption><script type="application/json">{text}</script></figure>'
    )


def save(chart: Chart, *files: Path, note: str = "", width: float | None = None) -> None:
    """Writes a chart to files whose names end in ``.svg``, ``.png`` or ``.pdf``, so many pixels wide, with a note below it.

    Raises:
        ImportError: vl-convert is not installed; names the extra that has it.
    """
    if files:
        write(printed(specification(chart), visible(note), width), *files)


def save_all(charts: Iterable[Chart], folder: Path) -> None:
    """Writes charts into a directory, in the formats that the user asked for (:func:`acklab.results.directory.static_charts`)."""
    kinds = static_charts()
    for chart in charts if kinds else ():
        folder.mkdir(exist_ok=True, parents=True)
        save(chart, *(folder / f"{chart.name}.{kind}" for kind in kinds))


def _keys(keys: Iterable[dict[str, str]]) -> str:
    """Returns a legend, whose lines break where a narrow screen needs it."""
    entries = "".join(f"<span>{_swatch(key)}{html.escape(key['name'])}</span>" for key in keys)
    return f'<p class="keys">{entries}</p>' if entries else ""


_SHAPES = {
    "circle": '<circle cx="13" cy="5" r="3.5"/>',
    "square": '<path d="M9.5 1.5h7v7h-7z"/>',
    "diamond": '<path d="M13 .5 17.5 5 13 9.5 8.5 5z"/>',
    "triangle-up": '<path d="M13 1 17 9H9z"/>',
    "triangle-down": '<path d="M13 9 17 1H9z"/>',
    "cross": '<path d="M9 1 17 9M17 1 9 9"/>',
    "": "",
}
_DASHES = {"--": "6 3", ":": "2 2", "-.": "6 2 2 2"}


def _swatch(key: dict[str, str]) -> str:
    if "ramp" in key:
        colours = ",".join(key["ramp"])
        return f'<i class="ramp"><b>{key["low"]}</b><i style="background:linear-gradient(90deg,{colours})"></i><b>{key["high"]}</b></i>'
    colour, dash = key["colour"], _DASHES.get(key["dash"], "none")
    line = f'<path d="M0 5h26" stroke-dasharray="{dash}"/>' if key["dash"] else ""
    return f'<svg viewBox="0 0 26 10" stroke="{colour}" fill="{colour}" stroke-width="1.6">{line}{_SHAPES[key["shape"]]}</svg>'


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

    several = list(charts)
    save_all(several, folder)
    return [embedded(chart, wide=wide or len(several) == 1) for chart in several]
