"""How often each point is run, and what is drawn again for each run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...figures.stats import LEAST_SEEDS, interval, sample
from ...scenario.draws import Draws
from . import paths
from .axes import numeric
from .errors import SweepError, shown
from .names import titled
from .quantity import Quantity, read, write

MOST_SEEDS = 1_000_000
FORMS = (
    f"a whole number from 1 to {MOST_SEEDS:,}, or "
    "{ at_least = 5, at_most = 100, half_width = 0.05 }: until the 95 % interval of the first "
    'metric (or of `metric = "NAME"`) is no wider than 5 % of its mean to either side'
)
_KEYS = {"at_least", "at_most", "half_width", "metric"}
#: After each look so many times the seeds there are, if the interval is still too wide.
GROWTH = 1.5


@dataclass(frozen=True)
class Seeds:
    """From ``least`` to ``most`` seeds a point: 1, 2, ..., the same for every point."""

    least: int = 1
    most: int = 1
    half_width: float = 0.0
    """Half an interval over the mean that is narrow enough; 0 where the number of seeds is fixed."""
    metric: str = ""
    """Whose interval; the first metric's if empty."""

    @property
    def looks(self) -> int:
        """Looks at an interval that share its error. Two keep its 95 %: stopping at the first narrow one covers 92 %."""
        return 2 if self.half_width else 1

    def grown(self, count: int) -> int:
        """How many seeds to have after ``count`` that were too few."""
        return min(self.most, max(count + 1, math.ceil(GROWTH * count)))

    def told(self) -> int | dict[str, Any]:
        """The seeds as a plan gives them."""
        if not self.half_width:
            return self.least
        rule = {"at_least": self.least, "at_most": self.most, "half_width": self.half_width}
        return {**rule, "metric": self.metric} if self.metric else rule

    def more(self, values: Sequence[float]) -> int:
        """How many seeds a point wants altogether after these values: as many as there are if that is enough."""
        count = len(values)
        if not self.half_width or count >= self.most:
            return count
        found = sample(values)
        if found is None:
            return count  # a run without a value stays one, however many others there are
        half = interval(found, self.looks).half_width
        return count if half <= self.half_width * abs(found.value) else self.grown(count)


def seeds(given: Any) -> Seeds:
    """The seeds as a plan gives them.

    Raises:
        SweepError: it is neither a number nor a rule.
    """
    if isinstance(given, Mapping):
        return _rule(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_SEEDS:
        raise SweepError(f"seeds = {shown(given)}: give {FORMS}")
    return Seeds(given, given)


def _rule(given: Mapping[str, Any]) -> Seeds:
    strange = given.keys() - _KEYS
    if strange:
        raise SweepError(f"seeds: unknown {', '.join(sorted(strange))}; known are {', '.join(sorted(_KEYS))}")
    least, most, width = given.get("at_least", 5), given.get("at_most", 100), given.get("half_width")
    for key, value in (("at_least", least), ("at_most", most)):
        if isinstance(value, bool) or not isinstance(value, int) or not LEAST_SEEDS <= value <= MOST_SEEDS:
            raise SweepError(
                f"seeds.{key} = {shown(value)}: a whole number from {LEAST_SEEDS} to {MOST_SEEDS:,}; fewer seeds have no interval"
            )
    if least > most:
        raise SweepError(f"seeds.at_least = {least}: is above at_most = {most}")
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 < width < 1:
        raise SweepError(f"seeds.half_width = {shown(width)}: a share of the mean between 0 and 1, such as 0.05")
    metric = given.get("metric", "")
    if not isinstance(metric, str):
        raise SweepError(f"seeds.metric = {shown(metric)}: the name of a metric of this plan")
    return Seeds(least, most, float(width), metric)


@dataclass(frozen=True)
class Drawn:
    """A key whose value each seed draws, the same at every point: uniform between two ends, or one of several."""

    key: str
    low: Quantity = Quantity(0.0)
    high: Quantity = Quantity(0.0)
    choices: Sequence[Any] = ()
    alias: str = ""

    @property
    def unit(self) -> str:
        """What its column counts in."""
        return "" if self.choices else self.low.kind

    @property
    def title(self) -> str:
        """Its column's name, with the unit."""
        return titled(self.alias or self.key, self.unit)

    def value(self, seed: int) -> Any:
        """The seed's value, from the stream of this key."""
        share = _uniform(seed, f"sweep {self.key}")
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        number = self.low.number + share * (self.high.number - self.low.number)
        return write(math.floor(number + 0.5) if self._whole else number, self.low.unit, self._whole)

    @property
    def extremes(self) -> Sequence[Any]:
        """Values that have to be legal if all are to be."""
        return self.choices or [write(end.number, end.unit, self._whole) for end in (self.low, self.high)]

    @property
    def _whole(self) -> bool:
        return self.low.whole and self.high.whole and not self.low.unit


@lru_cache(maxsize=65536)
def _uniform(seed: int, component: str) -> float:
    return Draws(seed, component).uniform()


def drawn(key: str, given: Any) -> Drawn:
    """A draw as a plan gives it: ``"0s..1s"`` or a list.

    Raises:
        SweepError: it is neither.
    """
    paths.check(key)
    if isinstance(given, list) and given:
        return Drawn(key, choices=tuple(given))
    ends = given.split("..") if isinstance(given, str) else []
    low, high = (read(end) for end in ends) if len(ends) == 2 else (None, None)
    if low is None or high is None:
        raise SweepError(f'= {shown(given)} can not be drawn from; give the ends "0s..1s", or a list to choose from')
    if low.unit != high.unit or low.number > high.number:
        raise SweepError(f"= {shown(given)}: both ends need the same unit, the lower one first")
    return Drawn(key, low, high)


def as_number(value: Any) -> Any:
    """A drawn value as a table has it: a number in its base unit where it is one, else text."""
    found = numeric(value)
    return str(value) if found is None else found
