"""What ``--set`` does to a figure: whether the figure itself compares values of the key, and whether any run becomes another.

A figure that compares values of a key has labels for them. With the key set, its curves would be of equal runs under different
names, so it is not drawn and its claims are not judged. A change that changes no run is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import _core
from ..runs import run_batch
from .experiments import Effort, Experiment, Replications, Sweep

MOST, MOST_RANDOM = 24, 6
"""Runs that are compared of an experiment; those with seeds are often long."""


@dataclass(frozen=True, eq=False)
class Changed:
    """An experiment with keys set."""

    one: Experiment
    effort: Effort

    @cached_property
    def lines(self) -> list[str]:
        """The scenarios of a cell, and of each other value of each axis beside it."""
        if not isinstance(self.one, Sweep):
            return list(self.one.cells(self.effort).values())
        axes = self.one.chosen(self.effort)
        axes = {**axes, "seed": (1,)} if isinstance(self.one, Replications) else axes
        first = {name: values[0] for name, values in axes.items()}
        others = [{**first, name: value} for name, values in axes.items() for value in values[1:]]
        return [self.one.scenario(**cell) for cell in (first, *others)]

    @property
    def whole(self) -> bool:
        """Whether :attr:`moved` compares every run that there is."""
        if not isinstance(self.one, Sweep):
            return len(self.lines) <= MOST
        runs = math.prod(len(values) for values in self.one.chosen(self.effort).values())
        return not isinstance(self.one, Replications) and runs == len(self.lines) <= MOST

    @cached_property
    def compares(self) -> list[str]:
        """The keys of which its runs have several values."""
        trees = [json.loads(_core.Template(line, file="the paper's scenario").expanded([])) for line in self.lines]
        keys = [text.partition("=")[0].strip() for text in self.effort.sets]
        return [key for key in keys if len({json.dumps(_at(tree, key), sort_keys=True) for tree in trees}) > 1]

    @cached_property
    def moved(self) -> tuple[int, int]:
        """How many of the compared runs have another result with the keys set, and how many were compared."""
        lines = self.lines[: MOST_RANDOM if isinstance(self.one, Replications) else MOST]
        both = [_with(line, sets) for sets in ((), self.effort.sets) for line in lines]
        found = [json.dumps([one.get(part) for part in ("error", "flows", "links")]) for one in run_batch(both)]
        return sum(a != b for a, b in zip(found, found[len(lines) :], strict=False)), len(lines)


def _with(line: str, sets: Sequence[str]) -> str:
    tree = json.loads(
        _core.Template(line, file="the paper's scenario").lines(sets, [json.loads(line).get("seed", 1)])[0]
    )
    return json.dumps({**tree, "record": {}})


def _at(tree: Any, key: str) -> Any:
    """The value at ``flow.0.sender.recovery``; a table of a list by its number or its name."""
    for step in key.replace("[", ".").replace("]", "").split("."):
        if isinstance(tree, list):
            named = [one for place, one in enumerate(tree) if step in (str(place), one.get("name"))]
            tree = named[0] if named else None
        else:
            tree = tree.get(step) if isinstance(tree, dict) else None
    return tree


def changed(figures: Iterable[tuple[str, Sequence[Experiment]]], effort: Effort) -> dict[int, Changed]:
    """The changed experiments of some figures, by their ids.

    Raises:
        ScenarioError: a scenario has no such key, the value is not allowed, every figure compares values of a key, or no result changes.
    """
    figures = [(name, needs) for name, needs in figures if needs]
    made = {id(one): Changed(one, effort) for _, needs in figures for one in needs}
    for one in [*made.values()][:1]:
        _core.Template(one.lines[0], file="the paper's scenario").check(effort.sets)
    sets = " ".join(f"--set {text}" for text in effort.sets)
    said = {name: [key for one in needs for key in made[id(one)].compares] for name, needs in figures}
    if said and all(said.values()):
        told = "; ".join(f"{name} compares values of {keys[0]}" for name, keys in list(said.items())[:3])
        raise _core.ScenarioError(
            f"{sets}: {told}, and its labels would be false with one value for all; to set it, run or sweep one of its scenarios, which its page shows"
        )
    if made and all(one.whole and not one.moved[0] for one in made.values()):
        runs = sum(one.moved[1] for one in made.values())
        raise _core.ScenarioError(
            f"{sets}: changes no result; {runs} runs of {', '.join(said)} were made with and without it, and all are equal: they have this "
            "value already, or never come to what it decides (such as a recovery where nothing is lost)"
        )
    return made
