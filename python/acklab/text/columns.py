"""Texts of a terminal: tables with aligned columns, and wrapped sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from .escapes import one_line, width
from .packaged import as_typed

WIDTH = 100
"""Columns of a terminal that sentences take."""


def align(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> list[str]:
    """Lines of a table whose first ``names`` columns are left-aligned and the others right-aligned."""
    table = [[one_line(as_typed(text)) for text in row] for row in (heads, *rows)]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = (
            text + room * " " if place < names else room * " " + text
            for place, (text, most) in enumerate(zip(row, widths, strict=True))
            for room in [most - width(text)]
        )
        lines.append("  ".join(cells).rstrip())
    return lines


def wrapped(sentences: Iterable[str]) -> list[str]:
    """Lines of sentences, each of which begins a line; empty ones are left out."""
    return [
        line
        for told in sentences
        for line in textwrap.wrap(told, WIDTH, break_long_words=False, break_on_hyphens=False)
    ]
