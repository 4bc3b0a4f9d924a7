"""The grammar of plans: values with units and ranges of them; tables of keys, read by one reader that has one form of mistake."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..text.input import PlanText
from ..text.terminal import Shown, not_known


class StudyError(Shown, ValueError):
    """A study makes no sense, or cannot go on; the message names the plan, the key, the value and what is allowed."""


#: The error's names at the doors.
CompareError = InferError = SweepError = TuneError = StudyError


def shown(value: Any, most: int = 60) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def refuse(*rules: tuple[object, str]) -> None:
    """Raises what is said of the first rule that is broken.

    Raises:
        StudyError: a rule is broken: its first part holds.
    """
    for broken, said in rules:
        if broken:
            raise StudyError(said)


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
FREE_FORMS = '{ low = "1ms", high = "500ms", log = true }, { low = 4, high = 64, step = 4 }, or a list of choices'
BOUNDS = {"low", "high", "log", "step"}
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
        from ..scenario._toml import inline

        return "", [value if isinstance(value, str) else inline(value) for value in values]
    kind = quantities[0].kind
    if not kind and all(one.whole for one in quantities):
        return "", [round(one.number) for one in quantities]
    return kind, [one.base for one in quantities]


def share(text: str) -> float:
    """A share of one, ``5%`` or ``0.05``.

    Raises:
        StudyError: the text is not a share.
    """
    try:
        value = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise StudyError(f'`{text}` is no share, from 0 to less than 1; write one as "5%" or "0.05"')
    return value


def span(text: str) -> float:
    """A time with its unit, in seconds.

    Raises:
        StudyError: the text is not a time.
    """
    for unit, factor in (("ms", 1e-3), ("us", 1e-6), ("s", 1.0)):
        if text.endswith(unit):
            try:
                return float(text.removesuffix(unit)) * factor
            except ValueError:
                break
    raise StudyError(f'`{text}` is no time; write one as "500ms" or "2s"')


def numeric(value: Any) -> float | None:
    """A number or quantity in its base unit; None for anything else."""
    found = read(value)
    return None if found is None else found.base


def bounds(given: Any) -> tuple[Quantity, Quantity, bool, float]:
    """The bounds of a table with ``low`` and ``high``: lower, upper, logarithmic, step (0 for none).

    Raises:
        StudyError: it has none that make sense.
    """
    if not isinstance(given, Mapping) or not {"low", "high"} <= given.keys():
        raise StudyError(f"= {shown(given)}: give {FREE_FORMS}")
    strange = given.keys() - BOUNDS
    if strange:
        raise StudyError(f"= {shown(given)}: unknown {', '.join(sorted(strange))}; known are low, high, log, step")
    ends = []
    for end in ("low", "high"):
        found = read(given[end])
        if found is None:
            raise StudyError(
                f"= {shown(given)}: {end} = {shown(given[end])} is no number; a bound has the key's unit (1Mbps, 45ms, 200kB)"
            )
        ends.append(found)
    (low, high), log = ends, given.get("log", False)
    refuse(
        (low.kind != high.kind, f"= {shown(given)}: both bounds need the same kind of unit"),
        (not low.base < high.base, f"= {shown(given)}: low has to be below high"),
        (not isinstance(log, bool), f"= {shown(given)}: log = {shown(log)}; it is true or false"),
        (log and low.base <= 0, f"= {shown(given)}: a logarithmic range begins above 0"),
    )
    low, high = _alike(low, high)
    if "step" not in given:
        return low, high, log, 0.0
    step = read(given["step"])
    if (
        log
        or step is None
        or step.kind != low.kind
        or step.base <= 0
        or (low.whole and high.whole and not low.unit and not step.whole)
    ):
        raise StudyError(
            f"= {shown(given)}: step is a positive number with the unit of the bounds, and goes without log"
        )
    return low, high, log, step.number if step.unit == low.unit else step.base * high.number / high.base


#: Most values of one key.
MOST_VALUES = 1_000_000
RANGE_FORMS = (
    'a list such as [4, 8, 16], or a range: "1Mbps..10Mbps/5" (5 points), "1..1000/7 log", "4..32 step 2", "4..24" '
    '(whole numbers), or a table { from = "1Mbps", to = "100Mbps", points = 5, scale = "log" }'
)
_KEYS = {"from", "to", "points", "step", "scale"}
_RANGE = re.compile(
    r"\s*(?P<low>\S+?)\s*\.\.\s*(?P<high>[^\s/]+)\s*(?:/\s*(?P<points>\S+)|step\s+(?P<step>\S+))?\s*(?P<scale>log|linear)?\s*"
)


def values_of_range(given: Any) -> list[Any]:
    """The values that a plan gives a key, in order.

    >>> [values_of_range(text) for text in ([4, "x"], "4..7", "1Mbps..2Mbps/3", "1..100/3 log", "0s..1s step 500ms")]
    [[4, 'x'], [4, 5, 6, 7], ['1Mbps', '1.5Mbps', '2Mbps'], [1, 10, 100], ['0s', '0.5s', '1s']]

    Raises:
        StudyError: what is given has another form. The message says what is allowed; the caller adds where it stands.
    """
    if isinstance(given, (list, tuple, range)):
        return _listed(list(given))
    if isinstance(given, Mapping):
        return _table(given)
    if isinstance(given, str):
        match = _RANGE.fullmatch(given)
        if match is None:
            raise StudyError(f"is no range; give {RANGE_FORMS}")
        return _range({key: text for key, text in match.groupdict().items() if text is not None})
    raise StudyError(f"gives nothing to vary; give {RANGE_FORMS}")


def is_range_table(given: Mapping[str, Any]) -> bool:
    """Whether a table is a range, rather than a table of the keys below: flows have a ``from`` and a ``to``, too."""
    ends = "from" in given and "to" in given and not isinstance(given["from"], (list, Mapping))
    return bool(ends or given.keys() & {"points", "step", "scale"})


def _listed(given: list[Any]) -> list[Any]:
    refuse(
        (not given, "is an empty list; give at least one value"),
        (len(given) > MOST_VALUES, f"has {len(given):,} values; at most {MOST_VALUES:,}"),
    )
    return given


def _table(given: Mapping[str, Any]) -> list[Any]:
    strange = given.keys() - _KEYS
    if strange:
        raise StudyError(f"has unknown {', '.join(sorted(strange))}; a range has {', '.join(sorted(_KEYS))}")
    for end in ("from", "to"):
        if end not in given:
            raise StudyError(f"is a range without `{end}`; give {RANGE_FORMS}")
    if "points" in given and "step" in given:
        raise StudyError("has points and a step; give one of them")
    scale = given.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise StudyError(f'has scale = {shown(scale)}; it is "linear" or "log"')
    found = {"low": given["from"], "high": given["to"], "scale": scale}
    return _range({**found, **{key: given[key] for key in ("points", "step") if key in given}})


def _range(given: Mapping[str, Any]) -> list[Any]:
    low, high = _end(given["low"]), _end(given["high"])
    goes = f"goes from {shown(given['low'])} to {shown(given['high'])}"
    refuse(
        (low.kind != high.kind, f"{goes}; both ends need the same kind of unit"),
        (not low.base < high.base, f"{goes}; the first end has to be below the second"),
    )
    low, high = _alike(low, high)
    whole = not low.unit and low.whole and high.whole
    log = given.get("scale") == "log"
    if "step" in given:
        if log:
            raise StudyError("has a step on a log scale; give points")
        return _stepped(low, high, given["step"], whole)
    if "points" not in given:
        if not whole or log:
            raise StudyError(f"says neither points nor a step; give {RANGE_FORMS}")
        return _stepped(low, high, 1, whole)
    return _spaced(low, high, _points(given["points"]), whole, log)


def _alike(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity]:
    """Both ends of a range in one unit: their own, or the base unit."""
    if low.unit == high.unit:
        return low, high
    return Quantity(low.base, WRITTEN[low.kind]), Quantity(high.base, WRITTEN[high.kind])


def _end(value: Any) -> Quantity:
    found = read(value)
    if found is None:
        raise StudyError(
            f"has the end {shown(value)}; an end is a number, with a unit where the key has one (1Mbps, 45ms, 200kB)"
        )
    return found


def _points(value: Any) -> int:
    if isinstance(value, bool) or re.fullmatch(r"\d{1,7}", str(value)) is None or not 2 <= int(value) <= MOST_VALUES:
        raise StudyError(f"has {shown(value)} points; give a whole number from 2 to {MOST_VALUES:,}")
    return int(value)


def _stepped(low: Quantity, high: Quantity, given: Any, whole: bool) -> list[Any]:
    step = read(given)
    if step is None or step.kind != low.kind or step.base <= 0:
        raise StudyError(f"has the step {shown(given)}; give a positive number with the unit of the ends")
    size = (
        step.number
        if step.unit == low.unit
        else step.base * (low.number / low.base if low.base else high.number / high.base)
    )
    share = (high.number - low.number) / size * (1 + 1e-12) if size else math.inf
    if share >= MOST_VALUES:
        raise StudyError(f"has {share // 1 + 1:,.0f} values; at most {MOST_VALUES:,}")
    count = math.floor(share) + 1
    return [write(low.number + place * size, low.unit, whole and step.whole) for place in range(count)]


def _spaced(low: Quantity, high: Quantity, count: int, whole: bool, log: bool) -> list[Any]:
    if log and low.number <= 0:
        raise StudyError("begins at 0 or below on a log scale; begin above 0")
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
        raise StudyError(
            f"has the point {wrong:g} between whole ends; choose another number of points, or write the ends as "
            f"{low.number:.1f}..{high.number:.1f} if the key takes any number"
        )
    return list(dict.fromkeys(rounded))  # on a log scale neighbours may round to one


Read = Callable[[Any], Any]
"""A value of a plan as the study has it. What it raises begins with ``:`` or ``=`` to go on behind the key, and is whole otherwise."""


@dataclass(frozen=True)
class Key:
    """A key of a table: what it is for, how its value is read, and what it is if left out."""

    about: str = ""
    read: Read = lambda value: value
    default: Any = None
    needed: bool = False


def kind(allowed: str, fits: Callable[[Any], bool], made: Read = lambda value: value) -> Read:
    """Reads values of a kind; ``allowed`` says which they are."""

    def read(value: Any) -> Any:
        if not fits(value):
            raise StudyError(f": {allowed}")
        return made(value)

    return read


def whole(least: int, most: int, why: str = "") -> Read:
    """Reads whole numbers between two bounds."""
    allowed = f"a whole number from {least} to {most:,}{why}"
    return kind(
        allowed, lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    )


def number(allowed: str, fits: Callable[[float], bool] = lambda value: True) -> Read:
    """Reads finite numbers."""
    return kind(allowed, lambda value: _is_finite(value) and fits(value), float)


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def one_of(*names: str) -> Read:
    """Reads a choice between names."""
    return kind(f"one of {', '.join(names)}", lambda value: value in [*names])


def _reads(read: Read) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            return bool(read(str(value)) >= 0)
        except StudyError:
            return False

    return fits


TEXT = kind("has to be a text", lambda value: isinstance(value, str))
FLAG = kind("true or false", lambda value: isinstance(value, bool))
TABLE = kind("has to be a table", lambda value: isinstance(value, Mapping))
TABLES = kind("has to be a list of tables", lambda value: isinstance(value, (list, tuple)) and all(isinstance(one, Mapping) for one in value))  # fmt: skip
TEXTS = kind(
    "has to be a list of texts",
    lambda value: isinstance(value, str) or isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value),
    lambda value: [value] if isinstance(value, str) else list(value),
)  # fmt: skip
TIME = kind('a time that is not negative, such as "500ms" or "2s"', _reads(span), lambda value: span(str(value)))
SHARE = kind('a share from 0 to less than 1, such as "5%" or "0.05"', _reads(share), lambda value: share(str(value)))


def mistake(key: str, value: Any, said: str, verb: bool = False) -> str:
    """A reader's mistake with the key and its value; with ``verb`` it is a sentence about the key."""
    if said[0] == "=":
        return f"{key} {said}"
    return f"{key} = {shown(value)}{' ' * verb}{said}" if verb or said[0] == ":" else said


def argument(name: str, read: Read, value: Any) -> Any:
    """The value of a function's argument, whose name heads a mistake."""
    try:
        return read(value)
    except StudyError as error:
        raise StudyError(mistake(name, value, str(error))) from None


def read_key(where: PlanText, key: str, read: Read, value: Any, *, verb: bool = False) -> Any:
    """A key's value; None, and a note at its place in the file, where it is none."""
    return where.check(key, lambda: read(value), lambda said: mistake(key, value, said, verb))


def fields(where: PlanText, table: Mapping[str, Any], known: Mapping[str, Key], at: str = "") -> dict[str, Any]:
    """The values of a table's keys, defaults for those left out. Mistakes are noted, each at its place; ``at`` is that of the table."""

    def unknown(key: str) -> None:
        raise StudyError(f"{at and at[:-1] + ': '}{not_known('key', key, known)}")

    for key in table:
        if key not in known:
            where.check(f"{at}{key}", lambda key=key: unknown(key))
    return {
        key: read_key(where, f"{at}{key}", one.read, table.get(key)) if key in table or one.needed else one.default
        for key, one in known.items()
    }


def table_of(given: Any, known: Mapping[str, Key], at: str) -> dict[str, Any]:
    """The values of a table within a value.

    Raises:
        StudyError: it is no such table; the first mistake.
    """
    where = PlanText("", StudyError)
    found = fields(where, TABLE(given), known, f"{at}." if at else "")
    try:
        where.settle()
    except StudyError as error:
        raise StudyError(str(error).removeprefix(": ")) from None
    return found
