"""Numbers with units, as scenarios write them, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Unit -> what a column is called after (``_s``, ``_bps``, ``_bytes``), and how many of that it is.
UNITS: dict[str, tuple[str, float]] = {
    "bps": ("bps", 1.0),
    "kbps": ("bps", 1e3),
    "Mbps": ("bps", 1e6),
    "Gbps": ("bps", 1e9),
    "ns": ("s", 1e-9),
    "us": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "min": ("s", 60.0),
    "B": ("bytes", 1.0),
    "kB": ("bytes", 1e3),
    "MB": ("bytes", 1e6),
    "GB": ("bytes", 1e9),
    "KiB": ("bytes", 1024.0),
    "MiB": ("bytes", 1024.0**2),
    "GiB": ("bytes", 1024.0**3),
}
#: Other spellings of units, as a scenario takes them (``crates/packet/src/units.rs``).
ALSO_WRITTEN = {
    **{f"{prefix}{name}": f"{prefix}bps" for prefix in ("", "k", "M", "G") for name in ("bit", "bit/s", "b/s")},
    **{f"{prefix.swapcase()}{name}": f"{prefix}bps" for prefix in ("k", "M", "G") for name in ("bit", "bit/s")},
    **{name: "s" for name in ("sec", "secs", "second", "seconds")},
    **{f"{prefix}sec": f"{prefix}s" for prefix in "mun"},
    "\u00b5s": "us",
    "\u03bcs": "us",
    "Kbps": "kbps",
    "KB": "kB",
    "bytes": "B",
}
#: The unit that a scenario writes behind a number of each kind.
WRITTEN = {"bps": "bps", "s": "s", "bytes": "B"}
_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z/\u00b5\u03bc]*)")


@dataclass(frozen=True)
class Quantity:
    """A number, the unit it was written with (none for a plain number), and what that makes it."""

    number: float
    unit: str = ""
    whole: bool = False
    """Written without a point: a count."""

    @property
    def kind(self) -> str:
        """``bps``, ``s``, ``bytes``, or nothing for a plain number."""
        return UNITS[self.unit][0] if self.unit else ""

    @property
    def base(self) -> float:
        """The value in bits a second, seconds or bytes."""
        return exactly(self.number, self.unit)


def exactly(number: float, unit: str) -> float:
    """The double nearest to ``number`` of ``unit``: negative powers of ten divide, since they are no doubles."""
    if not unit:
        return number
    factor = UNITS[unit][1]
    return number / round(1 / factor) if factor < 1 else number * factor


def read(value: Any) -> Quantity | None:
    """A quantity, from a number or a text such as ``"1.5Mbps"``; None for anything else.

    >>> read("45ms").base, read("1_000").base, read("2Mbit/s").base, read(3).whole, read("sack")
    (0.045, 1000.0, 2000000.0, True, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return Quantity(float(value), "", isinstance(value, int)) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    match = _NUMBER.fullmatch(value.strip())
    if match is None:
        return None
    unit = ALSO_WRITTEN.get(match[2], match[2])
    if unit and unit not in UNITS:
        return None
    digits = match[1].replace("_", "")
    number = float(digits)
    return Quantity(number, unit, re.fullmatch(r"[+-]?\d+", digits) is not None) if math.isfinite(number) else None


def write(number: float, unit: str, whole: bool) -> Any:
    """The number as a scenario has it: a text where it has a unit.

    >>> write(2.5, "Mbps", False), write(4.0, "", True), write(0.30000000000000004, "", False)
    ('2.5Mbps', 4, 0.3)
    """
    if whole and not unit:
        return round(number)
    tidy = float(f"{number:.12g}")
    if not unit:
        return tidy
    return f"{round(tidy)}{unit}" if tidy == round(tidy) and abs(tidy) < 1e15 else f"{plain(tidy)}{unit}"


def readable(value: Any) -> Any:
    """A quantity with the unit in which its number is from 1 to 1000; anything else as it is.

    >>> readable("829100000bps"), readable("14.72Mbps"), readable("0.0123s"), readable("sack")
    ('829.1Mbps', '14.72Mbps', '12.3ms', 'sack')
    """
    found = read(value) if isinstance(value, str) else None
    if found is None or not found.unit or not found.number:
        return value
    for unit, (kind, factor) in UNITS.items():
        number = found.base / factor
        if kind == found.kind and unit not in ("min", "KiB", "MiB", "GiB") and 1 <= abs(number) < 1000:
            return write(number, unit, False)
    return value


def plain(number: float) -> str:
    """A number without an exponent, which no scenario's quantity has."""
    text = repr(number)
    return f"{number:.18f}".rstrip("0") if "e" in text else text


def column(values: Sequence[Any]) -> tuple[str, list[Any]]:
    """Values as a table's column: its unit and its cells.

    Numbers stay numbers, quantities of one kind become numbers in that kind's unit, everything else becomes text.

    >>> column(["1Mbps", "2Mbps"]), column([4, 8]), column(["reno", 3])
    (('bps', [1000000.0, 2000000.0]), ('', [4, 8]), ('', ['reno', '3']))
    """
    if all(isinstance(value, bool) for value in values):
        return "", [str(value).lower() for value in values]
    found = [read(value) for value in values]
    quantities = [one for one in found if one is not None]
    if len(quantities) < len(values) or len({one.kind for one in quantities}) != 1:
        from ...scenario._toml import inline

        return "", [value if isinstance(value, str) else inline(value) for value in values]
    kind = quantities[0].kind
    if not kind and all(one.whole for one in quantities):
        return "", [round(one.number) for one in quantities]
    return kind, [one.base for one in quantities]
