"""Criteria: the measured values for which a claim counts as reproduced.

A criterion has parts, and a claim holds when all of them do. A part is one of

``equal``
    the value, exactly (``slack`` for values that pass through arithmetic).
``within``
    ``value`` plus or minus ``tolerance``. With ``sign``, the sign has to match too.
``range``
    any of ``low`` and ``high`` (allowed themselves) and ``above`` and ``below`` (not allowed themselves).
``order``
    names ranked by size, ``"every > lbc, daass > delayed"``: everything in a group against everything in later groups.
    ``tie`` is how far two neighbours may be out of order, in units of the quantity, or with ``relative`` as a fraction.
    A number may stand among the names.

``cells = "all" | "majority" | <count> | "<percent>%"`` asks for the same of several cells at once and says in how many
it has to hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STANDINGS = ("evidence", "calibration", "arithmetic", "note")
"""What a claim's verdict shows: something about TCP; how well a parameter was fitted; that numbers follow from numbers; nothing of the paper.

The last is said of an entry that is no claim of the paper: a slip of its text, or a sum that was checked.
"""


class CriterionError(ValueError):
    """A criterion makes no sense."""


@dataclass(frozen=True)
class Relation:
    """``greater`` has to exceed ``lesser``, or equal it where ``sign`` is ``>=`` or ``=``; neighbours may be tied."""

    greater: str
    lesser: str
    sign: str
    neighbours: bool


@dataclass(frozen=True)
class Part:
    """One thing that has to hold."""

    name: str
    about: str
    type: str
    units: str = ""
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    target: float | None = None
    tolerance: float | None = None
    relations: tuple[Relation, ...] = ()
    relative: bool = False
    cells: str | int | None = None

    def needed(self, cells: int) -> int:
        """In how many of so many cells the part has to hold."""
        if self.cells in (None, "all"):
            return cells
        if self.cells == "majority":
            return cells // 2 + 1
        if isinstance(self.cells, str):
            return math.ceil(float(self.cells.rstrip("%")) / 100 * cells - 1e-9)
        return min(int(self.cells or 0), cells)

    def wanted(self) -> str:
        """What is required of a cell, for people."""
        if self.type == "order":
            return self._order()
        unit = f" {self.units}" if self.units else ""
        if self.type == "equal":
            text = f"{self.target:g}{unit}"
        elif self.type == "within":
            text = f"{self.target:g} ± {self.tolerance:g}{unit}"
        else:
            ends = []
            if self.low > -math.inf:
                ends.append(f"{'>' if self.open_low else '≥'} {self.low:g}")
            if self.high < math.inf:
                ends.append(f"{'<' if self.open_high else '≤'} {self.high:g}")
            text = " and ".join(ends) + unit
        return text

    def _order(self) -> str:
        pairs = [f"{r.greater} {r.sign} {r.lesser}" for r in self.relations if r.neighbours]
        tie = ""
        if self.tolerance:
            amount = f"{self.tolerance * 100:g} %" if self.relative else f"{self.tolerance:g} {self.units}".rstrip()
            tie = f", ties of {amount} allowed"
        return ", ".join(pairs) + tie


@dataclass(frozen=True)
class Criterion:
    """Everything that has to hold for one claim."""

    claim: str
    parts: tuple[Part, ...]
    standing: str = "evidence"
    note: str = ""


def parse(claim: str, entry: Mapping[str, Any]) -> Criterion:
    """A claim's ``criterion`` table.

    Raises:
        CriterionError: it is no criterion.
    """
    _known(claim, entry, {"parts", "standing", "note"})
    standing = str(entry.get("standing", "evidence"))
    if standing not in STANDINGS[:3]:
        raise CriterionError(f"{claim}: standing {standing!r} is none of {', '.join(STANDINGS[:3])}")
    parts = tuple(_part(claim, part) for part in entry.get("parts", ()))
    if not parts:
        raise CriterionError(f"{claim}: a criterion needs at least one part")
    if len({part.name for part in parts}) < len(parts):
        raise CriterionError(f"{claim}: two parts have one name")
    return Criterion(claim, parts, standing, str(entry.get("note", "")))


_COMMON = {"name", "about", "type", "units", "cells"}
_KEYS = {
    "equal": {"value", "slack"},
    "within": {"value", "tolerance", "sign"},
    "range": {"low", "high", "above", "below"},
    "order": {"order", "tie", "relative"},
}


def _part(claim: str, entry: Mapping[str, Any]) -> Part:
    name = str(entry.get("name", "?"))
    where = f"{claim}, part {name}"
    kind = entry.get("type")
    if kind not in _KEYS:
        raise CriterionError(f"{where}: type {kind!r} is none of {', '.join(_KEYS)}")
    _known(where, entry, _COMMON | _KEYS[kind])
    common: dict[str, Any] = {
        "name": name,
        "about": str(entry.get("about", name)),
        "type": kind,
        "units": str(entry.get("units", "")),
        "cells": _cells(where, entry.get("cells")),
    }
    return {"equal": _equal, "within": _within, "range": _range, "order": _order}[kind](where, entry, common)


def _equal(where: str, entry: Mapping[str, Any], common: dict[str, Any]) -> Part:
    value, slack = _number(where, entry, "value"), float(entry.get("slack", 0.0))
    return Part(**common, low=value - slack, high=value + slack, target=value, tolerance=slack)


def _within(where: str, entry: Mapping[str, Any], common: dict[str, Any]) -> Part:
    value, tolerance = _number(where, entry, "value"), _number(where, entry, "tolerance")
    if tolerance <= 0:
        raise CriterionError(f"{where}: tolerance {tolerance:g} allows nothing; say equal")
    low, high = value - tolerance, value + tolerance
    open_low = open_high = False
    if entry.get("sign"):
        if value == 0:
            raise CriterionError(f"{where}: zero has no sign to match")
        if value > 0 >= low:
            low, open_low = 0.0, True
        if value < 0 <= high:
            high, open_high = 0.0, True
    return Part(**common, low=low, high=high, open_low=open_low, open_high=open_high, target=value, tolerance=tolerance)


def _range(where: str, entry: Mapping[str, Any], common: dict[str, Any]) -> Part:
    for one, other in (("low", "above"), ("high", "below")):
        if one in entry and other in entry:
            raise CriterionError(f"{where}: give {one} or {other}, not both")
    if not {"low", "high", "above", "below"} & entry.keys():
        raise CriterionError(f"{where}: a range needs an end")
    low = float(entry.get("low", entry.get("above", -math.inf)))
    high = float(entry.get("high", entry.get("below", math.inf)))
    if low > high:
        raise CriterionError(f"{where}: nothing lies between {low:g} and {high:g}")
    width = (high - low) / 2
    return Part(
        **common,
        low=low,
        high=high,
        open_low="above" in entry,
        open_high="below" in entry,
        tolerance=width if math.isfinite(width) else None,
    )


def _order(where: str, entry: Mapping[str, Any], common: dict[str, Any]) -> Part:
    words = re.split(r"\s*(>=|>|=)\s*", str(entry.get("order", "")).strip())
    groups, signs = [re.split(r"\s*,\s*", word) for word in words[::2]], words[1::2]
    names = [name for group in groups for name in group]
    if len(groups) < 2 or not all(names):
        raise CriterionError(f"{where}: order needs names with >, >= or = between, not {entry.get('order')!r}")
    if len(set(names)) < len(names):
        raise CriterionError(f"{where}: a name stands twice in {entry['order']!r}")
    relations = []
    for i, upper in enumerate(groups):
        for j in range(i + 1, len(groups)):
            # Across several signs the strictest holds: a > b = c makes a > c.
            between = signs[i:j]
            sign = ">" if ">" in between else ">=" if ">=" in between else "="
            relations += [Relation(a, b, sign, j == i + 1) for a in upper for b in groups[j]]
    tie = entry.get("tie")
    if tie is not None and float(tie) < 0:
        raise CriterionError(f"{where}: a tie of {tie} is none")
    return Part(
        **common,
        relations=tuple(relations),
        tolerance=None if tie is None else float(tie),
        relative=bool(entry.get("relative", False)),
    )


def _cells(where: str, cells: Any) -> str | int | None:
    if cells is None or cells in ("all", "majority"):
        return cells  # type: ignore[no-any-return]
    if isinstance(cells, int) and cells > 0:
        return cells
    if isinstance(cells, str) and re.fullmatch(r"\d+(\.\d+)?%", cells):
        return cells
    raise CriterionError(f"{where}: cells is all, majority, a count or a percentage, not {cells!r}")


def _number(where: str, entry: Mapping[str, Any], key: str) -> float:
    number = entry.get(key)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise CriterionError(f"{where}: {key} has to be a number, not {number!r}")
    return float(number)


def _known(where: str, entry: Mapping[str, Any], known: set[str]) -> None:
    strange = entry.keys() - known
    if strange:
        raise CriterionError(f"{where}: unknown {', '.join(sorted(strange))}; known are {', '.join(sorted(known))}")
