"""One HTML file from its parts: the template, the styles, the scripts, the data.

The scripts are plain files, one idea each, joined in the order below into a single
script inside one function; there is no build step and nothing is fetched. The page's
own policy (``Content-Security-Policy``) forbids every request, so a mistake shows.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import Any

from .encode import Blocks

STYLES = ("tokens.css", "page.css", "tables.css", "charts.css", "print.css")

SCRIPTS = (
    "dom.js",
    "format.js",
    "codec.js",
    "scale.js",
    "levels.js",
    "view.js",
    "theme.js",
    "state.js",
    "axes.js",
    "marks.js",
    "store.js",
    "frame.js",
    "pointer.js",
    "keys.js",
    "datatable.js",
    "chart_sequence.js",
    "chart_window.js",
    "chart_rtt.js",
    "chart_queue.js",
    "chart_throughput.js",
    "timeline.js",
    "timeline_draw.js",
    "navigator.js",
    "tables.js",
    "summary.js",
    "main.js",
)


def render(manifest: dict[str, Any], blocks: Blocks) -> str:
    """The whole page as text."""
    # Replaced in one pass each and the data last: data is never searched for markers.
    page = asset("page.html")
    page = page.replace("{{title}}", html.escape(manifest["title"]))
    page = page.replace("{{headline}}", html.escape(manifest["headline"]["title"]))
    page = page.replace("{{styles}}", "\n".join(asset(name) for name in STYLES))
    page = page.replace("{{scripts}}", "\n".join(asset(name) for name in SCRIPTS))
    before, after = page.split("{{data}}")
    return "".join((before, _json(manifest), *_blocks(blocks), after))


def asset(name: str) -> str:
    """One of the page's parts as text."""
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _json(manifest: dict[str, Any]) -> str:
    # "<" is escaped so that no text in the data can end the script element.
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="manifest">{text}</script>\n'


def _blocks(blocks: Blocks) -> list[str]:
    return [
        f'<script type="application/octet-stream" id="block-{i}">{text}</script>\n'
        for i, text in enumerate(blocks.texts)
    ]
