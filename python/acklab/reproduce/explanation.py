"""The cause of a claim that differs: a derivation, a run in which one named rule turns it, a search without one, or no search.

* *derivation*: from the source's own rules, which no reading of an open rule can escape;
* *run*: some reading of the open rules reproduces the claim, and is named;
* *not found*: none of the readings that were tried reproduces it. That is no proof;
* *not searched*: nothing of that is declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

DERIVATION, RUN, NOT_FOUND, NOT_SEARCHED = WORDS = ("derivation", "run", "not found", "not searched")


@dataclass(frozen=True)
class Derived:
    """The derivation, in a sentence or two."""

    because: str

    word: ClassVar[str] = DERIVATION

    def told(self) -> str:
        """The word and what stands behind it."""
        return f"{DERIVATION}: {self.because}"


@dataclass(frozen=True)
class Searched:
    """Readings that were tried, and those that reproduce the claim."""

    readings: int
    runs: str
    """How each was run: ``4 seeds``, ``3 nudged runs``, ``1 run``."""
    having: int = 0
    """How many of them reproduce the claim."""
    by: str = ""
    """One of these, as ``RULE = VALUE, RULE = VALUE``; empty where there is none."""

    def __post_init__(self) -> None:
        if not 0 <= self.having <= self.readings or self.readings < 1:
            raise ValueError(f"{self.having} of {self.readings} readings")
        if bool(self.having) != bool(self.by):
            raise ValueError("name a reading that reproduces the claim if there is one, and none otherwise")

    @property
    def word(self) -> str:
        """Its word."""
        return RUN if self.having else NOT_FOUND

    def told(self) -> str:
        """The word and what stands behind it.

        >>> Searched(144, "4 seeds").told()
        'not found: 144 readings, 4 seeds'
        >>> Searched(42, "1 run", 13, "sabc = first").told()
        'run: sabc = first (13 of 42 readings, 1 run)'
        """
        if not self.having:
            return f"{NOT_FOUND}: {self.readings} readings, {self.runs}"
        return f"{RUN}: {self.by} ({self.having} of {self.readings} readings, {self.runs})"


@dataclass(frozen=True)
class Unsearched:
    """No search was made."""

    word: ClassVar[str] = NOT_SEARCHED

    def told(self) -> str:
        """The word."""
        return NOT_SEARCHED


Explanation = Derived | Searched | Unsearched
