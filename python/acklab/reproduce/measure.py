"""What a paper's module hands to the judge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..study.intervals import Interval, Sample, binomial

Number = int | float | Sample
Cells = Mapping[str, Number]
Value = Number | Cells | Mapping[str, Cells]
"""A number, or one for each seed, or either for each cell; for an order, one for each name, or that for each cell."""


@dataclass(frozen=True)
class Repeated(Sample):
    """A number of each nudged repetition (:mod:`.nudge`); NaN where a repetition has nothing to measure.

    The others decide then, as long as they are more than half.
    """

    @property
    def known(self) -> Sample:
        """The values that there are, or NaN if they are too few."""
        values = tuple(v for v in self.values if not math.isnan(v))
        return Sample(values if 2 * len(values) > len(self.values) else (math.nan,))

    @property
    def value(self) -> float:
        """The estimate."""
        return self.known.value

    def interval(self, level: float) -> Interval:
        """Student's interval of the mean."""
        return self.known.interval(level)


@dataclass(frozen=True)
class Share(Sample):
    """In what share of the repetitions something holds; ``values`` are 0 and 1."""

    def interval(self, level: float) -> Interval:
        """Clopper and Pearson's."""
        return binomial(round(sum(self.values)), self.count, level)


class BadMeasurement(ValueError):
    """A measurement does not fit its claim's criterion: a mistake in the paper's module."""


@dataclass(frozen=True)
class Measurement:
    """The measured value of each part of a claim."""

    parts: Mapping[str, Value]
    note: str = ""
    """One or two sentences on what was seen; for a claim that differs, why, with the run that shows it."""


@dataclass(frozen=True)
class NotTestable:
    """A claim that no run can settle, and why."""

    why: str


@dataclass(frozen=True)
class Comparison:
    """One number held against one requirement."""

    label: str
    number: Number
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    tolerance: float | None = None
    part: str = ""
    requirement: str = ""

    def admits(self, value: float) -> bool:
        """Whether a value meets the requirement."""
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below


@dataclass(frozen=True)
class Finding:
    """The result of a comparison: yes, no, or (None) the interval holds both."""

    comparison: Comparison
    holds: bool | None
    value: float
    half_width: float | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    """The interval's confidence level."""


def value_of(number: Number) -> float:
    """The estimate of a number or sample."""
    return number.value if isinstance(number, Sample) else float(number)


def is_nothing(number: Number) -> bool:
    """Whether nothing was measured."""
    if isinstance(number, Repeated):
        number = number.known
    values = number.values if isinstance(number, Sample) else (number,)
    return any(math.isnan(v) for v in values)
