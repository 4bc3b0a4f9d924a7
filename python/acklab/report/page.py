"""One HTML file from its parts: the template, the styles, the scripts, the data.

The scripts are plain files, one idea each, joined in the order below into a single
script inside one function; there is no build step and nothing is fetched. The page's
own policy (:mod:`acklab.report.policy`) forbids every request, so a mistake shows.
"""

from __future__ import annotations

import html
import json
import re
from importlib import resources
from typing import Any

from .._texts import visible
from .encode import Blocks
from .policy import policy

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
    manifest = shown(manifest)
    style = "\n" + "\n".join(asset(name) for name in STYLES) + "\n"
    script = '\n(() => {\n"use strict";\n' + "\n".join(asset(name) for name in SCRIPTS) + "\n})();\n"
    parts = {
        "policy": policy([script], [style]),
        "title": html.escape(manifest["title"]),
        "headline": html.escape(manifest["headline"]["title"]),
        "style": style,
        "script": script,
        "data": "".join((_json(manifest), *_blocks(blocks))),
    }
    # In one pass over the template: what is put in is not searched for markers.
    return re.sub(r"\{\{(\w+)\}\}", lambda marker: parts[marker[1]], asset("page.html"))


def shown(value: Any) -> Any:
    """A manifest whose texts have escapes for characters that would show nothing or move others."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): shown(entry) for key, entry in value.items()}
    return [shown(entry) for entry in value] if isinstance(value, (list, tuple)) else value


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
