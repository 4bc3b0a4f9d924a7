"""Numbers as ns-2 reads them, and as a scenario writes them without losing a bit."""

import re
from decimal import Decimal

_NUMBER = re.compile(r"\s*([0-9.e+-]+)\s*([A-Za-z]*)")
_TIME = {
    "": 1.0,
    "s": 1.0,
    "m": 1e-3,
    "ms": 1e-3,
    "u": 1e-6,
    "us": 1e-6,
    "n": 1e-9,
    "ns": 1e-9,
    "p": 1e-12,
    "ps": 1e-12,
}
_RATE = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


class Unsupported(Exception):
    """A row asks for something no scenario can say yet; the row is skipped and the reason printed."""


def _read(text, what, units):
    match = _NUMBER.fullmatch(text)
    if not match or match[2] not in units:
        raise Unsupported(f"{what} {text!r} is not understood")
    value = float(match[1])
    return value if units[match[2]] == 1.0 else value * units[match[2]]


def time(text):
    """Seconds; ns-2 multiplies by the suffix's factor."""
    return _read(text, "time", _TIME)


def rate(text):
    """Bits per second; `5Mb`, `5M` and `5e6` are the same."""
    plain = re.sub(r"(?:bps|b)$", "", text.strip())
    return _read(plain.lower(), "rate", _RATE)


def flag(text):
    return bool(float(text)) if text not in ("true", "false") else text == "true"


def plain(x):
    """The shortest decimal that reads back as the same double, without an exponent."""
    text = format(Decimal(repr(float(x))), "f")
    return text[:-2] if text.endswith(".0") else text


def seconds(x):
    return plain(x) + "s"


def bps(x):
    return plain(x) + "bps"
