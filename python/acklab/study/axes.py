"""The axes of a sweep, and values that follow from others: what varies, and in which columns it is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from .grammar import UNITS, Key, StudyError, column, number, numeric, one_of, shown, table_of, values_of_range, write
from .keys import check, flatten, settings, titled


@dataclass(frozen=True)
class Column:
    """What an axis is called in tables and charts, and a cell for each of its places."""

    key: str
    unit: str
    cells: Sequence[Any]
    alias: str = ""

    @property
    def name(self) -> str:
        """What people call it: ``queue_packets`` for ``link.1.queue.packets``."""
        return self.alias or self.key

    @property
    def title(self) -> str:
        """The column's name with its unit, as tables have it: ``rate_bps``."""
        return titled(self.name, self.unit)

    @property
    def is_number(self) -> bool:
        """Whether the cells are numbers."""
        return not any(isinstance(cell, str) for cell in self.cells)


@dataclass(frozen=True)
class Axis:
    """What varies as one: at each place a few keys have values."""

    columns: Sequence[Column]
    places: Sequence[Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.places)


def one_key(key: str, given: Any) -> Axis:
    """The axis of a key by itself.

    Raises:
        StudyError: what is given is not a list or range of values, or a value is there twice.
    """
    found = values_of_range(given)
    column = _column(key, found)
    seen: set[Any] = set()
    for value, cell in zip(found, column.cells, strict=True):
        if cell in seen:
            raise StudyError(f"has {shown(value)} twice; a value stands once")
        seen.add(cell)
    return Axis((column,), [{check(key): value} for value in found])


def together(table: Mapping[str, Any]) -> Axis:
    """The axis of keys that vary together: the first of each, the second of each, and so on.

    Raises:
        StudyError: they are not equally many.
    """
    found = {check(key): _values(key, given) for key, given in flatten(table)}
    if not found:
        raise StudyError("is empty; give the keys that vary together, each with as many values")
    counts = {key: len(values) for key, values in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{key} has {count}" for key, count in counts.items())
        raise StudyError(f"keys that vary together need as many values each; {told}")
    places = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    return Axis([_column(key, values) for key, values in found.items()], places)


def _values(key: str, given: Any) -> list[Any]:
    try:
        return values_of_range(given)
    except StudyError as error:
        raise StudyError(f"{key} = {shown(given)} {error}") from None


def alternatives(name: str, choices: Mapping[str, Any]) -> Axis:
    """The axis of named alternatives, each with the keys it sets.

    Raises:
        StudyError: there are none, or one sets nothing that can be set.
    """
    if not isinstance(choices, Mapping) or not choices:
        raise StudyError(
            'has no alternatives; give each a name and the keys it sets: sack = { "flow.0.sender.recovery" = "sack" }'
        )
    places = []
    for choice, sets in choices.items():
        if not isinstance(sets, Mapping):
            raise StudyError(
                f'has {choice} = {shown(sets)}, which is no table of keys, such as {{ "flow.0.sender.recovery" = "sack" }}'
            )
        places.append({check(key): value for key, value in settings(sets).items()})
    return Axis((Column(name, "", list(choices)),), places)


def _column(key: str, values: Sequence[Any]) -> Column:
    unit, cells = column(values)
    return Column(key.lstrip("$"), unit, cells)


def log_spaced(cells: Sequence[float]) -> bool:
    """Whether a logarithmic axis shows the places better: all positive, and the steps grow along."""
    if len(cells) < 3 or min(cells) <= 0 or max(cells) / min(cells) < 8:
        return False
    ordered = sorted(cells)
    first, last = ordered[1] - ordered[0], ordered[-1] - ordered[-2]
    return last > 3 * first


def check_names(axes: Sequence[Axis], drawn: Sequence[str], taken: Set[str]) -> None:
    """Refuses what is varied twice, and names of columns that tables already have.

    Raises:
        StudyError: a key or a name is there twice.
    """
    keys: dict[str, int] = {}
    for order, axis in enumerate(axes):
        for key in {key for place in axis.places for key in place}:
            if keys.setdefault(key, order) != order:
                raise StudyError(f"{key} is varied twice; a key stands in one place of the plan")
    titles = set(taken)
    for title in [*(one.title for axis in axes for one in axis.columns), *drawn]:
        if title in titles:
            raise StudyError(f"two columns would be called {title}; give one another name")
        titles.add(title)


ROUND: dict[str, Callable[[float], float]] = {
    "up": lambda x: float(math.ceil(x - 1e-9 * abs(x))),
    "down": lambda x: float(math.floor(x + 1e-9 * abs(x))),
    "nearest": lambda x: float(math.floor(x + 0.5)),
}


@dataclass(frozen=True)
class Derived:
    """A key and how its value follows."""

    key: str
    times: Sequence[Any]
    over: Sequence[Any] = ()
    plus: Sequence[Any] = ()
    round: str = ""
    at_least: float = -math.inf
    at_most: float = math.inf
    unit: str = ""

    def value(self, look: Callable[[str], Any]) -> Any:
        """The value, given what stands at other keys; quantities count in bits a second, seconds and bytes.

        Raises:
            StudyError: a key it needs has no number, or what it is divided by is 0.
        """
        result = self._product(self.times, look)
        divisor = self._product(self.over, look)
        if divisor == 0:
            raise StudyError(f"derive.{self.key}: over = {shown(list(self.over))} is 0; nothing can be divided by it")
        result = result / divisor + math.fsum(self._factor(one, look) for one in self.plus)
        if self.unit:
            result /= UNITS[self.unit][1]
        if not math.isfinite(result):
            raise StudyError(f"derive.{self.key}: the product is beyond any number")
        if self.round:
            result = ROUND[self.round](result)
        return write(min(self.at_most, max(self.at_least, result)), self.unit, bool(self.round))

    def _product(self, factors: Sequence[Any], look: Callable[[str], Any]) -> float:
        product = 1.0
        for factor in factors:
            product *= self._factor(factor, look)
        return product

    def _factor(self, factor: Any, look: Callable[[str], Any]) -> float:
        number = numeric(factor)
        if number is not None:
            return number
        found = look(factor)
        number = numeric(found)
        if number is None:
            what = "is not there" if found is None else f"is {shown(found)}, which is no number"
            raise StudyError(
                f"derive.{self.key}: {factor} {what}; a factor is a number, a quantity such as 100ms, a $variable that "
                "varies, or a scenario's key"
            )
        return number


def _factors(given: Any) -> tuple[Any, ...]:
    factors = given if isinstance(given, list) else [given]
    for factor in factors:
        if numeric(factor) is None and (not isinstance(factor, str) or not factor.strip()):
            raise StudyError(': a factor is a number, a quantity such as "100ms", a key or a $variable')
    return tuple(factors)


BOUND = number("a number, of the derived value's unit")
DERIVE_KEYS = {
    "times": Key(
        'the factors of the product: keys, $variables, numbers, quantities such as "100ms"', _factors, needed=True
    ),
    "over": Key("what the product is divided by, written the same way", _factors, ()),
    "plus": Key("what is added then, written the same way", _factors, ()),
    "round": Key('"up", "down" or "nearest": makes it a whole number', one_of(*ROUND), ""),
    "at_least": Key("no less than this", BOUND, -math.inf),
    "at_most": Key("no more than this", BOUND, math.inf),
    "unit": Key('the unit it is written with, such as "ms"; a plain number if left out', one_of(*UNITS), ""),
}


def derived(key: str, table: Any) -> Derived:
    """A derived value as a plan writes it.

    Raises:
        StudyError: the table is not a derived value.
    """
    check(key)
    found = table_of(table, DERIVE_KEYS, f"derive.{key}")
    if found["at_least"] > found["at_most"]:
        raise StudyError(f"derive.{key} has at_least above at_most")
    return Derived(key, **found)
