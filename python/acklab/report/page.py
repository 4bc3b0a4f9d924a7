"""One HTML file from its parts: the template, the styles, the scripts, the data.

The scripts are ES modules, one idea each, which ``tsc --checkJs`` checks. The page has
them joined, without imports and exports, as one script; nothing is fetched. The page's
own policy forbids every request, so a mistake shows. Its words have the signs of print.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shlex
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..plot import palette
from ..results import command
from ..text.terminal import visible

if TYPE_CHECKING:
    from .encode import Blocks


def policy(scripts: list[str], styles: list[str], *, style_attributes: bool = False, worker: bool = False) -> str:
    """The policy of a page with these inline scripts and styles; charts in SVG need style attributes.

    With ``worker`` the page may start a worker made of its own text, which may compile WebAssembly (CSP Level 3).
    """
    attributes = "; style-src-attr 'unsafe-inline'" if style_attributes else ""
    program = " 'wasm-unsafe-eval'; worker-src blob:" if worker else ""
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}{program}; style-src-elem {_hashes(styles)}{attributes}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _hashes(parts: list[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in parts)


#: Tags, and elements whose text is code: neither has words.
_CODE = re.compile(r"(<(script|style|code|pre|kbd)\b.*?</\2>|<[^>]*>)", re.DOTALL)
_MINUS = re.compile(r"(?<![^\s(])-(?=\d)")
_UNIT = re.compile(r"(?<=[\d.]) (?=%|(?:[kMG]?b/s|[kMG]?B|[mµn]?s)\b)")


def unbroken(text: str) -> str:
    """A sentence in which numbers stay with their units.

    >>> unbroken("7 Mb/s, 2 %, 3 of 4") == "7\\xa0Mb/s, 2\\xa0%, 3 of 4"
    True
    """
    return _UNIT.sub("\u00a0", text)


def typeset(page: str) -> str:
    """A page whose words have the signs of print; what is code stays as it is typed.

    >>> typeset("<td>-</td><td>-3 to -1</td><p>G-&gt;R</p><code>tc -1 a-&gt;b</code>")
    '<td>–</td><td>−3 to −1</td><p>G→R</p><code>tc -1 a-&gt;b</code>'
    """
    parts = _CODE.split(page)  # words, what is code, its tag, words, ...
    words = (_words(text) if text else "" for text in parts[::3])
    codes = [*parts[1::3], ""]
    return "".join(f"{text}{code}" for text, code in zip(words, codes, strict=True))


def _words(text: str) -> str:
    if text == "-":
        return "–"
    return unbroken(_MINUS.sub("−", text).replace("-&gt;", "→"))


STYLES = ("tokens.css", "page.css", "tables.css", "charts.css", "paper.css", "narrow.css", "print.css")

_IMPORT = re.compile(r'^import .* from "\./(.+)";\n', re.MULTILINE)
_OURS = re.compile(r"^export |^ *//.*\n", re.MULTILINE)
"""What only readers of the sources need."""


def script(entry: str) -> str:
    """A module and what it imports as one script: each module once, after those it imports, in one strict function."""
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in texts:
            texts[name] = ""  # modules may import each other
            text = asset(name)
            for other in _IMPORT.findall(text):
                add(other)
            del texts[name]
            texts[name] = _OURS.sub("", _IMPORT.sub("", text))

    add(entry)
    return '\n(() => {\n"use strict";\n' + "\n".join(texts.values()) + "\n})();\n"


Viewer = tuple[dict[str, Any], "Blocks"]
"""What the charts over time draw: a manifest, and the blocks of data that it points to."""

VIEWER = (
    '<section id="viewer" aria-label="Charts over time"><div class="bar" id="bar" role="region" aria-label="Time range and display"></div>'
    '<section id="charts" tabindex="-1" aria-label="Charts"></section></section>'
)
"""Where the charts over time stand on a page."""


def render(manifest: dict[str, Any], blocks: Blocks, causes: str = "") -> str:
    """The report of runs as text, with the HTML of their ``causes``."""
    parts = {"title": manifest["title"], "headline": manifest["headline"]["title"], "banner": manifest["banner"]}
    parts = {name: html.escape(visible(text)) for name, text in parts.items()}
    parts["banner"] = parts["banner"] and f'<p class="banner" role="note">{parts["banner"]}</p>'
    body = re.sub(
        r"\{\{(\w+)\}\}", lambda mark: {**parts, "viewer": VIEWER, "causes": causes}[mark[1]], asset("report.html")
    )
    return document(manifest["title"], body, viewer=(manifest, blocks), style_attributes=False)


def document(title: str, body: str, *, viewer: Viewer | None = None, style_attributes: bool = True) -> str:
    """A whole HTML file.

    Args:
        title: the browser's title of it.
        body: HTML; with a ``viewer``, :data:`VIEWER` is in it.
        viewer: what the charts over time draw.
        style_attributes: whether elements of the body have styles of their own, as charts have.
    """
    if "</header>" in body:
        body = body.replace("</header>", f"{made_by(viewer)}</header>", 1)
    names = [name for name in STYLES if (viewer or name != "charts.css") and (style_attributes or name != "paper.css")]
    data = "".join([json_block("manifest", shown(viewer[0])), *_blocks(viewer[1])]) if viewer else ""
    library = [asset("vega.min.js")] if '<figure class="plot' in body else []
    return assembled(
        title,
        typeset(body),
        names,
        data,
        [*library, script("main.js" if viewer else "static.js")],
        style_attributes=style_attributes,
    )


def made_by(viewer: Viewer | None) -> str:
    """The command line that makes the page's results, where a command does, and that which opens one or two runs in the explorer."""
    if not command.line:
        return ""
    told = [("Made by", command.line, ' id="command"')]
    simulated = command.line[1:2] == ["run"] and not {"--virtual", "--live"} & set(command.line)
    runs = viewer[0]["runs"] if viewer is not None and simulated else []
    if 1 <= len(runs) <= 2:
        files = ["scenario.toml"] if len(runs) == 1 else [f"{run['label']}/scenario.toml" for run in runs]
        told.insert(0, ("Change it in the explorer, in the directory of this page:", ["acklab", "explore", *files], ""))
    return "".join(
        f'<p class="made">{words} <code{name}>{html.escape(visible(shlex.join(line)))}</code></p>'
        for words, line, name in told
    )


def assembled(title: str, body: str, styles: Sequence[str], data: str, scripts: Sequence[str], **allowed: bool) -> str:
    """A whole HTML file of a body, style sheets, data blocks and scripts; its policy allows these and what is ``allowed``."""
    style = "\n" + "\n".join([*map(asset, styles), _slots()]) + "\n"
    code = "".join(f"<script>{text}</script>" for text in scripts)
    rules = html.escape(policy(scripts, [style], **allowed), quote=True).replace("&#x27;", "'")
    return (
        '<!doctype html>\n<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">\n<title>{html.escape(visible(title))}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<p class="unseen" id="live" role="status" aria-live="polite"></p>\n{data}{code}\n</body>\n</html>\n'
    )


def _slots() -> str:
    """The palette as variables of the page."""
    shades = (f"--slot-{slot}: light-dark({shade['light']}, {shade['dark']});" for slot, shade in palette.SLOTS.items())
    return f":root {{ {' '.join(shades)} }}"


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


def json_block(name: str, value: Any) -> str:
    """A data block of JSON."""
    # "<" is escaped so that no text in the data can end the script element.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def _blocks(blocks: Blocks) -> list[str]:
    return [
        f'<script type="application/octet-stream" id="block-{i}">{text}</script>\n'
        for i, text in enumerate(blocks.texts)
    ]
