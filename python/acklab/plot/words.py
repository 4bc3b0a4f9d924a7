"""Numbers as people write them: 2.67 s, 1.5 Mb/s, 34 %."""

from __future__ import annotations

import math

from ..text.counts import counted, grouped

#: A space that does not break, so that a number stays with its unit.
NB = "\u00a0"

_PREFIX = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]


def digits(value: float, figures: int = 3) -> str:
    """A number to so many significant figures, never in exponent form.

    >>> digits(2.6712), digits(0.04567), digits(1234.5), digits(8.0)
    ('2.67', '0.0457', '1,234', '8')
    """
    if value == int(value):
        return grouped(value)
    places = max(0, figures - 1 - math.floor(math.log10(abs(value))))
    return grouped(value, places)


def seconds(value: float) -> str:
    """A duration.

    >>> seconds(2.6712), seconds(0.0123), seconds(0.0000042)
    ('2.67\\xa0s', '12.3\\xa0ms', '4.20\\xa0µs')
    """
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(value) >= factor:
            return f"{digits(value / factor)}{NB}{unit}"
    return f"{digits(value * 1e9)}{NB}ns" if value else f"0{NB}s"


def amount(value: float, unit: str) -> str:
    """A quantity with an SI prefix.

    >>> amount(1.5e6, "b/s"), amount(200_000, "B")
    ('1.50\\xa0Mb/s', '200\\xa0kB')
    """
    for factor, prefix in _PREFIX:
        if abs(value) >= factor:
            return f"{digits(value / factor)}{NB}{prefix}{unit}"
    return f"{digits(value)}{NB}{unit}"


def percent(share: float) -> str:
    """A share of one.

    >>> percent(0.342), percent(0.004), percent(0.0004)
    ('34\\xa0%', '0.4\\xa0%', '0.04\\xa0%')
    """
    value = 100 * share
    text = f"{value:.0f}" if value >= 1 or value == 0 else digits(value, 1)
    return f"{text}{NB}%"


def count(n: float, one: str, many: str | None = None) -> str:
    """A count with its noun, which no line parts.

    >>> count(1, "drop"), count(14, "drop")
    ('1\\xa0drop', '14\\xa0drops')
    """
    number, word = counted(n, one, many).split(" ", 1)
    return number + NB + word


def listing(parts: list[str]) -> str:
    """Words joined as in a sentence.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
