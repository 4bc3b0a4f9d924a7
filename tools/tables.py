#!/usr/bin/env python3
"""Rewrites the tables of three reference pages from the declarations in Rust: of columns, and of a scenario's keys.

With ``--check`` nothing is written; the exit code says whether the pages are up to date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from acklab import _core
from acklab.cli.explain import places

REFERENCE = Path(__file__).resolve().parent.parent / "docs/reference"
PAGES = {
    "tables.md": ("flows", "links", "series", "queue", "packets"),
    "analysis.md": ("connections", "throughput", "acks", "segments"),
    "scenario.md": ("Keys at a glance",),
}


def keys() -> str:
    """The Markdown table of a scenario's tables, each with its keys."""
    found: dict[str, list[str]] = {}
    for place in places():
        if len(place.path) <= 3 and not any(step.startswith("(") for step in place.path):
            found.setdefault(".".join(place.path[:-1]) or "the file", []).append(f"`{place.path[-1]}`")
    rows = [f"| {name if name == 'the file' else f'`{name}`'} | {', '.join(found[name])} |" for name in sorted(found, key=lambda name: (name != "the file", name))]
    return "\n".join(["| table | keys |", "|---|---|", *rows, ""])


def table(name: str) -> str:
    """The Markdown table of a table's columns."""
    if name == "Keys at a glance":
        return keys()
    rows = [f"| `{column}` | {kind} | {about} |" for column, kind, about in _core.columns(name)]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows, ""])


def page(name: str, text: str) -> str:
    """The page with its tables made anew."""
    for section in PAGES[name]:
        place = re.compile(rf"(^## {section}\n(?:(?!^## )(?!\|).*\n)*)(?:\|.*\n)+", re.MULTILINE)
        text, found = place.subn(lambda match, section=section: match[1] + table(section), text)
        if found != 1:
            raise SystemExit(f"{name} has no section `{section}` with a table")
    return text


if __name__ == "__main__":
    old = {name: (REFERENCE / name).read_text(encoding="utf-8") for name in PAGES}
    new = {name: page(name, text) for name, text in old.items()}
    if "--check" in sys.argv[1:]:
        sys.exit(old != new)
    for name, text in new.items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
