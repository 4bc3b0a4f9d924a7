"""What a paper's printed numbers say of the rules that it leaves open: its ``posterior.json``, and the questions for its authors.

``tools/posteriors.py`` keeps it from a whole ``acklab infer PAPER``.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..study.posterior import MIN_EFFECTIVE
from .explanation import DERIVATION, NOT_FOUND

#: Questions that are asked.
MAX_QUESTIONS = 3
#: A value with a smaller probability is not shown.
MIN_SHOWN = 0.01
#: Causes of claims that no value of a rule would decide.
SETTLED = (DERIVATION, NOT_FOUND)


@dataclass(frozen=True)
class Rule:
    """An open rule, its values with their probabilities, and the claims that these values move and would decide."""

    name: str
    verdict: str
    values: tuple[tuple[str, float], ...]
    moves: tuple[str, ...]
    decides: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The values, the most probable first.

        >>> Rule("timer", "open", (("0.2 s", 0.0004), ("1 s", 0.9996)), (), ()).shown
        '1 s: > 0.99'
        >>> Rule("queue", "open", (("8", 0.54), ("9", 0.4595), ("6", 0.0005)), (), ()).shown
        '8: 0.54 · 9: 0.46'
        """
        told = sorted(self.values, key=lambda one: -one[1])
        return " · ".join(f"{value}: {_share(share)}" for value, share in told if share >= MIN_SHOWN)


def _share(share: float) -> str:
    return "> 0.99" if share > 0.99 else f"{share:.2f}"


@dataclass(frozen=True)
class Value:
    """A printed value, and what the setting used and the readings have for it."""

    name: str
    claim: str
    printed: str
    used: str
    mean: str
    """By the posterior."""
    nearest: str
    within: int
    """Readings within the tolerance."""
    is_missed: bool
    """By the setting used."""


@dataclass(frozen=True)
class Posterior:
    """One inference of a paper's open rules."""

    readings: int
    of: int
    effective: float
    """How many readings of equal weight the draws are worth; 0 where all were tried."""
    runs: int
    best: int
    """Values that the most probable reading has within their tolerance."""
    missed: tuple[str, ...]
    """Groups of values that the others do not predict."""
    groups: int
    rules: tuple[Rule, ...]
    values: tuple[Value, ...]
    still: tuple[str, ...]
    """Rules that move no value."""

    @property
    def is_thin(self) -> bool:
        """Whether too few draws have the weight for probabilities."""
        return 0 < self.effective < MIN_EFFECTIVE

    @property
    def head(self) -> str:
        """What :meth:`shown` shows."""
        return "in the best reading" if self.is_thin else "values, by probability"

    def shown(self, rule: Rule) -> str:
        """A rule's values with their probabilities, or that of the best reading where draws are too few for any."""
        return max(rule.values, key=lambda one: one[1])[0] if self.is_thin else rule.shown


@cache
def load(paper: str) -> Posterior | None:
    """The posterior of a paper that has one."""
    place = files("acklab.papers").joinpath(paper, "posterior.json")
    if not place.is_file():
        return None
    tree = json.loads(place.read_text("utf-8"))
    rules = tuple(Rule(**{key: _fixed(value) for key, value in one.items()}) for one in tree.pop("rules"))
    values = tuple(Value(*one) for one in tree.pop("values"))
    return Posterior(**{key: _fixed(value) for key, value in tree.items()}, rules=rules, values=values)


def _fixed(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def questions(paper: str, open_: Collection[str]) -> list[tuple[Rule, list[str]]]:
    """The rules whose values would decide most of the claims that are open, and these claims."""
    found = load(paper)
    asked = [(rule, [one for one in rule.decides if one in open_]) for rule in found.rules] if found else []
    return sorted((one for one in asked if one[1]), key=lambda one: -len(one[1]))[:MAX_QUESTIONS]
