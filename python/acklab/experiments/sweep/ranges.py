"""The values of a varied key: a list, or a range with its points or its step."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from .errors import SweepError, shown
from .quantity import Quantity, read, write

#: Most values of one key.
MOST_VALUES = 1_000_000
FORMS = (
    'a list such as [4, 8, 16], or a range: "1Mbps..10Mbps/5" (5 points), "1..1000/7 log", "4..32 step 2", "4..24" '
    '(whole numbers), or a table { from = "1Mbps", to = "100Mbps", points = 5, scale = "log" }'
)
_KEYS = {"from", "to", "points", "step", "scale"}
_RANGE = re.compile(
    r"\s*(?P<low>\S+?)\s*\.\.\s*(?P<high>[^\s/]+)\s*(?:/\s*(?P<points>\S+)|step\s+(?P<step>\S+))?\s*(?P<scale>log|linear)?\s*"
)


def values(given: Any) -> list[Any]:
    """The values that a plan gives a key, in order.

    >>> values([4, "x"]), values("4..7"), values("1Mbps..2Mbps/3"), values("1..100/3 log"), values("0s..1s step 500ms")
    ([4, 'x'], [4, 5, 6, 7], ['1Mbps', '1.5Mbps', '2Mbps'], [1, 10, 100], ['0s', '0.5s', '1s'])

    Raises:
        SweepError: what is given has another form. The message says what is allowed; the caller adds where it stands.
    """
    if isinstance(given, (list, tuple, range)):
        return _listed(list(given))
    if isinstance(given, Mapping):
        return _table(given)
    if isinstance(given, str):
        match = _RANGE.fullmatch(given)
        if match is None:
            raise SweepError(f"is no range; give {FORMS}")
        return _range({key: text for key, text in match.groupdict().items() if text is not None})
    raise SweepError(f"gives nothing to vary; give {FORMS}")


def is_range_table(given: Mapping[str, Any]) -> bool:
    """Whether a table is a range, rather than a table of the keys below: flows have a ``from`` and a ``to``, too."""
    ends = "from" in given and "to" in given and not isinstance(given["from"], (list, Mapping))
    return bool(ends or given.keys() & {"points", "step", "scale"})


def _listed(given: list[Any]) -> list[Any]:
    if not given:
        raise SweepError("is an empty list; give at least one value")
    if len(given) > MOST_VALUES:
        raise SweepError(f"has {len(given):,} values; at most {MOST_VALUES:,}")
    return given


def _table(given: Mapping[str, Any]) -> list[Any]:
    strange = given.keys() - _KEYS
    if strange:
        raise SweepError(f"has unknown {', '.join(sorted(strange))}; a range has {', '.join(sorted(_KEYS))}")
    for end in ("from", "to"):
        if end not in given:
            raise SweepError(f"is a range without `{end}`; give {FORMS}")
    if "points" in given and "step" in given:
        raise SweepError("has points and a step; give one of them")
    scale = given.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise SweepError(f'has scale = {shown(scale)}; it is "linear" or "log"')
    found = {"low": given["from"], "high": given["to"], "scale": scale}
    return _range({**found, **{key: given[key] for key in ("points", "step") if key in given}})


def _range(given: Mapping[str, Any]) -> list[Any]:
    low, high = _end(given["low"]), _end(given["high"])
    if low.kind != high.kind:
        raise SweepError(
            f"goes from {shown(given['low'])} to {shown(given['high'])}; both ends need the same kind of unit"
        )
    if not low.base < high.base:
        raise SweepError(
            f"goes from {shown(given['low'])} to {shown(given['high'])}; the first end has to be below the second"
        )
    if low.unit != high.unit:
        unit = {"bps": "bps", "s": "s", "bytes": "B"}[low.kind]
        low, high = Quantity(low.base, unit), Quantity(high.base, unit)
    whole = not low.unit and low.whole and high.whole
    log = given.get("scale") == "log"
    if "step" in given:
        if log:
            raise SweepError("has a step on a log scale; give points")
        return _stepped(low, high, given["step"], whole)
    if "points" not in given:
        if not whole or log:
            raise SweepError(f"says neither points nor a step; give {FORMS}")
        return _stepped(low, high, 1, whole)
    return _spaced(low, high, _points(given["points"]), whole, log)


def _end(value: Any) -> Quantity:
    found = read(value)
    if found is None:
        raise SweepError(
            f"has the end {shown(value)}; an end is a number, with a unit where the key has one (1Mbps, 45ms, 200kB)"
        )
    return found


def _points(value: Any) -> int:
    if isinstance(value, bool) or re.fullmatch(r"\d{1,7}", str(value)) is None or not 2 <= int(value) <= MOST_VALUES:
        raise SweepError(f"has {shown(value)} points; give a whole number from 2 to {MOST_VALUES:,}")
    return int(value)


def _stepped(low: Quantity, high: Quantity, given: Any, whole: bool) -> list[Any]:
    step = read(given)
    if step is None or step.kind != low.kind or step.base <= 0:
        raise SweepError(f"has the step {shown(given)}; give a positive number with the unit of the ends")
    size = (
        step.number
        if step.unit == low.unit
        else step.base * (low.number / low.base if low.base else high.number / high.base)
    )
    share = (high.number - low.number) / size * (1 + 1e-12) if size else math.inf
    if share >= MOST_VALUES:
        raise SweepError(f"has {share // 1 + 1:,.0f} values; at most {MOST_VALUES:,}")
    count = math.floor(share) + 1
    return [write(low.number + place * size, low.unit, whole and step.whole) for place in range(count)]


def _spaced(low: Quantity, high: Quantity, count: int, whole: bool, log: bool) -> list[Any]:
    if log and low.number <= 0:
        raise SweepError("begins at 0 or below on a log scale; begin above 0")
    shares = [place / (count - 1) for place in range(count)]
    if log:
        ratio = math.log(high.number / low.number)
        numbers = [low.number * math.exp(share * ratio) for share in shares]
    else:
        numbers = [low.number + share * (high.number - low.number) for share in shares]
    numbers[-1] = high.number
    if not whole:
        return [write(number, low.unit, False) for number in numbers]
    rounded = [round(number) for number in numbers]
    if not log and any(
        abs(number - near) > 1e-9 * max(1.0, abs(number)) for number, near in zip(numbers, rounded, strict=True)
    ):
        wrong = next(n for n, near in zip(numbers, rounded, strict=True) if abs(n - near) > 1e-9 * max(1.0, abs(n)))
        raise SweepError(
            f"has the point {wrong:g} between whole ends; choose another number of points, or write the ends as "
            f"{low.number:.1f}..{high.number:.1f} if the key takes any number"
        )
    return list(dict.fromkeys(rounded))  # on a log scale neighbours may round to one
