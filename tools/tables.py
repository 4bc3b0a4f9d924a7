#!/usr/bin/env python3
"""Rewrites the tables of docs/reference/tables.md from the columns' declarations in Rust.

With ``--check`` nothing is written; the exit code says whether the page is up to date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from acklab import _core

PAGE = Path(__file__).resolve().parent.parent / "docs/reference/tables.md"
TABLES = ("flows", "links", "series", "queue", "packets")


def table(name: str) -> str:
    """The Markdown table of a run's table."""
    rows = [f"| `{column}` | {kind} | {about} |" for column, kind, about in _core.run_columns(name)]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows, ""])


def page(text: str) -> str:
    """The page with its tables made anew."""
    for name in TABLES:
        section = re.compile(rf"(^## {name}\n(?:(?!^## )(?!\|).*\n)*)(?:\|.*\n)+", re.MULTILINE)
        text, found = section.subn(lambda match, name=name: match[1] + table(name), text)
        if found != 1:
            raise SystemExit(f"{PAGE.name} has no section `{name}` with a table")
    return text


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    new = page(old)
    if "--check" in sys.argv[1:]:
        sys.exit(old != new)
    PAGE.write_text(new, encoding="utf-8")
