"""Numbers as people read them."""

from __future__ import annotations

import math
from typing import Any


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


def shown(value: Any, unit: str) -> str:
    """A value with its unit: ``bps``, ``s``, ``B``, ``share`` or a noun.

    >>> shown(None, "s"), shown(2e6, "bps"), shown(3, "packets"), shown("reno", "")
    ('-', '2\\xa0Mb/s', '3\\xa0packets', 'reno')
    """
    if value is None or isinstance(value, str):
        return value or "-"
    if unit in ("bps", "B"):
        return amount(value, "b/s" if unit == "bps" else unit)
    if unit == "s":
        return seconds(value)
    if unit == "share":
        return f"{digits(100 * value)}{NB}%"
    return count(value, unit.removesuffix("s")) if unit else digits(value)


def between(low: float | None, high: float | None, unit: str) -> str:
    """An interval, or the bound that there is.

    >>> between(None, 0.001, "share"), between(1.0, 2.0, "s")
    ('at most 0.100\\xa0%', '1\\xa0s to 2\\xa0s')
    """
    first, last = shown(low, unit), shown(high, unit)
    if high is None:
        return f"at least {first}"
    if low is None:
        return f"at most {last}"
    return f"about {first}" if first == last else f"{first} to {last}"


def change(share: float) -> str:
    """A relative difference.

    >>> change(0.0312), change(-0.4), change(12.0)
    ('+3.1\\xa0%', '-40.0\\xa0%', 'more than 10 times')
    """
    return f"{round(100 * share, 1) + 0.0:+.1f}{NB}%" if abs(share) < 10 else "more than 10 times"


def listing(parts: list[str], last: str = "and") -> str:
    """Words joined as in a sentence.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def number(value: float, step: float) -> str:
    """A number with two digits of its uncertainty ``step``, at most four of its own.

    >>> number(94.619123, 0.00097), number(-2206.4, 13.2), number(-0.00001, 0.01)
    ('94.62', '-2,206', '0.000')
    """
    own = 3 - math.floor(math.log10(abs(value))) if value else 0
    places = min(1 - math.floor(math.log10(step)), own) if step > 0 else own
    text = grouped(value, min(6, max(0, places)))
    return text.lstrip("-") if not text.strip("-0.") else text


def ends(low: float, high: float) -> str:
    """An interval's ends; an end near 0 has places enough to show on which side of 0 it is.

    >>> ends(-0.12, 0.21), ends(-0.0031, 1.66), ends(0.0009, 264.3)
    ('-0.12 to 0.21', '-0.003 to 1.66', '0.0009 to 264')
    """
    half = (high - low) / 2
    if half == 0:
        return number(low, 0.0)
    texts = [number(end, half) for end in (low, high)]
    for place, end in enumerate((low, high)):
        if end and not texts[place].strip("-0."):
            texts[place] = f"{end:.{min(6, -math.floor(math.log10(abs(end))))}f}"
    return " to ".join(texts)


def estimate(mean: float, low: float, high: float) -> str:
    """A mean and half its interval; both ends where the lower one was cut at 0.

    >>> estimate(28.34, 15.2, 41.48), estimate(0.4, 0.0, 1.3)
    ('28 ± 13', '0.40 (0 to 1.30)')
    """
    half = max(mean - low, high - mean)
    text = number(mean, half)
    places = len(text.partition(".")[2])
    if half - (mean - low) > 1e-9 * half:
        return f"{text} (0 to {grouped(high, places)})"
    shown = grouped(half, places)
    return f"{text} ± {shown}" if shown.strip("0.") else text


def pair(one: float, other: float) -> tuple[str, str]:
    """Two numbers to three digits, or to as many as show which is larger.

    >>> pair(17.3, 5.113), pair(43.612, 43.571)
    (('17.3', '5.11'), ('43.61', '43.57'))
    """
    texts = [(digits(one, figures), digits(other, figures)) for figures in (3, 4, 5, 6)]
    return next((found for found in texts if found[0] != found[1]), texts[0])


def quoted(name: str) -> str:
    """A case's name in a sentence: in quotation marks where it has several words.

    >>> quoted("codel"), quoted("no filter")
    ('codel', '“no filter”')
    """
    return f"“{name}”" if " " in name or "," in name else name
