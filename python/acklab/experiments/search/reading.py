"""Common parts of the plans of searches and inferences: keys with a fixed value, free keys, counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...scenario._part import plain
from ...text.input import read_file
from ...text.plans import PlanText
from ..sweep import paths
from ..sweep.errors import SweepError, heading, shown
from ..sweep.names import names
from ..sweep.plan import known_kinds
from ..sweep.quantity import column
from .space import Alternatives, Free, Space, alternatives, free, settings

T = TypeVar("T")
#: Makes a plan of its keys, the place of each in its file, and the directory of that file.
Build = Callable[[Mapping[str, Any], PlanText, "Path | None"], T]
#: Key -> the value if it is left out, the least and the most.
Counts = Mapping[str, "tuple[int | None, int, int]"]


class Reader(Generic[T]):
    """Reads plans of one kind; ``build`` makes them, ``kind`` is the error."""

    def __init__(self, build: Build[T], kind: type[SweepError]) -> None:
        self._build, self._kind = build, kind

    def read(self, path: str | os.PathLike[str], given: Mapping[str, Any] | None = None) -> T:
        """A plan file, with keys that replace its own.

        Raises:
            SweepError: of the reader's kind; it is no plan.
            OSError: it cannot be read.
        """
        try:
            text, tree = PlanText.read(read_file(path), os.fspath(path), SweepError)
        except SweepError as error:
            raise self._kind(str(error)) from None
        return self.from_tree({**tree, **(given or {})}, text, Path(path).parent)

    def from_tree(self, tree: Mapping[str, Any], name: str | PlanText = "plan", folder: Path | None = None) -> T:
        """A plan from its keys, as a plan file or Python has them.

        Raises:
            SweepError: of the reader's kind; it is no plan. Of several mistakes the first in the file is named.
        """
        where = name if isinstance(name, PlanText) else PlanText(name, SweepError)
        try:
            tree = {key: value if key == "scenario" else plain(value) for key, value in tree.items()}
            for key in (key for key in tree if key != "scenario"):
                where.check(key, lambda key=key: known_kinds(key, tree[key]))
            where.settle()
            return self._build(tree, where, folder)
        except SweepError as error:
            raise self._kind(str(error)) from None


class PlanKeys:
    """The common keys of a plan. Mistakes are noted in ``where``, but for unknown keys, which raise.

    Args:
        tree: the plan.
        where: the place of each key.
        known: all keys that it may have.
        counts: those that are whole numbers.
    """

    def __init__(self, tree: Mapping[str, Any], where: PlanText, known: Mapping[str, str], counts: Counts) -> None:
        where.unknown(tree.keys(), known)
        where.settle()
        self._where, self._given = where, tree
        self.tree = {key: plain(value) for key, value in tree.items()}
        self.title = self.at("title", lambda: heading(tree.get("title", "")))
        self.sets, self.baseline = (
            self.at(part, lambda part=part: fixed(self._table(part))) or {} for part in ("set", "baseline")
        )
        self.parts: list[Free | Alternatives] = []
        for part in tree:  # in the order of the plan, which is the tables'
            if part == "free":
                self.parts += [
                    self.at(f"free.{key}", lambda key=key, value=value: free(key, value))
                    for key, value in settings(self._table(part)).items()
                ]
            elif part == "alternatives":
                self.parts += [
                    self.at(f"alternatives.{key}", lambda key=key, value=value: alternatives(key, value))
                    for key, value in self._table(part).items()
                ]
        self.counts = {key: self.at(key, lambda key=key: _count(key, tree, *counts[key])) for key in counts}

    def at(self, key: str, make: Callable[..., Any]) -> Any:
        """The result of ``make`` for a key; None, and a noted mistake that names the key, where it raises one."""
        return self._where.check(
            key, make, lambda said: said if said.startswith(key.split(".")[0]) else f"{key} {said}"
        )

    def _table(self, part: str) -> Mapping[str, Any]:
        return self.at(part, lambda: table_of(part, self._given.get(part, {}))) or {}


def table_of(key: str, value: Any) -> Mapping[str, Any]:
    """A value that has to be a table of the plan."""
    if not isinstance(value, Mapping):
        raise SweepError(f"{key} = {shown(value)}: has to be a table, [{key}]")
    return value


def fixed(table: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a table with one value each."""
    found = settings(table)
    for key in found:
        paths.check(key)
    return found


def _count(key: str, tree: Mapping[str, Any], default: int | None, least: int, most: int) -> int | None:
    """A whole number of a plan, between two bounds."""
    if key not in tree:
        return default
    value = tree[key]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SweepError(f"{key} = {shown(value)}: a whole number from {least} to {most:,}")
    return value


def joined(parts: Sequence[Free | Alternatives], taken: Sequence[str]) -> Space:
    """The space, its columns named, none as one of ``taken``; a key stands in one place of it, or in several choices of one alternative."""
    keys: dict[str, str] = {}
    seen: dict[str, str] = {}
    labels = [part.name for part in parts if isinstance(part, Alternatives)]
    for part in parts:
        frees = [part] if isinstance(part, Free) else [one for _, several in part.choices.values() for one in several]
        fixed = [] if isinstance(part, Free) else [key for sets, _ in part.choices.values() for key in sets]
        for key in {one.key for one in frees} | set(fixed):
            if key in seen:
                raise SweepError(
                    f"{key} is chosen twice, by {seen[key]} and by {part.name}; a key stands in one place of the plan"
                )
            seen[key] = part.name
        for one in frees:
            keys[one.key] = column(list(one.choices))[0] if one.choices else ""
    named = names(list(keys.items()), {}, [*taken, *labels])
    return Space(parts, {**{label: label for label in labels}, **named})
