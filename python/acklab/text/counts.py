"""Counts in a sentence: 1 seed, 20 seeds."""

from __future__ import annotations


def counted(n: float, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "seed"), counted(1442, "run"), counted(2, "entry", "entries")
    ('1 seed', '1,442 runs', '2 entries')
    """
    return f"{n:,.0f} {one if n == 1 else many or one + 's'}"
