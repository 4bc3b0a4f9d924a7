"""The cell of a decision table: a change, its interval, and one sign for its verdict."""

from __future__ import annotations

from ..results.findings import BETTER, DIFFERS, EQUIVALENT, NO_VALUE, UNDECIDED, WORSE, Finding
from ..text.numbers import ends, number
from ..text.templates import Fact, fact
from .report import Cell

SIGNS = {BETTER: "+", WORSE: "-", EQUIVALENT: "=", UNDECIDED: "?", DIFFERS: "~"}


def cell(row: Finding) -> Cell:
    """The cell of a finding: ``+40 % (35 to 46) +``, ``=``, ``-2 to 9 % ?``, or how many runs finished."""
    if row.verdict == NO_VALUE or row.change is None:
        return Cell(f"{row.finished} of {row.runs} finished", WORSE if row.loses else "")
    if row.verdict == EQUIVALENT:
        return Cell(SIGNS[EQUIVALENT])
    scale, unit = (100.0, "%") if row.relative else (1.0, row.unit)
    spread = "" if row.low is None or row.high is None else ends(scale * row.low, scale * row.high)
    sign = SIGNS.get(row.verdict, "")
    if row.verdict == UNDECIDED and spread:
        return Cell(f"{spread} {unit} {sign}".replace("  ", " "))
    half = scale * (row.high - row.low) / 2 if row.low is not None and row.high is not None else 0.0
    size = f"{'+' if row.change > 0 else ''}{number(scale * row.change, half or (1.0 if row.relative else 0.0))} {unit}"
    text = " ".join(part for part in (size.strip(), f"({spread})" if spread else "", sign) if part)
    return Cell(text, row.verdict if row.verdict in (BETTER, WORSE) else "")


def glyphs(margin: float) -> list[Fact]:
    """The legend."""
    return [fact("glyphs", margin=margin)]
