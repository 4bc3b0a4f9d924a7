"""What is known of why a claim differs: it is derived, it depends on a rule, it was searched, or it is unexplained.

A paper declares what was tried, and the word follows from that:

* *derived*: a derivation from the source's own rules, which no reading of an open rule can escape;
* *depends on*: some reading of the open rules that was tried reproduces the claim, and is named;
* *searched*: so many readings were tried, and none reproduces it. That is no proof;
* *unexplained*: nothing of that is declared.
"""

from __future__ import annotations

from dataclasses import dataclass

DERIVED, DEPENDS, SEARCHED, UNEXPLAINED = WORDS = ("derived", "depends on", "searched", "unexplained")


@dataclass(frozen=True)
class Derived:
    """The derivation, in a sentence or two."""

    because: str

    @property
    def word(self) -> str:
        """Its word."""
        return DERIVED

    def told(self) -> str:
        """The word and what stands behind it."""
        return f"{DERIVED}: {self.because}"


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
        return DEPENDS if self.having else SEARCHED

    def told(self) -> str:
        """The word and what stands behind it.

        >>> Searched(144, "4 seeds").told()
        'searched: none of 144 readings has it (4 seeds each)'
        >>> Searched(42, "1 run", 13, "sabc = first").told()
        'depends on: sabc = first (13 of 42 readings have it, 1 run each)'
        """
        if not self.having:
            return f"{SEARCHED}: none of {self.readings} readings has it ({self.runs} each)"
        have = "has" if self.having == 1 else "have"
        return f"{DEPENDS}: {self.by} ({self.having} of {self.readings} readings {have} it, {self.runs} each)"


Explanation = Derived | Searched


def told(explanation: Explanation | None) -> str:
    """The same, of what may be undeclared."""
    return UNEXPLAINED if explanation is None else explanation.told()


def word(explanation: Explanation | None) -> str:
    """Its word alone."""
    return UNEXPLAINED if explanation is None else explanation.word
