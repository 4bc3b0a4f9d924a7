"""Search space: free keys with bounds or choices, and named alternatives with free keys of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from .grammar import Quantity, StudyError, bounds, read, shown, write
from .keys import check, is_range, is_variable, settings

#: Significant digits of a value between two bounds.
DIGITS = 4
#: Most points of a space that is listed.
MOST_POINTS = 100_000


@dataclass(frozen=True)
class Free:
    """A key between two bounds, or with a list of choices."""

    name: str
    """Unlike that of every other in the space: the key, behind the alternative that it belongs to."""
    key: str
    low: Quantity = Quantity(0.0)
    high: Quantity = Quantity(0.0)
    step: float = 0.0
    log: bool = False
    choices: Sequence[Any] = ()

    @property
    def keys(self) -> set[str]:
        """The keys that it may set: its own."""
        return {self.key}

    @property
    def whole(self) -> bool:
        """Only whole numbers: a count."""
        return self.low.whole and self.high.whole and not self.low.unit

    @property
    def ordered(self) -> bool:
        """The choices are numbers that grow: one between two others is alike to both."""
        found = [read(one) for one in self.choices]
        numbers = [one.base for one in found if one is not None]
        return (
            len(numbers) == len(found)
            and len({one.kind for one in found if one}) == 1
            and numbers == sorted(set(numbers))
        )

    @property
    def points(self) -> int:
        """How many values there are; 0 where it is any number between the bounds."""
        if self.choices:
            return len(self.choices)
        step = self.step or (1 if self.whole else 0)
        return math.floor((self.high.number - self.low.number) / step * (1 + 1e-12)) + 1 if step else 0

    @property
    def extremes(self) -> Sequence[Any]:
        """Values that have to be legal if all are to be."""
        return self.choices or [self.value(self.low.number), self.value(self.high.number)]

    def parameters(self) -> Sequence[Any]:
        """Optuna's name of each value, if their number is finite."""
        if self.choices:
            return range(len(self.choices))
        step = self.step or 1
        found = [self.low.number + place * step for place in range(self.points)]
        return [round(one) for one in found] if self.whole else found

    def at(self, share: float) -> Any:
        """The parameter at a share, from 0 to 1, of its values."""
        if self.points:
            return self.parameters()[min(int(share * self.points), self.points - 1)]
        low, high = self.low.number, self.high.number
        return low * (high / low) ** share if self.log else low + share * (high - low)

    def ends(self) -> Sequence[Any]:
        """Its parameters, or both ends of a range."""
        return self.parameters() if self.points else [self.low.number, self.high.number]

    def ask(self, trial: Any) -> Any:
        """The parameter that Optuna suggests."""
        if self.choices:
            last = len(self.choices) - 1
            return (
                trial.suggest_int(self.name, 0, last)
                if self.ordered
                else trial.suggest_categorical(self.name, list(range(last + 1)))
            )
        low, high = self.low.number, self.high.number
        if self.whole:
            return trial.suggest_int(self.name, round(low), round(high), step=round(self.step) or 1, log=self.log)
        return trial.suggest_float(self.name, low, high, step=self.step or None, log=self.log)

    def value(self, parameter: Any) -> Any:
        """A parameter as the scenario has it."""
        if self.choices:
            return self.choices[parameter]
        number = float(parameter)
        if not self.whole and not self.step:
            number = min(max(float(f"{number:.{DIGITS}g}"), self.low.number), self.high.number)
        return write(number, self.low.unit, self.whole)


@dataclass(frozen=True)
class Alternatives:
    """A choice between names, each with the keys it sets and the keys that it alone leaves free."""

    name: str
    choices: Mapping[str, tuple[Mapping[str, Any], Sequence[Free]]]

    @property
    def keys(self) -> set[str]:
        """The keys that it may set."""
        return {key for fixed, frees in self.choices.values() for key in (*fixed, *(free.key for free in frees))}


@dataclass(frozen=True)
class Choice:
    """A point of the space: Optuna's parameters, the keys it sets, and the cells of its table."""

    parameters: Mapping[str, Any]
    sets: Mapping[str, Any]
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Space:
    """Everything that a search may choose."""

    parts: Sequence[Free | Alternatives]
    columns: Mapping[str, str]
    """Key or alternative -> the name of its column."""

    @property
    def frees(self) -> list[Free]:
        """Every free key, those of alternatives too."""
        found: list[Free] = []
        for part in self.parts:
            found += (
                [part] if isinstance(part, Free) else [free for _, frees in part.choices.values() for free in frees]
            )
        return found

    def ask(self, trial: Any) -> Choice:
        """The point that Optuna suggests."""
        found: dict[str, Any] = {}
        for part in self.parts:
            if isinstance(part, Free):
                found[part.name] = part.ask(trial)
                continue
            found[part.name] = trial.suggest_categorical(part.name, list(part.choices))
            found |= {free.name: free.ask(trial) for free in part.choices[found[part.name]][1]}
        return self.point(found)

    def point(self, parameters: Mapping[str, Any]) -> Choice:
        """The point of Optuna's parameters."""
        sets: dict[str, Any] = {}
        cells: dict[str, Any] = {}

        def put(free: Free) -> None:
            sets[free.key] = cells[self.columns[free.key]] = free.value(parameters[free.name])

        for part in self.parts:
            if isinstance(part, Free):
                put(part)
                continue
            cells[self.columns[part.name]] = chosen = parameters[part.name]
            fixed, frees = part.choices[chosen]
            sets |= fixed
            for free in frees:
                put(free)
        return Choice(dict(parameters), sets, cells)

    @property
    def size(self) -> int:
        """How many points there are; 0 where there are too many to list."""
        total = 1
        for part in self.parts:
            if isinstance(part, Free):
                total *= part.points
            else:
                counts = [math.prod(free.points for free in frees) for _, frees in part.choices.values()]
                total *= 0 if 0 in counts else sum(counts)
        return total if total <= MOST_POINTS else 0

    def column(self, part: Free | Alternatives) -> str:
        """The column of a part: its rule's name."""
        return self.columns[part.key if isinstance(part, Free) else part.name]

    def of(self, parts: Sequence[Free | Alternatives]) -> Space:
        """The space of some of its parts."""
        names = {part.name for part in parts} | {key for part in parts for key in part.keys}
        return Space(parts, {key: name for key, name in self.columns.items() if key in names})

    def alone(self) -> Iterator[Choice]:
        """Each value of each part alone; of a range the ends."""
        return (Space([part], self.columns).point(one) for part in self.parts for one in _every(part))

    def draw(self, uniform: Callable[[], float]) -> Choice:
        """A point whose parameters are uniform, each by itself."""
        found: dict[str, Any] = {}
        for part in self.parts:
            frees: Sequence[Free] = [part] if isinstance(part, Free) else []
            if isinstance(part, Alternatives):
                names = list(part.choices)
                found[part.name] = chosen = names[min(int(uniform() * len(names)), len(names) - 1)]
                frees = part.choices[chosen][1]
            found |= {free.name: free.at(uniform()) for free in frees}
        return self.point(found)

    def every(self) -> Iterator[dict[str, Any]]:
        """The parameters of every point, where they can be listed."""
        for parts in product(*(list(_every(part)) for part in self.parts)):
            yield {name: one for part in parts for name, one in part.items()}


def _every(part: Free | Alternatives) -> Iterator[dict[str, Any]]:
    if isinstance(part, Free):
        yield from ({part.name: one} for one in part.ends())
        return
    for choice, (_, frees) in part.choices.items():
        for values in product(*(free.ends() for free in frees)):
            yield {part.name: choice, **dict(zip((free.name for free in frees), values, strict=True))}


def free(key: str, given: Any, within: str = "") -> Free:
    """A free key as a plan gives it.

    Raises:
        StudyError: what is given is not a free key.
    """
    check(key)
    if is_variable(key):
        raise StudyError(f"{key} is a variable; a search chooses keys of the scenario")
    name = f"{within}.{key}" if within else key
    if isinstance(given, list):
        if len(given) < 2 or any(one in given[:place] for place, one in enumerate(given)):
            raise StudyError(f"= {shown(given)}: a list of choices has at least two values, each once")
        return Free(name, key, choices=tuple(given))
    low, high, log, step = bounds(given)
    return Free(name, key, low, high, step, log)


def alternatives(name: str, given: Any) -> Alternatives:
    """Named alternatives as a plan gives them: as in a sweep, and a value may be bounds.

    Raises:
        StudyError: what is given is not a table of alternatives.
    """
    if not isinstance(given, Mapping) or len(given) < 2:
        raise StudyError("has to be at least two tables, each with the keys it sets")
    choices: dict[str, tuple[dict[str, Any], list[Free]]] = {}
    for choice, table in given.items():
        if not isinstance(table, Mapping):
            raise StudyError(
                f'has {choice} = {shown(table)}, which is no table of keys, such as {{ "flow.0.receiver.ack.policy" = "every" }}'
            )
        fixed: dict[str, Any] = {}
        frees = []
        for key, value in settings(table).items():
            check(key)
            if is_range(value):
                try:
                    frees.append(free(key, value, f"{name}.{choice}"))
                except StudyError as error:
                    raise StudyError(f"{choice}: {key} {error}") from None
            else:
                fixed[key] = value
        choices[choice] = fixed, frees
    return Alternatives(name, choices)
