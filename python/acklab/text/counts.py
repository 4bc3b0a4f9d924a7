"""Numbers and counts in a sentence or a table: 1,442; 1 seed, 20 seeds."""

from __future__ import annotations


def grouped(n: float, places: int = 0) -> str:
    """A number with so many decimals and a comma between thousands: the one form of terminals and pages.

    >>> grouped(1442), grouped(12345.678, 1), grouped(-999)
    ('1,442', '12,345.7', '-999')
    """
    return f"{n:,.{places}f}"


def counted(n: float, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "seed"), counted(1442, "run"), counted(2, "entry", "entries")
    ('1 seed', '1,442 runs', '2 entries')
    """
    return f"{grouped(n)} {one if n == 1 else many or one + 's'}"
