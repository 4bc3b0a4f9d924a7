"""Objectives of a search: a metric, or a weighted sum of metrics, and which values are better."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...figures.stats import Interval
from ..compare.metrics import Metric
from ..sweep.errors import SweepError, shown
from ..sweep.metrics import metric

FORMS = (
    'a metric or a weighted sum of metrics: "completion", "cost: p50(completion) + 0.001 * acks_sent"; '
    'or { minimize = "..." } or { maximize = "..." }'
)
_NAME = re.compile(r"\s*([^:*+()@]+?)\s*:\s*(.+)", re.DOTALL)
_TERM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\*\s*(.+)", re.DOTALL)
_BETWEEN = re.compile(r"\s([+-])\s")


@dataclass(frozen=True)
class Objective:
    """A sum of weighted metrics of one run."""

    name: str
    terms: Sequence[tuple[float, Metric]]
    sign: int
    """1 where more is better, -1 where less is."""
    relative: bool = False
    """Counts as a ratio to the baseline's value on the same path with the same seed."""

    @property
    def unit(self) -> str:
        """That of the first metric, in which weights give the price of the others."""
        return self.terms[0][1].quantity.unit

    @property
    def label(self) -> str:
        """Name and unit."""
        unit = "times the baseline's" if self.relative else self.unit
        return f"{self.name} ({unit})" if unit else self.name

    def read(self, summary: Any) -> float:
        """Its value in a run; NaN where a metric has none."""
        return math.fsum(weight * one.read(summary) for weight, one in self.terms)

    def cost(self, value: float, base: float) -> float:
        """The value on a scale where less is better and differences count; NaN where it has no place there."""
        if not self.relative:
            return -self.sign * value
        return -self.sign * math.log(value / base) if value > 0 and base > 0 else math.nan

    def back(self, cost: float) -> float:
        """A mean cost on the scale of :attr:`label`."""
        return math.exp(-self.sign * cost) if self.relative else -self.sign * cost

    def turned(self, costs: Interval) -> Interval:
        """An interval of mean costs on the same scale."""
        low, high = sorted((self.back(costs.low), self.back(costs.high)))
        return Interval(low, high, costs.level)


def objective(given: Any, relative: bool = False) -> Objective:
    """An objective as a plan gives it.

    Raises:
        SweepError: what is given is not an objective, or nothing says which values are better.
    """
    text, sign = given, 0
    if isinstance(given, Mapping):
        if len(given) != 1 or not given.keys() <= {"minimize", "maximize"}:
            raise SweepError(f"objectives: {shown(dict(given))}: give {FORMS}")
        ((how, text),) = given.items()
        sign = 1 if how == "maximize" else -1
    if not isinstance(text, str) or not text.strip():
        raise SweepError(f"objectives: {shown(text)}: give {FORMS}")
    named = _NAME.fullmatch(text)
    name, rest = (named[1], named[2]) if named else ("", text)
    found = terms(rest.strip())
    if not sign:
        signs = {one.quantity.better * (1 if weight > 0 else -1) for weight, one in found} - {0}
        if len(signs) != 1:
            why = "of some terms more is better, of others less" if signs else "neither more nor less is better"
            raise SweepError(f"objectives: {shown(text)}: {why}; write {{ minimize = {shown(text)} }} or maximize")
        (sign,) = signs
    plain = found[0][1].name if len(found) == 1 and found[0][0] == 1 else " ".join(rest.split())
    return Objective(name or plain, found, sign, relative)


def terms(text: str) -> list[tuple[float, Metric]]:
    """A weighted sum of metrics, as it is written.

    Raises:
        SweepError: the text is not such a sum.
    """
    parts = _BETWEEN.split(f" + {text}" if text[0] not in "+-" else f" {text[0]} {text[1:]}")[1:]
    found = []
    for sign, part in zip(parts[::2], parts[1::2], strict=True):
        weighted = _TERM.fullmatch(part.strip())
        weight = float(weighted[1]) if weighted else 1.0
        if not math.isfinite(weight) or weight == 0:
            raise SweepError(
                f"objectives: {shown(text)}: {part.strip()} has the weight {weight:g}; it is a number other than 0"
            )
        found.append((weight if sign == "+" else -weight, metric((weighted[2] if weighted else part).strip())))
    return found
