"""The grammar of plans: tables of keys, each with its kind of value, read by one reader that has one form of mistake."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..text.escapes import not_known
from ..text.plans import PlanText
from .errors import StudyError, shown
from .values import share, span

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
