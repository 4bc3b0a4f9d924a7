"""Paths drawn from a distribution: the same for every trial, and a fresh set for the winner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...scenario.draws import Draws
from ..sweep import paths
from ..sweep.errors import SweepError, shown
from ..sweep.quantity import readable, write
from .space import DIGITS, bounds

#: The conjugate golden ratio: its multiples' fractions fill the unit interval evenly, any first part of them too.
_GOLDEN = (math.sqrt(5) - 1) / 2
FORMS = '"0s..1s" (uniform), { low = "1Mbps", high = "1Gbps", log = true }, or a list to choose from'
#: Seeds of the fresh paths begin here, those of the search at 1.
HELD_OUT = 1_000_000_000


@dataclass(frozen=True)
class Drawn:
    """A key that each path draws: uniform between two bounds, on a linear or logarithmic scale, or one of several."""

    key: str
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    whole: bool = False
    log: bool = False
    choices: Sequence[Any] = ()

    def value(self, share: float) -> Any:
        """The value at a share, from 0 to 1, of what can be drawn."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        number = self.low * (self.high / self.low) ** share if self.log else self.low + share * (self.high - self.low)
        return write(round(number) if self.whole else float(f"{number:.{DIGITS}g}"), self.unit, self.whole)

    @property
    def extremes(self) -> Sequence[Any]:
        """Values that have to be legal if all are to be."""
        return self.choices or [self.value(0.0), self.value(1.0)]


def drawn(key: str, given: Any) -> Drawn:
    """A draw as a plan gives it.

    Raises:
        SweepError: what is given is not a draw.
    """
    paths.check(key)
    if isinstance(given, list) and given:
        return Drawn(key, choices=tuple(given))
    if isinstance(given, str) and given.count("..") == 1:
        low, _, high = given.partition("..")
        given = {"low": low.strip(), "high": high.strip()}
    if not isinstance(given, Mapping) or "step" in given:
        raise SweepError(f"= {shown(given)} can not be drawn from; give {FORMS}")
    first, last, log, _ = bounds(given)
    return Drawn(key, first.number, last.number, first.unit, first.whole and last.whole and not first.unit, log)


@dataclass(frozen=True)
class Entry:
    """A path of the list: how often it is drawn, and what it sets and draws."""

    name: str
    weight: float
    scenario: str | bytes
    file: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    draws: Sequence[Drawn] = ()


@dataclass(frozen=True)
class Path:
    """A drawn path: its place, its entry, what it drew, its seeds."""

    number: int
    entry: int
    name: str
    drew: Mapping[str, Any]
    seeds: Sequence[int]

    @property
    def told(self) -> str:
        """The path in a sentence."""
        drew = ", ".join(f"{key} = {readable(value)}" for key, value in self.drew.items())
        seeds = f"seed {self.seeds[0]}" if len(self.seeds) == 1 else f"seeds {self.seeds[0]} to {self.seeds[-1]}"
        return f"{self.name or 'path'} {self.number} ({', '.join(filter(None, [drew, seeds]))})"


def draw(entries: Sequence[Entry], count: int, seeds: int, seed: int, fresh: bool = False) -> list[Path]:
    """So many paths, by the plan's seed; ``fresh`` ones share no draw with the others.

    Entries come in the shares of their weights, evenly over every first part of the list.
    """
    kind = "fresh path" if fresh else "path"
    first = Draws(seed, f"tune {kind}s").uniform()
    total = math.fsum(entry.weight for entry in entries)
    found = []
    for place in range(count):
        share, number = (first + place * _GOLDEN) % 1.0 * total, 0
        while number < len(entries) - 1 and share >= entries[number].weight:
            share -= entries[number].weight
            number += 1
        entry = entries[number]
        drew = {one.key: one.value(Draws(seed, f"tune {kind} {place} {one.key}").uniform()) for one in entry.draws}
        begin = (HELD_OUT if fresh else 1) + place * seeds
        found.append(Path(place + 1, number, entry.name, drew, range(begin, begin + seeds)))
    return found
