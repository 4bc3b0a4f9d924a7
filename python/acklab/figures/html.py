"""HTML pages of results: the run report's look, inline SVG, nothing fetched."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib import resources

from .._texts import visible
from ..plot import palette
from ..report.page import asset
from ..report.policy import policy

_STYLES = ("tokens.css", "page.css", "tables.css", "print.css")


def esc(text: object) -> str:
    """Text as HTML."""
    return html.escape(visible(str(text)))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], classes: Sequence[str] = (), kind: str = "") -> str:
    """A table; cells are HTML already."""
    marks = [f' class="{c}"' if c else "" for c in (*classes, *[""] * (len(heads) - len(classes)))]
    head = "".join(f"<th{m} scope=col>{h}</th>" for h, m in zip(heads, marks, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{m}>{cell}</td>" for cell, m in zip(row, marks, strict=True)) + "</tr>" for row in rows
    )
    return f'<div class="scroller tall"><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def document(title: str, body: str) -> str:
    """A whole HTML file."""
    own = resources.files(__package__).joinpath("assets")
    parts = [*(asset(name) for name in _STYLES), own.joinpath("paper.css").read_text(encoding="utf-8"), _slots()]
    style = "\n" + "\n".join(parts) + "\n"
    script = '\n(() => {\n"use strict";\n' + own.joinpath("paper.js").read_text(encoding="utf-8") + "})();\n"
    return (
        '<!doctype html>\n<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([script], [style], style_attributes=True)}">\n'
        f"<title>{esc(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n<script>{script}</script>\n"
        "</body>\n</html>\n"
    )


def _slots() -> str:
    def rules(theme: str) -> str:
        return " ".join(f"--slot-{slot}: {shades[theme]};" for slot, shades in palette.SLOTS.items())

    return (
        f":root {{ {rules('light')} }}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {rules('dark')} }} }}\n"
        f":root[data-theme=dark] {{ {rules('dark')} }}\n@media print {{ :root {{ {rules('light')} }} }}"
    )


def header(title: str, kicker: str, headline: str, *, quick: bool) -> str:
    """The top of a page, left open for what follows."""
    warning = (
        '<p class="warning"><b>A quick look</b>: fewer seeds and cells than the full run, and no slow evidence. '
        "Verdicts may change; run without --quick for the real thing.</p>"
        if quick
        else ""
    )
    return (
        '<header class="top"><div id="theme"><button hidden>light / dark</button></div>'
        f'<p class="kicker">{esc(kicker)}</p><h1>{esc(title)}</h1><p>{esc(headline)}</p>{warning}'
    )
