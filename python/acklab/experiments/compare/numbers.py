"""Numbers of a comparison with as many digits as their uncertainty gives a meaning to."""

from __future__ import annotations

import math

from ...plot.words import digits
from ...text.counts import grouped


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


def percent(share: float) -> str:
    """A share to two digits.

    >>> percent(0.05), percent(0.1234), percent(0.0031)
    ('5 %', '12 %', '0.31 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"
