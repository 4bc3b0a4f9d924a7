"""The axes of a sweep: what varies, together or apart, and in which columns it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from . import paths, ranges
from .errors import SweepError, shown
from .names import titled
from .quantity import column, read


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
        SweepError: what is given is not a list or range of values, or a value is there twice.
    """
    found = ranges.values(given)
    column = _column(key, found)
    seen: set[Any] = set()
    for value, cell in zip(found, column.cells, strict=True):
        if cell in seen:
            raise SweepError(f"has {shown(value)} twice; a value stands once")
        seen.add(cell)
    return Axis((column,), [{paths.check(key): value} for value in found])


def together(table: Mapping[str, Any]) -> Axis:
    """The axis of keys that vary together: the first of each, the second of each, and so on.

    Raises:
        SweepError: they are not equally many.
    """
    found = {paths.check(key): _values(key, given) for key, given in paths.flatten(table)}
    if not found:
        raise SweepError("is empty; give the keys that vary together, each with as many values")
    counts = {key: len(values) for key, values in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{key} has {count}" for key, count in counts.items())
        raise SweepError(f"keys that vary together need as many values each; {told}")
    places = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    return Axis([_column(key, values) for key, values in found.items()], places)


def _values(key: str, given: Any) -> list[Any]:
    try:
        return ranges.values(given)
    except SweepError as error:
        raise SweepError(f"{key} = {shown(given)} {error}") from None


def alternatives(name: str, choices: Mapping[str, Any]) -> Axis:
    """The axis of named alternatives, each with the keys it sets.

    Raises:
        SweepError: there are none, or one sets nothing that can be set.
    """
    if not isinstance(choices, Mapping) or not choices:
        raise SweepError(
            'has no alternatives; give each a name and the keys it sets: sack = { "flow.0.sender.recovery" = "sack" }'
        )
    places = []
    for choice, sets in choices.items():
        if not isinstance(sets, Mapping):
            raise SweepError(
                f'{choice} = {shown(sets)} is no table of keys, such as {{ "flow.0.sender.recovery" = "sack" }}'
            )
        places.append({paths.check(key): value for key, value in settings(sets).items()})
    return Axis((Column(name, "", list(choices)),), places)


def settings(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of keys with one value each. A key in quotes may have a table as its value (``"flow.0.size" = {...}``);
    without quotes TOML makes tables of the steps, which are put together again.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        apart = isinstance(value, Mapping) and not any(sign in key for sign in ".[")
        found |= (
            dict(paths.flatten({key: value}, leaf=lambda entry: not isinstance(entry, Mapping)))
            if apart
            else {key: value}
        )
    return found


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
        SweepError: a key or a name is there twice.
    """
    keys: dict[str, int] = {}
    for number, axis in enumerate(axes):
        for key in {key for place in axis.places for key in place}:
            if keys.setdefault(key, number) != number:
                raise SweepError(f"{key} is varied twice; a key stands in one place of the plan")
    titles = set(taken)
    for title in [*(one.title for axis in axes for one in axis.columns), *drawn]:
        if title in titles:
            raise SweepError(f"two columns would be called {title}; give one another name")
        titles.add(title)


def numeric(value: Any) -> float | None:
    """A number or quantity in its base unit; None for anything else."""
    found = read(value)
    return None if found is None else found.base
