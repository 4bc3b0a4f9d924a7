"""Values that follow from others, such as a queue that is a share of the bandwidth-delay product.

There is no expression language. A value is a product of keys, variables, numbers and quantities, divided by another such product,
then rounded and bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import paths
from .axes import numeric
from .errors import SweepError, shown
from .quantity import UNITS, write

KEYS = {
    "times": 'the factors of the product: keys, $variables, numbers, quantities such as "100ms"',
    "over": "what the product is divided by, written the same way",
    "plus": "what is added then, written the same way",
    "round": '"up", "down" or "nearest": makes it a whole number',
    "at_least": "no less than this",
    "at_most": "no more than this",
    "unit": 'the unit it is written with, such as "ms"; a plain number if left out',
}
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
            SweepError: a key it needs has no number, or what it is divided by is 0.
        """
        result = self._product(self.times, look)
        divisor = self._product(self.over, look)
        if divisor == 0:
            raise SweepError(f"derive.{self.key}: over = {shown(list(self.over))} is 0; nothing can be divided by it")
        result = result / divisor + math.fsum(self._factor(one, look) for one in self.plus)
        if self.unit:
            result /= UNITS[self.unit][1]
        if not math.isfinite(result):
            raise SweepError(f"derive.{self.key}: the product is beyond any number")
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
            raise SweepError(
                f"derive.{self.key}: {factor} {what}; a factor is a number, a quantity such as 100ms, a $variable that "
                "varies, or a scenario's key"
            )
        return number


def derived(key: str, table: Any) -> Derived:
    """A derived value as a plan writes it.

    Raises:
        SweepError: the table is not a derived value.
    """
    paths.check(key)
    if not isinstance(table, Mapping):
        raise SweepError(
            f'= {shown(table)} is no table, such as {{ times = [0.5, "link.1.rate", "100ms"], over = [8, 1500], round = "up" }}'
        )
    strange = table.keys() - KEYS.keys()
    if strange:
        raise SweepError(f"has unknown {', '.join(sorted(strange))}; known are {', '.join(KEYS)}")
    if "times" not in table:
        raise SweepError("has no `times`, the list of factors")
    found: dict[str, Any] = {"key": key}
    for part in ("times", "over", "plus"):
        if part in table:
            found[part] = _factors(part, table[part])
    if table.get("round", "up") not in [*ROUND]:  # a list, for what has no hash
        raise SweepError(f"has round = {shown(table['round'])}; it is one of {', '.join(ROUND)}")
    if table.get("unit", "s") not in [*UNITS]:
        raise SweepError(f"has unit = {shown(table['unit'])}; it is one of {', '.join(UNITS)}")
    for bound in ("at_least", "at_most"):
        if bound in table:
            value = table[bound]
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise SweepError(f"has {bound} = {shown(value)}; it is a number, of the derived value's unit")
            found[bound] = float(value)
    if found.get("at_least", -math.inf) > found.get("at_most", math.inf):
        raise SweepError("has at_least above at_most")
    return Derived(**found, round=str(table.get("round", "")), unit=str(table.get("unit", "")))


def _factors(part: str, given: Any) -> tuple[Any, ...]:
    factors = given if isinstance(given, list) else [given]
    for factor in factors:
        if numeric(factor) is None and (not isinstance(factor, str) or not factor.strip()):
            raise SweepError(
                f'has {part} = {shown(given)}; a factor is a number, a quantity such as "100ms", a key or a $variable'
            )
    return tuple(factors)
